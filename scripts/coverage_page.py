#!/usr/bin/env python3
"""Writes docs/isa/coverage.md: what becomes of every name of the tables of docs/isa, and which tests run it.

  coverage_page.py OPS.json ROOT OUT.md

OPS.json is what `ptoscope ops --json` prints. The page depends on the tables, the records and the tests only.
"""
import collections
import json
import pathlib
import re
import sys

# Tables in the order of the page; what they hold.
TABLES = [
    ("ops-a.tsv", "Program, transfers, synchronisation, cube"), ("ops-b.tsv", "Vector memory, masks, moves"), ("ops-c.tsv", "Vector compute"),
    ("ops-later.tsv", "Operations of later compilers"), ("ops-vmi.tsv", "Vectors of any length"), ("ops-tile-ir.tsv", "Tiles in text"),
    ("ops-tile.tsv", "Tiles in C++"), ("ops-names.tsv", "Other names"),
]
SHOWN = 2  # tests of an operation


def rows_of(path):
    """Names of a table, each once, with its first row."""
    columns, *lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    rows = {}
    for line in lines:
        rows.setdefault(line[0], dict(zip(columns, line)))
    return rows


class Tests:
    """Which tests name an operation."""

    def __init__(self, root, names):
        self.files = collections.defaultdict(list)  # name -> tests whose text has it
        self.listed = collections.defaultdict(list)  # name -> tests that are about it
        self.users = collections.defaultdict(list)  # module of test/Inputs -> tests that use it
        self.names, self.bare = set(names), collections.defaultdict(list)
        for name in names:
            dialect, _, word = name.partition(".")
            if dialect == "arith" or re.match(r"t[a-z]", word):
                self.bare[word].append(name)
        for folder in ("Ops", "TileText", "EndToEnd", "Checkers", "Dialect", "Compiler", "Static"):
            for path in sorted((root / "test" / folder).glob("*.*")):
                if path.suffix in (".test", ".pto", ".mlir"):
                    self.read(path, str(path.relative_to(root)))
        for folder in ("test/Inputs", "test/TileText/Inputs"):
            for path in sorted((root / folder).glob("*.py")):
                for name in self.names_in(path.read_text(encoding="utf-8")):
                    self.files[name] += self.users[path.stem]
        for path in sorted((root / "unittests/Tile").glob("*.cpp")):
            for name in set(re.findall(r"\b[A-Z][A-Z0-9_]+\b", path.read_text(encoding="utf-8"))):
                self.files[name].append(str(path.relative_to(root)))

    def names_in(self, text):
        """Operations that a text names: in full, or as words of a list where the text puts the dialect in front of them."""
        found = self.names & set(re.findall(r"\b[a-z]+\.[a-z][\w.]*\w", text))
        fronted = [dialect for dialect in ("pto", "arith") if re.search(rf"\b{dialect}\.\{{", text)]
        for word in set(re.findall(r"\b[a-z][\w.]*\w", text)):
            found |= {name for name in self.bare.get(word, []) if name.partition(".")[0] in fronted or "tileref" in text or "tiletext" in text}
        return found

    def read(self, path, shown):
        text = path.read_text(encoding="utf-8")
        for line in re.findall(r"^(?://|#) Instructions: (.*)$", text, re.M):
            for name in line.split():
                self.listed[f"pto.{name}"].append(shown)
        for name in self.names_in(text):
            self.files[name].append(shown)
        for module in set(re.findall(r"(?:import |from |Inputs/)([a-z][\w-]*)", text)):
            self.users[module].append(shown)
        if path.parent.name == "Ops":
            self.listed[f"pto.{path.stem}"].append(shown)

    def of(self, *names):
        found = [test for name in names for test in self.listed.get(name, []) + self.files.get(name, [])]
        return list(dict.fromkeys(found))[:SHOWN]


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    table, root, out = json.load(open(sys.argv[1], encoding="utf-8")), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    records = {row["name"]: row for row in table["instructions"]}
    spelled = {alias: row["name"] for row in records.values() for alias in row.get("aliases", [])}
    calls = {row["tile"]["call"] for row in records.values() if row.get("tile")}
    headers = "\n".join(path.read_text(encoding="utf-8") for path in sorted((root / "include/pto").rglob("*.hpp")))
    not_in_cxx = set(re.findall(r"PTO_NOT_MODELLED\((\w+)", headers))
    names = [name for file, _ in TABLES for name in rows_of(root / "docs/isa" / file)]
    tests, totals, pages, seen = Tests(root, names), collections.Counter(), [], set()

    def state(name, row):
        """-> runs or refused, and why or under which name."""
        if not name.startswith("pto."):
            if "instruction" in row:
                return ("refused", "not modelled in C++") if name in not_in_cxx and name not in calls else ("runs", "")
            return "runs", "upstream" if row["category"] == "upstream" else ""
        if name in spelled:
            return "runs", f"as `{spelled[name]}`"
        if records[name]["implemented"]:
            return "runs", ""
        return "refused", records[name]["reason"] or records[name]["family"]

    for file, title in TABLES:
        rows = rows_of(root / "docs/isa" / file)
        if file == "ops-names.tsv":  # what no other table has
            rows = {name: row for name, row in rows.items() if name not in seen}
        seen |= set(rows)
        counts, lines = collections.Counter(), []
        for name, row in rows.items():
            what, why = state(name, row)
            counts[what] += 1
            shown = ", ".join(f"`{test}`" for test in tests.of(name, spelled.get(name, name))) if what == "runs" else ""
            lines.append(f"| `{name}` | {what}{f' ({why})' if why and what == 'runs' else ''} | {shown or why or '–'} |\n")
        totals += counts
        pages.append(f"## {title}\n\n[{file}]({file}): {len(rows)} names, {counts['runs']} run, {counts['refused']} are refused.\n\n"
                     "| name | state | tests, or why it is refused |\n|---|---|---|\n" + "".join(lines) + "\n")
    text = ("# Coverage\n\nEvery name of the tables of this folder: whether PTOScope runs it, and a test that does; or why it is refused. Generated by `make docs`; "
            f"do not edit.\n\n{sum(totals.values())} names, {totals['runs']} run, {totals['refused']} are refused by name.\n\n" + "".join(pages))
    out.write_text(text.rstrip("\n") + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
