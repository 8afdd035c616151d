"""What kernels compute, against NumPy, and that they work on the arrays themselves."""
import numpy as np
import pytest

import ptoscope
from conftest import SCALARS, copy_of, example


def test_micro_instructions(absolute):
    x = np.random.default_rng(1).standard_normal((32, 32)).astype(np.float32)
    y = np.zeros_like(x)
    r = absolute.run(x, y)
    assert r.ok and r.completed and r.findings == []
    np.testing.assert_array_equal(y, np.abs(x))


def test_tile_text():
    x, y = np.random.default_rng(2).standard_normal((2, 5000)).astype(np.float32)
    z = np.full(5000, np.nan, np.float32)
    assert ptoscope.load(example("tile-ir", "vector_add.pto")).run(x, y, z, 5000).ok
    np.testing.assert_array_equal(z, x + y)


def test_vectors_of_any_length():
    x, y = np.random.default_rng(3).standard_normal((2, 1000)).astype(np.float32)
    z = np.zeros(1000, np.float32)
    assert ptoscope.load(example("vmi_add.pto")).run(x, y, z).ok
    np.testing.assert_array_equal(z, x + y)


@pytest.mark.parametrize("schedule", ["eager", "lazy", "random:5"])
@pytest.mark.parametrize("threads", [1, 3])
def test_blocks(schedule, threads):
    x, y = np.random.default_rng(4).standard_normal((2, 8192)).astype(np.float32)
    z = np.zeros(8192, np.float32)
    r = ptoscope.load(example("multi_block.pto")).run(x, y, z, 8192, blocks=4, schedule=schedule, threads=threads)
    assert r.ok and r.blocks == 4 and r.schedule == schedule and r.stats["blocks"] == 4
    np.testing.assert_array_equal(z, x + y)


NUMPY = {"f16": np.float16, "f32": np.float32, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
         "ui8": np.uint8, "ui16": np.uint16, "ui32": np.uint32, "si32": np.int32,
         # NumPy has no such types: their bits
         "bf16": np.uint16, "f8E4M3FN": np.uint8, "f8E5M2": np.uint8}


@pytest.mark.parametrize("element", NUMPY)
def test_every_element_type(element):
    x = np.random.default_rng(5).integers(0, 256, 64 * np.dtype(NUMPY[element]).itemsize, np.uint8).view(NUMPY[element])
    y = np.zeros_like(x)
    r = copy_of(element, 64, x.itemsize).run(x, y)
    assert r.ok, r
    assert x.tobytes() == y.tobytes()
    assert r.compare(x)


BF16_ADD = """\
module attributes {pto.target_arch = "a5"} {
  func.func @add(%x: !pto.ptr<bf16, gm>, %y: !pto.ptr<bf16, gm>) attributes {pto.kernel} {
    %c0 = arith.constant 0 : index
    %z = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %bytes = arith.constant 256 : i64
    %ub = pto.castptr %z : i64 -> !pto.ptr<bf16, ub>
    pto.mte_gm_ub %x, %ub, %z, %bytes nburst(%one, %z, %z)
      : !pto.ptr<bf16, gm>, !pto.ptr<bf16, ub>, i64, i64, i64, i64, i64
    pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
    pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
    pto.vecscope {
      %v = pto.vmi.vload %ub[%c0] : !pto.ptr<bf16, ub> -> !pto.vmi.vreg<128xbf16>
      %w = pto.vmi.vadd %v, %v : !pto.vmi.vreg<128xbf16>, !pto.vmi.vreg<128xbf16> -> !pto.vmi.vreg<128xbf16>
      pto.vmi.vstore %w, %ub[%c0] : !pto.vmi.vreg<128xbf16>, !pto.ptr<bf16, ub>
    }
    pto.set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
    pto.wait_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
    pto.mte_ub_gm %ub, %y, %bytes nburst(%one, %z, %z)
      : !pto.ptr<bf16, ub>, !pto.ptr<bf16, gm>, i64, i64, i64, i64
    return
  }
}
"""


def test_bf16_by_views():
    # Multiples of 1/8 below 8 have at most 6 bits: bf16 holds them and twice them without rounding.
    values = np.arange(-64, 64, dtype=np.float32) / 8
    x = (values.view(np.uint32) >> 16).astype(np.uint16)
    y = np.zeros_like(x)
    r = ptoscope.loads(BF16_ADD).run(x, y)
    assert r.ok, r
    np.testing.assert_array_equal((y.astype(np.uint32) << 16).view(np.float32), 2 * values)
    assert r.compare(2 * values) and r.compare(2 * values, atol=0.01)
    assert not r.compare(2 * values + 1)


def test_encode_and_decode():
    values = np.array([0, -0.0, 1, -1.5, 3.140625, np.inf, 2.0 ** -100], np.float32)
    bits = ptoscope.encode(values, "bf16")
    assert bits.dtype == np.uint16 and bits.tolist() == [0, 0x8000, 0x3f80, 0xbfc0, 0x4049, 0x7f80, 0x0d80]
    np.testing.assert_array_equal(ptoscope.decode(bits, "bf16"), values)
    assert ptoscope.encode([1, 448, -0.5], "f8E4M3FN").tolist() == [0x38, 0x7e, 0xb0]
    assert ptoscope.decode(np.uint8([0x3c, 0x7b]), "f8E5M2").tolist() == [1, 57344]
    with pytest.raises(ValueError, match="none of bf16"):
        ptoscope.encode(values, "f32")


@pytest.mark.parametrize("element, value, dtype", [
    ("i32", -7, np.int32), ("i32", np.int64(2 ** 31 - 1), np.int32), ("i64", 2 ** 64 - 1, np.uint64),
    ("i16", 65535, np.uint16), ("i8", True, np.int8), ("f32", 1.5, np.float32), ("f32", 3, np.float32),
    ("f16", np.float32(0.25), np.float16), ("f32", float("inf"), np.float32)])
def test_scalars(element, value, dtype):
    y = np.zeros(8, dtype)
    r = ptoscope.loads(SCALARS.format(element=element)).run(y, value)
    assert r.ok, r
    assert y[0] == value


def test_same_array_and_slices(absolute):
    x = np.random.default_rng(6).standard_normal((32, 32)).astype(np.float32)
    expected = np.abs(x)
    assert absolute.run(x, x).ok  # a kernel on its input
    np.testing.assert_array_equal(x, expected)
    both = np.concatenate([-expected, np.zeros_like(x)])
    assert absolute.run(both[:32], both[32:]).ok  # halves of one array
    np.testing.assert_array_equal(both[32:], expected)


class Tensor:
    """An array that shows nothing but DLPack, as tensors of other libraries do."""

    def __init__(self, array, device=(1, 0)):
        self.array, self.device = array, device

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **_):
        return self.array.__dlpack__()


def test_dlpack_in_place(absolute):
    x = np.random.default_rng(7).standard_normal((32, 32)).astype(np.float32)
    y = np.zeros_like(x)
    r = absolute.run(Tensor(x), Tensor(y))
    assert r.ok
    np.testing.assert_array_equal(y, np.abs(x))
    assert r.compare(np.abs(x))
    with pytest.raises(ValueError, match="host memory.*x.cpu"):
        absolute.run(Tensor(x, (2, 0)), y)
    with pytest.raises(ValueError, match="not contiguous"):
        absolute.run(Tensor(x.T), y)
    with pytest.raises(TypeError, match="f32, got float64"):
        absolute.run(Tensor(x.astype(np.float64)), y)


def test_other_buffers(absolute):
    import array
    x = array.array("f", [-float(i) for i in range(1024)])
    y = bytearray(4096)
    with pytest.raises(TypeError, match="f32, got uint8"):
        absolute.run(x, y)
    assert absolute.run(x, memoryview(y).cast("f")).ok
    assert np.frombuffer(y, np.float32).tolist() == [float(i) for i in range(1024)]


def test_addresses_stay(absolute):
    x, y = np.ones((32, 32), np.float32), np.zeros((32, 32), np.float32)
    before = x.ctypes.data, y.ctypes.data
    r = absolute.run(x, y)
    assert (x.ctypes.data, y.ctypes.data) == before
    assert r.arguments[1] is y and (y == 1).all()
