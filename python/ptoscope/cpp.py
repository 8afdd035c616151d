"""C++ kernels from Python: compiled by `ptoscope c++` into a shared object, called with arrays.

    module = ptoscope.cpp.compile("scale.cpp")
    r = module.call("call_kernel", 4, None, x, y)      # blocks, stream, buffers
    r.ok, r.findings

Arrays are registered as memory of the device for the call, in place. Whole numbers are passed as 64 bits, floats as
double; a NumPy scalar or a value of ctypes is passed as its own type, None as a null pointer.
"""
import ctypes
import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sysconfig
import tempfile
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy

from ._errors import Error

CHECKS = ("race", "memory", "init", "sync")
SCHEDULES = ("eager", "lazy", "random")


class CompileError(Error):
    """The compiler refused the sources; the text is what it said."""


def tool() -> str:
    """The `ptoscope` command: of $PTOSCOPE, beside this package, or on PATH."""
    here = os.path.dirname(os.path.abspath(__file__))
    named = os.environ.get("PTOSCOPE")
    near = [os.path.normpath(os.path.join(here, *[".."] * up, "bin", "ptoscope")) for up in (2, 3, 4)]
    ways: List[Optional[str]] = [named] if named else [*near, shutil.which("ptoscope")]
    for path in ways:
        if path and os.access(path, os.X_OK):
            return path
    raise FileNotFoundError(f"`{named}` of $PTOSCOPE is not a program" if named else
                            "the command `ptoscope` is neither beside this package nor on PATH; install the package "
                            "ptoscope, or set $PTOSCOPE to its path")


def _digest(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def _folder() -> Optional[str]:
    named = os.environ.get("PTOSCOPE_CACHE")
    if named == "off":
        return None
    base = named or os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "ptoscope")
    folder = os.path.join(base, "cpp")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError:
        return None
    # Whoever may write here could make this process run their code.
    state = os.stat(folder)
    return folder if state.st_uid == os.geteuid() and not state.st_mode & 0o022 else None


def _dependencies(path: str) -> List[str]:
    """The files that a rule of make names behind its colon."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        text = file.read().replace("\\\n", " ")
    return [word.replace("\0", " ") for word in text.split(":", 1)[1].replace("\\ ", "\0").split()] if ":" in text else []


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        raise CompileError(f"{' '.join(command)}: status {done.returncode}\n{done.stderr.rstrip()}")


def compile(*files: Union[str, "os.PathLike[str]"], flags: Union[str, Sequence[str]] = ("-O1",)) -> "Module":
    """Compiles C++ files into a Module. What was compiled before, from the same text with the same headers and flags, is
    taken from a cache. A str of flags is split as a shell does. Raises CompileError."""
    if not files:
        raise TypeError("compile() needs at least one source")
    sources = [os.path.abspath(os.fspath(file)) for file in files]
    flags = shlex.split(flags) if isinstance(flags, str) else list(flags)
    command = tool()
    state = os.stat(command)
    key = hashlib.sha256(json.dumps([
        [(source, _digest(source)) for source in sources], flags, os.path.realpath(command), state.st_size,
        state.st_mtime_ns, os.environ.get("PTOSCOPE_CXX"), sysconfig.get_platform()]).encode()).hexdigest()[:32]
    folder = _folder()
    target = folder and os.path.join(folder, key)
    if target and _fresh(target):
        return Module(target + ".so", sources)
    with tempfile.TemporaryDirectory(dir=folder) as work:
        objects: List[str] = []
        needed: Dict[str, str] = {}
        for number, source in enumerate(sources):
            built = os.path.join(work, f"{number}.o")
            _run([command, "c++", *flags, "-fPIC", "-c", source, "-o", built, "-MD", "-MF", built + ".d"])
            objects.append(built)
            needed.update({path: _digest(path) for path in _dependencies(built + ".d")})
        library = os.path.join(work, "module.so")
        _run([command, "c++", *flags, "-fPIC", "-shared", *objects, "-o", library])
        if not target:
            return Module(library, sources)
        with open(os.path.join(work, "needed.json"), "w", encoding="utf-8") as file:
            json.dump({"library": _digest(library), "needed": needed}, file)
        os.replace(library, target + ".so")
        os.replace(file.name, target + ".json")
    return Module(target + ".so", sources)


def _fresh(target: str) -> bool:
    """Whether the library is there, whole, and the files that it was made from are the same."""
    try:
        with open(target + ".json", encoding="utf-8") as file:
            entry = json.load(file)
        return _digest(target + ".so") == entry["library"] and all(
            _digest(path) == digest for path, digest in entry["needed"].items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


class Finding:
    """A finding of a C++ launch, with the members that `--format json` has."""

    def __init__(self, members: Dict[str, Any]) -> None:
        self.members = members

    def __getattr__(self, name: str) -> Any:
        try:
            return self.members[name]
        except KeyError:
            raise AttributeError(name) from None

    def __str__(self) -> str:
        where = _place(self.members.get("place"))
        lines = [f"{where}: {self.severity}[{self.code}]: {self.message}"]
        lines += [f"{_place(note.get('place'))}: note: {note['message']}" for note in self.members.get("notes", ())]
        lines += [f"   help: {self.help}"] if self.members.get("help") else []
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Finding {self.code} at {_place(self.members.get('place'))}: {self.message}>"

    def explain(self) -> str:
        from ._manual import explain
        return explain(self.code)


def _place(place: Optional[Dict[str, Any]]) -> str:
    if not place or not place.get("file"):
        return "ptoscope"
    return ":".join(str(part) for part in (place["file"], place.get("line"), place.get("column")) if part)


class Run:
    """Launches of one call that have ended; `value` is what the function returned."""

    def __init__(self, ok: bool, findings: List[Finding], value: Any) -> None:
        self.ok, self.findings, self.value = ok, findings, value

    def __repr__(self) -> str:
        errors = sum(finding.severity == "error" for finding in self.findings)
        head = f"<Run of C++: {'ok' if self.ok else f'{errors} errors'}>"
        return "\n".join([head, *(str(finding) for finding in self.findings if finding.severity != "remark")])


class Module:
    """A shared object with kernels and functions that launch them."""

    def __init__(self, path: str, sources: Sequence[str]) -> None:
        self.path, self.sources = path, list(sources)
        self._library = ctypes.CDLL(path)
        # Of libptoscope, which the module is linked with.
        self._library.ptoscope_heard.restype = ctypes.c_char_p
        self._library.ptoscope_register.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_char_p]
        self._library.ptoscope_unregister.argtypes = [ctypes.c_void_p]
        self._library.ptoscope_listen.argtypes = [ctypes.c_uint32, ctypes.c_int, ctypes.c_uint64, ctypes.c_uint32]

    def call(self, name: str, *arguments: Any, checks: Union[str, Sequence[str]] = "all", schedule: str = "eager",
             seed: int = 0, threads: int = 1, restype: Any = None, raise_on_findings: bool = False) -> Run:
        """Calls an `extern "C"` function, which launches kernels. Raises what `Program.run` raises. `restype` is the type
        of ctypes that the function returns."""
        try:
            function = self._library[name]
        except AttributeError:
            raise AttributeError(f"{', '.join(self.sources)}: there is no function `{name}`; declare it "
                                 '`extern "C"`') from None
        function.restype = restype
        bits = _checks(checks)
        if schedule not in SCHEDULES:
            raise ValueError(f"`{schedule}` is not a schedule; use eager, lazy or random")
        _fits("`seed`", seed, 0, 2 ** 64)
        _fits("`threads`", threads, 1, 2 ** 32)
        held: List[Tuple[int, int]] = []
        words = [_word(number, argument, held) for number, argument in enumerate(arguments)]
        registered: List[int] = []
        try:
            for number, (address, size) in enumerate(held):
                self._library.ptoscope_register(address, size, f"argument {number}".encode())
                registered.append(address)
            self._library.ptoscope_listen(bits, SCHEDULES.index(schedule), seed, threads)
            ok = ctypes.c_int()
            try:
                value = function(*words)
            finally:
                reports = json.loads(self._library.ptoscope_heard(ctypes.byref(ok)).decode("utf-8", "replace"))
        finally:
            for address in registered:
                self._library.ptoscope_unregister(address)
        findings = [Finding(members) for report in reports for members in report["findings"]]
        run = Run(bool(ok.value), findings, value)
        if raise_on_findings and not run.ok:
            from ._errors import ProgramError
            raise ProgramError(findings)
        return run

    def __repr__(self) -> str:
        return f"<Module of {', '.join(self.sources)}>"


def _fits(what: str, value: int, least: int, end: int) -> None:
    """ctypes would cut the number without a word."""
    if not least <= value < end:
        raise ValueError(f"{what}: {value} does not fit; it is at least {least} and below 2**{end.bit_length() - 1}")


def _checks(checks: Union[str, Sequence[str]]) -> int:
    names = checks.split(",") if isinstance(checks, str) else list(checks)
    if names == ["all"]:
        return 15
    if names == ["none"]:
        return 0
    for name in names:
        if name not in CHECKS:
            raise ValueError(f"`{name}` is not a check; use all, none, or some of {', '.join(CHECKS)}")
    return sum(1 << CHECKS.index(name) for name in set(names))


def _word(number: int, argument: Any, held: List[Tuple[int, int]]) -> Any:
    """An argument as ctypes passes it; arrays are added to `held`."""
    if argument is None:
        return ctypes.c_void_p()
    if isinstance(argument, (ctypes._SimpleCData, ctypes._Pointer)):
        return argument
    if isinstance(argument, numpy.ndarray):
        if not argument.flags.c_contiguous:
            raise ValueError(f"argument {number}: the array is not contiguous in C order; pass numpy.ascontiguousarray(x)")
        if not argument.flags.writeable:
            raise ValueError(f"argument {number}: the array is read-only, and kernels write in place; pass x.copy()")
        if not argument.size:
            raise ValueError(f"argument {number}: the array is empty")
        held.append((argument.ctypes.data, argument.nbytes))
        return ctypes.c_void_p(argument.ctypes.data)
    if isinstance(argument, numpy.generic):
        dtype: Any = argument.dtype
        return numpy.ctypeslib.as_ctypes_type(dtype)(argument.item())
    if isinstance(argument, (bool, int)):
        _fits(f"argument {number}", argument, -2 ** 63, 2 ** 64)
        return ctypes.c_int64(argument)
    if isinstance(argument, float):
        return ctypes.c_double(argument)
    if hasattr(argument, "data_ptr") and hasattr(argument, "numpy"):  # a tensor that shares its memory with an array
        return _word(number, argument.numpy(), held)
    raise TypeError(f"argument {number} is neither an array nor a number, but {type(argument).__name__}")
