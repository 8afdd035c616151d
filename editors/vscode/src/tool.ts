// The ptoscope command: where it is, whether it is new enough, and how it is called.

import { execFile } from "node:child_process";
import { homedir } from "node:os";
import * as vscode from "vscode";

/// What went wrong and what helps, in words for a message box.
export class ToolError extends Error {}

export interface Tool {
  path: string;
  version: string;
  verbs: string[];
}

export interface Output {
  status: number | undefined; // undefined: cancelled, or ended by a signal
  stdout: string;
  stderr: string;
}

const kOldest = "0.1.0";
const kRemedy = "Build it (`make build`) or install it, and name it in the setting `ptoscope.path`.";

/// The setting, with what people write in it replaced.
export function toolPath(folder: string | undefined): string {
  const path = vscode.workspace.getConfiguration("ptoscope").get<string>("path", "ptoscope").trim() || "ptoscope";
  return path.replace(/\$\{workspaceFolder\}/g, folder ?? "").replace(/^~(?=\/|$)/, homedir());
}

/// Runs the tool to its end; a tool that cannot be started is a ToolError.
export function runTool(path: string, words: string[], cwd?: string, token?: vscode.CancellationToken): Promise<Output> {
  return new Promise((resolve, reject) => {
    const child = execFile(path, words, { cwd, maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      const code = (error as NodeJS.ErrnoException | null)?.code;
      if (code === "ENOENT") reject(new ToolError(`The command \`${path}\` was not found. ${kRemedy}`));
      else if (code === "EACCES") reject(new ToolError(`\`${path}\` may not be executed. ${kRemedy}`));
      else if (error && typeof code === "string") reject(new ToolError(`\`${path}\` cannot be used: ${error.message}`));
      else resolve({ status: child.exitCode ?? undefined, stdout, stderr });
    });
    child.stdin?.end();
    token?.onCancellationRequested(() => child.kill("SIGINT"));
  });
}

function isOlder(version: string, than: string): boolean {
  const [a, b] = [version, than].map((text) => text.split(".").map(Number));
  const at = b.findIndex((part, i) => part !== a[i]);
  return at >= 0 && a[at] < b[at];
}

/// The tool, asked for its version and verbs.
export async function findTool(folder: string | undefined): Promise<Tool> {
  const path = toolPath(folder);
  const version = /^ptoscope (\d+\.\d+\.\d+)/.exec((await runTool(path, ["--version"])).stdout)?.[1];
  if (!version) throw new ToolError(`\`${path}\` is not PTOScope: \`--version\` does not say so. ${kRemedy}`);
  if (isOlder(version, kOldest))
    throw new ToolError(`\`${path}\` is version ${version}; this extension needs ${kOldest} or later. ${kRemedy}`);
  const help = (await runTool(path, ["--help"])).stdout;
  const verbs = [...help.matchAll(/^ {2}([a-z][\w+-]*)(?: \S+)* {2,}\S/gm)].map((match) => match[1]);
  return { path, version, verbs };
}

/// The same, for one verb: tools of the same version may lack it.
export async function toolWith(verb: string, folder: string | undefined): Promise<Tool> {
  const tool = await findTool(folder);
  if (!tool.verbs.includes(verb))
    throw new ToolError(`\`${tool.path}\` (${tool.version}) has no verb \`${verb}\`: it is too old for this extension. ${kRemedy}`);
  return tool;
}

/// The folder that a document belongs to.
export function folderOf(uri: vscode.Uri | undefined): string | undefined {
  const folder = uri && vscode.workspace.getWorkspaceFolder(uri);
  return (folder ?? vscode.workspace.workspaceFolders?.[0])?.uri.fsPath;
}

/// Shows an error of ours; anything else is a bug and goes on.
export async function explain(error: unknown): Promise<void> {
  if (!(error instanceof ToolError)) throw error;
  const settings = "Open settings";
  if ((await vscode.window.showErrorMessage(error.message, settings)) === settings)
    await vscode.commands.executeCommand("workbench.action.openSettings", "ptoscope.path");
}
