"""What coverage.py says of a test folder with a fault."""
import os
import shutil
import sys

# file, text in it, text instead (or what is appended), what is said; one folder has all faults of a list
FAULTS = [
    [
        ("Checkers/sync-rules.test", 'refusals.complete("S14")\n', "", "pto.eventid_array_get: nothing is refused for S14, and reasons.tsv gives no reason"),
        ("Dialect/sync-errors.test", "`pto.wait_flag_dyn` breaks S2", "`pto.wait_flag_dyn` breaks S14", "pto.wait_flag_dyn: nothing is refused for S2,"),
        ("Dialect/sync-errors.test", "`pto.wait_flag_dyn` breaks S14", None, "pto.wait_flag_dyn is refused for S14, which its record"),
        ("Dialect/sync-errors.test", "=== S11: get_buf", "=== get_buf", "pto.get_buf: nothing is refused for S11,"),
        ("Inputs/reasons.tsv", None, "S14\tvadd\tnobody knows\n", "reasons.tsv: pto.vadd has no constraint S14: S14"),
        ("Ops/vadd.test", "RUN: ", "", "pto.vadd has no run test in test/Ops"),
    ],
    [("Inputs/reasons.tsv", None, "S14\t*\tnobody knows\n", "reasons.tsv: pto.eventid_array_set is refused for S14: S14")],
]


def spoil(path, old, new):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert old is None or old in text, f"{path}: no {old!r}"
    if new is not None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + new if old is None else text.replace(old, new))


def check(source, scratch, missing):
    """`missing(folder)`: the lines about a folder."""
    for number, faults in enumerate(FAULTS):
        folder = os.path.join(scratch, str(number))
        shutil.copytree(source, folder)
        for name, old, new, _ in faults:
            spoil(os.path.join(folder, name), old, new)
        said = missing(folder)
        for name, old, new, line in faults:
            if not any(line in text for text in said):
                sys.exit(f"{name} with {new!r} instead of {old!r}: not `{line}`:\n" + "\n".join(said))
