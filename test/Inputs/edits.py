"""Applies the edits that findings offer, and runs the program again until nothing is left to report."""
import json
import subprocess

import ptorun


def findings(path, options, verb="run"):
    """Errors and warnings of a run, as JSON."""
    done = subprocess.run(["ptoscope", verb, path, *options, "--format", "json"], capture_output=True, text=True)
    try:
        report = json.loads(done.stdout[done.stdout.index("{"):])
    except ValueError:
        ptorun.fail(f"no JSON from {path} {options}:\n{done.stdout}{done.stderr}")
    return [f for f in report["findings"] if f["severity"] != "remark"]


def offered(finding):
    """Lines to insert and words to replace."""
    return finding["edits"] + finding.get("replacements", [])


def apply(lines, edits):
    """From the bottom up, so that line numbers hold; edits of one line keep their order."""
    for edit in [edit for edit in edits if "oldText" in edit]:
        at, column = edit["place"]["line"] - 1, edit["place"]["column"] - 1
        old, new = edit["oldText"], edit["newText"]
        if not lines[at].startswith(old, column):
            ptorun.fail(f"`{old}` does not stand at column {column + 1} of `{lines[at]}`")
        lines[at] = lines[at][:column] + new + lines[at][column + len(old):]
    edits = [edit for edit in edits if "oldText" not in edit]
    for edit in sorted(reversed(edits), key=lambda e: -(e["place"]["line"] + e["after"])):
        at = edit["place"]["line"] - (0 if edit["after"] else 1)
        indent = " " * (edit["place"]["column"] - 1)
        lines[at:at] = [indent + edit["insertText"]]


def repaired(source, name, options, most):
    """Applies the edits of the first finding, or those that it refers to, and runs the program again, at most `most` times."""
    lines = open(source).read().split("\n")
    path = ptorun.scratch(name)
    for turn in range(most + 1):
        with open(path, "w") as file:
            file.write("\n".join(lines))
        found = findings(path, options)
        if not found:
            print(f"{name} {options[:2]}: repaired in {turn} steps")
            break
        wrong = [f for f in found if f["code"] in ("parse-error", "verify-error")]
        if wrong:
            ptorun.fail(f"{path}: after {turn} steps the text is wrong: {wrong[0]['message']} at line {wrong[0]['place']['line']}")
        offers = [f for f in found if offered(f)]
        if not offers or (offers[0] is not found[0] and "repair this too" not in found[0].get("help", "")):
            ptorun.fail(f"{path}: no edits for {found[0]['code']}: {found[0]['message']}")
        apply(lines, offered(offers[0]))
    else:
        ptorun.fail(f"{path}: still {found[0]['code']} after {most} steps: {found[0]['message']}\n" + "\n".join(lines))
    for schedule in (["--schedule", "lazy"], ["--schedule", "random:1"]):
        ptorun.tool(path, options=[*options, "--werror", *schedule])
