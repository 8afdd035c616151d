"""Lists the correct kernels of the test tree for ptoscope-mutate: collect.py SCRATCH writes SCRATCH/kernels.txt.

A kernel is correct when a test says so: the example of a first comment, a RUN line that expects silence, or a call of
`ptorun.expect` in one of the tests about synchronisation, which are run for this with everything else left out.
"""
import glob
import hashlib
import os
import re
import runpy
import shlex
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.normpath(os.path.join(HERE, ".."))
sys.path.insert(0, os.path.join(TESTS, "Inputs"))
SCRATCH = os.path.abspath(sys.argv[1])
sys.argv = ["collect", os.path.join(SCRATCH, "tests")]
import brackets  # noqa: E402
import ptorun  # noqa: E402
import ring  # noqa: E402

# The same kernels with fewer turns: every buffer is still used again.
ring.kernel.__defaults__ = (2, None)
brackets.kernel.__defaults__ = (3,)

SYNC_TESTS = ["Ops/" + name for name in (
    "barrier declare_eventid_array eventid_array_get eventid_array_set get_buf rls_buf mem_bar set_cross_core wait_flag_dev "
    "set_flag wait_flag set_flag_dyn wait_flag_dyn set_intra_block wait_intra_core sync.set sync.wait syncall "
    "get_vms4_sr cmo.cacheinvalid dcci dsb fence.barrier_all get_buf_dyn rls_buf_dyn set_cross_block wait_cross_block").split()] + [
    "EndToEnd/manual-transfers", "EndToEnd/manual-sync-core", "EndToEnd/manual-sync-cluster", "EndToEnd/manual-grouped-store"]
INPUTS = {"EndToEnd/manual-transfers": ["manual-transfers"], "EndToEnd/manual-sync-core": ["manual-sync"],
          "EndToEnd/manual-sync-cluster": ["manual-sync-a5", "manual-sync-a3"],
          "EndToEnd/manual-grouped-store": ["manual-grouped-store"]}
KEPT = ("--kernel", "--arch", "--block-dim", "--arg")  # options that say what is run
lines, seen = [], set()


def add(path, words, text=None):
    """Once for each kernel with its options; arguments may differ only in their data."""
    words = [str(word) for word in words]
    key = (text or path, tuple(w for w in words if not w.startswith("random:") and not w.endswith(".bin")))
    if key not in seen:
        seen.add(key)
        lines.append(" ".join([os.path.relpath(path, SCRATCH), *words]))


def kept(words):
    """The options that say what is run, without how; nothing when a check is left out."""
    result, k = [], 0
    while k < len(words):
        if words[k] in ("--werror", "--remarks", "--stats"):
            k += 1
            continue
        if words[k] in KEPT:
            result += words[k:k + 2]
        elif words[k] == "--check":
            return None
        k += 2
    return result


def examples():
    for path in sorted(glob.glob(os.path.join(TESTS, "..", "examples", "*.pto"))):
        command = re.search(r"//\s*ptoscope run \S+ (.*)", open(path).read())
        if "broken" not in path and command:
            add(os.path.normpath(path), kept(shlex.split(command.group(1))))


def run_lines():
    for path in sorted(glob.glob(os.path.join(TESTS, "*", "*.pto"))):
        for command in re.findall(r"// RUN: ptoscope run %s ([^|>\n]*--werror[^|>\n]*)", open(path).read()):
            words = kept(shlex.split(command))
            if words is not None:
                add(path, words)


def expected(path, args=(), expected=None, options=(), ways=(), what=None):
    """Stands in for ptorun.expect: notes the kernel instead of running it."""
    if ways and all("--check" in way for way in ways):
        return  # only the bytes are expected
    text = open(path).read()
    own = path
    if path.startswith(ptorun.SCRATCH):  # the next kernel of the test may get the same name
        name = hashlib.sha256(text.encode()).hexdigest()[:8]
        own = os.path.join(SCRATCH, f"{TEST}-{os.path.basename(path)[:-4]}-{name}.pto")
        with open(own, "w") as file:
            file.write(text)
    words = kept(list(options))
    if words is None:
        return
    for index, arg in enumerate(args):
        if isinstance(arg, np.ndarray):
            file = f"{os.path.join(SCRATCH, os.path.basename(own))}.{len(lines)}.{index}.bin"
            arg.tofile(file)
            arg = file
        words += ["--arg", arg]
    add(own, words, text)


class Anything(str):
    """A report that says whatever is looked for."""
    def __contains__(self, part):
        return True


def tests():
    global TEST
    ptorun.expect = expected
    ptorun.refused = lambda *_, **__: Anything()
    for name in SYNC_TESTS:
        TEST = os.path.basename(name)
        inputs = [os.path.join(TESTS, "EndToEnd", "Inputs", file + ".pto") for file in INPUTS.get(name, [])]
        sys.argv = [name, ptorun.SCRATCH, *inputs]
        runpy.run_path(os.path.join(TESTS, name + ".test"))


os.makedirs(SCRATCH, exist_ok=True)
examples()
run_lines()
tests()
with open(os.path.join(SCRATCH, "kernels.txt"), "w") as file:
    file.write("\n".join(lines) + "\n")
print(f"{len(lines)} kernels")
