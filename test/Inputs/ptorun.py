"""Writes kernels, runs `ptoscope run` on them and compares bytes.

The first command-line argument is a scratch path; files are made next to it. A failed expectation
prints what was run and stops the test.
"""
import atexit
import hashlib
import os
import shutil
import subprocess
import sys

import numpy as np

SCRATCH = sys.argv[1] if len(sys.argv) > 1 else "ptorun"


def scratch(name):
    os.makedirs(SCRATCH, exist_ok=True)
    return os.path.join(SCRATCH, name)


def remove(path):
    if os.path.exists(path):
        os.remove(path)


def fail(message):
    sys.exit(f"FAILED: {message}")


class Program:
    """The text of one kernel. Constants and pointers are declared at the top, once each."""

    def __init__(self, *parameters, name="k"):
        self.name = name
        self.parameters = parameters  # "%in: !pto.ptr<i8, gm>"
        self.head, self.known, self.body, self.fresh = [], {}, [], 0

    def _declare(self, key, text):
        if key not in self.known:
            self.known[key] = f"%v{len(self.known)}"
            self.head.append(f"{self.known[key]} = {text}")
        return self.known[key]

    def const(self, value, type_="index"):
        text = value if type_ == "i1" else f"{value} : {type_}"  # `true` and `false` have no type suffix
        return self._declare((value, type_), f"arith.constant {text}")

    def i64(self, value):
        return self.const(value, "i64")

    def local(self, space, address, element):
        return self._declare((address, space, element),
                             f"pto.castptr {self.i64(address)} : i64 -> !pto.ptr<{element}, {space}>")

    def ub(self, address, element):
        return self.local("ub", address, element)

    def value(self):
        self.fresh += 1
        return f"%x{self.fresh}"

    def __call__(self, *lines):
        self.body += lines

    def barrier(self):
        self("pto.barrier #pto.pipe<PIPE_ALL>")

    def flag(self, src, dst, event=0):
        pair = f'["PIPE_{src}", "PIPE_{dst}", "EVENT_ID{event}"]'
        self("pto.set_flag" + pair, "pto.wait_flag" + pair)

    def _transfer(self, name, src, dst, l2, length, n, ss, ds, loops, pad, counts):
        operands = ([self.i64(0)] if l2 else []) + [self.i64(length)]
        text = f"pto.{name} {src[0]}, {dst[0]}, {', '.join(operands)} nburst({self.i64(n)}, {self.i64(ss)}, {self.i64(ds)})"
        types = f"{src[1]}, {dst[1]}" + ", i64" * (5 if l2 else 4)
        for c, s, d in loops:
            text += f" loop({self.i64(c)}, {self.i64(s)}, {self.i64(d)})"
            types += ", loop i64, i64, i64"
        if pad:
            value, type_ = pad
            extra = f", {self.i64(counts[0])}, {self.i64(counts[1])}" if counts else ""
            text += f" pad({self.const(value, type_)}{extra})"
            types += f", pad {type_}" + (", i64, i64" if counts else "")
        self(f"{text} : {types}")

    def gm_ub(self, src, address, length, n=1, ss=0, ds=0, loops=(), pad=None, counts=None, element="i8"):
        self._transfer("mte_gm_ub", (src, f"!pto.ptr<{element}, gm>"), (self.ub(address, element), f"!pto.ptr<{element}, ub>"),
                       True, length, n, ss, ds, loops, pad, counts)

    def ub_gm(self, address, dst, length, n=1, ss=0, ds=0, loops=(), element="i8"):
        self._transfer("mte_ub_gm", (self.ub(address, element), f"!pto.ptr<{element}, ub>"), (dst, f"!pto.ptr<{element}, gm>"),
                       False, length, n, ss, ds, loops, None, None)

    def bulk_in(self, src, address, size):
        """Any multiple of 256 bytes, in rows within the documented 16 bits of length."""
        self.gm_ub(src, address, 256, size // 256, 256, 256)

    def bulk_out(self, address, dst, size):
        self.ub_gm(address, dst, 256, size // 256, 256, 256)

    def gm(self, pointer, offset, element="i8"):
        """A pointer some elements further on."""
        if offset == 0:
            return pointer
        result = self.value()
        self(f"{result} = pto.addptr {pointer}, {self.const(offset)} : !pto.ptr<{element}, gm> -> !pto.ptr<{element}, gm>")
        return result

    def mask(self, spec):
        """(`b32`, `PAT_H`) or (`b32`, 17) -> the name of a mask value."""
        grain, what = spec
        result = self.value()
        if isinstance(what, str):
            self(f'{result} = pto.pset_{grain} "{what}" : !pto.mask<{grain}>')
        else:
            self(f"{result}, {result}_rest = pto.plt_{grain} {self.const(what, 'i32')} : i32 -> !pto.mask<{grain}>, i32")
        return result

    def text(self):
        lines = ['module attributes {pto.target_arch = "a5", pto.kernel_kind = #pto.kernel_kind<vector>} {',
                 f"func.func @{self.name}({', '.join(self.parameters)}) attributes {{pto.kernel}} {{"]
        return "\n".join(lines + self.head + self.body + ["return", "}", "}", ""])

    def write(self, name):
        path = scratch(name + ".pto")
        with open(path, "w") as file:
            file.write(self.text())
        return path


def tool(path, args=(), outs=(), options=(), status=0):
    """Runs `ptoscope run`; array arguments are raw files. Returns (outputs as bytes, text printed)."""
    command = ["ptoscope", "run", path]
    stem = os.path.splitext(os.path.basename(path))[0]
    for index, arg in enumerate(args):
        if isinstance(arg, np.ndarray):
            file = scratch(f"{stem}.in{index}.bin")
            remove(file)  # some file systems flush a file that is cut off and written again
            arg.tofile(file)
            arg = file
        command += ["--arg", str(arg)]
    files = {}
    for index in outs:
        files[index] = scratch(f"{stem}.out{index}.bin")
        remove(files[index])
        command += ["--out", f"{index}={files[index]}"]
    command += options
    done = subprocess.run(command, capture_output=True, text=True)
    shown = done.stdout + done.stderr
    if status is not None and done.returncode != status:
        fail(f"status {done.returncode}, expected {status}: {' '.join(command)}\n{shown}")
    if done.returncode == 0 and "--check" not in options and "--kernel" not in options:
        accepted(path, options, shown)
    results = [np.fromfile(files[i], np.uint8) if os.path.exists(files[i]) else None for i in outs]
    if done.returncode == 0:
        for bytes_ in results:
            RESULTS.update(b"" if bytes_ is None else bytes_.tobytes())
    return results, shown


RESULTS = hashlib.sha256()  # all bytes that runs of this test gave: the same on every host (scripts/digests.py)


@atexit.register
def keep_digest():
    folder = os.environ.get("PTOSCOPE_DIGESTS")
    if folder and RESULTS.digest() != hashlib.sha256().digest():
        with open(os.path.join(folder, os.path.basename(sys.argv[0]) + "." + str(os.getpid())), "w") as file:
            file.write(f"{os.path.relpath(sys.argv[0], os.path.join(os.path.dirname(__file__), '..'))} {RESULTS.hexdigest()[:16]}\n")


ACCEPTED = {}  # options of `check` -> paths of programs, copies of them


def accepted(path, options, shown):
    """What a run accepts without a finding, `ptoscope check` accepts without running it: it is asked once, at the end."""
    if any(path in copies for copies in ACCEPTED.values()) or "error[" in shown or "warning[" in shown or '"code"' in shown:
        return
    kept = tuple(word for i, word in enumerate(options) if word in ("--arch", "--no-auto-scope") or (i and options[i - 1] == "--arch"))
    copies = ACCEPTED.setdefault(kept, {})
    copies[path] = scratch(f"accepted-{len(ACCEPTED)}-{len(copies)}.pto")  # a test may write another program to the path
    shutil.copyfile(path, copies[path])


@atexit.register
def check_accepted():
    for options, copies in ACCEPTED.items():
        done = subprocess.run(["ptoscope", "check", *copies.values(), *options], capture_output=True, text=True)
        if done.returncode != 0 or "warning[" in done.stderr:
            names = ", ".join(copies)
            print(f"FAILED: runs of {names} find nothing, and `check` says\n{done.stderr}", file=sys.stderr, flush=True)
            os._exit(1)  # nothing else changes the status here


def printed(path):
    """The program as the printer writes it once it is parsed, then with what it leaves out, in files of their own; printing one of them
    again changes nothing."""
    stem = os.path.splitext(path)[0]
    for way, command in (("printed", ["run", "--emit", "pto"]), ("complete", ["opt"])):
        source, path = path, f"{stem}.{way}.pto"
        for text in (source, path):
            done = subprocess.run(["ptoscope", *command, text], capture_output=True, text=True)
            if done.returncode:
                fail(f"printing {text} ends with status {done.returncode}:\n{done.stderr}")
            if text == source:
                with open(path, "w") as file:
                    file.write(done.stdout)
        if done.stdout != open(path).read():
            fail(f"printing {source} twice gives two texts")
    return path


def compare(got, expected, what, path=""):
    if got is None or len(got) != len(expected):
        fail(f"{what}: {None if got is None else len(got)} bytes, expected {len(expected)} {path}")
    bad = np.flatnonzero(got != expected)
    if len(bad):
        k = bad[0]
        lo = max(0, k // 32 * 32)
        fail(f"{what}: {len(bad)} bytes differ, the first at {k} ({path})\n  got      {bytes(got[lo:lo + 32]).hex(' ')}\n"
             f"  expected {bytes(expected[lo:lo + 32]).hex(' ')}")


# Every kind of schedule, and code with and without checks.
ALL_WAYS = (["--werror"], ["--check", "none", "--schedule", "lazy"], ["--schedule", "random:1"])
TWO_WAYS = (["--schedule", "random:1", "--werror"], ["--check", "none"])


def expect(path, args, expected, options=(), ways=ALL_WAYS, what=None):
    """`expected`: argument number -> bytes after the run; the same with every way of running."""
    for way in ways:
        results, shown = tool(path, args, tuple(expected), [*options, *way])
        for (index, want), got in zip(expected.items(), results):
            compare(got, np.ascontiguousarray(want).view(np.uint8).ravel(), f"{what or path} argument {index} with {way}", path)


def refused(path, args=(), options=(), contains=(), status=1):
    """The run must fail, and say each of `contains`."""
    _, shown = tool(path, args, (), options, status)
    for part in contains:
        if part not in shown:
            fail(f"expected `{part}` in the report of {path} {list(options)}:\n{shown}")
    return shown
