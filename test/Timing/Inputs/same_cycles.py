"""Runs kernels under every schedule, with and without checks and threads, and requires the same cycles.

    same_cycles.py FILE...

Files must run as they stand, with arguments that `--arg auto` finds.
"""

import re
import subprocess
import sys

WAYS = [
    ["--schedule", "eager"],
    ["--schedule", "lazy", "--check", "none"],
    ["--schedule", "random:5", "--check", "none", "--threads", "3"],
    ["--schedule", "random:11", "--check", "race"],
]


def cycles(file, arguments):
    done = subprocess.run(["ptoscope", "run", file, "--stats", *arguments], capture_output=True, text=True)
    found = re.search(r"^cycles +(\d+)\b", done.stdout, re.M)
    if done.returncode != 0 or not found:
        sys.exit(f"{file} {' '.join(arguments)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return int(found[1]), done.stdout


def main():
    for file in sys.argv[1:]:
        expected, printed = cycles(file, ["--arg", "auto"])
        chosen = re.search(r"^arguments:(.*)$", printed, re.M)[1].split()
        assert expected > 0, file
        for way in WAYS:
            got, _ = cycles(file, chosen + way)
            assert got == expected, f"{file}: {got} cycles with {' '.join(way)}, {expected} without"
        print(f"{file}: {expected} cycles")


main()
