"""The table of errors in docs/timing.md: `write` puts what the tool prints into the page, `check` compares it. What takes long is left out
of a check: cross-validation always (minutes; it follows from the same code), kernels unless PTOSCOPE_TEST_LONG is set (half a minute)."""
import os
import pathlib
import subprocess
import sys
import tempfile

BEGIN, END = "<!-- table of ptoscope timing --validate docs/isa/timing-anchors.tsv -->\n", "<!-- end of table -->\n"


INSTRUCTIONS = ("A5 tile instructions", "the same, by the schedule", "A2/A3 tile instructions")


def without_folds(table):
    rows = [line.split("|") for line in table.splitlines()]
    return ["|".join(row[:5] + row[7:]) if len(row) > 8 else "|".join(row) for row in rows]


def errors(tool, anchors, *options):
    return subprocess.run([tool, "timing", "--validate", anchors, "--format", "markdown", *options], check=True, capture_output=True, text=True).stdout


def of_instructions(tool, anchors):
    """The rows of the table that need no kernel."""
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
        file.writelines(line for line in pathlib.Path(anchors).open() if line.startswith("#") or line.split("\t")[2] != "kernel")
        file.flush()
        return errors(tool, file.name, "--quick")


def main(how, tool, root):
    page, anchors = pathlib.Path(root, "docs/timing.md"), f"{root}/docs/isa/timing-anchors.tsv"
    before, rest = page.read_text().split(BEGIN)
    old, after = rest.split(END)
    if how == "write":
        page.write_text(before + BEGIN + errors(tool, anchors) + END + after)
        return
    whole = os.environ.get("PTOSCOPE_TEST_LONG")
    table = errors(tool, anchors, "--quick") if whole else of_instructions(tool, anchors)
    said, found = ([line for line in without_folds(text) if whole or line.startswith(tuple(f"| {name}" for name in INSTRUCTIONS))]
                   for text in (old, table))
    if said != found or len(found) < len(INSTRUCTIONS):
        sys.exit(f"{page} has another table; run `make docs`:\n{table}")


main(*sys.argv[1:])
