// What the editor calls: everything is registered here, and nothing is done.

import * as vscode from "vscode";
import { Server } from "./client";
import { adapterFactory, configurationProvider } from "./debug";
import { run, taskProvider } from "./tasks";
import { showTimeline } from "./timeline";
import { explain } from "./tool";

type Command = (place?: vscode.Uri | string, kernel?: unknown) => Promise<void>;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const channel = vscode.window.createOutputChannel("PTOScope");
  const server = new Server(channel);
  const command = (name: string, body: Command) =>
    vscode.commands.registerCommand(name, (place, kernel) => body(place, kernel).catch(explain));
  context.subscriptions.push(
    channel,
    server,
    command("ptoscope.run", run),
    command("ptoscope.showTimeline", showTimeline),
    command("ptoscope.restartServer", () => server.restart()),
    vscode.tasks.registerTaskProvider("ptoscope", taskProvider),
    vscode.debug.registerDebugAdapterDescriptorFactory("ptoscope", adapterFactory),
    vscode.debug.registerDebugConfigurationProvider("ptoscope", configurationProvider),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("ptoscope.path")) void server.restart();
    }),
  );
  await server.restart();
}
