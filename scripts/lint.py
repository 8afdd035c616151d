#!/usr/bin/env python3
"""Style, spelling and links of a source tree, without a build.

  lint.py [--known FILE] [ROOT] [PART…]     one line for each fault; exit status 1 when there is one
  lint.py --repair [ROOT]                   formats the C++ files in place

FILE lists what an earlier call found faultless, by its contents: tools that look at one file after
the other are not asked again.

Parts: format (clang-format), shell (shellcheck), python (flake8; tests written in
Python, too), spelling (codespell), links (targets and headings of links, and files
that documents name between backticks), names (types of a namespace, each defined once).
"""
import concurrent.futures
import fnmatch
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys

CLANG_FORMAT = "clang-format-19"
# Long lines are data more often than not, and lambdas in tests one line of a table. lit defines the names.
FLAKE8 = ["flake8", "--isolated", "--extend-ignore=E501,E731", "--builtins=config,lit_config"]
# Names in camel case are the author's own words.
CODESPELL = ["codespell", "--ignore-regex", r"\b[a-z0-9]+[A-Z]\w*|\b[A-Z]+[a-z]+[A-Z]\w*"]
SPELLING = os.path.join(os.path.dirname(os.path.abspath(__file__)), "spelling.txt")
# Pictures, data, and what tools write.
BINARY = (".npy", ".svg", ".png", "share/report/report.html", "report/package-lock.json",
          "editors/vscode/package-lock.json")

FENCE = re.compile(r"^(\s*)(```|~~~).*?^\s*\2\s*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)>?(?:\s+\"[^\"]*\")?\s*\)")
REFERENCE = re.compile(r"^ {0,3}\[[^\]^]+\]:[ \t]*<?([^\s>]+)>?", re.MULTILINE)
HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$", re.MULTILINE)
ANCHOR = re.compile(r"<a\s+(?:id|name)=\"([^\"]+)\"")
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//")
PATH = re.compile(r"(?:lib|include|docs|test|unittests|tools|benchmarks|examples|scripts|cmake)/[\w./*-]+")
PLACEHOLDER = re.compile(r"\b[A-Z]+\b")
TYPE = re.compile(r"(?:template <.*> )?(?:struct|class|union|enum|enum class) (\w+)(?: final)?(?: :.*)? ?\{")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def files_of(root):
    """The files below `root`, without folders that are hidden or that .gitignore names."""
    ignored = []
    if os.path.exists(os.path.join(root, ".gitignore")):
        ignored = [line.strip().rstrip("/") for line in read(os.path.join(root, ".gitignore")).splitlines()]

    def kept(name):
        return (name[0] != "." or name == ".ci") and not any(fnmatch.fnmatch(name, pattern) for pattern in ignored)

    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(filter(kept, folders))
        found += [os.path.relpath(os.path.join(folder, name), root) for name in sorted(filter(kept, names))]
    return found


def output(command, root, faulty=1):
    """Lines of both streams; exit status 0 is no fault, `faulty` some, anything else a tool that does not work."""
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        sys.exit(f"error: {command[0]} is not installed: scripts/install-packages.sh tests")
    if done.returncode not in (0, faulty):
        sys.exit(f"error: {command[0]}: exit status {done.returncode}: {done.stderr.strip()}")
    return (done.stdout + done.stderr).splitlines()


class Known:
    """Files without a fault, and what looked at them."""

    def __init__(self, path):
        self.path, self.keys, self.seen = path, set(), set()
        if path and os.path.exists(path):
            self.keys = set(read(path).split())

    def check(self, command, root, files, settings, faulty=1):
        """Lines about those files that are not known."""
        tool = shutil.which(command[0])
        rules = hashlib.sha256(repr([command, tool and [os.path.realpath(tool), os.stat(tool).st_mtime_ns]]).encode())
        for path in filter(os.path.exists, settings):
            rules.update(read(path).encode())
        keys = {}
        for file in files:
            key = rules.copy()
            with open(os.path.join(root, file), "rb") as opened:
                key.update(file.encode() + b"\0" + opened.read())
            keys[file] = key.hexdigest()
        new = [file for file in files if keys[file] not in self.keys]
        lines = output([*command, *new], root, faulty) if new else []
        self.seen.update(key for key in keys.values() if key in self.keys or not lines)
        return lines

    def write(self):
        if self.path:
            with open(self.path + ".new", "w", encoding="utf-8") as file:
                file.write("\n".join(sorted(self.seen)))
            os.replace(self.path + ".new", self.path)


def cpp(files):
    return [file for file in files if file.endswith((".cpp", ".h", ".hpp"))]


def check_format(root, files, known):
    places = {}
    for line in known.check([CLANG_FORMAT, "--dry-run"], root, cpp(files), [os.path.join(root, ".clang-format")], 0):
        if match := re.match(r"(.+?):(\d+):\d+: warning: code should be clang-formatted", line):
            places.setdefault(match[1], []).append(match[2])
    for file, lines in places.items():
        yield f"{file}:{lines[0]}: not as {CLANG_FORMAT} writes it ({len(lines)} in this file; `make format` repairs)"


def is_shell(root, file):
    if file.endswith(".sh"):
        return True
    if "." in os.path.basename(file):
        return False
    with open(os.path.join(root, file), "rb") as opened:
        return re.match(rb"#!.*\b(sh|bash)\b", opened.readline()) is not None


def check_shell(root, files, _):
    scripts = [file for file in files if is_shell(root, file)]
    return output(["shellcheck", "--format=gcc", *scripts], root) if scripts else []


def check_python(root, files, known):
    sources = [file for file in files if file.endswith(".py") or file.endswith(".test") and
               re.search(r"^# RUN:.*%python.* %s", read(os.path.join(root, file)), re.MULTILINE)]
    return known.check(FLAKE8, root, sources, [])


def check_spelling(root, files, known):
    words = os.path.relpath(SPELLING, root)
    texts = [file for file in files if not file.endswith(BINARY) and file != "scripts/spelling.txt"]
    return known.check([*CODESPELL, "--ignore-words", words], root, texts, [SPELLING], 65)


def blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def headings(text):
    """Names under which the headings of a document can be linked to."""
    names = set(ANCHOR.findall(text))
    counts = {}
    for heading in HEADING.findall(FENCE.sub(blank, text)):
        heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        counts[name] = counts.get(name, -1) + 1
        names.add(f"{name}-{counts[name]}" if counts[name] else name)
    return names


def link_fault(root, file, target):
    path, _, anchor = target.partition("#")
    if ELSEWHERE.match(target):
        return None
    where = os.path.normpath(os.path.join(os.path.dirname(file), path)) if path else file
    if path.startswith("/") or where.startswith(".."):
        return f"the link {target} leads out of the repository"
    if not os.path.exists(os.path.join(root, where)):
        return f"the link {target} leads nowhere"
    if anchor and where.endswith(".md") and anchor not in headings(read(os.path.join(root, where))):
        return f"{where} has no heading #{anchor}"
    return None


def check_links(root, files, _):
    for file in files:
        if not file.endswith(".md"):
            continue
        prose = FENCE.sub(blank, read(os.path.join(root, file)))
        faults = []
        for match in CODE.finditer(prose):
            if PATH.fullmatch(match[2]) and not PLACEHOLDER.search(match[2]):
                if not glob.glob(os.path.join(root, match[2])):
                    faults.append((match.start(), f"there is no {match[2]}"))
        prose = CODE.sub(blank, prose)
        for match in [*LINK.finditer(prose), *REFERENCE.finditer(prose)]:
            if fault := link_fault(root, file, match[1]):
                faults.append((match.start(), fault))
        for at, fault in sorted(faults):
            yield f"{file}:{prose.count(chr(10), 0, at) + 1}: {fault}"


def check_names(root, files, _):
    """A type of a namespace is defined once: of two, the linker takes one and crashes with the other."""
    places = {}
    for file in cpp(files):
        if not file.startswith(("lib/", "include/", "tools/", "python/")):
            continue
        spaces = []
        for number, line in enumerate(read(os.path.join(root, file)).split("\n"), 1):
            if match := re.match(r"namespace ([\w:]*) ?\{", line):
                spaces.append(match[1])
            elif line.startswith("} // namespace") and spaces:
                spaces.pop()
            elif (match := TYPE.match(line)) and all(spaces):
                places.setdefault("::".join([*spaces, match[1]]), []).append(f"{file}:{number}")
    for name, found in places.items():
        if len({place.split(":")[0] for place in found}) > 1:
            yield f"{found[1]}: {name} is a type of {found[0]}, too"


PARTS = {"format": check_format, "shell": check_shell, "python": check_python, "spelling": check_spelling,
         "links": check_links, "names": check_names}


def main(words):
    repair = "--repair" in words
    words = [word for word in words if word != "--repair"]
    known = Known(words[1] if words[:1] == ["--known"] else None)
    words = words[2:] if known.path else words
    root = words.pop(0) if words and words[0] not in PARTS else "."
    if not os.path.isdir(root) or not set(words) <= set(PARTS):
        sys.exit(__doc__)
    files = files_of(root)
    if repair:
        return subprocess.run([CLANG_FORMAT, "-i", *cpp(files)], cwd=root, check=False).returncode
    faults = 0
    with concurrent.futures.ThreadPoolExecutor() as pool:
        results = {part: pool.submit(lambda check: list(check(root, files, known)), PARTS[part]) for part in words or PARTS}
        for part, result in results.items():
            for line in result.result():
                print(f"{line} [{part}]")
                faults += 1
    known.write()
    print(f"{', '.join(words or PARTS)}: {len(files)} files, {faults or 'no'} fault{'s' * (faults != 1)}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
