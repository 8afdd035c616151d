"""Runs the kernels of examples/ as their first comment says, or with other arguments."""
import os
import re
import shlex

import numpy as np

import ptorun

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")
# `make test-long` takes more random ones.
RANDOM = range(1, 9 if os.environ.get("PTOSCOPE_TEST_LONG") else 4)
SCHEDULES = [["--schedule", s] for s in ["eager", "lazy"] + [f"random:{seed}" for seed in RANDOM]]


def path(name):
    return os.path.normpath(os.path.join(EXAMPLES, name + ".pto"))


def command(name):
    """The options of the `ptoscope run` line in the first comment."""
    with open(path(name)) as file:
        line = re.search(r"//\s*ptoscope run \S+ (.*)", file.read()).group(1)
    return shlex.split(line)


def outputs(name, options, indices):
    """Runs with these options and returns the buffers as arrays, dtype and shape of their argument."""
    files = {i: ptorun.scratch(f"{os.path.basename(name)}.{i}.npy") for i in indices}
    more = [word for i, file in files.items() for word in ("--out", f"{i}={file}")]
    _, shown = ptorun.tool(path(name), options=[*options, *more])
    return [np.load(file) for file in files.values()], shown


def as_documented(name, inputs, output, reference):
    """The documented command under every schedule with all checks on; inputs are read back, the rest is NumPy."""
    words = command(name)
    if "--out" in words:
        at = words.index("--out")
        del words[at:at + 2]
    for schedule in SCHEDULES:
        arrays, _ = outputs(name, [*words, "--werror", *schedule], [*inputs, output])
        expected = reference(*arrays[:-1])
        ptorun.compare(arrays[-1].view(np.uint8).ravel(), expected.view(np.uint8).ravel(), f"{name} {schedule}", path(name))
    print(f"{name}: {len(SCHEDULES)} schedules")


def with_arrays(name, arrays, scalars, output, expected, options=(), ways=((),)):
    """Arrays as raw files, then scalars; checks on."""
    ptorun.expect(path(name), [*arrays, *scalars], {output: expected}, options, ways=ways, what=name)
