#!/usr/bin/env python3
"""The documents as a site, by mkdocs.

  doc_site.py FOLDER     builds FOLDER with the README as its first page, and checks every link

Pages are those of docs/, whichever there are; files of the tree that they link to become pages, too. The order of the
menu is that of GROUPS; a page that no group names is a guide.
"""
import fnmatch
import os
import re
import shutil
import subprocess
import sys
import urllib.parse

import lint

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GUIDES = "Guides"
GROUPS = [
    (GUIDES, []),
    ("Model", ["machine-model.md", "memory-model.md", "clusters.md", "cube.md", "devices.md", "timing.md", "memory-planning.md",
               "tile-order.md", "tile-movement.md", "limits.md"]),
    ("Instructions", ["instructions.md", "tile-instructions.md", "glossary.md"]),
    ("Specification", ["isa/README.md", "isa/*.md"]),
    ("Findings", ["findings/README.md", "findings/*.md"]),
    ("Project", ["architecture.md", "performance.md", "security.md", "adding-an-instruction.md", "report-format.md", "changes.md"]),
]
CODE_KINDS = {".pto": "mlir", ".mlir": "mlir", ".cpp": "cpp", ".hpp": "cpp", ".h": "cpp", ".py": "python", ".lua": "lua", ".el": "lisp",
              ".cmake": "cmake", ".txt": "text", ".sh": "bash", ".json": "json", ".toml": "toml"}
CONFIGURATION = """\
site_name: PTOScope
site_description: Runs, checks and profiles PTO programs on any computer
docs_dir: {docs}
site_dir: {site}
use_directory_urls: false
strict: true
theme:
  name: material
  font: false
  features: [navigation.tabs, navigation.sections, navigation.top, search.highlight, search.suggest]
  palette:
    - scheme: default
      toggle: {{icon: material/weather-night, name: Dark}}
    - scheme: slate
      toggle: {{icon: material/weather-sunny, name: Light}}
extra_css: [site.css]
plugins: [search]
markdown_extensions:
  - admonition
  - attr_list
  - tables
  - toc: {{permalink: true}}
  - pymdownx.superfences
  - pymdownx.highlight: {{use_pygments: false}}
nav:
{nav}"""
# Reports of the tool are wider than prose.
STYLE = ".md-grid { max-width: 76rem; }\n.md-typeset h1 { font-weight: 500; }\n"


class Stage:
    """Copies pages into a folder as mkdocs reads them, and what they link to."""

    def __init__(self, folder):
        self.folder = folder
        self.done = {}  # path in the tree: page

    def page_of(self, path):
        """The page that shows a file or folder of the tree, made when it is asked for first."""
        if path in self.done:
            return self.done[path]
        if path == "README.md":
            page = "index.md"
        elif path.startswith("docs/"):
            page = path.removeprefix("docs/")
        else:
            page = f"tree/{path}" if path.endswith(".md") else f"tree/{path}{'/index' if os.path.isdir(os.path.join(ROOT, path)) else ''}.md"
        self.done[path] = page
        source, target = os.path.join(ROOT, path), os.path.join(self.folder, page)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if os.path.isdir(source):
            text = self.listing(path)
        elif path.endswith(".md"):
            text = self.converted(path, lint.read(source))
        elif path.startswith("docs/"):
            shutil.copyfile(source, target)
            return page
        else:
            text = f"# {path}\n\n````{CODE_KINDS.get(os.path.splitext(path)[1], 'text')}\n{lint.read(source).rstrip()}\n````\n"
        with open(target, "w", encoding="utf-8") as file:
            file.write(text)
        return page

    def link(self, page, path):
        return os.path.relpath(self.page_of(path), os.path.dirname(page) or ".")

    def listing(self, path):
        rows = [f"# {path}\n"]
        for name in sorted(os.listdir(os.path.join(ROOT, path))):
            inner = os.path.join(path, name)
            is_text = os.path.isdir(os.path.join(ROOT, inner)) or os.path.splitext(name)[1] in (*CODE_KINDS, ".md")
            if name[0] != "." and name not in ("build", "node_modules"):
                rows.append(f"- [{name}]({self.link(self.done[path], inner)})" if is_text else f"- {name}")
        return "\n".join(rows) + "\n"

    def converted(self, path, text):
        """Links lead to pages, headings have the names that links use, lists are apart from paragraphs."""
        page = self.done[path]

        def link(match):
            target, _, anchor = match[1].partition("#")
            if lint.ELSEWHERE.match(match[1]) or not target:
                return match[0]
            where = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(target)))
            if not os.path.exists(os.path.join(ROOT, where)):
                sys.exit(f"error: {path}: the link {match[1]} leads nowhere")
            return match[0].replace(match[1], self.link(page, where) + (f"#{anchor}" if anchor else ""))

        # What is code stays as it is.
        kept = []

        def keep(match):
            kept.append(indented_fence(match[0]))
            return f"\x00{len(kept) - 1}\x00"

        text = lint.CODE.sub(keep, lint.FENCE.sub(keep, text))
        text = lint.LINK.sub(link, text)
        text = named_headings(apart(text), lambda heading: re.sub("\x00(\\d+)\x00", lambda found: kept[int(found[1])], heading))
        for _ in range(2):  # a fence may stand where code was
            text = re.sub("\x00(\\d+)\x00", lambda found: kept[int(found[1])], text)
        return text


def apart(text):
    """A list or table begins after an empty line; what belongs to an item is indented by four."""
    lines, before, listed = [], "", False
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip(" "))
        item = re.match(r" *(?:[-*]|\d+\.) ", line)
        inside = re.match(r" *(?:[-*]|\d+\.) | {2,}\S", before)
        table = line.lstrip().startswith("|") and not before.lstrip().startswith("|")
        if before.strip() and ((item and not inside) or table):
            lines.append("")
        if item and indent == 0:
            listed = True
        elif line.strip() and indent == 0 and not before.strip() and not line.startswith("\x00"):
            listed = False
        if 0 < indent < 4 and (item or listed):
            line = " " * (4 - indent) + line
        lines.append(line)
        before = line
    return "\n".join(lines)


def indented_fence(text):
    """A fence that belongs to an item, as deep as `apart` puts it."""
    match = re.match(r"\n*( {1,3})(?=```|~~~)", text)
    return re.sub(r"^(?=.)", " " * (4 - len(match[1])), text, flags=re.MULTILINE) if match else text


def named_headings(text, plain):
    counts = {}

    def named(match):
        heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", plain(match[1]))
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        counts[name] = counts.get(name, -1) + 1
        return f"{match[0].rstrip()} {{#{name}{f'-{counts[name]}' if counts[name] else ''}}}"

    return lint.HEADING.sub(named, text)


def title_of(path):
    match = lint.HEADING.search(lint.FENCE.sub("", lint.read(path)))
    return re.sub(r" \{#.*\}$", "", match[1]).replace("`", "") if match else os.path.basename(path)


def menu(stage, pages):
    """Lines of the configuration: every page once."""
    left = dict.fromkeys(pages)
    named = [pattern for _, patterns in GROUPS for pattern in patterns]
    lines = ["  - Start: index.md"]
    for group, patterns in GROUPS:
        rows = []
        for pattern in patterns:
            rows += [page for page in left if fnmatch.fnmatch(page, pattern) and page not in rows]
        if group == GUIDES:
            rows = [page for page in left if not any(fnmatch.fnmatch(page, pattern) for pattern in named)]
        for page in rows:
            left.pop(page)
        if rows:
            lines.append(f"  - {group}:")
            for page in rows:
                title = title_of(os.path.join(stage.folder, page)).replace('"', "'")
                if page.startswith("findings/"):
                    title = title.split(" (")[0]  # the code alone
                lines.append(f'    - "{title}": {page}')
    return "\n".join(lines) + "\n"


def check_links(site):
    """Every link of every page leads to a page and a name in it. Yields what does not."""
    ids, links = {}, {}
    for folder, _, names in os.walk(site):
        for name in names:
            path = os.path.join(folder, name)
            ids[path] = set()
            if name.endswith(".html"):
                text = lint.read(path)
                ids[path] = set(re.findall(r"""\s(?:id|name)=["']?([^"'\s>]+)""", text))
                links[path] = set(re.findall(r"""\s(?:href|src)=["']?([^"'\s>]+)""", text))
    for path, targets in links.items():
        for target in sorted(targets):
            target = target.replace("&amp;", "&")
            if target.startswith(("http:", "https:", "mailto:", "data:", "javascript:")):
                continue
            file, _, anchor = urllib.parse.unquote(target).partition("#")
            where = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
            where = os.path.join(where, "index.html") if os.path.isdir(where) else where
            # The page of missing pages is served from anywhere: its links begin at the top.
            if file.startswith("/"):
                where = os.path.join(site, file.lstrip("/"))
            if os.path.isdir(where):
                where = os.path.join(where, "index.html")
            if where not in ids:
                yield f"{os.path.relpath(path, site)}: the link {target} leads nowhere"
            elif anchor and anchor not in ids[where] and not anchor.startswith("__"):
                yield f"{os.path.relpath(path, site)}: {os.path.relpath(where, site)} has no #{anchor}"


def main(words):
    if len(words) != 1 or words[0].startswith("-"):
        sys.exit(__doc__)
    site = os.path.abspath(words[0])
    staging = site + "-pages"
    shutil.rmtree(staging, ignore_errors=True)
    stage = Stage(staging)
    stage.page_of("README.md")
    pages = []
    for file in lint.files_of(os.path.join(ROOT, "docs")):
        page = stage.page_of("docs/" + file)
        if file.endswith(".md"):
            pages.append(page)
    with open(os.path.join(staging, "site.css"), "w", encoding="utf-8") as file:
        file.write(STYLE)
    configuration = staging + ".yml"
    with open(configuration, "w", encoding="utf-8") as file:
        file.write(CONFIGURATION.format(docs=staging, site=site, nav=menu(stage, pages)))
    try:
        done = subprocess.run(["mkdocs", "build", "--quiet", "--clean", "--strict", "--config-file", configuration],
                              capture_output=True, text=True, check=False)
    except FileNotFoundError:
        sys.exit("error: mkdocs is not installed: scripts/install-packages.sh tests")
    if done.returncode:
        sys.exit(f"error: mkdocs: {(done.stderr + done.stdout).strip()}")
    faults = list(check_links(site))
    print("\n".join(faults) or f"{site}: {len(pages) + 1} documents, {len(stage.done) - len(pages) - 1} files of the tree, no broken link")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
