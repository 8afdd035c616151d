"""The table of errors in docs/timing.md: `write` puts what the tool prints into the page, `check` compares the errors of the built-in
figures, which take seconds; those of cross-validation take minutes, and follow from the same code."""
import pathlib
import subprocess
import sys

BEGIN, END = "<!-- table of ptoscope timing --validate docs/isa/timing-anchors.tsv -->\n", "<!-- end of table -->\n"


def without_folds(table):
    rows = [line.split("|") for line in table.splitlines()]
    return ["|".join(row[:5] + row[7:]) if len(row) > 8 else "|".join(row) for row in rows]


def main(how, tool, root):
    page = pathlib.Path(root, "docs/timing.md")
    before, rest = page.read_text().split(BEGIN)
    old, after = rest.split(END)
    quick = ["--quick"] if how == "check" else []
    table = subprocess.run([tool, "timing", "--validate", f"{root}/docs/isa/timing-anchors.tsv", "--format", "markdown", *quick], check=True,
                           capture_output=True, text=True).stdout
    if how == "write":
        page.write_text(before + BEGIN + table + END + after)
    elif without_folds(old) != without_folds(table):
        sys.exit(f"{page} has another table; run `make docs`:\n{table}")


main(*sys.argv[1:])
