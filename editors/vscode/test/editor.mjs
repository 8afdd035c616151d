// A stand-in for the editor: the part of its API that the extension calls, recording what is called. Names that only the
// language client asks for are made up: classes and enumerations without content.

import { createRequire } from "node:module";
import Module from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const here = dirname(fileURLToPath(import.meta.url));

export class Uri {
  constructor(scheme, path) {
    Object.assign(this, { scheme, path, authority: "", query: "", fragment: "", fsPath: path });
  }
  static file(path) {
    return new Uri("file", path);
  }
  static parse(text) {
    const url = new URL(text);
    return new Uri(url.protocol.slice(0, -1), decodeURIComponent(url.pathname));
  }
  with(change) {
    return Object.assign(new Uri(this.scheme, this.path), change);
  }
  toString() {
    return `${this.scheme}://${encodeURI(this.path)}`;
  }
}

class Emitter {
  listeners = new Set();
  event = (listener, self) => {
    const bound = self ? listener.bind(self) : listener;
    this.listeners.add(bound);
    return { dispose: () => this.listeners.delete(bound) };
  };
  fire = (value) => [...this.listeners].map((listener) => listener(value));
  dispose = () => this.listeners.clear();
}

class Plain {
  constructor(...fields) {
    this.fields = fields;
  }
}

/// Every name there may be: an enumeration, a class to derive from.
function madeUp(name) {
  const made = { [name]: class extends Plain {} }[name];
  return new Proxy(made, { get: (target, key) => (key in target || typeof key !== "string" ? target[key] : `${name}.${key}`) });
}

const kind = (value) => ({ value, append: (part) => kind(value ? `${value}.${part}` : part) });

const withFallback = (object, fallback) =>
  new Proxy(object, { get: (target, key) => (key in target || typeof key !== "string" ? target[key] : (target[key] = fallback(key))) });

/// An editor without a document. What happened is in `seen`.
export function makeEditor({ settings = {}, folder } = {}) {
  const seen = { commands: new Map(), tasks: [], panels: [], errors: [], warnings: [], executed: [], lines: [], diagnostics: new Map() };
  const events = withFallback({}, () => new Emitter());
  const disposable = { dispose: () => {} };
  // `onDidX` is an event; anything else registers something.
  const service = (object) =>
    withFallback(object, (key) => (/^onDid|^onWill/.test(key) ? events[key].event : () => disposable));
  const folders = folder ? [{ uri: Uri.file(folder), name: "folder", index: 0 }] : undefined;
  const say = (list) => async (message, ...choices) => (list.push(message), seen.choose?.(choices));
  const channel = () => ({ append: (text) => seen.lines.push(text), appendLine: (text) => seen.lines.push(text), dispose() {}, show() {} });
  const vscode = withFallback(
    {
      version: "1.82.0",
      Uri,
      EventEmitter: Emitter,
      Disposable: class {
        constructor(dispose) {
          this.dispose = dispose;
        }
      },
      CancellationTokenSource: class {
        token = { isCancellationRequested: false, onCancellationRequested: () => disposable };
        cancel() {}
        dispose() {}
      },
      // A bundle copies names that are there; these the extension itself has.
      TaskScope: { Global: 1, Workspace: 2 },
      ProgressLocation: { Notification: 15 },
      ViewColumn: { Beside: -2 },
      CodeActionKind: { Empty: kind(""), QuickFix: kind("quickfix"), Refactor: kind("refactor"), Source: kind("source") },
      CancellationError: class extends Error {},
      Position: class {
        constructor(line, character) {
          Object.assign(this, { line, character });
        }
      },
      Range: class {
        constructor(...at) {
          const [start, end] = at.length === 4 ? [{ line: at[0], character: at[1] }, { line: at[2], character: at[3] }] : at;
          Object.assign(this, { start, end });
        }
      },
      Diagnostic: class {
        constructor(range, message, severity) {
          Object.assign(this, { range, message, severity });
        }
      },
      Task: class {
        constructor(definition, scope, name, source, execution, matchers) {
          Object.assign(this, { definition, scope, name, source, execution, matchers });
        }
      },
      ProcessExecution: class {
        constructor(process, args, options) {
          Object.assign(this, { process, args, options });
        }
      },
      DebugAdapterExecutable: class {
        constructor(command, args, options) {
          Object.assign(this, { command, args, options });
        }
      },
      commands: service({
        registerCommand: (name, body) => (seen.commands.set(name, body), { dispose: () => seen.commands.delete(name) }),
        executeCommand: async (...words) => void seen.executed.push(words),
      }),
      workspace: service({
        workspaceFolders: folders,
        textDocuments: [],
        notebookDocuments: [],
        isTrusted: true,
        asRelativePath: (uri) => (folder && uri.fsPath.startsWith(folder + "/") ? uri.fsPath.slice(folder.length + 1) : uri.fsPath),
        getWorkspaceFolder: (uri) => folders?.find((one) => uri.fsPath.startsWith(one.uri.fsPath + "/")),
        getConfiguration: (section) => ({
          get: (key, otherwise) => settings[section ? `${section}.${key}` : key] ?? otherwise,
          inspect: () => undefined,
        }),
        createFileSystemWatcher: () => ({ ...disposable, onDidCreate() {}, onDidChange() {}, onDidDelete() {} }),
      }),
      window: service({
        activeTextEditor: undefined,
        visibleTextEditors: [],
        createOutputChannel: channel,
        showErrorMessage: say(seen.errors),
        showWarningMessage: say(seen.warnings),
        withProgress: (_options, body) =>
          body({ report() {} }, { isCancellationRequested: false, onCancellationRequested: (stop) => ((seen.cancel = stop), seen.onProgress?.(stop), disposable) }),
        createWebviewPanel: (type, title, column, options) => {
          const panel = { type, title, column, options, webview: { html: "" } };
          seen.panels.push(panel);
          return panel;
        },
      }),
      tasks: service({
        registerTaskProvider: (_type, provider) => ((seen.taskProvider = provider), disposable),
        executeTask: async (task) => void seen.tasks.push(task),
      }),
      debug: service({
        registerDebugAdapterDescriptorFactory: (_type, factory) => ((seen.adapterFactory = factory), disposable),
        registerDebugConfigurationProvider: (_type, provider) => ((seen.configurationProvider = provider), disposable),
      }),
      languages: service({
        match: (selector, document) => (selector.some?.((one) => one.language === document.languageId) ? 10 : 0),
        createDiagnosticCollection: () => ({
          set: (uri, list) => {
            seen.diagnostics.set(uri.toString(), list);
            events.testDiagnostics.fire(uri);
          },
          delete: (uri) => seen.diagnostics.delete(uri.toString()),
          clear() {},
          dispose() {},
        }),
      }),
      env: service({ language: "en", appName: "test" }),
      extensions: service({ getExtension: () => undefined }),
      l10n: { t: (text) => text },
    },
    madeUp,
  );
  return { vscode, seen, events, settings };
}

/// The bundled extension, loaded into an editor.
export function loadExtension(editor) {
  const load = Module._load;
  Module._load = (name, ...rest) => (name === "vscode" ? editor.vscode : load(name, ...rest));
  try {
    const path = join(here, "../dist/extension.js");
    delete require.cache[path];
    return require(path);
  } finally {
    Module._load = load;
  }
}

/// Opens a document and shows it; `text` is what the editor has.
export function open(editor, path, text, languageId = "pto") {
  const lines = text.split("\n");
  const document = {
    uri: Uri.file(path),
    fileName: path,
    languageId,
    version: 1,
    isDirty: false,
    lineCount: lines.length,
    getText: () => text,
    save: async () => true,
  };
  editor.vscode.workspace.textDocuments.push(document);
  editor.vscode.window.activeTextEditor = { document };
  editor.events.onDidOpenTextDocument.fire(document);
  return document;
}
