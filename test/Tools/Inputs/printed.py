"""What `opt` prints, `--strict` accepts, and it is the same program.

    printed.py FOLDER SCRATCH

For .pto files of the tree (every third; all with PTOSCOPE_TEST_LONG), and for every loose spelling of Dialect/strict.test: if `check`
accepts its text, `--strict` accepts what `opt` prints, printing that again changes nothing, and `check` has the same findings.
"""
import collections
import concurrent.futures
import json
import os
import subprocess
import sys

folder, scratch = sys.argv[1:3]
sys.path.insert(0, os.path.join(folder, "test/Inputs"))
import repairs  # noqa: E402


def run(*command):
    return subprocess.run(["ptoscope", *command], capture_output=True, text=True, timeout=60)


def findings(path):
    """Codes of errors and warnings, with how many there are of each."""
    found = json.loads(run("check", "--format", "json", path).stdout)["findings"]
    return collections.Counter(f["code"] for f in found if f["severity"] in ("error", "warning"))


def programs():
    files = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(("build", ".")))
        files += (os.path.join(place, name) for name in sorted(names) if name.endswith(".pto"))
    yield from files[::1 if os.environ.get("PTOSCOPE_TEST_LONG") else 3]
    os.makedirs(scratch, exist_ok=True)
    for case in repairs.read_cases(os.path.join(folder, "test/Dialect/strict.test")):
        yield repairs.write(case, "-", scratch)[0]


def fault(number, path):
    """What is wrong, "" if nothing is, None if the program is not accepted as it stands."""
    if run("check", "--verify-only", path).returncode:
        return None
    printed = os.path.join(scratch, f"{number}.pto")
    again = os.path.join(scratch, f"{number}.again.pto")
    for source, target in ((path, printed), (printed, again)):
        done = run("opt", source, "-o", target)
        # MLIR verifies a generic form before its name is known to be another one (docs/limits.md).
        if "unregistered operation 'pto.vmi." in done.stderr:
            return None
        if done.returncode:
            return f"opt {source}\n{done.stdout}{done.stderr}"
    if open(printed, encoding="utf-8").read() != open(again, encoding="utf-8").read():
        return f"printed again, {printed} is another text"
    done = run("check", "--strict", "--verify-only", printed)
    # No printer can take a compiler's helpers out of a program (VMI-16).
    if done.returncode and "(VMI-16)" not in done.stderr:
        return f"printed, it is refused\n{done.stderr}"
    before, after = findings(path), findings(printed)
    return "" if before == after else f"printed, it has {dict(after)}, not {dict(before)}"


def main():
    paths = list(programs())
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        faults = dict(zip(paths, pool.map(fault, range(len(paths)), paths)))
    loose = sum(f is not None and run("check", "--strict", "--verify-only", path).returncode != 0 for path, f in faults.items())
    accepted = sum(f is not None for f in faults.values())
    for path, f in faults.items():
        if f:
            print(f"{path}: {f}")
    if accepted < 80 or loose < 40:
        sys.exit(f"only {accepted} programs, {loose} of them loose")
    print(f"{accepted} programs, {loose} of them loose")
    sys.exit(any(faults.values()))


main()
