#!/usr/bin/env python3
"""What `ptoscope --help` and `ptoscope VERB --help` say, as data: the one source of man pages and completions.

  tool_help.py TOOL      prints it as JSON

The forms that are read: an option begins a line after two blanks, its text follows after two more or on the next
line; and the tables of LLVM's command line, which `opt` has.
"""
import dataclasses
import json
import re
import subprocess
import sys

OPTION = re.compile(r"^ {2}(--?[A-Za-z][\w+-]*)(\[=[^\]]*\]|[ =](?=\S)(?:(?! {2}).)+)?(?: {2,}(\S.*))?$")
LLVM_OPTION = re.compile(r"^ {2,8}(--?[A-Za-z][\w+-]*)(\[=<[\w-]+>\]|=<[\w-]+>| <[\w-]+>)?\s+- +(.*)$")
LLVM_VALUE = re.compile(r"^ {4}=([\w-]+)\s+- +(.*)$")
CONTINUED = re.compile(r"^ {16,}(\S.*)$")
VERB = re.compile(r"^ {2}([a-z][\w+-]*)((?: (?! )\S+)*) {2,}(\S.*)$")
# `eager (default), lazy, or random:SEED`, at the start of a text or behind a colon.
CHOICE = r"`?[a-z0-9][\w-]*(?::[A-Z]\w*)?`?(?: \([^)]*\))?"
CHOICES = re.compile(rf"(?:^|: )({CHOICE}(?:, {CHOICE})*,? or (?:some of [\w,]+|{CHOICE}))(?=$|[\s.,;:])")


@dataclasses.dataclass
class Option:
    name: str   # --arch
    value: str  # a5|a3|a2, FILE; empty for a switch
    joined: str  # what stands between both: "", " ", "=" or "[=" (the value may be left out)
    help: str
    choices: list

    @property
    def takes_word(self):
        """The value is the next word."""
        return self.joined == " "


@dataclasses.dataclass
class Verb:
    name: str
    operands: str
    summary: str
    usage: list
    options: list
    before: list  # blocks of lines between usage and options
    after: list


@dataclasses.dataclass
class Tool:
    version: str
    summary: str
    usage: list
    verbs: list
    after: list


def output(tool, *words):
    done = subprocess.run([tool, *words], capture_output=True, text=True, check=False, timeout=60)
    if done.returncode:
        sys.exit(f"error: `{tool} {' '.join(words)}` ended with status {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def choices_of(value, text):
    """The words that a value may be, when the help lists them."""
    if "|" in value:
        return [word.strip("`") for word in value.split("|")]
    if not value or not (match := CHOICES.search(" ".join(text.split()))):
        return []
    found = []
    for part in re.split(r",? or |, ", re.sub(r" \([^)]*\)", "", match[1])):
        words = part[len("some of "):].split(",") if part.startswith("some of ") else [part]
        found += [re.sub(r"(?<=:)[A-Z]\w*$", "", word.strip("`")) for word in words]
    return found


def make_option(name, tail, text):
    joined = "[=" if tail.startswith("[=") else tail[:1]
    value = tail.removeprefix("[=").removesuffix("]") if joined == "[=" else tail[1:]
    return Option(name, value, joined, text.strip(), [])


def options_of(lines):
    """Options of a block of lines; None when it has none."""
    found = []
    for line in lines:
        if match := LLVM_OPTION.match(line) or OPTION.match(line):
            found.append(make_option(match[1], match[2] or "", match[3] or ""))
        elif found and (match := LLVM_VALUE.match(line)):
            found[-1].choices.append(match[1])
            found[-1].help += f"\n`{match[1]}`: {match[2]}"
        elif found and (match := CONTINUED.match(line)):
            found[-1].help = f"{found[-1].help}\n{match[1]}".strip()
    for option in found:
        option.choices = option.choices or choices_of(option.value, option.help)
    return found or None


def usage_option(usage):
    """Options that stand in the usage only: `[--format text|json]`."""
    for name, value in re.findall(r"\[(--[\w-]+)(?: ([^\]]+))?\]", " ".join(usage)):
        if " " not in value:
            yield Option(name, value, " " if value else "", "", choices_of(value, ""))


def blocks_of(text):
    return [block.split("\n") for block in re.split(r"\n\s*\n", text.strip("\n")) if block.strip()]


def usage_of(block):
    """Lines of a usage, without the word; what else the block has."""
    first = next(i for i, line in enumerate(block) if re.match("usage:", line, re.IGNORECASE))
    end = first + 1
    while end < len(block) and block[end].startswith("       "):
        end += 1
    lines = [re.sub(r"^usage:", "", line, flags=re.IGNORECASE).strip() for line in block[first:end]]
    return lines, block[:first] + block[end:]


def read_verb(tool, name, operands, summary):
    usage, options, before, after = [], [], [], []
    for block in blocks_of(output(tool, name, "--help")):
        if not usage and any(re.match("usage:", line, re.IGNORECASE) for line in block):
            usage, block = usage_of(block)
            if not block:
                continue
        if found := options_of(block):
            options += found
        elif not re.fullmatch(r"[\w ]*options:|OPTIONS:", block[0], re.IGNORECASE) or len(block) > 1:
            (after if options else before).append(block)
    before = [[re.sub(rf"^(OVERVIEW|ptoscope {re.escape(name)}): ", "", block[0]), *block[1:]] for block in before]
    if not usage:
        sys.exit(f"error: `ptoscope {name} --help` has no line `usage: …`")
    names = {option.name for option in options}
    options += [option for option in usage_option(usage) if option.name not in names]
    if "--help" not in {option.name for option in options}:
        options.append(Option("--help", "", "", "this text", []))
    return Verb(name, operands, summary, usage, options, before, after)


def read_tool(tool):
    version = output(tool, "--version").split()[-1]
    blocks = blocks_of(output(tool, "--help"))
    summary = blocks[0][0].split(": ", 1)[1]
    usage, _ = usage_of(blocks[1])
    rows = []
    for line in blocks[2]:
        if match := VERB.match(line):
            rows.append(list(match.groups()))
        elif rows and (match := CONTINUED.match(line)):
            rows[-1][2] += " " + match[1]
        else:
            sys.exit(f"error: `ptoscope --help` has a verb that is not written `  VERB OPERANDS   SUMMARY`: {line.strip()}")
    verbs = [read_verb(tool, name, operands.strip(), text) for name, operands, text in rows]
    return Tool(version, summary, usage, verbs, blocks[3:])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(json.dumps(dataclasses.asdict(read_tool(sys.argv[1])), indent=1, ensure_ascii=False))
