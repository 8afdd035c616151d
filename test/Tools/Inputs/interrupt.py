"""Interrupts long runs, as Ctrl-C in a terminal does.

    interrupt.py SCRATCH PROGRAM...

Each program runs forever in one block. The terminal shows a line of progress; after
the interrupt that line is gone, the report is whole, no output is written, and the
status is 130.
"""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time


def interrupted(program, *options):
    """Standard output, what the terminal got before and after the interrupt, status."""
    terminal, side = pty.openpty()
    tool = subprocess.Popen(["ptoscope", "run", program, *options], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=side)
    os.close(side)
    before, after = b"", b""
    end = time.monotonic() + 60
    while b"million steps" not in before:
        if time.monotonic() > end:
            tool.kill()
            sys.exit(f"{program}: no progress is shown: {before}")
        before += os.read(terminal, 4096)
    tool.send_signal(signal.SIGINT)
    try:
        while chunk := os.read(terminal, 4096):
            after += chunk
    except OSError:  # the other side is closed
        pass
    output, _ = tool.communicate(timeout=60)
    return output.decode(), before.decode(), after.decode(), tool.returncode


scratch = sys.argv[1]
for program in sys.argv[2:]:
    out = os.path.join(scratch, "out.npy")
    output, before, after, status = interrupted(program, "--arg", "zeros:f32:64", "--out", f"0={out}")
    if status != 130:
        sys.exit(f"{program}: status {status}\n{after}")
    # The last thing before the report clears the line.
    report = re.sub(r"\x1b\[[\d;]*m", "", after.split("\r\x1b[K")[-1])
    if not re.match(re.escape(program) + r":\d+:\d+: error\[interrupted\]", report):
        sys.exit(f"{program}: not a clean report\n{after!r}")
    if not re.search(r"\d+\.\d million steps", before):
        sys.exit(f"{program}: no number of steps\n{before!r}")
    if os.listdir(scratch):
        sys.exit(f"{program}: files were written: {os.listdir(scratch)}")
    output, _, after, status = interrupted(program, "--arg", "zeros:f32:64", "--format", "json")
    if status != 130 or json.loads(output)["findings"][0]["code"] != "interrupted":
        sys.exit(f"{program}: json: status {status}\n{output}")
