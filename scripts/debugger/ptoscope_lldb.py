"""Tiles and views in lldb: (lldb) command script import ptoscope_lldb.py"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import ptoscope_values as show  # noqa: E402

# lldb gives types, but not values, of template arguments: they are read from the name of the type.


def arguments(name):
    """Of the outermost template of a type's name."""
    text = name[name.index("<") + 1:name.rindex(">")]
    found, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "<([") - (c in ">)]")
        if c == "," and depth == 0:
            found.append(text[start:i].strip())
            start = i + 1
    return [*found, text[start:].strip()]


def number(word, names=()):
    """`16`, `(pto::TileType)2`, or an enumerator's name."""
    last = word.rpartition(")")[2]
    if re.fullmatch(r"-?\d+[uUlL]*", last):
        return int(last.rstrip("uUlL"))
    word = word.rpartition("::")[2]
    return names.index(word) if word in names else 0


def member(value, *names):
    for name in names:
        held = value.GetChildMemberWithName(name)
        if held and held.IsValid():
            return held
    return None


def tile_summary(value, _dictionary):
    value = value.GetNonSyntheticValue()
    words = arguments(value.GetType().GetCanonicalType().GetName())
    # Arguments that have their defaults may be missing.
    words += ["0", "-2", "-2", "0"][max(0, len(words) - 4):] if len(words) < 8 else []
    rows, cols = number(words[2]), number(words[3])
    block = number(words[4], ("RowMajor", "ColMajor"))
    inner = number(words[7], ("NoneBox", "RowMajor", "ColMajor"))
    valid = []
    for word, capacity, names in (
        (words[5], rows, ("RowMaskInternal", "validRow_")),
        (words[6], cols, ("ColMaskInternal", "validCol_")),
    ):
        extent = number(word)
        if extent == show.DYNAMIC:
            held = member(value, *names)
            extent = held.GetValueAsUnsigned() if held else capacity
        valid.append(capacity if extent < 0 else extent)
    pointer = member(value, "pointer").GetValueAsUnsigned()
    return show.tile_text(number(words[0], show.TILE_TYPES), words[1], rows, cols, block, inner, valid, pointer)


def five(value, outer, inner):
    held = member(member(value, outer), inner)
    return [held.GetChildAtIndex(i).GetValueAsSigned() for i in range(5)]


def view_summary(value, _dictionary):
    value = value.GetNonSyntheticValue()
    words = arguments(value.GetType().GetCanonicalType().GetName())
    layout = number(words[3], show.LAYOUTS) if len(words) > 3 else 0
    pointer = member(value, "pointer").GetValueAsUnsigned()
    return show.view_text(words[0], five(value, "shape_", "shape"), five(value, "stride_", "stride"), layout, pointer)


def __lldb_init_module(debugger, _dictionary):
    for pattern, function in (("(Located)?Tile", "tile_summary"), ("GlobalTensor", "view_summary")):
        debugger.HandleCommand(
            f'type summary add --expand --python-function ptoscope_lldb.{function} -x "^pto::(.+::)?{pattern}<.+>$"'
        )
