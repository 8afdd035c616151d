"""Talks to `ptoscope lsp` as an editor does: texts that MLIR's parser does not survive, or cannot read, and their repair; what hovers and
completions say of instructions."""
import json
import subprocess
import sys

EARLY = """func.func @k(%i: index) {
  scf.for %k = %i to %i step %i {
    %x = arith.addi %k, %i : index
  }
  %y = arith.addi %x, %i : index
  %x = arith.addi %i, %i : index
  return
}
"""
REPAIRED = EARLY.replace("%y = arith.addi %x", "%y = arith.addi %i")
DEEP = "func.func @k() {\n" + "(" * 300 + "\n}\n"
STRAY = "func.func @k() {\n  pto.barrier <PIPE_V>;\n  return\n}\n"
TILE = "!pto.tile_buf<vec, 8x64xf32>"
TILES = f"func.func @k() {{\n  %t = pto.alloc_tile : {TILE}\n  pto.tabs ins(%t : {TILE}) outs(%t : {TILE})\n  return\n}}\n"
UNFINISHED = "func.func @k() {\n  pto.\n  return\n}\n"

server = subprocess.Popen(["ptoscope", "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def send(method, params, **more):
    body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
    server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    server.stdin.flush()


def receive():
    length = 0
    while line := server.stdout.readline().strip():
        if line.startswith(b"Content-Length:"):
            length = int(line.split()[1])
    if not length:
        sys.exit(f"the server has gone, status {server.wait(10)}")
    return json.loads(server.stdout.read(length))


def diagnostics():
    message = receive()
    if message.get("method") != "textDocument/publishDiagnostics":
        sys.exit(f"no diagnostics: {message}")
    return [(d["range"]["start"]["line"], d["range"]["start"]["character"], d["message"]) for d in message["params"]["diagnostics"]]


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {found}, not {wanted}")


send("initialize", {"processId": 1, "rootUri": None, "capabilities": {}}, id=0)
receive()
send("textDocument/didOpen", {"textDocument": {"uri": "test:///k.pto", "languageId": "mlir", "version": 1, "text": EARLY}})
expect("early", diagnostics(), [(4, 18, "use of value `%x` outside the region that defines it")])
version = 1
for name, text, wanted in (("repaired", REPAIRED, []), ("deep", DEEP, [(1, 255, "nesting is deeper than 256 levels")]), ("stray", STRAY, [])):
    version += 1
    send("textDocument/didChange", {"textDocument": {"uri": "test:///k.pto", "version": version}, "contentChanges": [{"text": text}]})
    expect(name, diagnostics(), wanted)

send("textDocument/didChange", {"textDocument": {"uri": "test:///k.pto", "version": 10}, "contentChanges": [{"text": TILES}]})
expect("tiles", diagnostics(), [])
for line, beginning in ((1, "```\npto.alloc_tile: make a tile\n"), (2, "```\npto.tabs: dst = |src|\n\n  pto.tabs ins(%src : TILE) outs(%dst : TILE)\n  C++: TABS(dst, src, events&...)\n")):
    send("textDocument/hover", {"textDocument": {"uri": "test:///k.pto"}, "position": {"line": line, "character": 10 - 3 * (line == 2)}}, id=20 + line)
    shown = receive()["result"]["contents"]["value"]
    if not shown.startswith(beginning) or "Generic Form" not in shown:
        sys.exit(f"hover of line {line}: {shown}")
send("textDocument/didChange", {"textDocument": {"uri": "test:///k.pto", "version": 11}, "contentChanges": [{"text": UNFINISHED}]})
diagnostics()
send("textDocument/completion", {"textDocument": {"uri": "test:///k.pto"}, "position": {"line": 1, "character": 6}, "context": {"triggerKind": 1}}, id=30)
items = {item["label"]: item["detail"] for item in receive()["result"]["items"]}
expect("completions", [items.get(name) for name in ("tadd", "tmatmul.bias", "vadd")], ["dst = src0 + src1", "dst = left x right + bias, which has one value for each column", "a + b"])
send("shutdown", None, id=1)
receive()
send("exit", None)
sys.exit(server.wait(20))
