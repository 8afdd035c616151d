"""What the server publishes for a text is what `ptoscope check` says of it: same codes, messages and places, for every refused
program of the tree, those that stand together in one file apart."""
import glob
import json
import os
import subprocess
import sys
import tempfile

from editor import Editor, expect

# Every program in `make test-long`.
ROOT, STEP = sys.argv[1], 1 if "PTOSCOPE_TEST_LONG" in os.environ else int(sys.argv[2])
texts = []
for path in sorted(glob.glob(f"{ROOT}/test/**/*.pto", recursive=True) + glob.glob(f"{ROOT}/test/**/*.mlir", recursive=True) + glob.glob(f"{ROOT}/examples/**/*.pto", recursive=True)):
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        text = file.read()
    for part in text.split("// -----"):
        if "RUN" in part or "func" in part:
            try:
                part.encode()
            except UnicodeEncodeError:
                continue  # no text: an editor cannot send it
            texts.append(part)


def broken_programs(path):
    """Those of a file that test/Inputs/repairs.py reads."""
    around, lines, raw, name = {"prologue": [], "epilogue": []}, None, False, ""
    with open(path, encoding="utf-8") as file:
        for line in [*file.read().split("\n"), "=== end"]:
            if line.startswith("=== "):
                if lines is not None and name not in around:
                    yield "\n".join(lines if raw else around["prologue"] + lines + around["epilogue"]) + "\n"
                name, _, options = line[4:].partition("::")
                name, raw, lines = name.strip(), "raw" in options.split(), []
                if name in around:
                    around[name] = lines
            elif lines is not None and line[:1] in ("-", " "):
                lines.append(line[1:])


cases = []
for path in sorted(glob.glob(f"{ROOT}/test/**/*.test", recursive=True)):
    with open(path, encoding="utf-8") as file:
        if "Inputs/repairs.py" in file.read():
            cases += broken_programs(path)
texts += cases[::STEP]

with tempfile.TemporaryDirectory() as folder:
    files = []
    for i, text in enumerate(texts):
        files.append(os.path.join(folder, f"{i:04}.pto"))
        with open(files[-1], "w", encoding="utf-8", newline="") as file:
            file.write(text)
    wanted = {path: [] for path in files}
    done = subprocess.run(["ptoscope", "check", "--format", "json", *files], capture_output=True, check=False)
    for finding in json.loads(done.stdout)["findings"]:
        place = finding["place"]
        wanted[place["file"]].append((place.get("line", 0), place.get("column", 0), finding["code"], finding["message"]))
    editor = Editor()
    refused = several = more = 0
    for path, text in zip(files, texts):
        uri = "file://" + path
        editor.open(uri, text)
        lines = text.split("\n")

        def place(diagnostic, lines=lines):
            start = diagnostic["range"]["start"]
            return start["line"], len(lines[start["line"]].encode("utf-16-le")[:2 * start["character"]].decode("utf-16-le").encode())

        found = [(*place(d), d["code"], d["message"].split("\nnote: ")[0].split("\nhelp: ")[0]) for d in editor.diagnostics(uri, 1)]
        same = [(max(line - 1, 0), max(column - 1, 0), code, message) for line, column, code, message in wanted[path]]
        # Remarks about one spelling come in any order, and not all of them once there is an error.
        remarks = [sorted(each for each in part if each[2] == "loose-spelling") for part in (found, same)]
        if not any(d["severity"] == 1 for d in editor.diagnostics(uri, 1)):
            expect(f"{path}, which begins\n{text[:200]}\n", remarks[0], remarks[1])
        found, same = ([each for each in part if each[2] != "loose-spelling"] for part in (found, same))
        expect(f"{path}, which begins\n{text[:200]}\n", found[:len(same)], same)
        refused += bool(same)
        more += len(found) > len(same)
        several += len(same) > 1
        editor.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
    editor.close()
print(f"{len(texts)} programs, {refused} with findings, {several} with several, {more} with errors behind an open brace")
if refused < len(texts) // 4:
    sys.exit("hardly any program is refused: nothing was compared")
