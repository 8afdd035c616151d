"""Trees with one fault each: labels.py finds it, and nothing in the sound one.

label_faults.py LABELS.PY FOLDER
"""
import json
import os
import shutil
import subprocess
import sys

DOCUMENT = """# A document

**TLOAD-1** Loads are copies.
Of bits.

- **TLOAD-2** A list item: see TLOAD-1.
- **P8** Short labels, too.

| label | rule | note |
|---|---|---|
| **TLOAD-3** | a cell | another |

    **TLOAD-9** is not a definition where it is indented like code and follows no marker.
"""
SOUND = {
    "docs/isa/99-sound.md": DOCUMENT.replace("    **TLOAD-9** is", "    This is"),
    "docs/page.md": "[a document](isa/99-sound.md) and docs/isa/99-sound.md; UTF-8, AVX-512.\n",
    "lib/code.cpp": '// TLOAD-1\nbreaks(op, "P8") << "text"; // part "P9", register S7\n',
    "test/some.test": "CHECK: breaks P8: text\nCHECK-COUNT-3: x\n",
}
RECORDS = {"!instanceof": {"PTO_Op": ["PTO_X"]}, "PTO_X": {"constraints": ["P8: a rule", "TLOAD-3: another"]}}

# What is added to the sound tree, and what is said of it.
FAULTS = [
    ({}, {}, ""),
    ({"test/other.test": "Rules: TLOAD-2 to TLOAD-3.\n"}, {}, ""),
    ({"lib/other.cpp": "// TLOAD-7\n"}, {}, "lib/other.cpp:1: no document defines TLOAD-7"),
    ({"include/a/b.h": "\n/// as TLAOD-1 says\n"}, {}, "include/a/b.h:2: no document defines TLAOD-1"),
    ({"unittests/t.cpp": "// see TLOAD-1, TLOAD-30\n"}, {}, "unittests/t.cpp:1: no document defines TLOAD-30"),
    ({"docs/isa/99-sound.md": SOUND["docs/isa/99-sound.md"] + "\nSee TLOAD-4.\n"}, {}, "no document defines TLOAD-4"),
    ({"lib/other.cpp": 'return breaks(op, "P9") << "text";\n'}, {}, "lib/other.cpp:1: no document defines P9"),
    ({"test/other.test": "CHECK: `pto.x` breaks P9: text\n"}, {}, "test/other.test:1: no document defines P9"),
    ({"docs/isa/98-twice.md": "- **TLOAD-2** Again.\n"}, {}, "docs/isa/99-sound.md:6: TLOAD-2 is defined in docs/isa/98-twice.md, too"),
    ({"docs/isa/98-empty.md": "- **TLOAD-5**\n"}, {}, "docs/isa/98-empty.md:1: TLOAD-5 has no text"),
    ({"lib/other.cpp": "// isa/97 section 3\n"}, {}, "lib/other.cpp:1: isa/97 is not in this repository"),
    ({"docs/other.md": "docs/isa/97-gone.md\n"}, {}, "docs/other.md:1: isa/97-gone.md is not in this repository"),
    ({"docs/isa/98-sibling.md": "See `97-gone.md`.\n"}, {}, "docs/isa/98-sibling.md:1: there is no 97-gone.md"),
    ({}, {"constraints": ["P9: a rule"]}, "PTO_X: no document defines P9"),
    ({}, {"constraints": ["a rule"]}, "PTO_X: the constraint `a rule` has no label"),
]

script, folder = sys.argv[1:]
wrong = []
for files, record, expected in FAULTS:
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in {**SOUND, **files}.items():
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
            out.write(text)
    records, report = os.path.join(folder, "records.json"), os.path.join(folder, "uncited")
    with open(records, "w", encoding="utf-8") as out:
        json.dump({**RECORDS, "PTO_X": {**RECORDS["PTO_X"], **record}}, out)
    run = subprocess.run([sys.executable, "-B", script, "check", folder, records, report], capture_output=True, text=True)
    lines = [line for line in run.stdout.splitlines()[:-1] if line]
    if (run.returncode, len(lines)) != (bool(expected), bool(expected)) or expected not in run.stdout:
        wrong.append(f"expected `{expected}`, got status {run.returncode}:\n{run.stdout}{run.stderr}")
    if not files and not record and open(report, encoding="utf-8").read().split() != [
            "TLOAD-1", "docs/isa/99-sound.md", "TLOAD-2", "docs/isa/99-sound.md", "TLOAD-3", "docs/isa/99-sound.md"]:
        wrong.append("the report is not the list of labels that no test cites")
    if "TLOAD-2 to" in files.get("test/other.test", "") and "TLOAD-1\tdocs/isa/99-sound.md\n" != open(report, encoding="utf-8").read():
        wrong.append("a range does not cite all of it")
print("\n".join(wrong))
sys.exit(bool(wrong))
