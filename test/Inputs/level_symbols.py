"""Code compiled for several levels of host: every symbol that other objects can
see must belong to its level, or the linker may give one level's code to another.

level_symbols.py LIBRARY BASELINE_OBJECT..."""
import re
import subprocess
import sys

library, baseline = sys.argv[1], sys.argv[2:]
own = re.compile(r"8ptoscope4tile(4base|2v3|2v4|4fp16)")
member, levels, shared = "", set(), []
for line in subprocess.run(["nm", library], capture_output=True, text=True, check=True).stdout.splitlines():
    if line.endswith(":"):
        member = line[:-1]
        continue
    fields = line.split()
    if len(fields) != 3 or fields[1] not in "TDBRWVu" or member in baseline:
        continue
    match = own.search(fields[2])
    if match:
        levels.add(match.group(1))
    else:
        shared.append(f"{member}: {fields[2]}")
for name in shared:
    print("shared between levels:", name)
if "4base" not in levels:
    print("no level found in", library)
sys.exit(bool(shared) or "4base" not in levels)
