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


def check(paths, *options):
    """What one process finds in many programs: path -> findings."""
    found = {path: [] for path in paths}
    for finding in json.loads(run("check", "--format", "json", *options, *paths).stdout)["findings"]:
        found[finding["place"]["file"]].append(finding)
    return found


def refused(findings):
    return [f["message"] for f in findings if f["severity"] == "error"]


def codes(findings):
    """Of errors and warnings, with how many there are of each."""
    return collections.Counter(f["code"] for f in findings if f["severity"] in ("error", "warning"))


def programs():
    files = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(("build", ".")))
        files += (os.path.join(place, name) for name in sorted(names) if name.endswith(".pto"))
    yield from files[::1 if os.environ.get("PTOSCOPE_TEST_LONG") else 3]
    os.makedirs(scratch, exist_ok=True)
    for case in repairs.read_cases(os.path.join(folder, "test/Dialect/strict.test")):
        yield repairs.write(case, "-", scratch)[0]


def written(number, path):
    """What `opt` prints, in a file, and what is wrong with that; no file if the program is not accepted as it stands."""
    printed = os.path.join(scratch, f"{number}.pto")
    again = os.path.join(scratch, f"{number}.again.pto")
    for source, target in ((path, printed), (printed, again)):
        done = run("opt", source, "-o", target)
        # MLIR verifies a generic form before its name is known to be another one (docs/limits.md).
        if "unregistered operation 'pto.vmi." in done.stderr:
            return None, ""
        if done.returncode:
            return printed, f"opt {source}\n{done.stdout}{done.stderr}"
    if open(printed, encoding="utf-8").read() != open(again, encoding="utf-8").read():
        return printed, f"printed again, {printed} is another text"
    return printed, ""


def main():
    paths = list(programs())
    paths = [path for path, found in check(paths, "--verify-only").items() if not refused(found)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        made = {path: (printed, fault) for path, (printed, fault) in zip(paths, pool.map(written, range(len(paths)), paths)) if printed}
    faults = {path: fault for path, (_, fault) in made.items() if fault}
    copies = {path: printed for path, (printed, fault) in made.items() if not fault}
    strict, before, after = check(copies.values(), "--strict", "--verify-only"), check(copies), check(copies.values())
    for path, printed in copies.items():
        said = refused(strict[printed])
        # No printer can take a compiler's helpers out of a program (VMI-16).
        if said and not any("(VMI-16)" in message for message in said):
            faults[path] = "\n".join(["printed, it is refused", *said])
        elif codes(before[path]) != codes(after[printed]):
            faults[path] = f"printed, it has {dict(codes(after[printed]))}, not {dict(codes(before[path]))}"
    loose = sum(bool(refused(found)) for found in check(made, "--strict", "--verify-only").values())
    for path, fault in faults.items():
        print(f"{path}: {fault}")
    if len(made) < 80 or loose < 40:
        sys.exit(f"only {len(made)} programs, {loose} of them loose")
    print(f"{len(made)} programs, {loose} of them loose")
    sys.exit(bool(faults))


main()
