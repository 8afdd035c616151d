"""`ptoscope ops --json` has every field for every instruction it implements.

    check_ops.py FILE.json
"""

import json
import sys


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        table = json.load(file)
    assert table["schema"] == 1 and table["tool"] == "ptoscope" and table["version"], "head of the table"
    rows = table["instructions"]
    names = [row["name"] for row in rows]
    assert len(names) == len(set(names)), "a name occurs twice"
    for row in rows:
        assert row["name"].startswith("pto.") and row["family"], row
        if row["implemented"]:
            for key in ("summary", "pipe", "footprint", "definedness", "timing", "syntax", "profiles"):
                assert row[key], f"{row['name']} lacks {key}"
            assert all(row["name"] in line or any(alias in line for alias in row["aliases"]) for line in row["syntax"]), row
            assert all(": " in line for line in row["constraints"]), row
        elif row["family"].startswith(("cube", "fixpipe")):
            assert row["reason"], f"{row['name']} is left out without a reason"
    implemented = [row for row in rows if row["implemented"]]
    assert 40 <= len(implemented) < len(rows), len(implemented)


main()
