// The debugger: `ptoscope debug --dap` is the adapter.

import { existsSync } from "node:fs";
import * as vscode from "vscode";
import { explain, folderOf, ToolError, toolWith } from "./tool";

export const adapterFactory: vscode.DebugAdapterDescriptorFactory = {
  async createDebugAdapterDescriptor(session) {
    const folder = session.workspaceFolder?.uri.fsPath ?? folderOf(undefined);
    const tool = await toolWith("debug", folder);
    return new vscode.DebugAdapterExecutable(tool.path, ["debug", "--dap"], { cwd: folder });
  },
};

/// What is wrong with a configuration, if anything; the adapter would say it later and elsewhere.
function fault(config: vscode.DebugConfiguration): string | undefined {
  if (config.request !== "launch") return `request is "${config.request}"; PTO programs can only be launched.`;
  if (typeof config.program !== "string" || !config.program) return "program is missing: name the .pto file.";
  if (!existsSync(config.program)) return `program ${config.program} does not exist.`;
  if (config.args !== undefined && !(Array.isArray(config.args) && config.args.every((one) => ["string", "number"].includes(typeof one))))
    return 'args is a list of texts and numbers, one per kernel parameter: ["auto"].';
  if (config.schedule !== undefined && !["eager", "lazy", "random"].includes(config.schedule))
    return `schedule is "${config.schedule}"; there are eager, lazy and random.`;
  for (const [name, least] of [["seed", 0], ["blocks", 1]] as const)
    if (config[name] !== undefined && !(Number.isInteger(config[name]) && config[name] >= least))
      return `${name} is a whole number from ${least}.`;
  return undefined;
}

export const configurationProvider: vscode.DebugConfigurationProvider = {
  /// F5 without a launch.json: the program in the editor.
  resolveDebugConfiguration(_folder, config) {
    if (config.type || config.request || config.name) return config;
    const document = vscode.window.activeTextEditor?.document;
    if (document?.languageId !== "pto") return undefined;
    return { type: "ptoscope", request: "launch", name: "Debug PTO program", program: document.uri.fsPath, args: ["auto"], stopOnEntry: true };
  },
  async resolveDebugConfigurationWithSubstitutedVariables(_folder, config) {
    const found = fault(config);
    if (!found) return config;
    await explain(new ToolError(`Launch configuration "${config.name}": ${found}`));
    return undefined;
  },
};
