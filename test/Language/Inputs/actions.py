"""Code actions: what findings offer, applied, leaves nothing to report."""
import sys

from editor import Editor, applied, expect, expect_in

ROOT = sys.argv[1]
editor = Editor()
for name in ("missing_flag", "missing_set", "tile_missing_flag", "double_buffer", "two_stores"):
    path = f"{ROOT}/examples/broken/{name}.pto"
    with open(path, encoding="utf-8") as file:
        text = file.read()
    uri = "file://" + path
    editor.open(uri, text)
    findings = [d for d in editor.diagnostics(uri, 1) if d["severity"] < 3]
    expect(f"{name} is broken", bool(findings), True)
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 10000, "character": 0}}
    where = {"textDocument": {"uri": uri}, "range": everything, "context": {"diagnostics": findings}}
    offered = editor.ask("textDocument/codeAction", where)
    kinds = [action["kind"] for action in offered]
    expect(f"{name}: kinds", kinds, ["quickfix"] * (len(kinds) - 1) + ["source.fixAll"])
    expect_in(f"{name}: title", "insert `pto.", offered[0]["title"])
    expect_in(f"{name}: its finding", offered[0]["diagnostics"][0], findings)
    line = findings[0]["range"]["start"]["line"]
    here = {**where, "range": {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 0}}}
    expect(f"{name}: at the finding", [a["kind"] for a in editor.ask("textDocument/codeAction", here)][:1], ["quickfix"])
    elsewhere = {**where, "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}}
    expect(f"{name}: elsewhere", [a["kind"] for a in editor.ask("textDocument/codeAction", elsewhere)], ["source.fixAll"])
    repaired = applied(text, offered[-1]["edit"]["changes"][uri])
    editor.change(uri, 2, [{"text": repaired}])
    # findings of the older text are offered no more, and the newer one has none
    expect(f"{name}: older findings", editor.ask("textDocument/codeAction", where), [])
    left = [d["code"] for d in editor.diagnostics(uri, 2) if d["severity"] < 3]
    expect(f"{name}: left", left, [])
editor.close()
