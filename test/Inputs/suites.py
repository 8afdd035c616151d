"""Many runs that have to give known results, by one `ptoscope test`."""
import json
import os
import subprocess

CASES = []


KEYS = {"--block-dim": "blocks", "--kernel": "kernel"}


def later(path, words, expect, schedules, **others):
    """A program that is to run with the options `words` under each schedule: as `expect` says, and without a finding."""
    keys = {"name": os.path.basename(path), "file": os.path.abspath(path), "args": [], "expect": expect, "schedules": schedules, **others}
    for option, value in zip(words[::2], words[1::2], strict=True):
        value = os.path.abspath(value) if os.path.exists(value) else int(value) if value.isdigit() else value
        if option == "--arg":
            keys["args"].append(value)
        else:
            keys[KEYS[option]] = value
    CASES.append("[[case]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items()))


def run(folder):
    """What is said of the runs that fail; they are counted."""
    path = os.path.join(folder, "suite.toml")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(CASES))
    done = subprocess.run(["ptoscope", "test", path, "--no-cache", "--werror", "-j1"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return "" if done.returncode == 0 else f"{len(CASES)} cases\n{done.stdout}{done.stderr}"
