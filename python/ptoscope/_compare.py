"""Results against references, by the comparison of `ptoscope run --expect`."""
from typing import Any, Dict, Optional, Union

import numpy
from numpy.typing import ArrayLike, NDArray

from . import _core


def compare(actual: Any, reference: Any, rtol: Optional[float] = None, atol: Optional[float] = None,
            dtype: Optional[str] = None) -> _core.Comparison:
    """Compares arrays: bytes without a tolerance, numbers with one.

    A reference of another float type is rounded to that of `actual` first. `dtype` names a type that NumPy lacks
    ("bf16"); then `actual` holds its bits, and so does the reference, unless it holds floats.
    """
    actual = numpy.ascontiguousarray(_array(actual))
    reference = numpy.ascontiguousarray(_array(reference))
    if actual.size != reference.size:
        raise ValueError(f"the reference has {reference.size} elements, the array has {actual.size}")
    if dtype is not None and dtype in _BITS and reference.dtype.kind == "f":
        reference = encode(reference, dtype)
    if reference.dtype != actual.dtype:
        if reference.dtype.kind == actual.dtype.kind == "f":
            reference = reference.astype(actual.dtype)
        elif reference.dtype.kind in "iub" and actual.dtype.kind in "iub":
            if not numpy.array_equal(reference, converted := reference.astype(actual.dtype)):
                raise ValueError(f"the reference has values that {actual.dtype} cannot hold")
            reference = converted
        else:
            raise TypeError(f"the reference holds {reference.dtype}, the array {actual.dtype}; convert one of them")
    return _core.compare_bytes(actual, reference, rtol, atol, dtype or "")


def compare_run(run: _core.Run, reference: Any, rtol: Optional[float], atol: Optional[float],
                argument: Union[int, str, None]) -> _core.Comparison:
    """Compares an argument of a run, the last array by default."""
    parameters = run.kernel.parameters
    pointers = [i for i, parameter in enumerate(parameters) if parameter.is_pointer]
    names = {parameters[i].name: i for i in pointers}
    names.update({name.lstrip("%"): i for name, i in list(names.items())})
    if argument is None:
        if not pointers:
            raise ValueError(f"kernel @{run.kernel.name} takes no array")
        argument = pointers[-1]
    elif isinstance(argument, str):
        if argument not in names:
            raise ValueError(f"kernel @{run.kernel.name} has no array `{argument}`; it has {', '.join(names)}")
        argument = names[argument]
    elif argument not in pointers:
        raise ValueError(f"argument {argument} of kernel @{run.kernel.name} is not an array; {pointers} are")
    element = parameters[argument].element
    return compare(run.arguments[argument], reference, rtol, atol, dtype=element if element in _BITS else None)


# Types that NumPy lacks, and what their bits are kept in.
_BITS: Dict[str, Any] = {"bf16": numpy.uint16, "f8E4M3FN": numpy.uint8, "f8E5M2": numpy.uint8}
_DTYPES = {"f16": "<f2", "f32": "<f4", "f64": "<f8", "bool": "|b1",
           **{f"{kind}{8 * size}": f"<{kind}{size}" for kind in "iu" for size in (1, 2, 4, 8)}}


def encode(values: ArrayLike, dtype: str) -> NDArray[Any]:
    """The bits of numbers rounded to nearest even: encode(x, "bf16") is an array of uint16."""
    if dtype not in _BITS:
        raise ValueError(f"`{dtype}` is none of {', '.join(_BITS)}")
    values = numpy.ascontiguousarray(values, dtype=numpy.float64)
    bits = numpy.empty(values.shape, dtype=_BITS[dtype])
    if values.size:
        _core.encode_floats(values, bits, dtype)
    return bits


def decode(bits: ArrayLike, dtype: str) -> NDArray[numpy.float32]:
    """The numbers that bits stand for, as float32: the inverse of `encode`."""
    if dtype not in _BITS:
        raise ValueError(f"`{dtype}` is none of {', '.join(_BITS)}")
    bits = numpy.ascontiguousarray(bits)
    values = numpy.empty(bits.shape, dtype=numpy.float64)
    if bits.size:
        _core.decode_floats(bits, values, dtype)
    return values.astype(numpy.float32)


def array(word: str) -> NDArray[Any]:
    """The array that a word of the command line makes: "random:f32:32x32:1", "zeros:i32:64", a file."""
    element, item, shape, data = _core.array_of_word(word)
    dtype = _DTYPES.get(element) or _BITS.get(element) or f"V{item}"
    return numpy.frombuffer(data, dtype=dtype).reshape(shape)


def _array(value: Any) -> NDArray[Any]:
    """Tensors of other libraries as arrays, without a copy where NumPy can."""
    if not isinstance(value, numpy.ndarray) and hasattr(value, "__dlpack__"):
        return numpy.from_dlpack(value)
    return numpy.asarray(value)
