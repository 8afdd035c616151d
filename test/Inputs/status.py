"""Runs a command that must end with one exit status, and passes its output on.

    status.py N COMMAND...

Standard output and standard error both go to standard output, so that FileCheck
sees them in one stream. Ends with 0 if the status was N, with 1 otherwise. A
command that a signal ended has the status 128 + signal, as in a shell.
"""

import subprocess
import sys


def main():
    wanted, command = int(sys.argv[1]), sys.argv[2:]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    status = done.returncode if done.returncode >= 0 else 128 - done.returncode
    sys.stdout.buffer.write(done.stdout)
    if status != wanted:
        sys.exit(f"\nstatus.py: status {status}, expected {wanted}: {' '.join(command)}")


main()
