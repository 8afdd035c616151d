"""Every code that `ptoscope explain` lists has a page with all its headings.

    every_page.py LIST
"""

import subprocess
import sys


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        codes = [line.split()[0] for line in file.read().split("\n\n")[0].splitlines()]
    assert len(codes) > 40, codes
    for code in codes:
        done = subprocess.run(["ptoscope", "explain", code], capture_output=True, text=True, check=True)
        for heading in (code + " (", "Example:", "Repair:", "Ignore:", "Assumes:"):
            assert heading in done.stdout, f"the page of {code} has no `{heading}`"


main()
