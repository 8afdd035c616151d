"""The manual: pages of findings, and the instruction table."""
from typing import Dict

from . import _core


class Ops(Dict[str, _core.Op]):
    """Instructions by name, without the dialect; further names, too."""

    def __repr__(self) -> str:
        rows = {row.name: row for row in self.values()}
        return "\n".join(f"{name:26} {row.pipe:8} {row.summary}" for name, row in rows.items())


def ops() -> Ops:
    """Every instruction, by name: ops()["vadd"].syntax."""
    table = Ops()
    for row in _core.ops():
        for name in (row.name, *row.aliases):
            table[name.removeprefix("pto.")] = row
    return table


def explain(word: str) -> str:
    """The page of a finding's code ("race-raw"), or of an instruction ("vadd"). Raises KeyError."""
    if not isinstance(word, str):
        raise TypeError(f"a code or the name of an instruction is a str, got {type(word).__name__}")
    if word in _core.codes():
        return _core.code_page(word)
    row = ops().get(word.removeprefix("pto.").lower())
    if row is None:
        return _core.code_page(word)  # says which code is nearest
    lines = [f"{row.name} ({row.family}, pipe {row.pipe}): {row.summary}", "", *row.syntax, ""]
    lines += [f"elements: {' '.join(row.elements)}"] if row.elements else []
    lines += [f"devices: {' '.join(row.devices)}", *row.constraints]
    return "\n".join(lines)
