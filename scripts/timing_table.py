"""The table of errors in docs/timing.md: `write` puts what the tool prints into the page, `check` compares."""
import pathlib
import subprocess
import sys

BEGIN, END = "<!-- table of ptoscope timing --validate docs/isa/timing-anchors.tsv -->\n", "<!-- end of table -->\n"


def main(how, tool, root):
    page = pathlib.Path(root, "docs/timing.md")
    text = page.read_text()
    table = subprocess.run([tool, "timing", "--validate", f"{root}/docs/isa/timing-anchors.tsv", "--format", "markdown"], check=True,
                           capture_output=True, text=True).stdout
    before, rest = text.split(BEGIN)
    old, after = rest.split(END)
    if how == "write":
        page.write_text(before + BEGIN + table + END + after)
    elif old != table:
        sys.exit(f"{page} has another table; run `make docs`:\n{table}")


main(*sys.argv[1:])
