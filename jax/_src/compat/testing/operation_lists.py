"""Operations of `jax.lax` with the dtypes and arguments that tests try them at: `lax_test_util`."""

import collections
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from jax._src import dtypes as dtypes_lib, lax as lax_lib
from jax._src.compat.testing import devices, samplers

# Its names are looked up when they are used: no checker knows them.
lax: Any = lax_lib

OpRecord = collections.namedtuple("OpRecord", "op nargs dtypes rng_factory tol")
ReducerOpRecord = collections.namedtuple(
    "ReducerOpRecord", "op reference_op init_val dtypes primitive"
)
NamedReducerOpRecord = collections.namedtuple(
    "NamedReducerOpRecord", "op reference_op dtypes"
)

float_dtypes = devices.dtypes.all_floating
complex_elem_dtypes = devices.dtypes.floating
complex_dtypes = devices.dtypes.complex
inexact_dtypes = devices.dtypes.all_inexact
int_dtypes = devices.dtypes.all_integer
uint_dtypes = devices.dtypes.all_unsigned
bool_dtypes = devices.dtypes.boolean
default_dtypes = float_dtypes + int_dtypes
number_dtypes = float_dtypes + complex_dtypes + int_dtypes + uint_dtypes
all_dtypes = number_dtypes + bool_dtypes
python_scalar_types = [bool, int, float, complex]
compatible_shapes = [[(3,)], [(3, 4), (3, 1), (1, 4)], [(2, 3, 4), (2, 1, 4)]]

_KINDS = {
    "floats": float_dtypes,
    "parts": complex_elem_dtypes,
    "complex": complex_dtypes,
    "inexact": float_dtypes + complex_dtypes,
    "parts_and_complex": complex_elem_dtypes + complex_dtypes,
    "real": default_dtypes,
    "signed": default_dtypes + complex_dtypes,
    "integers": int_dtypes + uint_dtypes,
    "real_and_unsigned": default_dtypes + uint_dtypes,
    "floats_of_numpy": [t for t in float_dtypes if t != dtypes_lib.bfloat16],
    "wide_floats": [
        t for t in float_dtypes if t not in (dtypes_lib.bfloat16, np.float16)
    ],
    "bool": bool_dtypes,
    "all": all_dtypes,
}
# Arity, dtypes, sampler: the operations that are tried at them, in the order of these lists.
_TRIED = """
    1 signed small: neg
    1 real_and_unsigned small: sign
    1 floats small: floor ceil
    1 floats default: round
    2 floats_of_numpy default: nextafter
    1 floats small: is_finite
    1 inexact small: exp exp2 expm1
    1 inexact positive: log log1p
    1 inexact small: tanh
    1 inexact default: logistic sin cos
    2 floats default: atan2
    1 floats positive: sqrt
    1 complex default: sqrt
    1 floats positive: rsqrt
    1 complex default: rsqrt
    1 floats default: cbrt
    1 inexact default: square
    1 inexact positive: reciprocal
    1 inexact default: tan
    1 inexact small: asin acos atan
    1 inexact default: asinh
    1 inexact positive: acosh
    1 inexact small: atanh
    1 inexact default: sinh cosh
    1 floats positive: lgamma digamma
    3 floats uniform: betainc
    2 wide_floats positive: igamma igammac
    1 floats small: erf erfc erf_inv
    1 floats default: bessel_i0e bessel_i1e
    1 complex default: real imag
    2 parts default: complex
    1 parts_and_complex default: conj
    1 signed default: abs
    2 inexact positive: pow
    2 bool small: bitwise_and
    1 bool small: bitwise_not
    2 bool small: bitwise_or bitwise_xor
    1 integers int: population_count clz
    2 signed small: add sub mul
    2 integers fullrange: mulhi
    2 signed nonzero: div
    2 real nonzero: rem
    2 all small: max min
    2 all some_equal: eq
    2 all small: ne
    2 real small: ge gt le lt
"""
# Where results are less exact than the usual tolerance of their dtype.
_TOLERANCES: dict[str, Any] = {
    "nextafter": 0,
    "expm1": {np.float64: 1e-8},
    "tanh": {np.float64: 1e-9, np.complex128: 1e-7},
    "tan": {np.float32: 3e-5},
    "asin": {np.complex128: 5e-12},
    "asinh": {np.complex64: 1e-4, np.complex128: 1e-5},
    "atanh": {np.float64: 1e-9},
    "lgamma": {np.float32: 1e-5, np.float64: 1e-14},
    "digamma": {np.float64: 1e-14},
    "betainc": {np.float32: 2e-5, np.float64: 1e-12},
    "igamma": {np.float64: 1e-14},
    "igammac": {np.float64: 1e-14},
    "erf_inv": {np.float64: 1e-9},
}


def op_record(
    op: str, nargs: int, dtypes: Sequence[Any], rng_factory: Callable, tol: Any = None
) -> OpRecord:
    """An operation and what it is tried at."""
    return OpRecord(op, nargs, dtypes, rng_factory, tol)


def lax_ops() -> list[OpRecord]:
    """The operations on elements."""
    records = []
    for line in _TRIED.strip().splitlines():
        given, _, names = line.partition(":")
        count, kind, sampler = given.split()
        factory = getattr(samplers, f"rand_{sampler}")
        records += [
            OpRecord(name, int(count), _KINDS[kind], factory, _TOLERANCES.get(name))
            for name in names.split()
        ]
    return records


def lax_out_dtype_ops() -> list[OpRecord]:
    """The operations on elements whose results may be of a dtype that is chosen."""
    return [OpRecord("mul", 2, _KINDS["signed"], samplers.rand_small, None)]


def _extremes():
    """The folds to the greatest and the least, each dtype with the value that changes nothing."""
    least = [(-np.inf, float_dtypes)]
    least += [(np.iinfo(t).min, [t]) for t in (np.int32, np.int64)]
    greatest = [(np.inf, float_dtypes)]
    greatest += [
        (np.iinfo(t).max, [t]) for t in (np.int32, np.int64, np.uint32, np.uint64)
    ]
    to_greatest = lax.max, np.maximum
    yield ReducerOpRecord(*to_greatest, 0, uint_dtypes + bool_dtypes, lax.reduce_max_p)
    for first, kinds in least:
        yield ReducerOpRecord(*to_greatest, first, kinds, lax.reduce_max_p)
    for first, kinds in greatest:
        yield ReducerOpRecord(lax.min, np.minimum, first, kinds, lax.reduce_min_p)


def lax_reduce_ops() -> list[ReducerOpRecord]:
    """The operations that `lax.reduce` folds elements with."""
    bits = int_dtypes + uint_dtypes + bool_dtypes
    return [
        ReducerOpRecord(lax.add, np.add, 0, default_dtypes, lax.reduce_sum_p),
        ReducerOpRecord(lax.mul, np.multiply, 1, default_dtypes, lax.reduce_prod_p),
        *_extremes(),
        ReducerOpRecord(lax.bitwise_and, np.bitwise_and, -1, bits, lax.reduce_and_p),
        ReducerOpRecord(lax.bitwise_or, np.bitwise_or, 0, bits, lax.reduce_or_p),
        ReducerOpRecord(lax.bitwise_xor, np.bitwise_xor, 0, bits, lax.reduce_xor_p),
    ]


def lax_named_reduce_ops() -> list[NamedReducerOpRecord]:
    """The folds that have a name of their own."""
    bits = bool_dtypes + int_dtypes + uint_dtypes
    return [
        NamedReducerOpRecord(lax.reduce_sum, np.sum, number_dtypes),
        NamedReducerOpRecord(lax.reduce_prod, np.prod, number_dtypes),
        NamedReducerOpRecord(lax.reduce_max, np.max, all_dtypes),
        NamedReducerOpRecord(lax.reduce_min, np.min, all_dtypes),
        NamedReducerOpRecord(lax.reduce_and, np.bitwise_and.reduce, bits),
        NamedReducerOpRecord(lax.reduce_or, np.bitwise_or.reduce, bits),
        NamedReducerOpRecord(lax.reduce_xor, np.bitwise_xor.reduce, bits),
    ]


def all_bdims(*shapes: Sequence[int]) -> Iterator[tuple]:
    """All ways in which operands of these shapes may get a batch axis, or not, if one does."""
    axes = [[None, *range(len(shape) + 1)] for shape in shapes]
    for chosen in itertools.product(*axes):
        if any(axis is not None for axis in chosen):
            yield chosen


def add_bdim(bdim_size: int, bdim: int | None, shape: Sequence[int]) -> tuple[int, ...]:
    """A shape with a batch axis at an index; None: without one."""
    if bdim is None:
        return tuple(shape)
    return (*shape[:bdim], bdim_size, *shape[bdim:])


def slicer(x: Any, bdim: int | None) -> Callable[[int], Any]:
    """From the number of an element of the batch to the element."""
    if bdim is None:
        return lambda _: x
    return lambda i: lax.index_in_dim(x, i, bdim, keepdims=False)


def args_slicer(
    args: Sequence[Any], bdims: Sequence[int | None]
) -> Callable[[int], list[Any]]:
    """From the number of an element of the batch to its arguments."""
    of_each = [slicer(x, bdim) for x, bdim in zip(args, bdims, strict=True)]
    return lambda i: [of_one(i) for of_one in of_each]
