"""Matrix products and doubling, by the interface of the example kernels for TPUs."""

import functools as ft
from collections.abc import Callable
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import errors
from jax._src.jit import jit as jit_module
from jax._src.numpy import numpy_api as jnp
from jax._src.pallas import call, helpers, program_ids

_NARROW = ("int8", "uint8", "int4", "uint4")


def matmul_kernel(
    x_tile_ref: Any, y_tile_ref: Any, o_tile_ref: Any, acc_ref: Any
) -> None:
    """The kernel of a product in blocks, whose sums are kept over the grid's third axis.

    Args:
        x_tile_ref: a block of the left matrix.
        y_tile_ref: a block of the right matrix.
        o_tile_ref: the block of the result.
        acc_ref: memory for sums, of its shape.
    """

    @helpers.when(program_ids.program_id(2) == 0)
    def _() -> None:
        acc_ref[...] = jnp.zeros_like(acc_ref)

    x, y = x_tile_ref[...], y_tile_ref[...]
    acc_ref[...] += jnp.dot(x, y, preferred_element_type=acc_ref.dtype)
    o_tile_ref[...] = acc_ref[...].astype(o_tile_ref.dtype)


@ft.partial(
    jit_module.jit,
    static_argnames=("block_shape", "block_k", "debug", "out_dtype", "activation"),
)
def matmul(
    x: Any,
    y: Any,
    *,
    block_shape: tuple[int, int],
    block_k: int = 256,
    out_dtype: Any = None,
    debug: bool = False,
    scale: Any = None,
    bias: Any = None,
    activation: Callable[[Any], Any] | None = None,
    residual: Any = None,
) -> Any:
    """The product of two matrices; integers of 8 or 4 bits are added up as int32, others as float32.

    With an epilogue, ``activation(x @ y * scale + bias) + residual`` is computed from the
    sums, and is rounded once, to the dtype of the result. The compiler does it where it
    writes the product.

    Args:
        x: matrix of shape ``(m, k)``.
        y: matrix of shape ``(k, n)``.
        block_shape: accepted; sizes need not be multiples of any block.
        block_k: accepted.
        out_dtype: the dtype of the result; None: that of both matrices.
        debug: accepted.
        scale: what sums are multiplied with: a number, or an array of shape ``(n,)`` or
            ``(m, n)``.
        bias: what is added to them, of such a shape.
        activation: a function of each of these sums, such as `jax.nn.gelu`.
        residual: what is added last, of such a shape.

    Raises:
        TypeError: the dtypes differ and none is requested for the result, or the shapes
            do not fit.

    Differs from upstream: `scale`, `bias`, `activation` and `residual` are additions.
    """
    kinds = [np.dtype(dtypes.dtype(a)) for a in (x, y)]
    if out_dtype is None:
        if kinds[0] != kinds[1]:
            raise TypeError(
                errors.explain(
                    "Cannot deduce output dtype for different input dtypes.",
                    [("x", str(kinds[0])), ("y", str(kinds[1]))],
                    "The result has the dtype of both matrices.",
                    "Pass the wanted one: matmul(..., out_dtype=jnp.float32).",
                )
            )
        out_dtype = kinds[0]
    wide = np.int32 if kinds[0].name in _NARROW else np.float32
    sums = jnp.matmul(x, y, preferred_element_type=wide)
    for operand, combine in ((scale, jnp.multiply), (bias, jnp.add)):
        sums = _combined(combine, sums, operand)
    if activation is not None:
        sums = activation(sums)
    return _combined(jnp.add, sums, residual).astype(out_dtype)


def _combined(combine, sums, operand):
    """Sums, combined with an operand of their shape or of lower rank."""
    if operand is None:
        return sums
    shape = np.shape(operand)
    last = sums.shape[len(sums.shape) - len(shape) :]
    fits = all(n in (1, size) for n, size in zip(shape, last, strict=False))
    if len(shape) > sums.ndim or not fits:
        raise TypeError(
            errors.explain(
                "matmul: an operand of the epilogue does not fit the product.",
                [("operand", str(shape)), ("product", str(sums.shape))],
                "It is a number, a row, or a matrix of the shape of the product.",
            )
        )
    # Narrow operands take part in the sums as these are.
    is_narrow = dtypes.issubdtype(sums.dtype, np.floating)
    return combine(sums, jnp.asarray(operand, sums.dtype) if is_narrow else operand)


def double_kernel(x_ref: Any, y_ref: Any) -> None:
    """A kernel that doubles.

    Args:
        x_ref: what is doubled.
        y_ref: the result.
    """
    y_ref[...] = x_ref[...] * 2


def double(x: Any) -> Any:
    """Twice an array, by a kernel.

    Args:
        x: an array.
    """
    return call.pallas_call(double_kernel, out_shape=x)(x)
