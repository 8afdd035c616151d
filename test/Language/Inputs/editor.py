"""An editor that talks to `ptoscope lsp`: sends requests, waits for answers and diagnostics, applies edits."""
import json
import subprocess
import sys
import threading


class Editor:
    def __init__(self, initialize=True, snippets=True):
        self.server = subprocess.Popen(["ptoscope", "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.timer = threading.Timer(120, self.server.kill)  # a server that hangs fails the test, not the machine
        self.timer.daemon = True
        self.timer.start()
        self.number = 0
        self.published = {}  # by uri: [(version, diagnostics)]
        self.capabilities = None
        if initialize:
            completion = {"completionItem": {"snippetSupport": snippets}}
            answer = self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {"textDocument": {"completion": completion}}})
            self.capabilities = answer["capabilities"]
            self.tell("initialized", {})

    def raw(self, data):
        self.server.stdin.write(data)
        self.server.stdin.flush()

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.raw(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    def receive(self):
        """The next message; diagnostics are kept, too."""
        length = None
        while line := self.server.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        if length is None:
            sys.exit(f"the server has gone, status {self.server.wait(10)}")
        message = json.loads(self.server.stdout.read(length))
        if message.get("method") == "textDocument/publishDiagnostics":
            params = message["params"]
            self.published.setdefault(params["uri"], []).append((params.get("version"), params["diagnostics"]))
        return message

    def reply(self, method, params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while (message := self.receive()).get("id") != self.number:
            pass
        return message

    def ask(self, method, params):
        message = self.reply(method, params)
        if "error" in message:
            sys.exit(f"{method}: {message['error']}")
        return message["result"]

    def open(self, uri, text, version=1):
        self.published.pop(uri, None)
        self.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "pto", "version": version, "text": text}})

    def change(self, uri, version, changes):
        self.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": changes})

    def diagnostics(self, uri, version):
        """Waits for those of a version."""
        while True:
            for found, diagnostics in self.published.get(uri, []):
                if found == version:
                    return diagnostics
            self.receive()

    def at(self, uri, line, character, **more):
        return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}, **more}

    def close(self, wanted=0):
        self.ask("shutdown", None)
        self.tell("exit", None)
        self.end(wanted)

    def end(self, wanted):
        self.server.stdin.close()
        status = self.server.wait(60)
        self.timer.cancel()
        expect("exit status", status, wanted)


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}:\n  found  {found}\n  wanted {wanted}")


def expect_in(what, part, whole):
    if part not in whole:
        sys.exit(f"{what}: no {part!r} in\n{whole}")


def offset(text, position):
    """Of a place that the protocol counts in UTF-16 units."""
    lines = text.split("\n")
    line = lines[position["line"]]
    units = line.encode("utf-16-le")[:2 * position["character"]].decode("utf-16-le")
    return sum(len(each) + 1 for each in lines[:position["line"]]) + len(units)


def applied(text, edits):
    for edit in sorted(enumerate(edits), key=lambda e: (e[1]["range"]["start"]["line"], e[1]["range"]["start"]["character"], e[0]), reverse=True):
        at = edit[1]["range"]
        if at["start"]["line"] >= text.count("\n") + 1:
            sys.exit(f"an edit behind the end: {edit}")
        begin, end = offset(text, at["start"]), offset(text, at["end"])
        text = text[:begin] + edit[1]["newText"] + text[end:]
    return text
