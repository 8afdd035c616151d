"""`ptoscope fmt` on the programs of the tree: the same program comes out, and formatting that changes nothing. Programs that cannot be
parsed are refused and stay as they are."""
import glob
import os
import subprocess
import sys
import tempfile

# Every program in `make test-long`.
ROOT, STEP = sys.argv[1], 1 if "PTOSCOPE_TEST_LONG" in os.environ else int(sys.argv[2])
paths = sorted(glob.glob(f"{ROOT}/test/**/*.pto", recursive=True) + glob.glob(f"{ROOT}/examples/**/*.pto", recursive=True))[::STEP]


def run(*words):
    return subprocess.run(["ptoscope", *words], capture_output=True, check=False)


def meaning(path):
    """The program as `ptoscope opt` prints it; nothing for one that it refuses."""
    done = run("opt", "--as-written", path)
    return done.stdout if done.returncode == 0 else None


formatted = refused = compared = 0
with tempfile.TemporaryDirectory() as folder:
    copies = []
    for i, path in enumerate(paths):
        with open(path, "rb") as file:
            text = file.read()
        # spoilt first: blanks, tabs, empty lines
        spoilt = text.replace(b"\n  ", b"\n\t   ").replace(b"}\n", b"}  \n\n\n")
        for kind, content in (("plain", text), ("spoilt", spoilt)):
            copy = os.path.join(folder, f"{i:03}-{kind}.pto")
            with open(copy, "wb") as file:
                file.write(content)
            copies.append((copy, path, content))
    done = run("fmt", "--write", *(copy for copy, _, _ in copies))
    if done.returncode not in (0, 1):
        sys.exit(f"status {done.returncode}: {done.stderr.decode()[-2000:]}")
    whole = []
    for copy, path, content in copies:
        if f"{copy}:".encode() in done.stderr:
            refused += 1
            with open(copy, "rb") as file:
                if file.read() != content:
                    sys.exit(f"{path} was refused and changed")
            continue
        formatted += 1
        whole.append((copy, path))
    again = run("fmt", "--check", *(copy for copy, _ in whole))
    if again.returncode or again.stdout:
        sys.exit(f"formatting twice changes more: {again.stdout.decode()[:2000]}{again.stderr.decode()[:2000]}")
    for copy, path in whole[::5]:
        before, after = meaning(path), meaning(copy)
        if before != after:
            sys.exit(f"{path} means something else when it is formatted")
        compared += before is not None
print(f"{formatted} formatted, {refused} refused, {compared} compared by another way")
if formatted < len(paths) or not compared:
    sys.exit("hardly anything was formatted")
