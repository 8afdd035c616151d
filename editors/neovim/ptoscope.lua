-- PTO programs in Neovim 0.7 and later: file type, colours, the language server, runs into the quickfix list, and the
-- debugger where nvim-dap is installed.
--
--   cp editors/neovim/ptoscope.lua ~/.config/nvim/lua/
--   require("ptoscope").setup()                              in init.lua
--   require("ptoscope").setup({ path = "/opt/pto/bin/ptoscope", run = { "--arg", "auto" } })

local M = { path = "ptoscope", run = { "--arg", "auto" } }

-- The server has better ones where the editor asks for semantic tokens (0.9).
local colours = {
  { "Comment", [[//.*$]] },
  { "String", [["[^"]*"]] },
  { "Identifier", [[%[A-Za-z0-9_$.-]\+]] },
  { "Function", [[@[A-Za-z0-9_$.-]\+]] },
  { "Label", [[\^[A-Za-z0-9_$.-]\+]] },
  { "Type", [[![A-Za-z_][A-Za-z0-9_.]*]] },
  { "Type", [[\<\%([su]\?i[0-9]\+\|b\?f16\|f32\|f64\|index\)\>]] },
  { "Constant", [[#[A-Za-z_][A-Za-z0-9_.]*]] },
  { "Number", [[\<\%(0x\x\+\|\d\+\%(\.\d*\)\?\%([eE][+-]\?\d\+\)\?\)\>]] },
  { "Statement", [[\<pto\.[a-z0-9_.]\+\>]] },
  { "Keyword", [[\<\%(module\|attributes\|return\|to\|step\|else\|ins\|outs\|func\.func\|\%(scf\|cf\)\.[a-z_]\+\)\>]] },
}

local function set_colours()
  if vim.b.current_syntax then
    return
  end
  vim.cmd("syntax clear")
  for index = #colours, 1, -1 do -- of two that begin at one place, the last one wins
    local group, pattern = colours[index][1], colours[index][2]
    vim.cmd(("syntax match pto%s%d +%s+"):format(group, index, pattern))
    vim.cmd(("highlight default link pto%s%d %s"):format(group, index, group))
  end
  vim.b.current_syntax = "pto"
end

local function start_server(buffer)
  local config = {
    name = "ptoscope",
    cmd = { M.path, "lsp" },
    root_dir = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ":p:h"),
  }
  if vim.lsp.start then
    vim.lsp.start(config, { bufnr = buffer })
    return
  end
  M.client = M.client and vim.lsp.get_client_by_id(M.client) and M.client or vim.lsp.start_client(config)
  if M.client then
    vim.lsp.buf_attach_client(buffer, M.client)
  end
end

-- Runs or checks a file; its findings are the quickfix list.
function M.tool(verb, file, words)
  local command = vim.list_extend({ M.path, verb, file }, words)
  local lines = vim.fn.systemlist(table.concat(vim.tbl_map(vim.fn.shellescape, command), " ") .. " 2>&1")
  local format = [=[%f:%l:%c: %t%*[a-z][%*[^]]]: %m,%f:%l:%c: %tote: %m,%-G%.%#]=]
  vim.fn.setqflist({}, " ", { title = table.concat(command, " "), lines = lines, efm = format })
  vim.notify(lines[#lines] or "")
end

local function set_debugger()
  local found, dap = pcall(require, "dap")
  if not found then
    return
  end
  dap.adapters.ptoscope = { type = "executable", command = M.path, args = { "debug", "--dap" } }
  dap.configurations.pto = {
    {
      type = "ptoscope",
      request = "launch",
      name = "PTO program, automatic arguments",
      program = "${file}",
      args = { "auto" },
      stopOnEntry = true,
    },
  }
end

function M.setup(options)
  for name, value in pairs(options or {}) do
    M[name] = value
  end
  if vim.fn.executable(M.path) == 0 then
    vim.notify(("ptoscope: `%s` was not found; setup({ path = … }) names it"):format(M.path), vim.log.levels.ERROR)
    return
  end
  local group = vim.api.nvim_create_augroup("ptoscope", {})
  vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, {
    group = group,
    pattern = "*.pto",
    callback = function() vim.bo.filetype = "pto" end,
  })
  vim.api.nvim_create_autocmd("FileType", {
    group = group,
    pattern = "pto",
    callback = function(event)
      vim.bo.commentstring = "// %s"
      vim.bo.shiftwidth = 2
      vim.bo.expandtab = true
      set_colours()
      start_server(event.buf)
    end,
  })
  vim.api.nvim_create_user_command("PtoRun", function(call)
    M.tool("run", vim.fn.expand("%:p"), #call.fargs > 0 and call.fargs or M.run)
  end, { nargs = "*", complete = "file" })
  vim.api.nvim_create_user_command("PtoCheck", function(call)
    M.tool("check", vim.fn.expand("%:p"), call.fargs)
  end, { nargs = "*" })
  -- The lens above a kernel.
  vim.lsp.commands["ptoscope.run"] = function(command)
    local place, kernel = unpack(command.arguments or {})
    local words = vim.list_extend({}, M.run)
    if type(kernel) == "string" then
      vim.list_extend(words, { "--kernel", (kernel:gsub("^@", "")) })
    end
    M.tool("run", place and vim.uri_to_fname(place) or vim.fn.expand("%:p"), words)
  end
  set_debugger()
end

return M
