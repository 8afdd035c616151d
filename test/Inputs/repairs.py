"""Checks programs that break a rule, and the patch that repairs each.

    repairs.py FILE SCRATCH [static]

A case reads like a patch. `-` lines are in the broken program only, `+` lines in
the repaired one only, lines that start with a space in both:

    === P4: vector scopes do not nest
      pto.vecscope {
    !  ^ note: the outer scope starts here
    -   pto.vecscope {
    !   ^ error[verify-error]: `pto.vecscope` breaks P4: vector scopes do not nest
    -   }
      }

`!` lines are what the broken program must be told, and nothing else: the caret
stands under the place in the last line before that is no `!` line; without a
caret the finding names the file only. `...` in a message stands for any text, and
`~` in place of the caret for any column of the line. Every error and warning must be expected;
remarks and notes are compared only when the case expects one. The broken program
must end with status 1 and the repaired one with status 0 and no error or warning.
A case without `-` and `+` lines is valid as it stands when it expects nothing.

Only the rules of each instruction are looked at (`--verify-only`); with `static` the
whole program is followed too. `=== NAME :: OPTIONS` passes options to `ptoscope check`; with `run` among them, to
`ptoscope run`, which the programs of the case go through. Text under `=== prologue` and `=== epilogue` is put around
every case that follows, except under `=== NAME :: raw`; options of the prologue are theirs, too.
"""

import json
import os
import re
import subprocess
import sys

SEVERITIES = ("error", "warning", "remark", "note")
CHECK = [] if sys.argv[3:] == ["static"] else ["--verify-only"]


class Case:
    def __init__(self, title, number):
        name, _, options = title.partition("::")
        self.name, self.options, self.number = name.strip(), options.split(), number
        self.raw = "raw" in self.options
        self.options = [word for word in self.options if word != "raw"]
        self.lines = []


def read_cases(path):
    cases, around, given = [], {"prologue": [], "epilogue": []}, []
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    current = None
    for number, line in enumerate(lines, 1):
        if line.startswith("=== "):
            current = Case(line[4:], number)
            if current.name in around:
                around[current.name] = current.lines
                given = current.options if current.name == "prologue" else given
            else:
                current.around = dict(around)
                current.options += [] if current.raw else given
                cases.append(current)
        elif current is not None and line:
            if line[0] not in " -+!":
                sys.exit(f"{path}:{number}: a line of a case starts with a space, `-`, `+` or `!`")
            current.lines.append(line)
    return cases


def build(case, side):
    """The program of one side ('-' or '+') and what it expects: (line, column, kind, message)."""
    lines = list(case.lines)
    if not case.raw:
        lines = case.around["prologue"] + lines + case.around["epilogue"]
    text, expected = [], []
    for line in lines:
        if line[0] == "!":
            if side == "-":
                caret, message = re.match(r"!(\s*[\^~])?\s*(.*)$", line).groups()
                place = (len(text), None if caret[-1] == "~" else len(caret)) if caret else (0, 0)
                kind, message = message.split(": ", 1)
                expected.append((*place, kind, message))
        elif line[0] == " " or line[0] == side:
            text.append(line[1:])
    return "\n".join(text) + "\n", expected


def matches(found, expected):
    """Whether every finding is expected and every expectation found, in any order."""
    left = list(found)
    for line, column, kind, message in expected:
        pattern = ".*".join(re.escape(part) for part in message.split("..."))
        hits = [entry for entry in left if entry[0] == line and column in (None, entry[1]) and entry[2] == kind
                and re.fullmatch(pattern, entry[3], re.DOTALL)]
        if not hits:
            return False
        left.remove(hits[0])
    return not left


def write(case, side, directory):
    """The path of the program of one side, and what it expects."""
    text, expected = build(case, side)
    path = os.path.join(directory, f"case{case.number}{'-broken' if side == '-' else '-repaired'}.pto")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path, expected


def sides(case):
    """The programs of a case: broken, repaired, or one only, which is valid or broken without a twin."""
    twins = any(line[0] in "-+" for line in case.lines)
    expects = any(line[0] == "!" for line in case.lines)
    return "-+" if twins else "-" if expects else "+"


def check(options, *paths):
    command = [word for word in options if word == "run"] or ["check", *CHECK]
    return subprocess.run(["ptoscope", *command, "--format", "json", *(word for word in options if word != "run"), *paths],
                          capture_output=True, text=True)


def findings_of(done):
    try:
        return json.loads(done.stdout)["findings"]
    except ValueError:
        return None


def together(cases, directory):
    """The findings of each program, of one command for all that have the same options."""
    groups, told = {}, {}
    for case in cases:
        for side in sides(case) if "run" not in case.options else "":
            groups.setdefault(tuple(case.options), []).append(write(case, side, directory)[0])
    for options, paths in groups.items():
        done = check(options, *paths)
        findings = findings_of(done)
        if findings is None or any(f["place"]["file"] not in paths for f in findings) or \
                done.returncode != any(f["severity"] == "error" for f in findings):
            continue  # each alone says more
        told.update((path, [f for f in findings if f["place"]["file"] == path]) for path in paths)
    return told


def run(case, path, told):
    if path in told:
        findings = told[path]
        status = int(any(f["severity"] == "error" for f in findings))
    else:
        done = check(case.options, path)
        findings, status = findings_of(done), done.returncode
        if findings is None:
            return status, [(0, 0, "error[no-json]", (done.stdout + done.stderr).strip())]
    found = []
    for finding in findings:
        place = finding.get("place") or {}
        found.append((place.get("line", 0), place.get("column", 0), f"{finding['severity']}[{finding['code']}]",
                      finding["message"]))
        for note in finding.get("notes", []):
            place = note.get("place") or {}
            found.append((place.get("line", 0), place.get("column", 0), "note", note["message"]))
    return status, found


def show(entries):
    return "".join(f"\n      {line}:{column}: {kind}: {message}" for line, column, kind, message in entries)


def main():
    path, directory = sys.argv[1:3]
    os.makedirs(directory, exist_ok=True)
    failures = 0
    cases = read_cases(path)
    told = together(cases, directory)
    for case in cases:
        problems = []
        for side in sides(case):
            broken = side == "-"
            program, expected = write(case, side, directory)
            status, found = run(case, program, told)
            kinds = {kind.split("[")[0] for _, _, kind, _ in expected}
            kept = [entry for entry in found
                    if entry[2].split("[")[0] in ("error", "warning") or entry[2].split("[")[0] in kinds]
            wanted = 1 if any(kind.startswith("error") for _, _, kind, _ in expected) else 0
            if not matches(kept, expected):
                problems.append(f"    {'broken' if broken else 'repaired'} program, expected:{show(expected)}\n"
                                f"    but found:{show(kept)}")
            if status != wanted:
                problems.append(f"    status {status}, expected {wanted}")
        if problems:
            failures += 1
            print(f"{path}:{case.number}: {case.name}\n" + "\n".join(problems))
    sys.exit(f"{failures} cases failed" if failures else 0)


if __name__ == "__main__":
    main()
