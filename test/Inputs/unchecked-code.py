"""The code of `--check none` holds no trace of a checker.

    unchecked-code.py FOLDER...

Takes every kernel of every program in the folders. Compares with the output of
ptoscope-unchecked, a compiler without checkers, and looks for calls of the checkers' entry points and for stores into the context
(iteration numbers) in the LLVM IR, with checks off (none may be there) and on
(they must be there, or this test looks for the wrong things).
"""

import glob
import os
import re
import subprocess
import sys

CHECKER_CALLS = re.compile(r"call .*@(ptosc_check_load|ptosc_check_store|ptosc_undefined_use|ptosc_merge_stamps)\(")
STEPS = "i64 376"  # where the context has PtoContext::scopeSteps, which counts in any case
ENOUGH = 15  # kernels with traces of a checker when checks are on


def output(program, *words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{program}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def emit(program, kernel, checks):
    return output(program, "ptoscope", "run", program, "--kernel", kernel, "--emit", "llvm", "--check", checks)


def context_stores(text):
    """Stores through a pointer that is derived from a function's first parameter, the context."""
    found = []
    for function in re.split(r"^define ", text, flags=re.M)[1:]:
        if re.search(r"@ptom_", function.split("\n")[0]):
            continue  # a meaning: its first parameter is a register
        derived = {re.search(r"\(ptr[^%]*(%\w+)", function).group(1)}
        for line in function.split("\n"):
            if match := re.match(r"\s*(%[\w.]+) = getelementptr .*ptr (%[\w.]+),", line):
                if match.group(2) in derived and not line.endswith(STEPS):
                    derived.add(match.group(1))
            elif match := re.match(r"\s*store .*, ptr (%[\w.]+),", line):
                if match.group(1) in derived:
                    found.append(line.strip())
    return found


def kernels():
    for folder in sys.argv[1:]:
        for program in sorted(glob.glob(os.path.join(folder, "*.pto"))):
            for kernel in re.findall(r"func\.func @(\w+)\([^{]*attributes \{[^{}]*pto\.kernel\b", open(program).read()):
                yield program, kernel


def main():
    seen = accesses = 0
    for program, kernel in kernels():
        off = emit(program, kernel, "none")
        for line in off.split("\n"):
            if CHECKER_CALLS.search(line):
                sys.exit(f"{program}: a checker is called with --check none: {line.strip()}")
        if stores := context_stores(off):
            sys.exit(f"{program}: the context is written with --check none: {stores[0]}")
        if output(program, "ptoscope-unchecked", program, kernel) != off:
            sys.exit(f"{program}: @{kernel} differs from the code of a compiler without checkers")
        seen += 1
        if accesses < ENOUGH:
            on = emit(program, kernel, "all")
            accesses += bool(CHECKER_CALLS.search(on)) and bool(context_stores(on))
    if seen < 30 or accesses < ENOUGH:
        sys.exit(f"{seen} kernels, {accesses} with checker calls and loop numbers: too few to prove anything")


main()
