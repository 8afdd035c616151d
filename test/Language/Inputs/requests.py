"""Every kind of request, on complete and incomplete texts."""
import sys

from editor import Editor, applied, expect, expect_in

URI = "file:///tmp/k.pto"
TEXT = """module attributes {pto.target_arch = "a5"} {
  // P8 and race-raw are explained here; é → 𝄞 %x
  func.func private @helper(%n: index) -> index {
    return %n : index
  }
  func.func @k(%x: !pto.ptr<f32, ub>, %n: index) attributes {pto.kernel} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %m = func.call @helper(%n) : (index) -> index
    pto.vecscope {
      %mask = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
      scf.for %i = %c0 to %m step %c64 {
        %v = pto.vlds %x[%i] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
        %w = pto.vabs %v, %mask : !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>
        pto.vsts %w, %x[%i], %mask : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>
      }
    }
    return
  }
  func.func private @blocks(%c: i1) {
    cf.cond_br %c, ^yes, ^no
  ^yes:
    cf.br ^no
  ^no:
    return
  }
}
"""
LINES = TEXT.split("\n")


def place(word, number=0, into=1):
    """Line and character of the number-th occurrence of a word."""
    at = -1
    for _ in range(number + 1):
        at = TEXT.index(word, at + 1)
    line = TEXT.count("\n", 0, at)
    start = TEXT.rindex("\n", 0, at) + 1 if line else 0
    return line, len(TEXT[start:at + into].encode("utf-16-le")) // 2


def text_at(found):
    start, end = found["start"], found["end"]
    line = LINES[start["line"]].encode("utf-16-le")
    return line[2 * start["character"]:2 * end["character"]].decode("utf-16-le")


def labels(editor, line, character, uri=URI):
    return [item["label"] for item in editor.ask("textDocument/completion", editor.at(uri, line, character))["items"]]


editor = Editor()
editor.open(URI, TEXT)
expect("rules that no instruction has alone", [(d["range"]["start"]["line"], d["code"]) for d in editor.diagnostics(URI, 1) if d["severity"] < 3],
       [(5, "verify-error"), (19, "not-modelled")])

# hover: an instruction with its rules, values with types, functions, rules and codes in comments, other things
for word, number, parts in (
        ("pto.vabs", 0, ["pto.vabs: ", "pipe V", "**P8** mask granularity"]),
        ("%v,", 0, ["%v : !pto.vreg<64xf32>", "defined in line 13"]),
        ("%i]", 0, ["%i : index", "an argument, line 12"]),
        ("%x[", 0, ["%x : !pto.ptr<f32, ub>", "an argument, line 6"]),
        ("%m step", 0, ["%m : index", "defined in line 9"]),
        ("@helper(%n)", 0, ["func.func private @helper(%n: index)"]),
        ("P8", 0, ["**P8** (", "mask"]),
        ("race-raw", 0, ["**race-raw**"]),
        ("pto.vecscope", 0, ["pto.vecscope"])):
    shown = editor.ask("textDocument/hover", editor.at(URI, *place(word, number)))
    for part in parts:
        expect_in(f"hover of {word}", part, shown["contents"]["value"] if shown else "")
expect("hover of a blank", editor.ask("textDocument/hover", editor.at(URI, 4, 0)), None)
expect("hover behind the end", editor.ask("textDocument/hover", editor.at(URI, 4000, 12)), None)
expect("hover of `attributes`", editor.ask("textDocument/hover", editor.at(URI, *place("attributes"))), None)

# definitions and uses
found = editor.ask("textDocument/definition", editor.at(URI, *place("%v,")))
expect("definition", (found["range"]["start"]["line"], text_at(found["range"])), (12, "%v"))
found = editor.ask("textDocument/definition", editor.at(URI, *place("@helper(%n)")))
expect("definition of a function", found["range"]["start"]["line"], 2)
found = editor.ask("textDocument/definition", editor.at(URI, *place("^no")))
expect("definition of a label", found["range"]["start"]["line"], 23)
for declared, count in ((True, 3), (False, 2)):
    found = editor.ask("textDocument/references", editor.at(URI, *place("%mask"), context={"includeDeclaration": declared}))
    expect("references", [text_at(each["range"]) for each in found], ["%mask"] * count)
found = editor.ask("textDocument/documentHighlight", editor.at(URI, *place("%n:", 1)))
expect("%n of @k alone", [(h["range"]["start"]["line"], h["kind"]) for h in found], [(5, 3), (8, 2)])

# new names
for word, new, lines in (("%n:", "%count", [2, 3]), ("@helper", "@aid", [2, 8]), ("^no", "later", [20, 22, 23]), ("%x[", "y", [5, 12, 14])):
    expect("what is renamed", text_at(editor.ask("textDocument/prepareRename", editor.at(URI, *place(word)))), word.rstrip(":["))
    edits = editor.ask("textDocument/rename", editor.at(URI, *place(word), newName=new))["changes"][URI]
    expect(f"rename {word}", [edit["range"]["start"]["line"] for edit in edits], lines)
    changed = applied(TEXT, edits)
    expect(f"{word} is left", [line for line in lines if word.rstrip(":[") + "," in changed.split("\n")[line]], [])
for word, new, why in (("%v,", "%w", "is already defined in line 14"), ("%v,", "%mask", "is already defined"), ("%c0", "%v", "is already defined"),
                       ("%v,", "a b", "is not a name"), ("%v,", "", "is not a name"), ("@helper", "1", "is not a name"),
                       ("@helper", "k", "is already defined"), ("^no", "^yes", "is already defined"), ("pto.vabs", "x", "there is no name here")):
    message = editor.reply("textDocument/rename", editor.at(URI, *place(word), newName=new))
    expect_in(f"rename {word} to {new}", why, message.get("error", {}).get("message", str(message)))
expect("no name", editor.ask("textDocument/prepareRename", editor.at(URI, *place("pto.vabs"))), None)

# outline, folds, lenses, colours
symbols = editor.ask("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
expect("outline", [(s["name"], [c["name"] for c in s["children"]]) for s in symbols], [("@helper", []), ("@k", ["pto.vecscope"]), ("@blocks", [])])
folds = editor.ask("textDocument/foldingRange", {"textDocument": {"uri": URI}})
expect("folds", sorted((f["startLine"], f["endLine"]) for f in folds), [(0, 25), (2, 3), (5, 17), (9, 15), (11, 14), (19, 24)])
lenses = editor.ask("textDocument/codeLens", {"textDocument": {"uri": URI}})
expect("lenses", [(each["command"]["command"], each["command"]["arguments"]) for each in lenses], [("ptoscope.run", [URI, "k"])])
legend = editor.capabilities["semanticTokensProvider"]["legend"]["tokenTypes"]
data = editor.ask("textDocument/semanticTokens/full", {"textDocument": {"uri": URI}})["data"]
line = character = 0
coloured = {}
for i in range(0, len(data), 5):
    line, character = line + data[i], data[i + 1] + (0 if data[i] else character)
    word = LINES[line].encode("utf-16-le")[2 * character:2 * (character + data[i + 2])].decode("utf-16-le")
    coloured[(line, word)] = (legend[data[i + 3]], data[i + 4])
for key, wanted in (((13, "pto.vabs"), ("method", 0)), ((13, "%w"), ("variable", 1)), ((13, "%v"), ("variable", 0)), ((12, "%x"), ("parameter", 0)),
                    ((2, "@helper"), ("function", 1)), ((8, "@helper"), ("function", 0)), ((6, "index"), ("type", 0)), ((6, "0"), ("number", 0)),
                    ((12, "!pto.ptr"), ("type", 0)), ((10, '"PAT_ALL"'), ("string", 0)), ((1, LINES[1].strip()), ("comment", 0)), ((23, "^no"), ("label", 1))):
    expect(f"colour of {key}", coloured.get(key), wanted)

# completion, in a text that is being written
OTHER = "file:///tmp/other/k.pto"  # another file of the same name
INCOMPLETE = """func.func @k(%x: !pto.ptr<f32, ub>, %n: index) {
  %c0 = arith.constant 0 : index
  pto.
  %m = pto.
  pto.set_flag["
  pto.set_flag[#pto.pipe<
  %
  %v = pto.vlds %x[%c0] {dist = ""} : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
  %p = pto.pset_b32 "P
  %r = pto.vcvt %v {rnd = ""}
  call @
  scf.if %c0 {
    %inner = arith.constant 1 : index
  }
  // pto.
  %t = "pto.vabs"(%
  pto.tcvt ins(%a) {rmode = #pto.round_mode<
  %z : !
"""
editor.open(OTHER, INCOMPLETE)
expect("errors of an incomplete text", len([d for d in editor.diagnostics(OTHER, 1) if d["severity"] == 1]) >= 1, True)
expect_in("op names", "pto.vadd", labels(editor, 2, 6, OTHER))
expect_in("tile op names", "pto.tmatmul", labels(editor, 2, 6, OTHER))
items = {item["label"]: item for item in editor.ask("textDocument/completion", editor.at(OTHER, 3, 11))["items"]}
expect("a snippet without the result", items["pto.vadd"]["textEdit"]["newText"],
       "pto.vadd ${1:%a}, ${2:%b}, ${3:%mask} : !pto.vreg<NxT>, !pto.vreg<NxT>, !pto.mask<G> -> !pto.vreg<NxT>")
expect("its detail", items["pto.vadd"]["detail"], "a + b")
expect_in("its page", "LANE-1", editor.ask("completionItem/resolve", items["pto.vadd"])["documentation"]["value"])
expect_in("pipes", "PIPE_MTE2", labels(editor, 4, 16, OTHER))
expect_in("events", "EVENT_ID7", labels(editor, 4, 16, OTHER))
expect("pipes alone", ["PIPE_V" in labels(editor, 5, 25, OTHER), "EVENT_ID0" in labels(editor, 5, 25, OTHER)], [True, False])
found = {item["label"]: item.get("detail") for item in editor.ask("textDocument/completion", editor.at(OTHER, 6, 3))["items"]}
expect("values", {name: found.get(name) for name in ("%x", "%n", "%c0", "%inner")}, {"%x": "!pto.ptr<f32, ub>", "%n": "index", "%c0": "index", "%inner": None})
expect_in("distributions", "BRC_B32", labels(editor, 7, len('  %v = pto.vlds %x[%c0] {dist = "'), OTHER))
expect_in("patterns", "PAT_VL8", labels(editor, 8, len('  %p = pto.pset_b32 "P'), OTHER))
expect("roundings", labels(editor, 9, len('  %r = pto.vcvt %v {rnd = "'), OTHER), list("RAFCZOH"))
expect("functions", labels(editor, 10, 8, OTHER), ["@k"])
expect("comments", labels(editor, 14, 9, OTHER), [])
expect_in("generic operands", "%v", labels(editor, 15, len('  %t = "pto.vabs"(%'), OTHER))
expect_in("words of attributes", "RINT", labels(editor, 16, len("  pto.tcvt ins(%a) {rmode = #pto.round_mode<"), OTHER))
expect_in("types", "!pto.vreg<64xf32>", labels(editor, 17, 8, OTHER))
plain = Editor(snippets=False)
plain.open(OTHER, INCOMPLETE)
items = {item["label"]: item for item in plain.ask("textDocument/completion", plain.at(OTHER, 3, 11))["items"]}
expect("no snippet", (items["pto.vadd"]["textEdit"]["newText"], items["pto.vadd"].get("insertTextFormat")), ("pto.vadd", None))
plain.close()

# formatting, whole and by lines
UGLY = "func.func @k() {\n pto.barrier   <PIPE_V>\n\n\n\n      return  \n}"
WANTED = "func.func @k() {\n  pto.barrier <PIPE_V>\n\n  return\n}\n"
editor.open(OTHER, UGLY, 2)
edits = editor.ask("textDocument/formatting", {"textDocument": {"uri": OTHER}, "options": {}})
expect("formatted", applied(UGLY, edits), WANTED)
span = {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 3}}
edits = editor.ask("textDocument/rangeFormatting", {"textDocument": {"uri": OTHER}, "range": span, "options": {}})
expect("one line formatted", applied(UGLY, edits), UGLY.replace(" pto.barrier   <", "  pto.barrier <"))
editor.open(OTHER, "func.func @k() {", 3)
message = editor.reply("textDocument/formatting", {"textDocument": {"uri": OTHER}, "options": {}})
expect_in("an open bracket", "brackets do not match", message["error"]["message"])

# incremental changes, characters of two units, several at once
editor.open(OTHER, "// 𝄞x\nfunc.func @k() {\n  return\n}\n", 4)


def span_of(l0, c0, l1, c1):
    return {"start": {"line": l0, "character": c0}, "end": {"line": l1, "character": c1}}


editor.change(OTHER, 5, [{"range": span_of(0, 5, 0, 6), "text": "yz"}, {"range": span_of(2, 2, 2, 2), "text": "pto.barrier <PIPE_V>\n  pto.nonsense\n  "}])
found = [d for d in editor.diagnostics(OTHER, 5) if d["severity"] == 1]
expect("its line", [d["range"]["start"]["line"] for d in found], [3])
editor.change(OTHER, 6, [{"range": span_of(3, 0, 4, 0), "text": ""}])
expect("repaired", [d for d in editor.diagnostics(OTHER, 6) if d["severity"] == 1], [])

# several errors, and those behind a brace that is missing
SEVERAL = """func.func @a(%x: index) {
  pto.nonsense %x
  %y = arith.addi %x, %x : index
  pto.set_flag["PIPE_V", "PIPE_W", "EVENT_ID0"]
  return
}
func.func @b() {
  pto.more
  return
}
"""
editor.open(OTHER, SEVERAL, 7)
expect("several errors", [d["range"]["start"]["line"] for d in editor.diagnostics(OTHER, 7) if d["severity"] == 1], [1, 3, 7])
for version, text in ((8, SEVERAL.replace("}\nfunc.func @b", "func.func @b")), (9, SEVERAL.replace("index) {", "index) {\n  scf.if %c {"))):
    editor.open(OTHER, text, version)
    found = [d["message"] for d in editor.diagnostics(OTHER, version) if d["severity"] == 1]
    expect("an open brace: " + str(found), [any(word in message for message in found) for word in ("nonsense", "PIPE_W", "more")], [True] * 3)
symbols = editor.ask("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
expect("the other document of that name", len(symbols), 3)
editor.close()
sys.exit(0)
