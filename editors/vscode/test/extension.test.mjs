// The extension in a stand-in for the editor, with the real tool and with tools that are wrong.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, test } from "node:test";
import { loadExtension, makeEditor, open, Uri } from "./editor.mjs";

const tool = process.env.PTOSCOPE;
const source = process.env.PTOSCOPE_SOURCE;
const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const scratch = mkdtempSync(join(tmpdir(), "ptoscope-test-"));
// The browser of an earlier test removes its folder when it likes.
const leftOver = () => readdirSync(process.env.TMPDIR).filter((name) => !name.startsWith("org.chromium."));
after(() => rmSync(scratch, { recursive: true }));
process.env.PTOSCOPE_CACHE = join(scratch, "cache");
process.env.TMPDIR = join(scratch, "tmp");
mkdirSync(process.env.TMPDIR);

const abs = join(source, "examples/abs.pto");
const broken = join(source, "examples/broken/missing_flag.pto");

/// A tool that is a script.
function fakeTool(name, body) {
  const path = join(scratch, name);
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

const oldHelp = `case "$1" in --version) echo "ptoscope 0.1.0";; --help) printf 'usage\\n\\n  run FILE  run\\n';; *) exit 9;; esac`;

// A server that a failed test leaves behind would keep everything alive.
const running = [];
afterEach(async () => {
  for (const context of running.splice(0)) for (const one of context.subscriptions.reverse()) await one.dispose();
});

async function start(options) {
  const editor = makeEditor(options);
  const extension = loadExtension(editor);
  const context = { subscriptions: [] };
  running.push(context);
  await extension.activate(context);
  return { ...editor, command: (name, ...words) => editor.seen.commands.get(name)(...words) };
}

function eventually(condition, what, seconds = 20) {
  return new Promise((resolve, reject) => {
    const end = Date.now() + seconds * 1000;
    const poll = () => (condition() ? resolve() : Date.now() > end ? reject(new Error(`${what} did not happen`)) : setTimeout(poll, 20));
    poll();
  });
}

test("activation registers what the manifest promises", async () => {
  const editor = await start({ settings: { "ptoscope.path": tool } });
  assert.deepEqual([...editor.seen.commands.keys()].sort(), manifest.contributes.commands.map(({ command }) => command).sort());
  assert.ok(editor.seen.taskProvider && editor.seen.adapterFactory && editor.seen.configurationProvider);
  assert.deepEqual(editor.seen.errors, []);
});

test("the server tells what is wrong in an open document", async () => {
  const editor = await start({ settings: { "ptoscope.path": tool }, folder: scratch });
  const path = join(scratch, "wrong.pto");
  open(editor, path, 'func.func @k() {\n  pto.set_flag["PIPE_V", "PIPE_V", "EVENT_ID0"]\n  return\n}\n');
  const found = () => editor.seen.diagnostics.get(Uri.file(path).toString()) ?? [];
  await eventually(() => found().length > 0, "a diagnostic");
  const fault = found().find(({ message }) => /both PIPE_V/.test(message));
  assert.equal(fault?.range.start.line, 1);
  await editor.command("ptoscope.restartServer");
  await eventually(() => found().length > 0, "a diagnostic of the second server");
});

test("a run is a task with the problem matchers", async () => {
  const editor = await start({ settings: { "ptoscope.path": tool }, folder: join(source, "examples") });
  const document = open(editor, abs, readFileSync(abs, "utf8"));
  document.isDirty = true;
  let saved = 0;
  document.save = async () => ++saved > 0;
  await editor.command("ptoscope.run");
  await editor.command("ptoscope.run", Uri.file(abs).toString(), "@abs_kernel_2d"); // as a lens does
  assert.equal(saved, 2);
  const [first, second] = editor.seen.tasks;
  assert.equal(first.name, "run abs.pto");
  assert.deepEqual(first.execution.args, ["run", abs, "--arg", "auto"]);
  assert.deepEqual(second.execution.args, ["run", abs, "--arg", "auto", "--kernel", "abs_kernel_2d"]);
  assert.equal(first.execution.process, tool);
  assert.deepEqual(first.matchers, manifest.contributes.problemMatchers.map(({ name }) => `$${name}`));
  document.save = async () => false;
  await editor.command("ptoscope.run");
  assert.match(editor.seen.errors[0], /could not be saved/);
});

test("tasks of tasks.json are resolved, others are not", async () => {
  const editor = await start({ settings: { "ptoscope.path": "~/bin/${workspaceFolder}" }, folder: "/w" });
  const resolve = (definition) => editor.seen.taskProvider.resolveTask({ name: "t", definition, scope: undefined });
  const task = resolve({ type: "ptoscope", verb: "check", file: "a.pto", args: ["--werror"] });
  assert.deepEqual(task.execution.args, ["check", "a.pto", "--werror"]);
  assert.equal(task.execution.process, `${process.env.HOME}/bin//w`);
  assert.deepEqual(resolve({ type: "ptoscope", verb: "run", file: "a.pto" }).execution.args, ["run", "a.pto", "--arg", "auto"]);
  assert.equal(resolve({ type: "ptoscope", verb: "fly", file: "a.pto" }), undefined);
  assert.equal(resolve({ type: "ptoscope", verb: "run" }), undefined);
});

test("the timeline is shown under a policy that lets only its own script run", async () => {
  const editor = await start({ settings: { "ptoscope.path": tool } });
  open(editor, abs, readFileSync(abs, "utf8"));
  await editor.command("ptoscope.showTimeline");
  assert.deepEqual(editor.seen.errors, []);
  const [panel] = editor.seen.panels;
  assert.equal(panel.title, "Timeline: abs.pto");
  assert.deepEqual(panel.options.localResourceRoots, []);
  const { html } = panel.webview;
  const nonce = /script-src 'nonce-([\w-]{20,})'"/.exec(html)[1];
  assert.match(html, /<head>\s*<meta http-equiv="Content-Security-Policy" content="default-src 'none'; /);
  assert.ok(html.includes(`<script nonce="${nonce}">`), "the script of the page has no nonce");
  assert.match(html, /abs_kernel_2d/);
  assert.equal(html.split(`nonce="${nonce}"`).length - 1, 2); // data and script
  await editor.command("ptoscope.showTimeline");
  assert.ok(!editor.seen.panels[1].webview.html.includes(nonce), "the nonce is used twice");
  assert.deepEqual(leftOver(), [], "files are left over");
});

test("the page works under its policy", async () => {
  const editor = await start({ settings: { "ptoscope.path": tool } });
  await editor.command("ptoscope.showTimeline", Uri.file(abs));
  const path = join(scratch, "panel.html");
  writeFileSync(path, editor.seen.panels[0].webview.html);
  const program = `import sys; sys.path.insert(0, sys.argv[1])
from browser import Browser
with Browser() as page:
    page.open(sys.argv[2])
    page.wait("return document.querySelector('#root').innerText.includes('abs_kernel_2d')", "the report")
    log = [row["message"] for row in page.call("POST", "/se/log", {"type": "browser"})]
    assert not log, log`;
  execFileSync("/usr/bin/python3", ["-B", "-c", program, join(source, "test/Report/Inputs"), path], { stdio: "pipe", timeout: 90000 });
});

test("a run with findings has a timeline, and says so", async () => {
  const editor = await start({ settings: { "ptoscope.path": tool } });
  await editor.command("ptoscope.showTimeline", Uri.file(broken));
  assert.equal(editor.seen.panels.length, 1);
  assert.match(editor.seen.warnings[0], /missing_flag\.pto: .*error\[race-raw\]/);
});

test("a program that does not run has no panel", async () => {
  const editor = await start({ settings: { "ptoscope.path": tool } });
  const path = join(scratch, "garbage.pto");
  writeFileSync(path, "this is no program\n");
  await editor.command("ptoscope.showTimeline", Uri.file(path));
  assert.equal(editor.seen.panels.length, 0);
  assert.match(editor.seen.errors[0], /garbage\.pto has no timeline: .*error/);
  await editor.command("ptoscope.showTimeline", new Uri("untitled", "Untitled-1"));
  assert.match(editor.seen.errors[1], /Save the program first/);
  await editor.command("ptoscope.run");
  assert.match(editor.seen.errors[2], /Open a \.pto file first/);
  assert.deepEqual(leftOver(), []);
});

test("a cancelled run ends the tool and shows nothing", async () => {
  const slow = fakeTool("slow", `case "$1" in run) exec sleep 60;; esac\n${oldHelp}`);
  const editor = await start({ settings: { "ptoscope.path": slow } });
  editor.seen.errors.length = 0; // it has no server
  editor.seen.onProgress = (stop) => setTimeout(stop, 100);
  const began = Date.now();
  await editor.command("ptoscope.showTimeline", Uri.file(abs));
  assert.ok(Date.now() - began < 20000);
  assert.deepEqual([editor.seen.panels, editor.seen.errors], [[], []]);
});

test("a debug session starts the adapter, with a checked configuration", async () => {
  const newer = fakeTool("newer", `case "$1" in --help) printf '\\n  debug FILE  debug\\n';; --version) echo "ptoscope 0.2.0";; esac`);
  const editor = await start({ settings: { "ptoscope.path": newer } });
  const adapter = await editor.seen.adapterFactory.createDebugAdapterDescriptor({ workspaceFolder: { uri: Uri.file(scratch) } });
  assert.deepEqual([adapter.command, adapter.args, adapter.options], [newer, ["debug", "--dap"], { cwd: scratch }]);
  const provider = editor.seen.configurationProvider;
  assert.equal(provider.resolveDebugConfiguration(undefined, {}), undefined); // no document
  open(editor, abs, "");
  const config = provider.resolveDebugConfiguration(undefined, {});
  assert.deepEqual([config.type, config.request, config.program, config.args], ["ptoscope", "launch", abs, ["auto"]]);
  const resolve = (change) => provider.resolveDebugConfigurationWithSubstitutedVariables(undefined, { ...config, ...change });
  assert.equal((await resolve({})).program, abs);
  assert.equal((await resolve({ schedule: "random", seed: 0, blocks: 4, args: ["zeros:f32:8", 5] })).blocks, 4);
  editor.seen.errors.length = 0;
  const wrong = [{ program: "" }, { program: "/no/such.pto" }, { args: "auto" }, { args: [{}] }, { schedule: "fast" }, { seed: -1 }, { blocks: 0 }, { request: "attach" }];
  for (const change of wrong) assert.equal(await resolve(change), undefined, JSON.stringify(change));
  assert.equal(editor.seen.errors.length, wrong.length);
  assert.match(editor.seen.errors[1], /\/no\/such\.pto does not exist/);
});

/// Talks to a debug adapter as the editor does.
function adapterClient({ command, args, options }) {
  const child = spawn(command, args, { ...options, stdio: ["pipe", "pipe", "inherit"] });
  const messages = [];
  let buffer = Buffer.alloc(0);
  child.stdout.on("data", (bytes) => {
    buffer = Buffer.concat([buffer, bytes]);
    for (let match; (match = /^(?:[^\r]*\r\n)*?Content-Length: (\d+)\r\n(?:[^\r]+\r\n)*\r\n/.exec(buffer.toString("latin1"))); ) {
      const end = match[0].length + Number(match[1]);
      if (buffer.length < end) break;
      messages.push(JSON.parse(buffer.subarray(match[0].length, end).toString()));
      buffer = buffer.subarray(end);
    }
  });
  let seq = 0;
  const find = async (what, test) => {
    await eventually(() => messages.some(test), what);
    return messages.find(test);
  };
  return {
    exited: new Promise((resolve) => child.on("exit", resolve)),
    event: (name) => find(`event ${name}`, (one) => one.type === "event" && one.event === name),
    /// `early`: do not wait for the answer.
    request(name, body, early) {
      const text = JSON.stringify({ seq: ++seq, type: "request", command: name, arguments: body });
      child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
      const mine = seq;
      return early ? undefined : find(`answer to ${name}`, (one) => one.type === "response" && one.request_seq === mine);
    },
  };
}

const hasDebugger = / {2}debug /.test(execFileSync(tool, ["--help"], { encoding: "utf8" }));
test("the tool's adapter takes the configuration that F5 makes", { skip: !hasDebugger && "this tool has no verb `debug`" }, async () => {
  const editor = await start({ settings: { "ptoscope.path": tool } });
  open(editor, abs, "");
  const provider = editor.seen.configurationProvider;
  const config = await provider.resolveDebugConfigurationWithSubstitutedVariables(undefined, {
    ...provider.resolveDebugConfiguration(undefined, {}), schedule: "random", seed: 3, blocks: 1, checks: "all", kernel: "abs_kernel_2d" });
  const adapter = adapterClient(await editor.seen.adapterFactory.createDebugAdapterDescriptor({}));
  assert.ok((await adapter.request("initialize", { adapterID: "ptoscope" })).success);
  adapter.request("launch", config, "early");
  await adapter.event("initialized");
  const line = readFileSync(abs, "utf8").split("\n").findIndex((text) => /^\s*pto\.set_flag/.test(text)) + 1;
  const set = await adapter.request("setBreakpoints", { source: { path: abs }, breakpoints: [{ line }] });
  assert.equal(set.body.breakpoints[0].verified, true, JSON.stringify(set));
  assert.ok((await adapter.request("configurationDone", {})).success);
  assert.equal((await adapter.event("stopped")).body.reason, "entry");
  assert.ok((await adapter.request("disconnect", {})).success);
  assert.equal(await adapter.exited, 0);
});

test("attributes of the launch configuration are those that the manifest describes", () => {
  const { properties } = manifest.contributes.debuggers[0].configurationAttributes.launch;
  for (const name of ["program", "args", "kernel", "schedule", "seed", "blocks", "checks", "stopOnEntry"]) assert.ok(properties[name]?.description, name);
});

for (const [what, path, expected] of [
  ["missing", join(scratch, "nowhere"), /nowhere` was not found.*ptoscope\.path/],
  ["not executable", join(source, "README.md"), /may not be executed/],
  ["another program", "/bin/true", /is not PTOScope/],
  ["too old", fakeTool("older", 'echo "ptoscope 0.0.9"'), /is version 0\.0\.9; this extension needs 0\.1\.0/],
  ["without the verb", fakeTool("verbless", oldHelp), /has no verb `lsp`: it is too old/],
])
  test(`a tool that is ${what} is said once, with the way to the setting`, async () => {
    const editor = makeEditor({ settings: { "ptoscope.path": path } });
    editor.seen.choose = ([choice]) => choice;
    await loadExtension(editor).activate({ subscriptions: [] });
    assert.equal(editor.seen.errors.length, 1);
    assert.match(editor.seen.errors[0], expected);
    assert.deepEqual(editor.seen.executed, [["workbench.action.openSettings", "ptoscope.path"]]);
  });

test("a changed setting starts the server again", async () => {
  const editor = await start({ settings: { "ptoscope.path": join(scratch, "nowhere") }, folder: scratch });
  assert.equal(editor.seen.errors.length, 1);
  editor.settings["ptoscope.path"] = tool;
  editor.events.onDidChangeConfiguration.fire({ affectsConfiguration: (name) => name === "ptoscope.path" });
  const path = join(scratch, "later.pto");
  open(editor, path, "func.func @k() {\n  pto.nonsense\n  return\n}\n");
  await eventually(() => editor.seen.diagnostics.get(Uri.file(path).toString())?.length, "a diagnostic");
});
