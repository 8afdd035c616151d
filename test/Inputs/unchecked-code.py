"""The code of `--check none` holds no trace of a checker.

    unchecked-code.py PROGRAM...

Looks for calls of the checkers' entry points and for stores into the context
(iteration numbers) in the LLVM IR, with checks off (none may be there) and on
(they must be there, or this test looks for the wrong things).
"""

import re
import subprocess
import sys

CHECKER_CALLS = re.compile(r"call .*@(ptosc_check_load|ptosc_check_store|ptosc_undefined_use|ptosc_merge_stamps)\(")


def emit(program, checks):
    done = subprocess.run(["ptoscope", "run", program, "--emit", "llvm", "--check", checks], capture_output=True,
                          text=True)
    if done.returncode:
        sys.exit(f"{program}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def context_stores(text):
    """Stores through a pointer that is derived from a function's first parameter, the context."""
    found = []
    for function in re.split(r"^define ", text, flags=re.M)[1:]:
        derived = {re.search(r"\(ptr[^%]*(%\w+)", function).group(1)}
        for line in function.split("\n"):
            if match := re.match(r"\s*(%[\w.]+) = getelementptr .*ptr (%[\w.]+),", line):
                if match.group(2) in derived:
                    derived.add(match.group(1))
            elif match := re.match(r"\s*store .*, ptr (%[\w.]+),", line):
                if match.group(1) in derived:
                    found.append(line.strip())
    return found


def main():
    for program in sys.argv[1:]:
        off, on = emit(program, "none"), emit(program, "all")
        for line in off.split("\n"):
            if CHECKER_CALLS.search(line):
                sys.exit(f"{program}: a checker is called with --check none: {line.strip()}")
        if stores := context_stores(off):
            sys.exit(f"{program}: the context is written with --check none: {stores[0]}")
        if not CHECKER_CALLS.search(on) or not context_stores(on):
            sys.exit(f"{program}: no checker is called with --check all")
        if emit(program, "none") != off:
            sys.exit(f"{program}: the code differs from one compilation to the next")


main()
