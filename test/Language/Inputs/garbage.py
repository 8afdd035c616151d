"""Whatever is no message, or no text, or no place: one clear answer, and the server goes on."""
import sys

from editor import Editor, expect, expect_in

URI = "file:///k.pto"
GOOD = "func.func @k() {\n  return\n}\n"


def error_of(editor, data):
    editor.raw(data)
    while "error" not in (message := editor.receive()):
        pass
    return message["id"], message["error"]["code"], message["error"]["message"]


editor = Editor(initialize=False)
expect("too early", editor.reply("textDocument/hover", {})["error"]["code"], -32002)
editor.reply("initialize", {})
expect("twice", editor.reply("initialize", {})["error"]["code"], -32600)
for data, part in ((b"hello world\r\n\r\n", "expected `Content-Length"), (b"Content-Length: 5\r\n\r\n{\"a\":", "not JSON"),
                   (b"Content-Length: 4\r\n\r\n\"\xff\xfe\"", "not JSON"), (b"Content-Length: 99999999999\r\n\r\n", "longer than the limit"),
                   (b"Content-Length: 2\r\n\r\n[]", "not a JSON object"), (b"Content-Length: x\r\n\r\n", "not a number"),
                   (b"Content-Length: 5005\r\n\r\n{\"a\":" + b"[" * 5000, "nested deeper")):
    if not data.endswith(b"}") and b"[]" not in data and b"{" not in data and b"\xff" not in data:
        # what is no header is told once the next header is there
        data += b"Content-Length: 2\r\n\r\n{}"
    number, code, message = error_of(editor, data)
    expect(f"answer to {data[:40]}", (number, code), (None, -32700))
    expect_in(f"answer to {data[:40]}", part, message)

expect("unknown method", editor.reply("textDocument/frobnicate", {})["error"]["code"], -32601)
expect("no parameters", editor.reply("textDocument/hover", None)["error"]["code"], -32602)
expect("no such document", editor.reply("textDocument/hover", editor.at("file:///none", 0, 0))["error"]["code"], -32602)
editor.send({"id": 77})
expect("no method", editor.receive()["error"]["code"], -32600)
editor.tell("$/cancelRequest", {"id": 3})
editor.tell("workspace/didFrobnicate", {"x": 1})
editor.tell("textDocument/didChange", {"textDocument": {"uri": "file:///none", "version": 1}, "contentChanges": [{"text": "x"}]})
editor.tell("textDocument/didClose", {"textDocument": {"uri": "file:///none"}})
editor.tell("textDocument/didOpen", {"textDocument": {"uri": 3}})
editor.tell("textDocument/didOpen", {})

# places outside, and no places
editor.open(URI, GOOD)
for line, character in ((-1, -1), (0, 10 ** 9), (10 ** 9, 0), (2 ** 62, 2 ** 62)):
    for method in ("hover", "completion", "definition", "documentHighlight", "prepareRename"):
        editor.ask("textDocument/" + method, editor.at(URI, line, character))
expect("a place without numbers", editor.reply("textDocument/hover", {"textDocument": {"uri": URI}, "position": {"line": "a"}})["error"]["code"], -32602)
outside = {"start": {"line": 10 ** 6, "character": 0}, "end": {"line": 10 ** 6, "character": 5}}
expect("formatting outside", editor.ask("textDocument/rangeFormatting", {"textDocument": {"uri": URI}, "range": outside, "options": {}}), [])
expect("actions outside", editor.ask("textDocument/codeAction", {"textDocument": {"uri": URI}, "range": outside, "context": {"diagnostics": []}}), [])
backwards = {"start": {"line": 2, "character": 0}, "end": {"line": 1, "character": 0}}
expect("backwards", editor.reply("textDocument/rangeFormatting", {"textDocument": {"uri": URI}, "range": backwards, "options": {}})["error"]["code"], -32602)
editor.change(URI, 2, [{"range": outside, "text": "// tail\n"}, {"range": {"start": 3}, "text": "x"}, {"nothing": 1}, 7])
expect("a change behind the end", [d for d in editor.diagnostics(URI, 2) if d["severity"] == 1], [])

# closed in the middle of its diagnosis; opened again with another text
for version in range(3, 8):
    editor.open(URI, GOOD.replace("return", "pto.nonsense"), version)
    editor.tell("textDocument/didClose", {"textDocument": {"uri": URI}})
editor.open(URI, GOOD, 9)
expect("opened again", [d for d in editor.diagnostics(URI, 9) if d["severity"] == 1], [])
expect("after closing", editor.published[URI][-1][1:], ([d for d in editor.diagnostics(URI, 9)],))

# typing quickly: the last version counts
for version in range(10, 60):
    editor.change(URI, version, [{"text": GOOD.replace("@k", f"@k{version}") + ("}" if version % 2 else "")}])
expect("the last version", len([d for d in editor.diagnostics(URI, 59) if d["severity"] == 1]), 1)

# a text of 100 MB is refused, one that is none survives
editor.open(URI, "// long\n" * (100_000_000 // 8), 60)
found = editor.diagnostics(URI, 60)
expect_in("100 MB", "up to 8388608 bytes; this one has 100000000", found[0]["message"])
expect("its outline", editor.ask("textDocument/documentSymbol", {"textDocument": {"uri": URI}}), [])
editor.open(URI, "\0\ud7ff\uffff{{{((([[[<<<%%%@@@^^^!!!###\"", 61)
expect("no program", len(editor.diagnostics(URI, 61)) > 0, True)
for method in ("documentSymbol", "foldingRange", "semanticTokens/full", "codeLens"):
    editor.ask("textDocument/" + method, {"textDocument": {"uri": URI}})

# after shutdown only exit; no shutdown is status 1; the end of the input, too
editor.ask("shutdown", None)
expect("after shutdown", editor.reply("textDocument/hover", {})["error"]["code"], -32600)
editor.tell("exit", None)
editor.end(0)
rude = Editor()
rude.tell("exit", None)
rude.end(1)
gone = Editor()
gone.open(URI, GOOD)
gone.end(1)
cut = Editor()
cut.raw(b"Content-Length: 100\r\n\r\n{")
cut.end(1)
sys.exit(0)
