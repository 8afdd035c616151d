"""Every name of the ISA documents is implemented or refused as not modelled.

    not-modelled.py SCRATCH NAMES.tsv…

The instruction table of the tool must hold exactly these names, and one name of
every category is tried in a program: it must parse as an instruction or be
refused with the code not-modelled and its category.
"""

import json
import os
import subprocess
import sys


LISTED = "`ptoscope ops` lists what is"


def main():
    directory, *paths = sys.argv[1:]
    os.makedirs(directory, exist_ok=True)
    names, reasons = {}, {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for op, category, *rest in (line.rstrip("\n").split("\t") for line in file):
                if op.startswith("pto."):
                    name = op.removeprefix("pto.")
                    names.setdefault(name, category)
                    if len(rest) == 1:
                        reasons[name] = rest[0]
    table = json.loads(subprocess.run(["ptoscope", "ops", "--json"], capture_output=True, check=True).stdout)
    rows = {row["name"].removeprefix("pto."): row for row in table["instructions"]}
    implemented = {name for name, row in rows.items() if row["implemented"]}
    aliases = {alias.removeprefix("pto.") for row in rows.values() for alias in row.get("aliases", [])}
    refused = set(rows) - implemented
    problems = []
    if missing := set(names) - implemented - aliases - refused:
        problems.append(f"names the tool does not know: {sorted(missing)}")
    if both := refused & (implemented | aliases):
        problems.append(f"implemented and refused: {sorted(both)}")
    samples = {}
    for name in sorted(refused & set(names)):
        samples.setdefault(names[name], name)
    for category, name in samples.items():
        path = os.path.join(directory, "sample.pto")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"func.func @k() {{\n  pto.{name}\n  return\n}}\n")
        done = subprocess.run(["ptoscope", "check", "--format", "json", path], capture_output=True, text=True)
        errors = [finding for finding in json.loads(done.stdout or '{"findings": []}')["findings"]
                  if finding["severity"] == "error"]
        wanted = f"`pto.{name}` ({category}) is not modelled; {reasons.get(name) or rows[name].get('reason') or LISTED}"
        if done.returncode != 1 or [(e["code"], e["category"], e["message"]) for e in errors] != [
                ("not-modelled", "not-modelled", wanted)]:
            problems.append(f"pto.{name}: status {done.returncode}, {errors}")
    print("\n".join(problems))
    sys.exit(1 if problems or not samples else 0)


main()
