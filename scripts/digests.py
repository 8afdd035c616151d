"""Compares the results of the tests of instructions with those of other hosts.

    digests.py BUILD [--write]

Runs the tests of micro instructions and of tile instructions in text, and compares a digest of all bytes that each of them gives with
the stored one (test/digests.txt). The file is the same for x86-64 and aarch64, whatever vectors the host has. `--write` replaces it.
"""
import argparse
import os
import subprocess
import sys
import tempfile

SOURCE = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
STORED = os.path.join(SOURCE, "test", "digests.txt")
LIT = "/usr/lib/llvm-19/build/utils/lit/lit.py"


def measured(build):
    with tempfile.TemporaryDirectory() as folder:
        status = subprocess.run([sys.executable, LIT, "-s", os.path.join(build, "test"), "--filter", ":: (Ops|TileText)/"],
                                env=os.environ | {"PTOSCOPE_DIGESTS": folder}).returncode
        if status:
            sys.exit(status)
        lines = []
        for name in os.listdir(folder):
            with open(os.path.join(folder, name)) as file:
                lines.append(file.read())
    # A test of several scripts has several lines.
    return sorted(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    lines = measured(arguments.build)
    if arguments.write:
        with open(STORED, "w") as file:
            file.writelines(lines)
        return
    with open(STORED) as file:
        stored = file.readlines()
    here, there = set(lines), set(stored)
    for line in sorted(there - here):
        print(f"{STORED}: {line.split()[0]}: other results here than those stored, or none", file=sys.stderr)
    for line in sorted(here - there):
        if line.split()[0] not in {other.split()[0] for other in there}:
            print(f"{STORED}: {line.split()[0]}: not stored yet (--write)", file=sys.stderr)
    print(f"{len(here & there)} of {len(stored)} digests are those of the other hosts")
    sys.exit(here != there)


if __name__ == "__main__":
    main()
