#!/usr/bin/env python3
"""Builds the VS Code extension of editors/vscode, and tests it.

  vscode.py build WORK           bundle and package: WORK/ptoscope-VERSION.vsix
  vscode.py test WORK TOOL       the same, then its tests with this ptoscope

WORK is a folder of the build; the source tree stays as it is. npm's packages are
installed there once for each package-lock.json.
"""
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCE = os.path.join(ROOT, "editors/vscode")


def copy_sources(work):
    os.makedirs(work, exist_ok=True)
    for name in os.listdir(SOURCE):
        if name == "node_modules":
            continue
        source, target = os.path.join(SOURCE, name), os.path.join(work, name)
        if os.path.isdir(source):
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(source, target)
        else:
            shutil.copy2(source, target)


def install_packages(work):
    """npm ci, unless it has been done for this lock file."""
    stamp = os.path.join(work, "node_modules/.installed-for")
    with open(os.path.join(SOURCE, "package-lock.json"), encoding="utf-8") as file:
        lock = file.read()
    if "resolved" in lock:
        sys.exit("error: editors/vscode/package-lock.json names a host; npm install --omit-lockfile-registry-resolved")
    if os.path.exists(stamp):
        with open(stamp, encoding="utf-8") as file:
            if file.read() == lock:
                return
    command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--fetch-timeout=60000"]
    try:
        done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        sys.exit("error: npm is not installed: scripts/install-packages.sh tests")
    if done.returncode:
        sys.exit("error: npm cannot install what the extension is built with (see package-lock.json); "
                 f"it needs its registry or a filled cache:\n{done.stderr[-1500:]}")
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(lock)


def run(work, *command, **environment):
    try:
        done = subprocess.run(command, cwd=work, check=False, timeout=300, env={**os.environ, **environment})
    except subprocess.TimeoutExpired:
        sys.exit(f"error: `{' '.join(command)}` does not end")
    if done.returncode:
        sys.exit(f"error: `{' '.join(command)}` ended with status {done.returncode}")


def main(words):
    if len(words) < 2 or words[0] not in ("build", "test") or len(words) != {"build": 2, "test": 3}[words[0]]:
        sys.exit(__doc__)
    work = os.path.abspath(words[1])
    copy_sources(work)
    install_packages(work)
    run(work, "node_modules/.bin/tsc", "--noEmit")
    run(work, "node", "build.mjs")
    run(work, "node", "package.mjs", ROOT)
    if words[0] == "test":
        tests = sorted(os.path.join("test", name) for name in os.listdir(os.path.join(work, "test")) if name.endswith(".test.mjs"))
        run(work, "node", "--test", "--test-timeout=120000", *tests, PTOSCOPE=os.path.abspath(words[2]), PTOSCOPE_SOURCE=ROOT)


if __name__ == "__main__":
    main(sys.argv[1:])
