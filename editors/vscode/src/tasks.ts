// Runs and checks as tasks, so that findings go to the Problems panel.

import * as vscode from "vscode";
import { programOf, runWords, save } from "./program";
import { folderOf, toolPath, toolWith } from "./tool";

interface Definition extends vscode.TaskDefinition {
  verb: "run" | "check";
  file: string;
  args?: string[];
}

const kMatchers = ["$ptoscope", "$ptoscope-remark"];

function taskOf(name: string, definition: Definition, path: string, words: string[], folder: vscode.WorkspaceFolder | undefined): vscode.Task {
  const execution = new vscode.ProcessExecution(path, words, { env: { NO_COLOR: "1" } });
  return new vscode.Task(definition, folder ?? vscode.TaskScope.Workspace, name, "ptoscope", execution, kMatchers);
}

/// The command of the lens, the palette and the menu.
export async function run(place?: vscode.Uri | string, kernel?: unknown): Promise<void> {
  const program = programOf(place, kernel);
  const tool = await toolWith("run", folderOf(program.uri));
  await save(program.uri);
  const words = runWords(program);
  const definition: Definition = { type: "ptoscope", verb: "run", file: program.uri.fsPath, args: words.slice(2) };
  const name = `run ${vscode.workspace.asRelativePath(program.uri)}`;
  const folder = vscode.workspace.getWorkspaceFolder(program.uri);
  await vscode.tasks.executeTask(taskOf(name, definition, tool.path, words, folder));
}

/// Tasks of tasks.json. None is offered by itself: there would be one for each file.
export const taskProvider: vscode.TaskProvider = {
  provideTasks: () => [],
  resolveTask(task) {
    const definition = task.definition as Definition;
    if (!["run", "check"].includes(definition.verb) || typeof definition.file !== "string") return undefined;
    const folder = typeof task.scope === "object" ? task.scope : undefined;
    const words = [definition.verb, definition.file, ...(definition.args ?? (definition.verb === "run" ? ["--arg", "auto"] : []))];
    return taskOf(task.name, definition, toolPath(folder?.uri.fsPath ?? folderOf(undefined)), words, folder);
  },
};
