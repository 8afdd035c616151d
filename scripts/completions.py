#!/usr/bin/env python3
"""Completion for bash, zsh and fish, from what `--help`, `explain` and `ops` print.

  completions.py TOOL FOLDER     writes FOLDER/{bash/ptoscope,zsh/_ptoscope,fish/ptoscope.fish}
"""
import json
import os
import re
import sys

import tool_help

DIRECTORY = re.compile(r"(^|_)DIR")


def options_of(verb):
    """Options by name; the passes of `opt` repeat some."""
    return list({option.name: option for option in verb.options}.values())


def words_of(tool):
    """What stands where a verb has no file: names to explain, and instructions."""
    pages = json.loads(tool_help.output(tool, "explain", "--format", "json"))
    table = json.loads(tool_help.output(tool, "ops", "--json"))["instructions"]
    names = sorted({name.removeprefix("pto.") for row in table for name in [row["name"], *row.get("aliases", [])]})
    names = [name for name in names if re.fullmatch(r"[\w.]+", name)]
    codes = [row["code"] for row in pages["codes"]]
    return {"explain": codes + [row["label"] for row in pages["rules"]] + names, "ops": names}


def brief(option):
    """The first clause, for a list."""
    text = re.sub(r" \([^)]*\)", "", " ".join(option.help.split()))
    return re.split(r"[;:.](?= |$)", text)[0].replace("`", "")


# bash --------------------------------------------------------------------------

BASH = r"""# bash completion of ptoscope, generated from its own help texts.

_ptoscope() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]}
  local options values word
  COMPREPLY=()
  # `=` is a word of its own here: --stats=lines.
  if [[ $cur == "=" ]]; then
    cur=""
  elif [[ $prev == "=" ]]; then
    prev=${COMP_WORDS[COMP_CWORD-2]}
  fi
  if [[ $COMP_CWORD == 1 ]]; then
    mapfile -t COMPREPLY < <(compgen -W "@VERBS@ --help --version" -- "$cur")
    return
  fi
  case "$verb $prev" in
@VALUES@
  esac
  if [[ -n $values ]]; then
    # The last of a list: race,ini.
    local list=""
    [[ $prev == --check && $cur == *,* ]] && list=${cur%,*},
    mapfile -t COMPREPLY < <(compgen -P "$list" -W "$values" -- "${cur##*,}")
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *: ]] && compopt -o nospace 2>/dev/null
    return
  fi
  if [[ $cur == -* ]]; then
    case $verb in
@OPTIONS@
    esac
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
    return
  fi
  case $verb in
@WORDS@
  esac
  if [[ -n $word ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$word" -- "$cur")
  else
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  fi
}
complete -F _ptoscope ptoscope
"""


def bash(tool, words):
    values, options = [], []
    for verb in tool.verbs:
        for option in options_of(verb):
            if option.choices:
                values.append(f'    "{verb.name} {option.name}") values="{" ".join(option.choices)}" ;;')
            elif DIRECTORY.search(option.value) and option.takes_word:
                values.append(f'    "{verb.name} {option.name}")\n      compopt -o filenames 2>/dev/null\n'
                              '      mapfile -t COMPREPLY < <(compgen -d -- "$cur")\n      return ;;')
            elif option.takes_word and not re.search(r"FILE|PATH|TABLE|^V$|CMD", option.value):
                # A number or a name that only the user knows.
                values.append(f'    "{verb.name} {option.name}") return ;;')
        names = " ".join(option.name for option in options_of(verb))
        options.append(f'      {verb.name}) options="{names}" ;;')
    lists = [f'    {verb}) word="{" ".join(found)}" ;;' for verb, found in words.items()]
    return (BASH.replace("@VERBS@", " ".join(verb.name for verb in tool.verbs)).replace("@VALUES@", "\n".join(values))
            .replace("@OPTIONS@", "\n".join(options)).replace("@WORDS@", "\n".join(lists)))


# zsh ---------------------------------------------------------------------------

ZSH = r"""#compdef ptoscope
# zsh completion of ptoscope, generated from its own help texts.

_ptoscope() {
  local -a verbs
  verbs=(
@VERBS@
  )
  if (( CURRENT == 2 )); then
    _describe -t verbs verb verbs
    _values option --help --version
    return
  fi
  local verb=$words[2]
  shift words
  (( CURRENT-- ))
  case $verb in
@CASES@
    *) _files ;;
  esac
}

_ptoscope "$@"
"""


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def zsh_text(text):
    return re.sub(r"([\[\]:\\])", r"\\\1", text)


def zsh_option(option):
    if not option.value:
        return quoted(f"*{option.name}[{zsh_text(brief(option))}]")
    if option.choices and option.value == "LIST":
        action = f"_sequence compadd - {' '.join(option.choices)}"
    elif option.choices:
        action = f"({' '.join(zsh_text(word) for word in option.choices)})"
    elif DIRECTORY.search(option.value):
        action = "_files -/"
    else:
        action = "_files" if re.search(r"FILE|PATH|TABLE|^V$", option.value) else ""
    sign, colons = {" ": ("", ":"), "=": ("=-", ":"), "[=": ("=-", "::")}[option.joined]
    label = zsh_text(option.value.strip("<>"))
    return quoted(f"*{option.name}{sign}[{zsh_text(brief(option))}]{colons}{label}:{action}")


def zsh(tool, words):
    verbs = [f"    {quoted(zsh_text(verb.name) + ':' + verb.summary.replace('`', ''))}" for verb in tool.verbs]
    cases = []
    for verb in tool.verbs:
        rows = [f"        {zsh_option(option)} \\" for option in options_of(verb)]
        rest = f"*:word:({' '.join(words[verb.name])})" if verb.name in words else "*:file:_files"
        cases.append("\n".join([f"    {verb.name})", "      _arguments \\", *rows, f"        {quoted(rest)} ;;"]))
    return ZSH.replace("@VERBS@", "\n".join(verbs)).replace("@CASES@", "\n".join(cases))


# fish --------------------------------------------------------------------------

def fish_quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish(tool, words):
    lines = ["# fish completion of ptoscope, generated from its own help texts.", "",
             # Options of a verb look like the tool's own to it; the verb decides.
             "function __ptoscope_verb", "  set -l words (commandline -opc)",
             "  test (count $words) -ge 2; and test $words[2] = $argv[1]", "end", "",
             "function __ptoscope_first", "  test (count (commandline -opc)) -eq 1", "end", ""]
    first = "'__ptoscope_first'"
    lines.append(f"complete -c ptoscope -n {first} -f")
    for word in ("help", "version"):
        lines.append(f"complete -c ptoscope -n {first} -l {word}")
    for verb in tool.verbs:
        when = fish_quoted(f"__ptoscope_verb {verb.name}")
        lines.append(f"complete -c ptoscope -n {first} -a {fish_quoted(verb.name)} -d {fish_quoted(verb.summary.replace('`', ''))}")
        if verb.name in words:
            lines.append(f"complete -c ptoscope -n {when} -f -a {fish_quoted(' '.join(words[verb.name]))}")
        for option in options_of(verb):
            flag = f"-l {option.name[2:]}" if option.name.startswith("--") else f"-o {option.name[1:]}"
            line = f"complete -c ptoscope -n {when} {flag}"
            if option.choices:
                line += (" -f" if option.joined == "[=" else " -x") + f" -a {fish_quoted(' '.join(option.choices))}"
            elif option.value and option.joined != "[=":
                line += " -r -F" if re.search(r"FILE|PATH|TABLE|DIR|^V$", option.value) else " -x"
            lines.append(line + (f" -d {fish_quoted(brief(option))}" if brief(option) else ""))
    return "\n".join(lines) + "\n"


def main(words):
    if len(words) != 2:
        sys.exit(__doc__)
    tool = tool_help.read_tool(words[0])
    names = words_of(words[0])
    for path, text in (("bash/ptoscope", bash(tool, names)), ("zsh/_ptoscope", zsh(tool, names)),
                       ("fish/ptoscope.fish", fish(tool, names))):
        path = os.path.join(words[1], path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main(sys.argv[1:])
