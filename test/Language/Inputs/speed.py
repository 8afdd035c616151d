"""Answers in a file of 2000 lines come within 50 ms, nineteen of twenty of each kind, with an edit before each.

A slow or busy host gets an allowance: how much longer a piece of work takes there than the 10 ms of an idle one. What is too slow
even so is measured again: a host that stops for a moment makes one round slow, a slow server all of them."""
import json
import random
import sys
import time

from editor import Editor, expect

LIMIT = 0.050
ROUNDS = 5
KERNEL = """  func.func @k{n}(%x: !pto.ptr<f32, gm>, %y: !pto.ptr<f32, gm>, %n: index) attributes {{pto.kernel}} {{
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c1024 = arith.constant 1024 : index
    %zero = arith.constant 0 : i64
    %bytes = arith.constant 4096 : i64
    %rows = arith.constant 1 : i64
    %ub = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>
    pto.mte_gm_ub %x, %ub, %zero, %bytes nburst(%rows, %bytes, %bytes)
      : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64
    pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
    pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
    pto.vecscope {{
      %mask = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
      scf.for %i = %c0 to %c1024 step %c64 {{
        %a = pto.vlds %ub[%i] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
        %b = pto.vabs %a, %mask : !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>
        %d = pto.vadd %a, %b, %mask : !pto.vreg<64xf32>, !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>
        pto.vsts %d, %ub[%i], %mask : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>
      }}
    }}
    pto.set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
    pto.wait_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
    pto.mte_ub_gm %ub, %y, %bytes nburst(%rows, %bytes, %bytes) : !pto.ptr<f32, ub>, !pto.ptr<f32, gm>, i64, i64, i64, i64
    return
  }}
"""
text = "module attributes {pto.target_arch = \"a5\"} {\n" + "".join(KERNEL.format(n=n) for n in range(77)) + "}\n"
lines = text.split("\n")
expect("lines", len(lines) > 2000, True)
URI = "file:///big.pto"
editor = Editor()
editor.open(URI, text)
random.seed(1)


def percentile(times):
    return sorted(times)[int(0.95 * (len(times) - 1))]


def work():
    begin = time.perf_counter()
    json.loads(json.dumps([{"a": i, "b": [i] * 8, "c": str(i)} for i in range(1500)]))
    return time.perf_counter() - begin


everything = {"start": {"line": 0, "character": 0}, "end": {"line": len(lines), "character": 0}}
KINDS = {
    "hover": lambda at: at,
    "completion": lambda at: at,
    "definition": lambda at: at,
    "references": lambda at: {**at, "context": {"includeDeclaration": True}},
    "documentHighlight": lambda at: at,
    "prepareRename": lambda at: at,
    "documentSymbol": lambda at: at,
    "foldingRange": lambda at: at,
    "semanticTokens/full": lambda at: at,
    "formatting": lambda at: {**at, "options": {}},
    "rangeFormatting": lambda at: {**at, "range": everything, "options": {}},
    "codeAction": lambda at: {**at, "range": everything, "context": {"diagnostics": []}},
    "codeLens": lambda at: at,
}
version = 1


def measured(kind):
    """How long nineteen of twenty questions of a kind take at most, and how long each piece of work beside them takes."""
    global version
    times, works = [], []
    for _ in range(20):
        line = random.randrange(1, len(lines) - 2)
        version += 1
        works.append(work())
        at = {"line": line, "character": len(lines[line])}
        question = KINDS[kind]({"textDocument": {"uri": URI}, "position": {"line": line, "character": random.randrange(0, len(lines[line]) + 1)}})
        begin = time.perf_counter()
        # a character typed and taken back, then the question
        editor.change(URI, version, [{"range": {"start": at, "end": at}, "text": " "}, {"range": {"start": at, "end": {**at, "character": at["character"] + 1}}, "text": ""}])
        editor.ask("textDocument/" + kind, question)
        times.append(time.perf_counter() - begin)
    return percentile(times), works


slow = list(KINDS)
for attempt in range(ROUNDS):
    if attempt:
        time.sleep(1)
    measures = {kind: measured(kind) for kind in slow}
    allowance = min(max(1.0, percentile([seconds for _, works in measures.values() for seconds in works]) / 0.010), 8.0)
    for kind, (seconds, _) in measures.items():
        print(f"{kind:20} p95 {1000 * seconds:6.1f} ms")
    print(f"allowance {allowance:.1f}")
    slow = [kind for kind, (seconds, _) in measures.items() if seconds > LIMIT * allowance]
    if not slow:
        break
found = [d for d in editor.diagnostics(URI, version) if d["severity"] < 3]
expect("findings", found, [])
editor.close()
expect("too slow", slow, [])
sys.exit(0)
