"""Kernels for Triton: masked loads and stores, atomic updates, products."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import errors, records
from jax._src.lax.ops.dot import dot_general
from jax._src.numpy import lax_api as lax, numpy_api as jnp
from jax._src.pallas import masking
from jax._src.pallas.unsupported import not_here


@records.record
class CompilerParams:
    """Settings of Triton's compiler.

    Args:
        num_warps: how many groups of threads run a step; None: 4.
        num_stages: how many stages loops are pipelined in; None: 3.
    """

    num_warps: int | None = None
    num_stages: int | None = None


def load(
    ref: Any,
    *,
    mask: Any = None,
    other: Any = None,
    cache_modifier: str | None = None,
    eviction_policy: str | None = None,
    volatile: bool = False,
) -> Any:
    """What a reference or view holds.

    Args:
        ref: the reference or view; a slice that passes the end reads unwritten memory.
        mask: Booleans that broadcast to its shape: which elements are read.
        other: what the others are; None: unspecified.
        cache_modifier: a hint for GPUs.
        eviction_policy: a hint for GPUs.
        volatile: a hint for GPUs.

    Raises:
        ValueError: the mask does not fit.
    """
    return masking.load(ref, mask, other)


def store(
    ref: Any, val: Any, *, mask: Any = None, eviction_policy: str | None = None
) -> None:
    """Writes to a reference or view; nothing beyond its end.

    Args:
        ref: the reference or view.
        val: the value, of its shape and dtype.
        mask: Booleans that broadcast to its shape: which elements are written.
        eviction_policy: a hint for GPUs.

    Raises:
        ValueError: the value or the mask does not fit.
    """
    masking.store(ref, val, mask)


def _checked_dtype(ref, name):
    dtype = ref.dtype
    is_small = dtype in (np.dtype(bool), np.int8, np.int16)
    if is_small or (dtype == np.float16 and name != "add"):
        raise errors.value_error(
            f"plgpu.atomic_{name}: not for this dtype.",
            [("reference", str(dtype))],
            "Atomic updates are of 32 or 64 bits; float16 can be added.",
        )


def _atomic(name, operation, doc):
    def update(x_ref_or_view: Any, idx: Any, val: Any, *, mask: Any = None) -> Any:
        _checked_dtype(x_ref_or_view, name)
        return masking.atomic(operation, x_ref_or_view, idx, val, mask)

    update.__name__ = update.__qualname__ = f"atomic_{name}"
    update.__doc__ = f"""{doc}

    Args:
        x_ref_or_view: the reference or view.
        idx: which elements, as in ``ref[idx]``.
        val: the other operand, of their shape and dtype.
        mask: Booleans: which of them are changed.

    Returns:
        What was there before.

    Raises:
        ValueError: the dtype is not for atomic updates, or an argument does not fit.
    """
    return update


atomic_add = _atomic("add", jnp.add, "Adds to elements.")
atomic_and = _atomic("and", lax.bitwise_and, "Combines bits of elements by AND.")
atomic_max = _atomic("max", jnp.maximum, "Puts the larger one in place of elements.")
atomic_min = _atomic("min", jnp.minimum, "Puts the smaller one in place of elements.")
atomic_or = _atomic("or", lax.bitwise_or, "Combines bits of elements by OR.")
atomic_xchg = _atomic("xchg", lambda old, new: new, "Puts others in place of elements.")
atomic_xor = _atomic("xor", lax.bitwise_xor, "Combines bits of elements by XOR.")


def atomic_cas(ref: Any, cmp: Any, val: Any) -> Any:
    """Puts `val` in place of a scalar if that is `cmp`; returns what was there.

    Raises:
        ValueError: the reference is not to a scalar, or dtypes differ.
    """
    if ref.shape != ():
        raise errors.value_error(
            "plgpu.atomic_cas: the reference is not to a scalar.",
            [("shape", str(ref.shape))],
        )
    return masking.atomic(
        lambda old, new: jnp.where(old == cmp, new, old), ref, (), val, None
    )


def max_contiguous(x: Any, values: int | Sequence[int]) -> Any:
    """Returns integers unchanged, with a promise that so many in a row are consecutive.

    Raises:
        Nothing: the promise is not checked.
    """
    return x


def dot(
    a: Any,
    b: Any,
    trans_a: bool = False,
    trans_b: bool = False,
    allow_tf32: bool | None = None,
    precision: Any = None,
) -> Any:
    """The product of two matrices.

    Args:
        a: matrix.
        b: matrix of the same dtype.
        trans_a: whether `a` is transposed first.
        trans_b: whether `b` is.
        allow_tf32: a hint for GPUs, instead of `precision`.
        precision: as in `jax.lax.dot_general`.

    Returns:
        Matrix of int32 for integers, of float64 for float64, else of float32.

    Raises:
        ValueError: an argument is no matrix, or both hints are given.
    """
    if a.ndim != 2 or b.ndim != 2:
        raise errors.value_error(
            "plgpu.dot: an argument is no matrix.",
            [("a", str(a.shape)), ("b", str(b.shape))],
        )
    if precision is not None and allow_tf32 is not None:
        raise ValueError("plgpu.dot: allow_tf32 and precision say the same; give one.")
    contracted = ((0 if trans_a else 1,), (1 if trans_b else 0,))
    dtype = jnp.promote_types(a.dtype, b.dtype)
    result: Any
    if dtypes.issubdtype(dtype, np.integer):
        result = np.dtype(np.int32)
    else:
        result = dtype if dtype == np.float64 else np.dtype(np.float32)
    return dot_general(
        a,
        b,
        (contracted, ((), ())),
        precision=precision,
        preferred_element_type=result,
    )


def approx_tanh(x: Any) -> Any:
    """The hyperbolic tangent by an instruction of GPUs.

    Raises:
        NotImplementedError: always: no GPU runs kernels here. `jnp.tanh` runs on every device.
    """
    raise not_here("plgpu.approx_tanh", "GPUs", "jnp.tanh runs on every device.")


def elementwise_inline_asm(
    asm: str, *, args: Any, constraints: str, pack: int, result_shape_dtypes: Any
) -> Any:
    """Instructions of GPUs.

    Raises:
        NotImplementedError: always: no GPU runs kernels here.
    """
    raise not_here("plgpu.elementwise_inline_asm", "GPUs")


def debug_barrier() -> None:
    """Waits until all threads of a step have come here.

    Raises:
        NotImplementedError: always: no GPU runs kernels here.
    """
    raise not_here("plgpu.debug_barrier", "GPUs")
