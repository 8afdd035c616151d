"""Runs a program with a terminal as its standard streams, and prints what it wrote there.

terminal.py [--keep] PROGRAM: without --keep, NO_COLOR is not set."""
import os
import pty
import sys

keep = sys.argv[1] == "--keep"
if not keep:
    os.environ.pop("NO_COLOR", None)
os.environ["TERM"] = "xterm"
chunks = []
pid, master = pty.fork()
if pid == 0:
    os.execv(sys.argv[-1], [sys.argv[-1]])
while True:
    try:
        data = os.read(master, 65536)
    except OSError:
        break
    if not data:
        break
    chunks.append(data)
os.waitpid(pid, 0)
sys.stdout.write(b"".join(chunks).decode().replace("\r\n", "\n"))
