"""Runs a command that must end with status 1, in so many seconds of processor time and megabytes.

    quick.py SECONDS MEGABYTES COMMAND...
"""

import resource
import subprocess
import sys

done = subprocess.run(sys.argv[3:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
sys.stdout.buffer.write(done.stdout)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
seconds, megabytes = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
if done.returncode != 1 or seconds > float(sys.argv[1]) or megabytes > float(sys.argv[2]):
    sys.exit(f"status {done.returncode} after {seconds:.2f} s with {megabytes:.0f} MB")
