"""PTO programs on any computer: run, check and profile them on NumPy arrays in place.

    k = ptoscope.load("abs.pto")
    r = k.run(x, y)            # x and y are arrays; y has the results
    r.ok, r.findings           # what the checks found

docs/python.md describes everything.
"""
import os as _os
from typing import Any as _Any, List as _List, Optional as _Optional, Union as _Union

from . import _core, cpp
from ._compare import array, compare, decode, encode
from ._core import (ByteRange, Comparison, Difference, Edit, Finding, Kernel, Note, Op, Parameter, Place, Program,
                    Run, Slice, __version__)
from ._errors import Error, Findings, InternalError, ProgramError
from ._manual import explain, ops
from .pytest_plugin import kernel_test


def load(path: _Union[str, "_os.PathLike[str]"], *, device: _Optional[str] = None, strict: bool = False,
         auto_scope: bool = True) -> Program:
    """Reads and verifies a program. Raises ProgramError, or OSError where there is no such file."""
    path = _os.fspath(path)
    with open(path, "rb") as file:
        text = file.read()
    return _core.load_text(text, _shown(path), device or "", strict, auto_scope)


def loads(text: str, *, name: str = "<text>", device: _Optional[str] = None, strict: bool = False,
          auto_scope: bool = True) -> Program:
    """The same for a program that is a string."""
    if not isinstance(text, str):
        raise TypeError(f"a program is a str, got {type(text).__name__}")
    try:
        encoded = text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"the program has half of a surrogate pair at index {error.start}, which UTF-8 has no bytes "
                         "for") from None
    return _core.load_text(encoded, _shown(name), device or "", strict, auto_scope)


def _shown(path: _Union[str, "_os.PathLike[str]"]) -> str:
    """As messages name a file: bytes that are no UTF-8 become U+FFFD."""
    return _os.fsencode(path).decode("utf-8", "replace")


def auto_args(program: Program, **options: _Any) -> _List[_Any]:
    """Arguments that make a kernel run, as `--arg auto` chooses them: arrays of the sizes that it touches with random
    contents, and numbers. `options` are `kernel`, `blocks` and others of `Program.run`."""
    return [array(word) if ":" in word else float(word) if "." in word else int(word)
            for word in program._auto_words(**options)]


def check(program: _Union[str, "_os.PathLike[str]", Program], *, device: _Optional[str] = None,
          strict: bool = False) -> _List[Finding]:
    """What `ptoscope check` finds in a file, a text (with more than one line) or a loaded program."""
    if not isinstance(program, Program):
        try:
            if isinstance(program, str) and "\n" in program:
                program = loads(program, device=device, strict=strict)
            else:
                program = load(program, device=device, strict=strict)
        except ProgramError as error:
            return error.findings
    return program.check()


__all__ = ["ByteRange", "Comparison", "Difference", "Edit", "Error", "Finding", "Findings", "InternalError", "Kernel",
           "Note", "Op", "Parameter", "Place", "Program", "ProgramError", "Run", "Slice", "__version__", "array", "auto_args",
           "check", "compare", "cpp", "decode", "encode", "explain", "kernel_test", "load", "loads", "ops"]
