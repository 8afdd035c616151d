"""No record without a run test and a round trip, no labelled constraint of an instruction without a refusal that names both.

    coverage.py TEST-FOLDER SCRATCH

Refusals come from three places: the cases of test/Dialect/*.test, each checked word by word by its own test; lines made here from the
syntax of the records and checked here; and tests that run programs and end with `refusals.complete(LABEL)`. What cannot be refused
stands in reasons.tsv. Then the same is asked of copies of the folder with faults, which must be found (coverage_faults.py).
"""
import glob
import os
import re
import sys

import coverage_faults
import refusals
import refused_lines
import refused_pipes
import refused_streams
import refused_ub
import refused_vmi

# Rules of an instruction's surroundings, of its profile, of words that belong to other instructions, and of other names: no record lists them.
GENERAL = {"P1", "P3", "P4", "P5", "P11", "S1", "S5", "S11", "D12", "VLANE-6", "VMEM-10", "VCVT-5"}


def read(pattern):
    return "\n".join(open(path, encoding="utf-8").read() for path in sorted(glob.glob(pattern)))


def shown(folder, names):
    """Pairs of the written cases. A case that expects a code without a label names its label in its title."""
    pairs = set()
    for title, body in re.findall(r"^=== (.*)\n((?:[^=\n].*\n|\n)*)", read(f"{folder}/Dialect/*.test"), re.M):
        for code, name, rest in re.findall(r"^!.*error\[([\w-]+)\]: `(pto\.[\w.]+)`(.*)", body, re.M):
            broken = re.match(r" breaks ([A-Z0-9-]+):", rest)
            label = broken[1] if broken else title.split(":")[0]
            if name in names and (broken or label in refusals.rules_of(code)):
                pairs.add((names[name], label))
    return pairs


def run(folder, labels):
    """Pairs that tests with programs that run are complete for."""
    pairs = set()
    for label, names in re.findall(r'^refusals\.complete\("([A-Z0-9-]+)"(.*)\)$', read(f"{folder}/*/*.test"), re.M):
        named = [f"pto.{name}" for name in re.findall(r'"(\w[\w.]*)"', names)]
        pairs |= {(name, label) for name in named or [name for name in labels if label in labels[name]]}
    return pairs


def reasons(folder, labels):
    """(pair, line) of reasons.tsv."""
    for line in read(f"{folder}/Inputs/reasons.tsv").splitlines():
        if line.startswith("#"):
            continue
        label, names, _ = line.split("\t")
        names = [name for name in labels if label in labels[name]] if names == "*" else [f"pto.{name}" for name in names.split()]
        yield from (((name, label), line) for name in names)


def is_tile(row):
    """One parser and one printer for all; what each does is tested in test/TileText."""
    return row["footprint"] == "tile" and row["family"] != "pipe"


def missing(folder, made, records, labels):
    """What is missing in a test folder, where refusals of the pairs `made` are known."""
    labels = {name: of for name, of in labels.items() if name not in records or not is_tile(records[name])}
    lines, code = [], [line.split("/")[0] + "\n" for line in read(f"{folder}/Dialect/roundtrip-*.pto").splitlines()]
    round_trips = {word for line in code for word in re.findall(r"pto\.[\w.]+(?=[\s\[(\"])", line)}
    of_name = {}  # vadd -> the text of vadd.test
    for path in sorted(glob.glob(f"{folder}/Ops/*.*")):
        name = os.path.basename(path)
        for at in [k for k, letter in enumerate(name) if letter == "."]:
            of_name[name[:at]] = of_name.get(name[:at], "") + read(path)
    # A test of several instructions lists them.
    tests = read(f"{folder}/Ops/*.test") + read(f"{folder}/TileText/pipes*.test")
    listed = set(" ".join(re.findall(r"^(?://|#) Instructions: (.*)$", tests, re.M)).split())
    for name, row in records.items():
        if is_tile(row):
            continue
        test = of_name.get(name.removeprefix("pto."), "")
        if "RUN: " not in test and name.removeprefix("pto.") not in listed:
            lines.append(f"{name} has no run test in test/Ops")
        # comprun runs what the printer makes of its programs, too.
        printed = re.findall(r'^check_lanes\("(\w+)"', test, re.M)
        for spelled in [name, *row["aliases"]]:
            if spelled.removeprefix("pto.") not in printed and spelled not in round_trips:
                lines.append(f"{spelled} is in no round-trip test")

    # Rules of tile instructions are no constraints of a record: tile_rules.py looks at them.
    written = shown(folder, {spelled: name for name, row in records.items() if not is_tile(row) for spelled in [name, *row["aliases"]]})
    covered = made | written | run(folder, labels)
    wanted = {(name, label) for name in labels for label in labels[name]}
    lines += [f"{name} is refused for {label}, which its record does not list" for name, label in sorted(covered - wanted) if label not in GENERAL]
    excused = dict(reasons(folder, labels))
    lines += [f"{name}: nothing is refused for {label}, and reasons.tsv gives no reason" for name, label in sorted(wanted - covered - excused.keys())]
    lines += [f"reasons.tsv: {pair[0]} is refused for {pair[1]}: {line}" for pair, line in excused.items() if pair in covered]
    lines += [f"reasons.tsv: {pair[0]} has no constraint {pair[1]}: {line}" for pair, line in excused.items() if pair not in wanted]
    return lines, f"{len(wanted)} constraints of instructions: {len(wanted & covered)} refused, {len(excused)} with a reason"


def main():
    folder, scratch = sys.argv[1:3]
    records, labels = refusals.records(), refusals.labels_of()
    made, faults = refusals.check([*refused_lines.cases(records), *refused_streams.cases(), *refused_pipes.cases(),
                                   *refused_vmi.cases(records), *refused_ub.cases(records)], f"{scratch}/cases")
    lines, sums = missing(folder, made, records, labels)
    print("\n".join(lines + faults) or sums)
    if lines or faults:
        sys.exit(1)
    coverage_faults.check(folder, f"{scratch}/faults", lambda spoilt: missing(spoilt, made, records, labels)[0])


main()
