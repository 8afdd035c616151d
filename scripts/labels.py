#!/usr/bin/env python3
"""Labels of the specification, docs/isa/*.md.

  labels.py rule ROOT LABEL…            prints rules
  labels.py table OUT.inc DOC.md…       C++ rows PTO_RULE(label, text, document, heading), sorted by label
  labels.py check ROOT [RECORDS.json] [REPORT]
                                        every citation names a rule; REPORT gets the labels that no test cites

A label is defined where it stands bold at the start of a line, of a list item or
of the first cell of a table row, once over all documents; elsewhere it is cited.
`TLOAD-1 to TLOAD-3` in a test cites all three.
It is a word, a dash and a number, or one of the short ones: P8, D1, S3, HB5.
"""
import glob
import json
import os
import re
import sys
import textwrap

LABEL = r"(?:[A-Z][A-Z0-9]*-[0-9]+|(?:P|D|S|HB)[0-9]+)"
CITED = re.compile(rf"(?<![\w-]){LABEL}(?![\w-])")
RANGE = re.compile(r"(?<![\w-])([A-Z][A-Z0-9]*)-([0-9]+) to \1-([0-9]+)(?![\w-])")
DEFINED = re.compile(rf"(\s*(?:[-*]|\d+\.)\s+|\|\s*|)\*\*({LABEL})\*\*(.*)")
ITEM = re.compile(r"\s*(?:[-*]|\d+\.)\s")

# Words of that shape that are not labels: encodings, host features, differences, what FileCheck counts lines with.
NOT_LABELS = {"UTF", "AVX", "LINE", "C0", "N", "IEEE"}

WORD = re.compile(r"(?<![\w#@-])([A-Z][A-Z0-9]*-[0-9]+)(?![\w-])")
# Where a short label is a citation and not a register, a part or a pattern.
SHORT = re.compile(r"\bbreaks (?:`)?((?:P|D|S)[0-9]+)\b|\bbreaks\([^\"()]*\"((?:P|D|S)[0-9]+)\"|\b(HB[0-9]+)\b")
DOCUMENT = re.compile(r"(docs/)?\bisa/([\w.-]*\w)")
SIBLING = re.compile(r"(?<![\w/-])([0-9]{2}[a-z]?-[a-z][\w-]*\.md|ops-[\w-]+\.tsv)")
FOLDERS = ["lib", "include", "tools", "test", "unittests", "docs", "benchmarks", "examples", "scripts"]
FILES = ["README.md", "Makefile", "CMakeLists.txt"]
SKIPPED = "test/Docs/"  # faults on purpose


class Rule:
    def __init__(self, label, text, document, heading, line):
        self.label, self.text, self.document, self.heading, self.line = label, text, document, heading, line


def plain(text):
    text = re.sub(r"\[([^\]]+)\]\([^)\s]+\)", r"\1", text)  # links by their words
    return re.sub(r"\*\*(.+?)\*\*", r"\1", text).replace("\\*", "*").strip()


def wrapped(text):
    return "\n".join(textwrap.wrap(text, 96, break_long_words=False, break_on_hyphens=False))


def cells(row):
    """Cells of a table row; a bar behind a backslash is part of one."""
    return [plain(cell.replace("\\|", "|")) for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))]


def rows_of_block(lines, at):
    """The lines from `at` to the next blank one, behind blank ones; none where they define labels themselves."""
    while at < len(lines) and not lines[at].strip():
        at += 1
    block = []
    if at < len(lines) and lines[at].lstrip().startswith("```"):
        for line in lines[at + 1:]:
            if line.lstrip().startswith("```"):
                return block
            block.append(line.rstrip())
    while at < len(lines) and lines[at].strip() and not lines[at].startswith("#"):
        if DEFINED.match(lines[at]):
            return []
        if not re.match(r"\s*\|[\s:|-]+$", lines[at]):
            block.append(lines[at].rstrip())
        at += 1
    return block


def text_of(lines, at, match):
    """The rule that starts in line `at`; a table or list that a colon announces belongs to it."""
    mark, rest = match.group(1), match.group(3).strip()
    if mark.startswith("|"):
        values = cells(rest)
        header = next((cells(lines[k - 1]) for k in range(at, 0, -1) if re.match(r"\s*\|[\s:|-]+$", lines[k])), [])
        header = header[rest.startswith("|"):]  # the label has a column of its own
        if len(values) > 1:
            values = [(f"{name}: " if name else "") + value.rstrip(".") for name, value in zip(header, values) if value]
        return wrapped("; ".join(value for value in values if value))
    words, indent = [rest], len(mark) - len(mark.lstrip())
    at += 1
    while at < len(lines) and lines[at].strip() and not re.match(r"\s*(#|\||```)", lines[at]) and not DEFINED.match(lines[at]):
        deep = len(lines[at]) - len(lines[at].lstrip())
        if ITEM.match(lines[at]) and deep <= indent:
            break
        words.append(lines[at].strip())
        at += 1
    text = wrapped(plain(" ".join(words)))
    if text.endswith(":"):
        text += "\n" + "\n".join(plain(line) if not line.startswith(" ") else line for line in rows_of_block(lines, at))
    return text.strip()


def rules_of(path, shown):
    lines, rules, heading, fenced = open(path, encoding="utf-8").read().split("\n"), [], "", False
    for at, line in enumerate(lines):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and line.startswith("#"):
            heading = line.lstrip("# ").strip()
        elif not fenced and (match := DEFINED.match(line)):
            rules.append(Rule(match.group(2), text_of(lines, at, match), shown, heading, at + 1))
    return rules


def rules(root):
    return [rule for path in sorted(glob.glob(os.path.join(root, "docs/isa/*.md")))
            for rule in rules_of(path, os.path.relpath(path, root))]


def by_name(label):
    """P2 before P10."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", label)]


def text_files(root):
    paths = [os.path.join(root, name) for name in FILES if os.path.exists(os.path.join(root, name))]
    for folder in FOLDERS:
        for where, _, names in os.walk(os.path.join(root, folder)):
            paths += [os.path.join(where, name) for name in names if not name.endswith((".npy", ".png", ".svg", ".pyc"))]
    for path in sorted(paths):
        name = os.path.relpath(path, root)
        try:
            if not name.startswith(SKIPPED):
                yield name, open(path, encoding="utf-8").read()
        except UnicodeDecodeError:
            pass  # not a text


def family(label):
    return re.sub(r"-?[0-9]+$", "", label)


def check(root, records, report):
    known = rules(root)
    defined, faults, cited = {}, [], set()
    for rule in known:
        if rule.label in defined:
            faults.append(f"{rule.document}:{rule.line}: {rule.label} is defined in {defined[rule.label].document}, too")
        if not rule.text:
            faults.append(f"{rule.document}:{rule.line}: {rule.label} has no text")
        defined.setdefault(rule.label, rule)
    for name, text in text_files(root):
        def fault(found, what):
            faults.append(f"{name}:{text.count(chr(10), 0, found.start()) + 1}: {what}")

        for found in [*WORD.finditer(text), *SHORT.finditer(text)]:
            label = found.group(found.lastindex)
            if label not in defined and family(label) not in NOT_LABELS:
                fault(found, f"no document defines {label}")
        for found in DOCUMENT.finditer(text):
            in_docs, target = found.groups()
            there = os.path.exists(os.path.join(root, "docs/isa", target)) and (in_docs or name.startswith("docs/"))
            if target[0].isdigit() and not there:
                fault(found, f"isa/{target} is not in this repository; cite a label")
        for found in SIBLING.finditer(text) if name.startswith("docs/isa/") else []:
            if not os.path.exists(os.path.join(root, "docs/isa", found.group(1))):
                fault(found, f"there is no {found.group(1)}")
        if name.startswith(("test/", "unittests/")):
            cited.update(CITED.findall(text))
            for word, first, last in RANGE.findall(text):
                cited.update(f"{word}-{number}" for number in range(int(first), int(last) + 1))
    if records:
        table = json.load(open(records, encoding="utf-8"))
        for record in table["!instanceof"]["PTO_Op"]:
            for constraint in table[record]["constraints"]:
                label = constraint.split(":")[0]
                if not re.fullmatch(LABEL, label):
                    faults.append(f"{record}: the constraint `{constraint}` has no label")
                elif label not in defined:
                    faults.append(f"{record}: no document defines {label}")
    uncited = sorted(set(defined) - cited, key=by_name)
    print("\n".join(sorted(set(faults))))
    print(f"{len(defined)} labels, {len(uncited)} of them in no test")
    if report:
        with open(report, "w", encoding="utf-8") as out:
            out.write("".join(f"{label}\t{defined[label].document}\n" for label in uncited))
    return bool(faults) or not defined


def table(out, documents):
    known = {rule.label: rule for path in documents for rule in rules_of(path, "docs/isa/" + os.path.basename(path))}
    with open(out, "w", encoding="utf-8") as file:
        file.write("// Generated by scripts/labels.py from docs/isa.\n")
        for rule in sorted(known.values(), key=lambda rule: by_name(rule.label)):
            file.write("PTO_RULE(" + ", ".join(json.dumps(text, ensure_ascii=False) for text in
                                               [rule.label, rule.text, rule.document, rule.heading]) + ")\n")
        file.write("#undef PTO_RULE\n")


def main():
    command, *words = sys.argv[1:] or [""]
    if command == "rule" and len(words) > 1:
        known = {rule.label: rule for rule in rules(words[0])}
        for label in words[1:]:
            rule = known.get(label) or sys.exit(f"no document defines {label}")
            print(f"{label} ({rule.document}, {rule.heading})\n{rule.text}\n")
    elif command == "table" and len(words) > 1:
        table(words[0], words[1:])
    elif command == "check" and words:
        sys.exit(check(words[0], *(words[1:] + ["", ""])[:2]))
    else:
        sys.exit(__doc__)


main()
