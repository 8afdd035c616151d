// The language client: one server for all PTO documents, started again when the setting changes.

import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node";
import { explain, folderOf, toolWith } from "./tool";

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private last: Promise<void> = Promise.resolve();

  constructor(private readonly channel: vscode.OutputChannel) {}

  /// Starts, or stops and starts; calls that come meanwhile wait for their turn.
  restart(): Promise<void> {
    this.last = this.last.then(() => this.stop()).then(() => this.start()).catch(explain);
    return this.last;
  }

  private async start(): Promise<void> {
    const folder = folderOf(undefined);
    const tool = await toolWith("lsp", folder);
    const client = new LanguageClient(
      "ptoscope",
      "PTOScope",
      { command: tool.path, args: ["lsp"], options: { cwd: folder } },
      { documentSelector: [{ language: "pto" }], outputChannel: this.channel },
    );
    await client.start();
    this.client = client;
  }

  private async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    // A server that has died cannot say goodbye.
    await client?.stop().catch((error) => this.channel.appendLine(`stop: ${error}`));
  }

  dispose(): Promise<void> {
    return this.last.then(() => this.stop());
  }
}
