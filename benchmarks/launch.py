"""Microseconds of processor time that a launch of launch.pto takes through Python: the least of some rounds.

  launch.py FILE CHECKS    prints one number
"""
import sys
import time

import numpy

import ptoscope

ROUNDS, LAUNCHES = 15, 300

program = ptoscope.load(sys.argv[1])
x = numpy.linspace(-1, 1, 1024, dtype=numpy.float32)
y = numpy.zeros_like(x)
best = float("inf")
for _ in range(ROUNDS):
    start = time.thread_time()
    for _ in range(LAUNCHES):
        program.run(x, y, 1, checks=sys.argv[2])
    best = min(best, time.thread_time() - start)
assert (y == abs(x)).all()
print(best / LAUNCHES * 1e6)
