"""What `opt` prints, `--strict` accepts: the printer writes every spelling in its documented form.

    printed.py PROGRAM...

Printed, a program that `--strict` accepts is accepted, and prints the same again. Of a loose one, only what
the text leaves out (a mask, a pointer's type, the target, a number for an event's name) is still loose:
printing does not decide that.
"""

import subprocess
import sys

LEFT_OUT = ("without a mask", "bare `!pto.ptr`", "no `pto.target_arch`", "symbolic event name", "not a listed pattern",
            "is a rounding of older manuals only", "vector instructions outside a scope", "the low bits of this",
            "without granularity")


def run(*command, text=None):
    done = subprocess.run(["ptoscope", *command], input=text, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


accepted = loose = 0
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        source = file.read()
    status, printed, said = run("opt", path)
    if status != 0:
        continue  # a spelling that only the tool's own reader knows
    status, again, said = run("opt", "-", text=printed)
    if status != 0 or again != printed:
        sys.exit(f"{path}: printed again, it is another text\n{said}")
    strict = run("check", "--strict", "--verify-only", "-", text=source)[0]
    status, _, said = run("check", "--strict", "--verify-only", "-", text=printed)
    if strict == 0:
        accepted += 1
        if status != 0:
            sys.exit(f"{path}: printed, it is refused\n{said}")
        continue
    loose += 1
    for line in said.splitlines():
        if "error[" in line and not ("error[loose-spelling]" in line and any(words in line for words in LEFT_OUT)):
            sys.exit(f"{path}: printed, it is refused\n{line}")
if accepted < 15 or loose < 10:
    sys.exit(f"only {accepted} strict programs and {loose} loose ones")
print(f"{accepted} strict programs, {loose} loose ones")
