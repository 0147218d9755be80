"""Numbers to run programs on, with what is known of them."""

import math

import numpy as np

from tests.differential.elements import PART, Element
from tests.differential.facts import EXACT, WILD, Fact


def bits_of(number: float) -> int | None:
    """The least b >= 0 for which number * 2**b is an integer; None beyond 60."""
    for bits in range(61):
        if number * 2.0**bits == math.floor(number * 2.0**bits):
            return bits
    return None


def make(numbers: np.random.Generator, shape, element: Element, sort: str, **limits):
    """An array and its fact.

    Sorts: `any` (integers of every size, truth values), `index` (integers from low to high),
    and of floating-point numbers `small` (few bits, so that sums are exact), `real`,
    `positive` (few bits, from 1/2 to 4), `wild` (NaN, infinities, zeros of both signs, any size).
    """
    if element.kind == "b":
        return numbers.integers(0, 2, shape).astype(np.bool_), EXACT
    if element.is_integer:
        return _integers(numbers, shape, element, sort, **limits), EXACT
    if element.kind == "c":
        return _complex(numbers, shape, element, sort)
    array, fact = _floats(numbers, shape, sort, element)
    return np.asarray(array).astype(element.dtype), fact


def _integers(numbers, shape, element, sort, low=-1, high=8):
    info = np.iinfo(element.dtype)
    if sort == "index":
        low, high = max(low, info.min), min(high, info.max)
        array = numbers.integers(low, high, shape, endpoint=True)
        return np.asarray(array).astype(element.dtype)
    array = np.asarray(
        numbers.integers(info.min, info.max, shape, element.dtype, endpoint=True)
    )
    little = np.asarray(numbers.integers(0, 9, shape)).astype(element.dtype)
    array = np.where(numbers.random(shape) < 0.5, little, array)
    edges = np.asarray(
        numbers.choice(np.array([info.min, info.max, 0, 1], element.dtype), shape)
    )
    return np.where(numbers.random(shape) < 0.15, edges, array).astype(element.dtype)


def _floats(numbers, shape, sort, element):
    if sort == "small":
        return numbers.integers(-8, 9, shape) / 2, Fact(-4.0, 4.0, 1)
    if sort == "positive":
        return numbers.integers(2, 17, shape) / 4, Fact(0.5, 4.0, 2)
    if sort == "real":
        array = np.asarray(numbers.uniform(-2, 2, shape)).astype(element.dtype)
        # Away from where subnormal numbers begin.
        array = np.where(np.abs(array) < 2.0**-10, 0.5, array)
        return array, Fact(-2.0, 2.0)
    assert sort == "wild", sort
    exponents = numbers.integers(
        math.ceil(math.log2(element.tiny)) + 1, int(math.log2(element.maximum)), shape
    )
    array = np.ldexp(numbers.uniform(-2, 2, shape), exponents)
    array = np.where(np.abs(array) < 2 * element.tiny, 1.0, array)
    array = np.where(numbers.random(shape) < 0.5, numbers.integers(-9, 9, shape), array)
    edges = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, element.maximum]
    special = numbers.choice(np.array(edges), shape)
    return np.where(numbers.random(shape) < 0.4, special, array), WILD


def _complex(numbers, shape, element, sort):
    part = PART[element]
    real, fact = _floats(numbers, shape, sort, part)
    imaginary, _ = _floats(numbers, shape, sort, part)
    array = np.empty(shape, element.dtype)
    array.real, array.imag = real, imaginary
    return array, fact


def literal(array: np.ndarray, element: Element) -> str:
    """The elements as StableHLO writes them between `dense<` and `>`."""
    if array.size == 0:
        return ""
    if array.ndim and array.size > 1 and _is_uniform(array):
        array = array.reshape(-1)[:1].reshape(())
    return _nested(array, element)


def _is_uniform(array) -> bool:
    data = np.ascontiguousarray(array).reshape(-1)
    return all(item.tobytes() == data[0].tobytes() for item in data)


def _nested(array, element) -> str:
    if array.ndim:
        return "[" + ", ".join(_nested(part, element) for part in array) + "]"
    if element.kind == "c":
        part = array.real.dtype
        pair = (
            _float_text(np.asarray(array.real, part)),
            _float_text(np.asarray(array.imag, part)),
        )
        return f"({pair[0]}, {pair[1]})"
    if element.kind == "f":
        return _float_text(array)
    if element.kind == "b":
        return "true" if array else "false"
    return str(int(array))


def _float_text(array) -> str:
    """Bits in hexadecimal: exact, and the only way to write NaN."""
    bits = int.from_bytes(array.tobytes(), "little")
    return f"0x{bits:0{2 * array.dtype.itemsize}X}"
