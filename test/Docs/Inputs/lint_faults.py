"""Trees with one fault each: lint.py finds it, and nothing in the sound one.

lint_faults.py LINT.PY FOLDER
"""
import os
import shutil
import subprocess
import sys

PAGE = """# A page

[itself](#a-page), [the guide](docs/guide.md#two-words-and-a-third), [twice](docs/guide.md#again-1), [there][1],
[elsewhere](https://example.org/nowhere#at-all), `lib/code.cpp`, `docs/*.md`, `lib/LAYER`, `build/out`.

```
[not a link](nowhere.md)
```

[1]: docs/guide.md
"""
SOUND = {
    ".clang-format": "BasedOnStyle: LLVM\n",
    ".gitignore": "build-*/\n",
    "build-old/left.py": "import os\n",
    "README.md": PAGE,
    "docs/guide.md": "# Two words, and a `third`\n\n## Again\n\n## Again\n\n![a picture](../lib/code.cpp \"code\")\n",
    "lib/code.cpp": "int f() { return 1; }\nint upTo;\n",
    "lib/one.h": "namespace a {\nstruct One {};\nnamespace {\nstruct Two {};\n} // namespace\n} // namespace a\n",
    "lib/two.h": "namespace b {\nstruct One {};\nnamespace {\nstruct Two {};\n} // namespace\n} // namespace b\n",
    "scripts/go": "#!/bin/sh\necho \"$1\"\n",
    "test/t.py": "print(config)\n",
    "test/sound.test": "# RUN: %python %s\nprint(1)\n",
}

WORD = "leng" "ht"  # which this file must not hold
# What is added to the sound tree, the part that finds it, and what is said of it.
FAULTS = [
    ({"lib/other.h": "\nint  f();\nint  g();\n"}, "format", "lib/other.h:2: not as clang-format-19 writes it (2 in this file"),
    ({"lib/other.hpp": "#define X  1\n"}, "format", "lib/other.hpp:1: not as"),
    ({"scripts/other.sh": "#!/bin/sh\necho $1\n"}, "shell", "scripts/other.sh:2:6: note: Double quote"),
    ({"scripts/other": "#!/usr/bin/env bash\ncd /\n[ $1 = 2 ]\n"}, "shell", "scripts/other:3:3: note: Double quote"),
    ({"test/other.py": "import os\n"}, "python", "test/other.py:1:1: F401 'os' imported but unused"),
    ({"test/other.py": "print(unknown)\n"}, "python", "test/other.py:1:7: F821 undefined name 'unknown'"),
    ({"test/other.test": "# RUN: %python %s\nimport os\n"}, "python", "test/other.test:2:1: F401"),
    ({"docs/other.md": f"Words.\nA {WORD}.\n"}, "spelling", f"docs/other.md:2: {WORD} ==> length"),
    ({"lib/other.cpp": f"// The {WORD} of a row.\n"}, "spelling", f"lib/other.cpp:1: {WORD} ==> length"),
    ({"docs/other.md": "[a](guide.md)\n[b](nowhere.md)\n"}, "links", "docs/other.md:2: the link nowhere.md leads nowhere"),
    ({"docs/other.md": "[b](guide.md#one-word)\n"}, "links", "docs/other.md:1: docs/guide.md has no heading #one-word"),
    ({"docs/other.md": "[b](guide.md#again-2)\n"}, "links", "docs/other.md:1: docs/guide.md has no heading #again-2"),
    ({"docs/other.md": "[b](#elsewhere)\n"}, "links", "docs/other.md:1: docs/other.md has no heading #elsewhere"),
    ({"docs/other.md": "[b][1]\n\n[1]: gone.md\n"}, "links", "docs/other.md:3: the link gone.md leads nowhere"),
    ({"docs/other.md": "![b](gone.png)\n"}, "links", "docs/other.md:1: the link gone.png leads nowhere"),
    ({"docs/other.md": "[b](../../away.md)\n"}, "links", "docs/other.md:1: the link ../../away.md leads out of the repository"),
    ({"docs/other.md": "`lib/gone.cpp`\n"}, "links", "docs/other.md:1: there is no lib/gone.cpp"),
    ({"lib/other.h": "namespace b {\nclass One {};\n} // namespace b\n"}, "names", "lib/two.h:2: b::One is a type of lib/other.h:2, too"),
]

script, folder = sys.argv[1:]


def lint(files, *words):
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in {**SOUND, **files}.items():
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
            out.write(text)
    # Each tree knows what the one before it found faultless.
    done = subprocess.run([sys.executable, "-B", script, "--known", folder + ".known", folder, *words], capture_output=True, text=True, check=False)
    return done.returncode, (done.stdout + done.stderr).splitlines()


status, lines = lint({})
wrong = [] if status == 0 and len(lines) == 1 else [f"the sound tree: {lines}"]
for files, part, expected in FAULTS:
    status, lines = lint(files, part)
    if status != 1 or len(lines) != 2 or not lines[0].startswith(expected) or not lines[0].endswith(f"[{part}]"):
        wrong.append(f"{files}: not `{expected}`, but {lines}")
# All parts together.
together, parts = {}, [part for _, part, _ in FAULTS]
for part in set(parts):
    for name, text in FAULTS[parts.index(part)][0].items():
        together[name] = together.get(name, "") + text
status, lines = lint(together)
if status != 1 or {line.rsplit(" ", 1)[-1] for line in lines[:-1]} != {f"[{part}]" for part in parts}:
    wrong.append(f"all parts together: {lines}")
if wrong:
    sys.exit("\n".join(wrong))
print(f"{len(FAULTS)} faults found")
