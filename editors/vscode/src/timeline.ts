// The report page of a run, in a panel.

import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import * as vscode from "vscode";
import { programOf, runWords, save } from "./program";
import { folderOf, runTool, ToolError, toolWith } from "./tool";

/// The page with a policy under which nothing but its own script runs and nothing is fetched.
export function withPolicy(page: string, nonce: string): string {
  const policy = `default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'nonce-${nonce}'`;
  let made = "";
  let at = 0;
  // From one element to the next: what stands inside a script is no tag.
  for (let open = page.indexOf("<script"); open >= 0; open = page.indexOf("<script", at)) {
    const close = page.indexOf("</script>", open);
    if (close < 0) break;
    const tag = open + "<script".length;
    made += `${page.slice(at, tag)} nonce="${nonce}"${page.slice(tag, close)}`;
    at = close;
  }
  made += page.slice(at);
  return made.replace("<head>", () => `<head>\n<meta http-equiv="Content-Security-Policy" content="${policy}">`);
}

/// The first line of an error, without its place.
function reason(text: string): string {
  return /^.*?error(?:\[[a-z0-9-]+\])?: .*$/m.exec(text)?.[0] ?? text.trim().split("\n")[0];
}

export async function showTimeline(place?: vscode.Uri | string, kernel?: unknown): Promise<void> {
  const program = programOf(place, kernel);
  const tool = await toolWith("run", folderOf(program.uri));
  await save(program.uri);
  const folder = await mkdtemp(join(tmpdir(), "ptoscope-"));
  try {
    const name = basename(program.uri.fsPath);
    const page = join(folder, "report.html");
    const options = { location: vscode.ProgressLocation.Notification, title: `Running ${name}`, cancellable: true };
    const words = [...runWords(program), "--report", page];
    const done = await vscode.window.withProgress(options, (_, token) =>
      runTool(tool.path, words, folderOf(program.uri) ?? dirname(program.uri.fsPath), token),
    );
    if (done.status === undefined || done.status === 130) return; // cancelled
    if (!existsSync(page)) throw new ToolError(`${name} has no timeline: ${reason(done.stderr + done.stdout)}`);
    const panel = vscode.window.createWebviewPanel("ptoscope.timeline", `Timeline: ${name}`, vscode.ViewColumn.Beside, {
      enableScripts: true,
      retainContextWhenHidden: true,
      localResourceRoots: [],
    });
    panel.webview.html = withPolicy(await readFile(page, "utf8"), randomBytes(16).toString("base64url"));
    if (done.status === 1) void vscode.window.showWarningMessage(`${name}: ${reason(done.stderr + done.stdout)}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
