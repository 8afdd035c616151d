"""Runs kernels with `--stats=json` and looks at what it says."""

import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.normpath(os.path.join(HERE, "..", "..", "..", "examples"))
SCRATCH = sys.argv[1]
os.makedirs(SCRATCH, exist_ok=True)


def scratch(name):
    return os.path.join(SCRATCH, name)


def write(name, text):
    with open(scratch(name), "w") as file:
        file.write(text)
    return scratch(name)


def example(name):
    with open(os.path.join(EXAMPLES, name)) as file:
        return file.read()


def run(path, *options, status=0):
    done = subprocess.run(["ptoscope", "run", path, *options], capture_output=True, text=True, timeout=300)
    assert done.returncode == status, (path, options, done.returncode, done.stderr, done.stdout[-2000:])
    return done


def stats(path, *options):
    return json.loads(run(path, "--stats=json", *options).stdout)


def advice(found):
    """Cycles by the code of the advice."""
    return {row["code"]: row["saves"] for row in found["advice"]}


def tiles(count, rows="32x256"):
    """Arguments of the double-buffered examples and their twin."""
    shape = f"f32:{count}x{rows}"
    return ["--arg", f"random:{shape}:1", "--arg", f"random:{shape}:2", "--arg", f"zeros:{shape}", "--arg", str(count)]


def replaced(text, *pairs):
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text
