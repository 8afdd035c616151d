"""No record without a run test and a round trip, no labelled constraint without a failing case.

    coverage.py TEST-FOLDER
"""

import glob
import json
import os
import re
import subprocess
import sys

# Constraints that only a run can break: test/Ops and test/Checkers have them.
AT_RUN_TIME = {"ADDR-4", "VLD-3", "VLD-4", "VLDUS-1", "VSLDB-1", "VG2-2", "VGB-1", "VST-2", "VSC-2", "PLD-4",
               "SORT-4", "SORT-6"}


def read(pattern):
    return "\n".join(open(path, encoding="utf-8").read() for path in glob.glob(pattern))


def main():
    folder = os.path.join(sys.argv[1], "Dialect")
    round_trips = read(f"{folder}/roundtrip-*.pto")
    broken = read(f"{folder}/*-errors.test") + read(f"{sys.argv[1]}/Checkers/*-rules.test")
    table = json.loads(subprocess.run(["ptoscope", "ops", "--json"], capture_output=True, check=True).stdout)
    missing = []
    for row in table["instructions"]:
        if not row["implemented"]:
            continue
        run = read(f"{sys.argv[1]}/Ops/{row['name'].removeprefix('pto.')}.*")
        if "RUN: " not in run:
            missing.append(f"{row['name']} has no run test in test/Ops")
        # comprun runs what the printer makes of its programs, too.
        printed = re.findall(r'^check_lanes\("(\w+)"', run, re.M)
        for name in [row["name"], *row["aliases"]]:
            if name.removeprefix("pto.") not in printed and not re.search(rf"^[^/]*{re.escape(name)}[\s\[(]", round_trips, re.M):
                missing.append(f"{name} is in no round-trip test")
        for constraint in row["constraints"]:
            label = constraint.split(":")[0]
            if label not in AT_RUN_TIME and not re.search(rf"{label}\b", broken):
                missing.append(f"{row['name']}: nothing breaks {constraint}")
    print("\n".join(missing))
    sys.exit(bool(missing))


main()
