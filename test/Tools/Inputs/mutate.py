"""Damages programs in many small ways; the tool must judge each and never break.

    mutate.py SCRATCH PROGRAM...

Each program is cut off at every 50th byte and loses every 10th line, one at a
time. `ptoscope check` must end with status 0 or 1; with status 1 it must say why;
never a signal, never an internal error. What check accepts must also compile.
"""

import os
import subprocess
import sys


def variants(text):
    for end in range(0, len(text), 50):
        yield f"cut after byte {end}", text[:end]
    lines = text.split("\n")
    for i in range(0, len(lines), 10):
        yield f"without line {i + 1}", "\n".join(lines[:i] + lines[i + 1:])


def judge(what, command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    output = done.stdout + done.stderr
    if done.returncode not in (0, 1):
        sys.exit(f"{what}: status {done.returncode}\n{output}")
    if "internal-error" in output:
        sys.exit(f"{what}: an internal error\n{output}")
    if done.returncode == 1 and "error[" not in output:
        sys.exit(f"{what}: fails without a reason\n{output}")
    return done.returncode


def main():
    directory = sys.argv[1]
    os.makedirs(directory, exist_ok=True)
    count = 0
    for program in sys.argv[2:]:
        with open(program, encoding="utf-8") as file:
            text = file.read()
        for change, mutant in variants(text):
            path = os.path.join(directory, "mutant.pto")
            with open(path, "w", encoding="utf-8") as file:
                file.write(mutant)
            what = f"{program}, {change}"
            if judge(what, ["ptoscope", "check", path]) == 0:
                judge(what, ["ptoscope", "run", path, "--emit", "llvm"])
            count += 1
    if count < 100:
        sys.exit(f"only {count} programs were tried")


main()
