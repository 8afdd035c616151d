"""Everything that is refused says what repairs it."""
import os
import pathlib

import numpy as np
import pytest

import ptoscope
from conftest import SCALARS, copy_of, example


@pytest.fixture
def arrays():
    return np.ones((32, 32), np.float32), np.zeros((32, 32), np.float32)


def refused(error, words, program, *arguments, **options):
    with pytest.raises(error) as caught:
        program.run(*arguments, **options)
    for word in words:
        assert word in str(caught.value)


def test_arrays(absolute, arrays):
    x, y = arrays
    where = "argument 0 (%src : !pto.ptr<f32, gm>)"
    refused(TypeError, [where, "float64", "x.astype(numpy.float32)"], absolute, x.astype(np.float64), y)
    refused(TypeError, [where, "int32", "x.view(numpy.float32)"], absolute, x.view(np.int32), y)
    refused(TypeError, [where, "big endian", "newbyteorder"], absolute, x.astype(">f4"), y)
    refused(TypeError, [where, "takes an array", "float"], absolute, 1.0, y)
    refused(TypeError, [where, "takes an array", "list"], absolute, [1.0], y)
    refused(TypeError, [where, "Zd"], absolute, x.astype(complex), y)
    refused(ValueError, [where, "not contiguous", "numpy.ascontiguousarray(x)"], absolute, x.T, y)
    refused(ValueError, [where, "not contiguous"], absolute, np.ones((32, 64), np.float32)[:, ::2], y)
    refused(ValueError, [where, "empty"], absolute, x[:0], y)
    frozen = y.copy()
    frozen.flags.writeable = False
    refused(ValueError, ["argument 1 (%dst", "read-only", "x.copy()"], absolute, x, frozen)
    flat = np.zeros(2048, np.float32)
    refused(ValueError, ["overlaps argument 0", "in part"], absolute, flat[:1024], flat[512:1536])
    refused(TypeError, ["takes 2 arguments (%src", "got 1"], absolute, x)
    refused(TypeError, ["takes 2 arguments", "got 3"], absolute, x, y, 3)


@pytest.mark.parametrize("element, bits", [("bf16", np.uint16), ("f8E4M3FN", np.uint8), ("f8E5M2", np.uint8)])
def test_floats_that_numpy_lacks(element, bits):
    """The remedy that the message names is one: `astype` to the bits would give other numbers."""
    program = copy_of(element, 64, np.dtype(bits).itemsize)
    x, y = np.linspace(-2, 2, 64), np.zeros(64, bits)
    for dtype in (np.float16, np.float32, np.int32):
        with pytest.raises(TypeError) as caught:
            program.run(x.astype(dtype), y)
        assert f'pass `ptoscope.encode(x, "{element}")`' in str(caught.value) and "astype" not in str(caught.value)
    x = np.arange(-32, 32) / 16
    assert program.run(ptoscope.encode(x, element), y).ok
    np.testing.assert_allclose(ptoscope.decode(y, element), x, rtol=0.125)


class Tensor:
    """Says what it is told to."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **_):
        return self.capsule


def test_capsules(absolute, arrays):
    x, y = arrays
    once = Tensor(x.__dlpack__())
    assert absolute.run(once, y).ok
    refused(TypeError, ["argument 0 (%src", "`__dlpack__` of Tensor", "used before"], absolute, once, y)
    refused(TypeError, ["argument 0 (%src", "`__dlpack__` of Tensor", "`dltensor`"], absolute, Tensor(5), y)


def test_too_small_is_a_finding(absolute, arrays):
    x, _ = arrays
    small = np.zeros(1023, np.float32)
    r = absolute.run(x, small)
    assert not r.ok and any("%dst" in finding.message or finding.bytes for finding in r.findings)
    assert "bounds" in r.findings[0].code


def test_scalars():
    def program(element):
        return ptoscope.loads(SCALARS.format(element=element))
    y = np.zeros(8, np.int32)
    where = "argument 1 (%value : i32)"
    refused(TypeError, [where, "whole number", "float"], program("i32"), y, 1.5)
    refused(TypeError, [where, "str"], program("i32"), y, "3")
    refused(TypeError, [where, "a number", "ndarray"], program("i32"), y, np.ones(3, np.int32))
    refused(ValueError, [where, "does not fit into i32"], program("i32"), y, 2 ** 32)
    refused(ValueError, [where, "does not fit into i32"], program("i32"), y, 2 ** 70)
    refused(ValueError, ["too large for f16"], program("f16"), np.zeros(8, np.float16), 1e6)
    refused(TypeError, ["a number", "NoneType"], program("f32"), np.zeros(8, np.float32), None)


def test_options(absolute, arrays):
    refused(TypeError, ["`block_dim`", "blocks"], absolute, *arrays, block_dim=3)
    refused(ValueError, ["`blocks` is at least 1"], absolute, *arrays, blocks=0)
    refused(TypeError, ["`blocks` is a whole number"], absolute, *arrays, blocks=1.5)
    refused(ValueError, ["`rac` is not a check"], absolute, *arrays, checks="rac")
    refused(ValueError, ["`fair` is not a schedule"], absolute, *arrays, schedule="fair")
    refused(ValueError, ["`random:x` is not a schedule"], absolute, *arrays, schedule="random:x")
    refused(ValueError, ["`seed` is for"], absolute, *arrays, seed=3)
    refused(ValueError, ['schedule="random:3" has a seed'], absolute, *arrays, schedule="random:3", seed=4)
    refused(ValueError, ['schedule="random:3" has a seed'], absolute, *arrays, seed=0, schedule="random:3")
    assert absolute.run(*arrays, seed=0).schedule == "eager"
    assert absolute.run(*arrays, seed=0, schedule="random").schedule == "random:0"
    refused(ValueError, ["`a7` is not a device"], absolute, *arrays, device="a7")
    for path in ("nowhere.timing", pathlib.Path("nowhere.timing")):
        refused(OSError, ["nowhere.timing"], absolute, *arrays, timing=path)
    refused(TypeError, ["`timing`", "True, False", "path", "int"], absolute, *arrays, timing=1)
    refused(ptoscope.ProgramError, ["no-kernel", "@abs_kernel_2d"], absolute, *arrays, kernel="other")
    r = absolute.run(*arrays)
    for what in ("timeline", "cycles", "trace"):
        with pytest.raises(ValueError, match="timing=True"):
            getattr(r, what)
    timed = absolute.run(*arrays, timing=True)
    with pytest.raises(ValueError, match="pftrace"):
        timed.save_trace("trace.txt")
    with pytest.raises(OSError, match="no-such-folder"):
        timed.report("/no-such-folder/page.html")


def test_arguments_by_name(absolute, arrays):
    """Findings name Python's arguments, not options of the command line."""
    x, y = arrays
    two = ptoscope.load(example("softmax.pto"))
    assert len(two.kernels) > 1
    refused(ptoscope.ProgramError, ["choose one with `kernel`"], two, x, y, 32, 32)
    found, = absolute.run(x, y, max_steps=1).findings
    assert "raise `max_steps`" in found.help and "--" not in str(found) + found.to_json()


def test_programs(tmp_path):
    with pytest.raises(FileNotFoundError):
        ptoscope.load(tmp_path / "none.pto")
    with pytest.raises(ptoscope.ProgramError) as caught:
        ptoscope.loads("module { func.func @f() { pto.vbad\n return } }")
    assert caught.value.findings[0].place.line == 1 and "vbad" in str(caught.value)
    with pytest.raises(TypeError, match="a program is a str"):
        ptoscope.loads(b"module {}")
    with pytest.raises(ValueError, match="surrogate pair at index 8") as caught:
        ptoscope.loads("module {\udcff}")
    assert "load_text" not in str(caught.value)
    # A name that is no text can be read, and is shown.
    path = os.fsencode(tmp_path) + b"/n\xff.pto"
    with open(path, "wb") as file:
        file.write(b"module {}")
    assert ptoscope.load(os.fsdecode(path)).path.endswith("n\ufffd.pto")
    (tmp_path / "bytes.pto").write_bytes(b"\xff\xfe\x00module")
    with pytest.raises(ptoscope.ProgramError):
        ptoscope.load(tmp_path / "bytes.pto")
    with pytest.raises(ValueError, match="not a device"):
        ptoscope.load(example("abs.pto"), device="b1")


def test_comparisons():
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    with pytest.raises(ValueError, match="5 elements"):
        ptoscope.compare(x, np.zeros(5, np.float32))
    with pytest.raises(TypeError, match="convert one"):
        ptoscope.compare(x, x.astype(np.int32))
    with pytest.raises(ValueError, match="at least 0"):
        ptoscope.compare(x, x, rtol=-1)
    with pytest.raises(ValueError, match="not an element type"):
        ptoscope.compare(x, x, dtype="f31")
