;;; ptoscope-mode.el --- PTO programs -*- lexical-binding: t -*-

;; Package-Requires: ((emacs "27.1"))
;; Version: 0.1.0

;;; Commentary:

;; Colours, indentation, `compile' commands with places that can be visited, the language server by eglot (part of
;; Emacs 29, a package before), and the debugger where the package dape is installed.
;;
;;   (add-to-list 'load-path "…/editors/emacs")
;;   (require 'ptoscope-mode)

;;; Code:

(require 'compile)

(defgroup ptoscope nil
  "PTO programs."
  :group 'languages)

(defcustom ptoscope-path "ptoscope"
  "The ptoscope command."
  :type 'string)

(defcustom ptoscope-run-arguments '("--arg" "auto")
  "Words behind the file of `ptoscope-run'."
  :type '(repeat string))

(defvar ptoscope-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 12" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\" "\"" table)
    (dolist (sign '(?% ?@ ?^ ?! ?# ?_ ?.))
      (modify-syntax-entry sign "_" table))
    table))

(defconst ptoscope-font-lock-keywords
  '(("\\_<pto\\.[a-z0-9_.]+" . font-lock-keyword-face)
    ("\\_<\\(?:module\\|attributes\\|return\\|to\\|step\\|else\\|ins\\|outs\\|func\\.func\\|\\(?:scf\\|cf\\)\\.[a-z_]+\\)\\_>"
     . font-lock-builtin-face)
    ("@[A-Za-z0-9_$.-]+" . font-lock-function-name-face)
    ("%[A-Za-z0-9_$.-]+" . font-lock-variable-name-face)
    ("![A-Za-z_][A-Za-z0-9_.]*" . font-lock-type-face)
    ("\\_<\\(?:[su]?i[0-9]+\\|b?f16\\|f32\\|f64\\|index\\)\\_>" . font-lock-type-face)
    ("#[A-Za-z_][A-Za-z0-9_.]*" . font-lock-constant-face)
    ("\\^[A-Za-z0-9_$.-]+" . font-lock-constant-face)))

(defun ptoscope-indent-line ()
  "Indent by two for each bracket that is open."
  (interactive)
  (let* ((depth (save-excursion
                  (beginning-of-line)
                  (let ((open (car (syntax-ppss))))
                    (skip-chars-forward " \t")
                    (while (looking-at "[])}]")
                      (setq open (1- open))
                      (forward-char))
                    open)))
         (offset (- (current-column) (current-indentation))))
    (indent-line-to (* 2 (max 0 depth)))
    (when (> offset 0)
      (forward-char offset))))

;;;###autoload
(define-derived-mode ptoscope-mode prog-mode "PTO"
  "Mode of PTO programs."
  (setq-local comment-start "// ")
  (setq-local comment-start-skip "//+ *")
  (setq-local indent-line-function #'ptoscope-indent-line)
  (setq-local indent-tabs-mode nil)
  (setq-local font-lock-defaults '(ptoscope-font-lock-keywords)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.pto\\'" . ptoscope-mode))

;; Findings in compilation buffers.
(add-to-list 'compilation-error-regexp-alist-alist
             '(ptoscope "^\\(.+?\\):\\([0-9]+\\):\\([0-9]+\\): \\(?:error\\|\\(warning\\)\\|\\(note\\|remark\\)\\)"
                        1 2 3 (4 . 5)))
(add-to-list 'compilation-error-regexp-alist 'ptoscope)

(defun ptoscope--compile (verb words)
  "Run VERB on the file of this buffer, with WORDS."
  (unless buffer-file-name
    (user-error "Save the program first"))
  (unless (executable-find ptoscope-path)
    (user-error "`%s' was not found; `ptoscope-path' names it" ptoscope-path))
  (save-buffer)
  ;; A compilation buffer is a terminal to the tool, but shows no colours.
  (let ((compilation-environment (cons "NO_COLOR=1" compilation-environment)))
    (compile (mapconcat #'shell-quote-argument (append (list ptoscope-path verb buffer-file-name) words) " "))))

(defun ptoscope-run ()
  "Run the program with every check, by `ptoscope-run-arguments'."
  (interactive)
  (ptoscope--compile "run" ptoscope-run-arguments))

(defun ptoscope-check ()
  "Check the program without a run."
  (interactive)
  (ptoscope--compile "check" nil))

(define-key ptoscope-mode-map (kbd "C-c C-c") #'ptoscope-run)
(define-key ptoscope-mode-map (kbd "C-c C-v") #'ptoscope-check)

;; M-x eglot
(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               (cons 'ptoscope-mode (lambda (&rest _) (list ptoscope-path "lsp")))))

;; M-x dape
(defvar dape-configs)
(with-eval-after-load 'dape
  (add-to-list 'dape-configs
               `(ptoscope modes (ptoscope-mode)
                          command ,ptoscope-path
                          command-args ("debug" "--dap")
                          :type "ptoscope" :request "launch"
                          :program dape-buffer-default :args ["auto"] :stopOnEntry t)))

(provide 'ptoscope-mode)
;;; ptoscope-mode.el ends here
