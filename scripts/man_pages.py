#!/usr/bin/env python3
"""Man pages of the tool and of each verb, from what `--help` prints.

  man_pages.py TOOL FOLDER     writes FOLDER/ptoscope.1 and FOLDER/ptoscope-VERB.1
"""
import os
import re
import sys

import tool_help


def escaped(text):
    """Text as roff prints it unchanged."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("^", "\\(ha").replace("~", "\\(ti")
    return "".join(c if ord(c) < 128 else f"\\[u{ord(c):04X}]" for c in text)


def prose(text):
    """A paragraph; what stands between backquotes is bold."""
    parts = re.split(r"`([^`\n]+)`", text)
    line = "".join(f"\\fB{escaped(part)}\\fR" if i % 2 else escaped(part).replace("`", "\\(ga") for i, part in enumerate(parts))
    return "\n".join("\\&" + row if row[:1] in (".", "'") else row for row in line.split("\n"))


def verbatim(lines):
    rows = "\n".join("\\&" + escaped(line.removeprefix("  ")).replace("`", "\\(ga") for line in lines)
    return [".PP", ".nf", rows, ".fi"]


def section(heading):
    return [".SH " + escaped(heading.upper())]


def blocks(found):
    """Blocks of the help as parts of the page. `example:` and `exit status: …` become sections."""
    page = []
    for block in found:
        if match := re.fullmatch(r"(exit status): (.*)", block[0], re.IGNORECASE):
            page += section(match[1]) + [prose("\n".join([match[2], *block[1:]]))]
        elif len(block) > 1 and re.fullmatch(r"[a-z][\w ]*:", block[0]):
            page += section(block[0][:-1]) + verbatim(block[1:])
        elif all(line.startswith("  ") for line in block):
            page += verbatim(block)
        else:
            page += [".PP", prose("\n".join(block))]
    return page


def header(name, version, summary):
    title = name.upper()
    # No date, so that two builds are the same; no hyphens in names of options.
    return [f'.TH "{escaped(title)}" "1" "" "ptoscope {escaped(version)}" "PTOScope"', ".nh", ".ad l", ".SH NAME",
            f"{escaped(name)} \\- {prose(summary)}"]


def synopsis(usage):
    page = section("synopsis") + [".nf"]
    for line in usage:
        name = re.match(r"ptoscope(?: [a-z][\w+-]*)?", line)
        page.append(f"\\fB{escaped(name[0])}\\fR{escaped(line[name.end():])}" if name else "\\&" + escaped(line))
    return page + [".fi"]


def option_rows(options):
    page = []
    for option in options:
        value = f"\\fI{escaped(option.value)}\\fR" if option.value else ""
        close = "]" if option.joined == "[=" else ""
        page += [".TP", f"\\fB{escaped(option.name)}\\fR{option.joined}{value}{close}"]
        if option.help:
            page.append(prose(option.help))
        elif option.choices:
            page.append(prose("one of " + ", ".join(f"`{word}`" for word in option.choices)))
        else:
            page.append("\\&")
    return page


def verb_page(tool, verb):
    page = header(f"ptoscope-{verb.name}", tool.version, verb.summary) + synopsis(verb.usage)
    if verb.before:
        page += section("description") + blocks(verb.before)
    page += section("options") + option_rows(verb.options) + blocks(verb.after)
    return page + section("see also") + ["\\fBptoscope\\fR(1)"]


def tool_page(tool):
    page = header("ptoscope", tool.version, tool.summary) + synopsis(tool.usage) + section("verbs")
    for verb in tool.verbs:
        page += [".TP", f"\\fB{escaped(verb.name)}\\fR {escaped(verb.operands)}".rstrip(), prose(verb.summary)]
    page += section("description") + blocks(tool.after)
    names = [f"\\fBptoscope\\-{escaped(verb.name)}\\fR(1)" for verb in tool.verbs]
    return page + section("see also") + [",\n".join(names)]


def main(words):
    if len(words) != 2:
        sys.exit(__doc__)
    tool = tool_help.read_tool(words[0])
    pages = {"ptoscope.1": tool_page(tool)}
    pages |= {f"ptoscope-{verb.name}.1": verb_page(tool, verb) for verb in tool.verbs}
    os.makedirs(words[1], exist_ok=True)
    for name in os.listdir(words[1]):
        if re.fullmatch(r"ptoscope.*\.1", name) and name not in pages:
            os.remove(os.path.join(words[1], name))
    for name, lines in pages.items():
        with open(os.path.join(words[1], name), "w", encoding="ascii") as file:
            # A paragraph begins below a heading by itself.
            file.write(re.sub(r"^(\.SH .*)\n\.PP$", r"\1", "\n".join(lines), flags=re.MULTILINE) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
