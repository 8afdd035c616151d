"""Rules of tile-level text that refuse or report something have a program that breaks them, and a repaired twin.

    tile_rules.py SOURCE

Programs are the cases of test/Dialect/tile-*.test, test/TileText/refused.test and reported.test, which these tests check word by word.
A case shows the rule that its message says is broken, or the one its title begins with where the message has no place for a label:
what is not modelled, what another profile has, what MLIR's parser refuses, and codes whose page lists the rule. Every other rule of
the documents on tile-level text needs a line in tile-reasons.tsv: what it says instead, and the test that shows it.
"""
import glob
import os
import re
import sys

import refusals

WITHOUT_LABELS = {"parse-error", "not-modelled", "not-on-profile", "unknown-instruction"}


def read(*paths):
    return "\n".join(open(path, encoding="utf-8").read() for path in paths)


def defined(source):
    text = read(*sorted(glob.glob(os.path.join(source, "docs", "isa", "31*.md"))))
    return re.findall(r"^(?:- |\| )?\*\*([A-Z]+-[0-9]+)\*\*", text, re.M)


def shown(text):
    """Labels of cases with an error or a warning, and a repaired or accepted line."""
    labels = set()
    for title, body in re.findall(r"^=== (.*)\n((?:[^=\n].*\n|\n)*)", text, re.M):
        for code, message in re.findall(r"^!.*(?:error|warning)\[([\w-]+)\]: (.*)", body, re.M):
            labels |= set(re.findall(r"\bbreaks ([A-Z]+-[0-9]+):", message)) | set(re.findall(r"\(([A-Z]+-[0-9]+)\)", message))
            label = title.split(":")[0]
            if code in WITHOUT_LABELS or label in refusals.rules_of(code):
                labels.add(label)
    return labels


def main():
    source = sys.argv[1]
    cases = ["TileText/refused.test", "TileText/reported.test"]
    covered, wanted = shown(read(*sorted(glob.glob(f"{source}/test/Dialect/tile-*.test")), *(f"{source}/test/{name}" for name in cases))), defined(source)
    reasons = {}
    for line in read(f"{source}/test/Inputs/tile-reasons.tsv").splitlines():
        if not line.startswith("#"):
            labels, reason = line.split("\t")
            reasons |= {label: reason for label in labels.split()}
    faults = [f"{label}: no program breaks it, and tile-reasons.tsv gives no reason" for label in wanted if label not in covered | reasons.keys()]
    faults += [f"tile-reasons.tsv: {label} is refused after all" for label in reasons if label in covered]
    faults += [f"tile-reasons.tsv: there is no rule {label}" for label in reasons if label not in wanted]
    for label, reason in reasons.items():
        faults += [f"tile-reasons.tsv: {label}: there is no test {name}" for name in re.findall(r"[\w-]+/[\w-]+\.(?:test|pto)", reason)
                   if not os.path.exists(f"{source}/test/{name}")]
    print("\n".join(faults) or f"{len(wanted)} rules of tile-level text: {len(covered & set(wanted))} broken by a program, {len(reasons)} with a reason")
    sys.exit(bool(faults))


main()
