"""Runs commands whose output gets lost; each must end with status 2 and say so.

    lost.py SCRATCH FINE BROKEN

FINE is a program without an error, BROKEN one that `check` reports.
"""

import os
import re
import subprocess
import sys

scratch, fine, broken = sys.argv[1:]
ARGUMENTS = ["--arg", "random:f32:32x32:1", "--arg", "zeros:f32:32x32"]

# Command, its status when everything is well, and the stream that carries its output.
COMMANDS = [
    (["--version"], 0, "stdout"),
    (["--help"], 0, "stdout"),
    (["check", "--help"], 0, "stdout"),
    (["check", fine], 0, "stdout"),
    (["check", "--format", "json", fine], 0, "stdout"),
    (["check", "--format", "sarif", fine], 0, "stdout"),
    (["check", "--format", "json", broken], 1, "stdout"),
    (["check", broken], 1, "stderr"),
    (["run", fine, *ARGUMENTS], 0, "stdout"),
    (["run", fine, *ARGUMENTS, "--stats"], 0, "stdout"),
    (["run", fine, *ARGUMENTS, "--format", "json"], 0, "stdout"),
    (["run", fine, "--emit", "llvm"], 0, "stdout"),
    (["ops"], 0, "stdout"),
    (["ops", "--json"], 0, "stdout"),
    (["explain"], 0, "stdout"),
    (["explain", "race-war"], 0, "stdout"),
    (["opt", fine], 0, "stdout"),
    (["opt", "--help"], 0, "stdout"),
    (["rum"], 2, "stderr"),
]


def full():
    return open("/dev/full", "wb"), None


def nobody():
    """A pipe whose reader is gone."""
    reader, writer = os.pipe()
    os.close(reader)
    return os.fdopen(writer, "wb"), None


def run(command, stream, target, prepare=None):
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    if target is not None:
        streams[stream] = target
    done = subprocess.run(["ptoscope", *command], stdin=subprocess.DEVNULL, preexec_fn=prepare, **streams, timeout=60)
    return done.returncode, (done.stderr or b"").decode()


for command, status, stream in COMMANDS:
    if (got := run(command, stream, None)[0]) != status:
        sys.exit(f"{command}: status {got}, not {status}")
    number = 1 if stream == "stdout" else 2
    for what, make, reason in (("full", full, "No space left on device"), ("no reader", nobody, "Broken pipe"),
                               ("closed", lambda: (None, lambda: os.close(number)), "Bad file descriptor")):
        target, prepare = make()
        got, said = run(command, stream, target, prepare)
        if target:
            target.close()
        if got != 2:
            sys.exit(f"{command}, {what}: status {got}, not 2\n{said}")
        if stream == "stdout" and not (re.search(r"error\[file-error\]: (standard output|the output) cannot be written: ", said)
                                       and reason in said):
            sys.exit(f"{command}, {what}: stream or reason not given\n{said}")

# Files: status 2, and nothing is left behind.
for command in (["run", fine, *ARGUMENTS, "--out", "1=/dev/full"], ["opt", fine, "-o", "/dev/full"],
                ["run", fine, *ARGUMENTS, "--out", f"1={scratch}/missing/out.npy"], ["opt", fine, "-o", f"{scratch}/missing/out.pto"]):
    got, said = run(command, "stdout", None)
    if got != 2 or "error[" not in said:
        sys.exit(f"{command}: status {got}\n{said}")
if os.listdir(scratch):
    sys.exit(f"left behind: {os.listdir(scratch)}")
