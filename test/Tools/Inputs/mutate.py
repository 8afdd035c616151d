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
    """Status and text of a command that has to end well, or with a reason."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    output = done.stdout + done.stderr
    if done.returncode not in (0, 1):
        sys.exit(f"{what}: status {done.returncode}\n{output}")
    if "internal-error" in output:
        sys.exit(f"{what}: an internal error\n{output}")
    if done.returncode == 1 and "error[" not in output:
        sys.exit(f"{what}: fails without a reason\n{output}")
    return done.returncode, output


def main():
    directory = sys.argv[1]
    os.makedirs(directory, exist_ok=True)
    count = refused = 0
    for program in sys.argv[2:]:
        with open(program, encoding="utf-8") as file:
            text = file.read()
        mutants = {}
        for change, mutant in variants(text):
            path = os.path.join(directory, f"mutant{count}.pto")
            with open(path, "w", encoding="utf-8") as file:
                file.write(mutant)
            mutants[path] = f"{program}, {change}"
            count += 1
        # One command for all of them, and one for those without an error, which has to end well.
        _, output = judge(program, ["ptoscope", "check", *mutants])
        wrong = {line.split(":")[0] for line in output.splitlines() if ": error[" in line}
        if not wrong <= set(mutants):
            sys.exit(f"errors in other files: {wrong - set(mutants)}")
        right = [path for path in mutants if path not in wrong]
        refused += len(wrong)
        status, output = judge(program, ["ptoscope", "check", *right])
        if status:
            sys.exit(f"{program}: what has no error is refused\n{output}")
        for path in right:
            judge(mutants[path], ["ptoscope", "run", path, "--emit", "llvm"])
    if count < 100 or refused < 50:
        sys.exit(f"only {count} programs were tried, and {refused} refused")
    print(f"{count} programs, {refused} refused")


main()
