// Which program a command means, and the words that run it.

import * as vscode from "vscode";
import { ToolError } from "./tool";

export interface Program {
  uri: vscode.Uri;
  kernel: string | undefined;
}

/// A command comes from the palette (nothing), a menu (a Uri) or the lens of the server (the text of a URI, and a kernel).
export function programOf(place?: vscode.Uri | string, kernel?: unknown): Program {
  const uri = typeof place === "string" ? vscode.Uri.parse(place) : place ?? vscode.window.activeTextEditor?.document.uri;
  if (!uri) throw new ToolError("Open a .pto file first.");
  if (uri.scheme !== "file") throw new ToolError("Save the program first: ptoscope reads it from the disk.");
  return { uri, kernel: typeof kernel === "string" && kernel ? kernel.replace(/^@/, "") : undefined };
}

/// What the editor shows is what runs.
export async function save(uri: vscode.Uri): Promise<void> {
  const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
  if (document?.isDirty && !(await document.save())) throw new ToolError(`${uri.fsPath} could not be saved.`);
}

/// Words of `ptoscope run`.
export function runWords(program: Program): string[] {
  const words = vscode.workspace.getConfiguration("ptoscope", program.uri).get<string[]>("runArguments", ["--arg", "auto"]);
  return ["run", program.uri.fsPath, ...words, ...(program.kernel ? ["--kernel", program.kernel] : [])];
}
