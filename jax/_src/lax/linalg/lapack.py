"""LAPACK's routines in programs: calls of the handlers in `jaxlib/lapack`.

The routines are SciPy's. Its library is loaded when the first program that needs one is
lowered; SciPy itself, which is slow to import and often not wanted, where it has no such
library beside it, or when the first reference runs.
"""

import functools as ft
import importlib
import importlib.util
import math
import pathlib
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from jax._src.base import errors, releases
from jax._src.core.avals import ShapedArray
from jax._src.interpreters import mlir
from jax._src.lax.ops import emit
from jax._src.runtime import ffi

ir = mlir.ir

_LETTERS = {"f": "s", "d": "d", "F": "c", "D": "z"}
# What routines for real matrices are called where the complex ones differ.
_REAL_NAMES = {"heevd": "syevd", "hetrd": "sytrd", "ungqr": "orgqr", "unmqr": "ormqr"}

# Operands and the results that reuse their buffers; of other routines, the first ones.
_IN_PLACE = {
    "geev": {},
    "geqp3": {0: 0, 1: 1},
    "gtsv": {0: 0, 1: 1, 2: 2, 3: 3},
    "trsm": {1: 0},
    "unmqr": {2: 0},
}


@ft.cache
def scipy_linalg() -> ModuleType:
    """The module `scipy.linalg`."""
    return importlib.import_module("scipy.linalg")


def _library():
    """The file of the LAPACK that SciPy's wheels bring, or None."""
    spec = importlib.util.find_spec("scipy")
    if spec is None or spec.origin is None:
        return None
    beside = pathlib.Path(spec.origin).parent.with_name("scipy.libs")
    found = list(beside.glob("libscipy_openblas-*.so"))
    return str(found[0]) if len(found) == 1 else None


@ft.cache
def install() -> None:
    """Registers the handlers, as a program that calls them needs."""
    path = _library()
    if path is not None and ffi.install_lapack_library(path):
        return
    lapack = importlib.import_module("scipy.linalg.cython_lapack")
    blas = importlib.import_module("scipy.linalg.cython_blas")
    ffi.install_lapack(lapack.__pyx_capi__, blas.__pyx_capi__)


def target(routine: str, dtype: Any) -> str:
    """The custom call's target, such as ``"lapack_sgetrf_ffi"``.

    Args:
        routine: the name without its first letter; the complex one where two differ.
        dtype: the dtype of the matrices.

    Raises:
        NotImplementedError: LAPACK has no such element type; TypeError from 0.12 on.
    """
    letter = _LETTERS.get(np.dtype(dtype).char)
    if letter is None:
        raise releases.rule("no_matrices_of_this_dtype")(
            errors.explain(
                "Linear algebra is not implemented for this dtype.",
                [("dtype", np.dtype(dtype).name), ("routine", f"LAPACK's {routine}")],
                "LAPACK has routines for float32, float64, complex64 and complex128.",
                "Convert first: x.astype(jnp.float32).",
            )
        )
    name = _REAL_NAMES.get(routine, routine) if letter in "sd" else routine
    return f"lapack_{letter}{name}_ffi"


def _layout(rank: int, batch_rank: int) -> list[int]:
    """Axes from the fastest to the slowest: matrices are stored by columns."""
    axes = list(range(rank))[::-1]
    if rank - batch_rank >= 2:
        axes[:2] = [rank - 2, rank - 1]
    return axes


def _attribute(value: str | int) -> Any:
    if isinstance(value, str):
        return ir.IntegerAttr.get(ir.IntegerType.get_unsigned(8), ord(value))
    return emit.int32_attribute(value)


def call(
    ctx: Any,
    routine: str,
    dtype: Any,
    batch_rank: int,
    operands: Sequence[Any],
    results: Sequence[tuple[Sequence[int], Any]],
    **attributes: str | int,
) -> list[Any]:
    """A call of a routine on batches of matrices and vectors.

    Args:
        ctx: the context of the rule.
        routine: its name without the first letter; the complex one where two differ.
        dtype: the dtype of the matrices.
        batch_rank: how many leading axes the batch has.
        operands: values.
        results: shape, without the batch, and dtype of each result.
        **attributes: one letter, or a whole number, by name.

    Returns:
        The values of the results.
    """
    name = target(routine, dtype)
    install()
    batch = emit.shape_of(operands[0])[:batch_rank]
    types = [
        mlir.aval_to_ir_type(ShapedArray((*batch, *shape), kind))
        for shape, kind in results
    ]
    config = {key: _attribute(value) for key, value in attributes.items()}
    operand_ranks = [len(emit.shape_of(x)) for x in operands]
    result_ranks = [batch_rank + len(shape) for shape, _ in results]
    found = mlir.custom_call(
        name,
        operands,
        types,
        config,
        operand_layouts=[_layout(rank, batch_rank) for rank in operand_ranks],
        result_layouts=[_layout(rank, batch_rank) for rank in result_ranks],
        aliases=_IN_PLACE.get(routine, {0: 0}),
        batch_dims=batch_rank if ctx.module_context.partition_count > 1 else 0,
    )
    if batch_rank:
        # Partitioners may divide the call along these axes.
        mlir.annotate(found[0], {"num_batch_dims": str(batch_rank)})
    return found


def checked(info: Any, batch_rank: int, values: Sequence[Any]) -> list[Any]:
    """The values, and NaN in place of those of matrices whose `info` is not zero.

    Args:
        info: LAPACK's answers, one for each matrix of the batch.
        batch_rank: how many leading axes the batch has.
        values: floating-point or complex results.
    """
    zero = emit.constant(0, np.int32)
    good = emit.compare(
        info, emit.broadcast_in_dim(zero, emit.shape_of(info), ()), "EQ"
    )
    found = []
    for value in values:
        shape = emit.shape_of(value)
        mask = per_matrix(good, shape, batch_rank)
        nan = emit.broadcast_in_dim(_constant_like(value, math.nan), shape, ())
        found.append(emit.select(mask, value, nan))
    return found


def turned(x: Any) -> Any:
    """The transposes of matrices, which cost nothing where a layout says the same."""
    order = list(range(len(emit.shape_of(x))))
    return emit.transpose(x, [*order[:-2], order[-1], order[-2]])


def per_matrix(x: Any, shape: Sequence[int], batch_rank: int) -> Any:
    """A value per matrix, repeated over the matrix's elements."""
    return emit.broadcast_in_dim(x, shape, range(batch_rank))


def _constant_like(value: Any, number: float) -> Any:
    """A scalar of the element type of a value, in both parts of a complex one."""
    element = emit.element_type(value)
    if not ir.ComplexType.isinstance(element):
        return emit.float_constant(value, number)
    is_wide = ir.ComplexType(element).element_type == ir.F64Type.get()
    return emit.constant(
        complex(number, number), np.complex128 if is_wide else np.complex64
    )


def each_matrix(function: Any, *arrays: np.ndarray, ndims: Sequence[int]) -> list:
    """Applies a function to each member of a batch: for references.

    Args:
        function: from arrays to a sequence of arrays.
        *arrays: arrays with equal leading axes.
        ndims: for each, how many axes the function takes.

    Returns:
        The results, with the batch in front.
    """
    batch = arrays[0].shape[: arrays[0].ndim - ndims[0]]
    if math.prod(batch) == 0:
        # Types of the results from a batch of ones.
        empty = [
            np.ones(x.shape[x.ndim - n :], x.dtype)
            for x, n in zip(arrays, ndims, strict=True)
        ]
        return [
            np.zeros((*batch, *np.shape(r)), np.asarray(r).dtype)
            for r in function(*empty)
        ]
    rows = [function(*(x[index] for x in arrays)) for index in np.ndindex(*batch)]
    stacked = [
        np.stack([np.asarray(r) for r in column]) for column in zip(*rows, strict=True)
    ]
    return [s.reshape(*batch, *s.shape[1:]) for s in stacked]


def triangle(x: Any, *, lower: bool) -> Any:
    """Matrices with zeros on one side of the diagonal."""
    shape = emit.shape_of(x)
    index_aval = ShapedArray(shape[-2:], np.int32)
    rows, columns = emit.iota(index_aval, 0), emit.iota(index_aval, 1)
    mask = emit.compare(rows, columns, "GE" if lower else "LE")
    mask = emit.broadcast_in_dim(mask, shape, (len(shape) - 2, len(shape) - 1))
    return emit.select(
        mask, x, emit.broadcast_in_dim(_constant_like(x, 0.0), shape, ())
    )
