"""Products of matrices and tensors."""

from __future__ import annotations

import functools as ft
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import releases, traceback_filter
from jax._src.numpy import lax_api as lax, operands as op, reshaping
from jax._src.numpy.jit_wrapper import jit

Array = op.Array
ArrayLike = op.ArrayLike

_static = ft.partial(
    jit, static_argnames=("precision", "preferred_element_type", "out_sharding")
)


def _prepared(name, a, b, preferred_element_type):
    """The operands as arrays, the dtype to add up in, and weakness of the result.

    Real numbers of two dtypes stay as they are: they are added up in that to which they promote.
    So do a weak and a strong operand of one dtype.
    """
    if preferred_element_type is None and are_alike(a, b):
        return *own_dtypes(a, b), None, False
    if preferred_element_type is None:
        values = op.prepared_of_one_dtype(a, b)
        if values is not None:
            return *values, None, dtypes.is_weakly_typed(values[0])
    a, b = (op.ensure_numbers(name, x) for x in op.ensure_arraylike(name, a, b))
    preferred = op.user_dtype(name, preferred_element_type)
    if preferred is None:
        if _are_mixed(a, b):
            return a, b, dtypes.result_type(a, b), False
        a, b = op.promote_dtypes(a, b)
        return a, b, None, dtypes.is_weakly_typed(a)
    a, b = own_dtypes(a, b)
    kinds = [op.kind(x) for x in (op.dtype_of(a), op.dtype_of(b), preferred)]
    if all(kind in "iu" for kind in kinds):
        widest = max(op.dtype_of(a), op.dtype_of(b), key=lambda x: x.itemsize)
        if preferred.itemsize < widest.itemsize:
            raise op.type_error(
                name,
                "the sums would not fit.",
                [("operands", str(widest)), ("preferred", str(preferred))],
                "preferred_element_type is at least as wide as the operands.",
            )
    return a, b, preferred, False


def _are_mixed(a, b):
    """Whether the operands are real numbers of two dtypes, neither of which gives way."""
    kinds = op.kind_of(a) + op.kind_of(b)
    is_weak = dtypes.is_weakly_typed(a) or dtypes.is_weakly_typed(b)
    return op.dtype_of(a) != op.dtype_of(b) and not is_weak and set(kinds) <= set("iuf")


def are_alike(*arrays: Any) -> bool:
    """Whether the arrays have one dtype, and differ in weakness alone."""
    weak = {dtypes.is_weakly_typed(x) for x in arrays}
    return len(weak) == 2 and len({getattr(x, "dtype", None) for x in arrays}) == 1


def own_dtypes(*arrays: Any) -> list[Array]:
    """The operands at the dtypes that they have: where the sums' dtype is said, none is promoted."""
    return [op.promote_dtypes(x)[0] for x in arrays]


def product(a, b, dimensions, precision, preferred, weak=False, out_sharding=None):
    """``lax.dot_general``, booleans included, of operands of one dtype unless one is preferred."""
    if preferred is not None:
        kept = [op.dtype_of(x) for x in (a, b) if op.kind_of(x) != "b"]
        numeric = kept[0] if kept else preferred
        a, b = (op.convert(x, numeric) if op.kind_of(x) == "b" else x for x in (a, b))
    if op.kind_of(a) == "b":
        raise_bool = lax.dot_general(
            op.convert(a, np.int32),
            op.convert(b, np.int32),
            dimensions,
            precision=precision,
            out_sharding=out_sharding,
        )
        return lax.ne(raise_bool, lax.full_like(raise_bool, 0))
    result = lax.dot_general(
        a,
        b,
        dimensions,
        precision=precision,
        preferred_element_type=op.dtype_of(a) if preferred is None else preferred,
        out_sharding=out_sharding,
    )
    return lax.convert(result, result.dtype, weak)


def _mismatch(name, a, b, axis_a, axis_b):
    way = ""
    if (
        op.ndim(b) >= 2
        and axis_b is not None
        and op.shape(b)[-1] == op.shape(a)[axis_a]
    ):
        turned = (*op.shape(b)[:-2], op.shape(b)[-1], op.shape(b)[-2])
        way = f"Transposing b gives {op.dtype_of(b)}[{', '.join(map(str, turned))}], which would fit."
    return op.type_error(
        name,
        "dot_general requires contracting dimensions to have the same shape, got "
        f"({op.shape(a)[axis_a]},) and ({op.shape(b)[axis_b]},).",
        [
            (
                "a",
                f"{op.type_name(a)}  {_axis_name(a, axis_a)} {op.shape(a)[axis_a]}",
            ),
            (
                "b",
                f"{op.type_name(b)}  {_axis_name(b, axis_b)} {op.shape(b)[axis_b]}",
            ),
        ],
        ways=way,
    )


def _axis_name(x, axis):
    axis %= op.ndim(x)
    names = {op.ndim(x) - 1: "last axis", op.ndim(x) - 2: "last axis but one"}
    return names.get(axis, f"axis {axis}")


@_static
def dot(
    a: ArrayLike,
    b: ArrayLike,
    *,
    precision: Any = None,
    preferred_element_type: Any = None,
    out_sharding: Any = None,
) -> Array:
    """The sum of products over the last axis of `a` and the last but one of `b`.

    Args:
        a: array, or a scalar that multiplies `b`.
        b: array; of a vector, the only axis is used.
        precision: how exactly to multiply floats.
        preferred_element_type: the dtype to add up in.
        out_sharding: how the result is sharded over Explicit mesh axes.

    Raises:
        TypeError: the axes differ in size.


    Examples:
        >>> jnp.dot(jnp.array([1, 2]), jnp.array([3, 4]))
        Array(11, dtype=int32)
    """
    a, b, preferred, weak = _prepared("dot", a, b, preferred_element_type)
    if not a.ndim or not b.ndim:
        contracted = ((), ())
    else:
        contracted = ((a.ndim - 1,), (max(0, b.ndim - 2),))
        if a.shape[-1] != b.shape[contracted[1][0]]:
            raise _mismatch("dot", a, b, -1, contracted[1][0])
    return product(
        a, b, (contracted, ((), ())), precision, preferred, weak, out_sharding
    )


@_static
def matmul(
    a: ArrayLike,
    b: ArrayLike,
    *,
    precision: Any = None,
    preferred_element_type: Any = None,
    out_sharding: Any = None,
) -> Array:
    """The product of matrices; leading axes broadcast.

    Args:
        a: array of shape ``(..., m, k)`` or ``(k,)``.
        b: array of shape ``(..., k, n)`` or ``(k,)``.
        precision: how exactly to multiply floats.
        preferred_element_type: the dtype to add up in.
        out_sharding: how the result is sharded over Explicit mesh axes.

    Returns:
        Array of shape ``(..., m, n)``, without the axis that a vector lacks.

    Raises:
        TypeError: the contracted axes differ in size.
        ValueError: an operand is a scalar.


    Examples:
        >>> jnp.matmul(jnp.array([[1, 2], [3, 4]]), jnp.array([1, 10]))
        Array([21, 43], dtype=int32)
    """
    given = a, b
    a, b, preferred, weak = _prepared("matmul", a, b, preferred_element_type)
    for name, x, array in zip("ab", given, (a, b), strict=True):
        if not array.ndim:
            raise op.value_error(
                "matmul",
                "scalars are no matrices.",
                [(name, op.type_name(op.to_array(x)))],
                ways="To scale: a * b.",
            )
    axis_b = max(0, b.ndim - 2)
    if a.shape[-1] != b.shape[axis_b]:
        raise _mismatch("matmul", a, b, -1, axis_b)
    return _matmul(a, b, precision, preferred, weak, out_sharding)


def _matmul(a, b, precision, preferred, weak, out_sharding=None):
    a_batch, b_batch = a.shape[:-2], b.shape[:-2]
    if not b_batch:
        # One matrix for all: contract without a batch.
        dims = (((a.ndim - 1,), (max(0, b.ndim - 2),)), ((), ()))
        return product(a, b, dims, precision, preferred, weak, out_sharding)
    batch = op.broadcast_shapes("matmul", a_batch, b_batch)
    a_is_vector = op.ndim(a) == 1
    # Axes that one operand repeats stay outside of the batch.
    a_sizes = (1,) * (len(batch) - len(a_batch)) + a_batch
    b_sizes = (1,) * (len(batch) - len(b_batch)) + b_batch
    shared = [
        i
        for i, (m, n) in enumerate(zip(a_sizes, b_sizes, strict=True))
        if m == n != 1 or m == n
    ]
    a_own = [i for i, n in enumerate(b_sizes) if n == 1 and i not in shared]
    b_own = [i for i, n in enumerate(a_sizes) if n == 1 and i not in shared]
    a_core, b_core = op.shape(a)[len(a_batch) :], op.shape(b)[len(b_batch) :]
    a = lax.reshape(
        a, (*(a_sizes[i] for i in range(len(batch)) if i not in b_own), *a_core)
    )
    b = lax.reshape(
        b, (*(b_sizes[i] for i in range(len(batch)) if i not in a_own), *b_core)
    )
    a_axes = [i for i in range(len(batch)) if i not in b_own]
    b_axes = [i for i in range(len(batch)) if i not in a_own]
    dims = (
        ((op.ndim(a) - 1,), (op.ndim(b) - 2,)),
        (
            tuple(a_axes.index(i) for i in shared),
            tuple(b_axes.index(i) for i in shared),
        ),
    )
    # dot_general gives: shared, then what is left of a, then what is left of b.
    order = shared + a_own + ([] if a_is_vector else ["m"]) + b_own + ["n"]
    wanted = list(range(len(batch))) + ([] if a_is_vector else ["m"]) + ["n"]
    permutation = tuple(order.index(name) for name in wanted)
    given = before_transpose("matmul", out_sharding, permutation)
    result = product(a, b, dims, precision, preferred, weak, given)
    if permutation != tuple(range(len(permutation))):
        result = lax.transpose(result, permutation)
    return result


def before_transpose(name, out_sharding, permutation):
    """Returns the sharding that a transpose turns into `out_sharding`."""
    given = lax.given_sharding(name, out_sharding, len(permutation))
    if given is None:
        return None
    entries = given.spec.partitions
    back = [entries[permutation.index(i)] for i in range(len(permutation))]
    return given.update(spec=given.spec.update(partitions=back))


@ft.partial(jit, static_argnames=("precision", "preferred_element_type"))
def vdot(
    a: ArrayLike,
    b: ArrayLike,
    *,
    precision: Any = None,
    preferred_element_type: Any = None,
) -> Array:
    """The dot product of flattened arrays, conjugating the first.

    Args:
        a, b: arrays of as many elements.
        precision, preferred_element_type: as for `jax.numpy.dot`.

    Returns:
        Scalar of the promoted dtype.

    Raises:
        TypeError: sizes differ, or an argument is no array or number.

    Examples:
        >>> jnp.vdot(jnp.array([1j, 2]), jnp.array([1j, 1]))
        Array(3.+0.j, dtype=complex64)
    """
    a, b = op.ensure_arraylike("vdot", a, b)
    a = lax.conj(a) if op.kind_of(a) == "c" else a
    return dot(
        reshaping.ravel(a),
        reshaping.ravel(b),
        precision=precision,
        preferred_element_type=preferred_element_type,
    )


@ft.partial(jit, static_argnames=("axis", "precision", "preferred_element_type"))
def vecdot(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    *,
    axis: int = -1,
    precision: Any = None,
    preferred_element_type: Any = None,
) -> Array:
    """Dot products of vectors along one axis, conjugating the first.

    Args:
        x1: array of shape ``(..., n)`` for ``axis=-1``.
        x2: array of shape ``(..., n)``; the other axes broadcast with those of `x1`.
        axis: the axis of size ``n``, counted in each input before broadcasting.
        precision: how exactly to multiply floats.
        preferred_element_type: the dtype to add up in.

    Raises:
        ValueError: the axes differ in size, or an operand is a scalar.
        TypeError: `x1` or `x2` is no array or number.

    Reference: Python array API standard, ``vecdot``.
    """
    x1, x2 = op.ensure_arraylike("vecdot", x1, x2)
    if not op.ndim(x1) or not op.ndim(x2):
        raise ValueError("jnp.vecdot: scalars are no vectors.")
    x1, x2 = reshaping.moveaxis(x1, axis, -1), reshaping.moveaxis(x2, axis, -1)
    if op.shape(x1)[-1] != op.shape(x2)[-1]:
        raise op.value_error(
            "vecdot",
            "the axes differ in size.",
            [
                ("x1", op.type_name(x1)),
                ("x2", op.type_name(x2)),
                ("axis", str(axis)),
            ],
        )
    x1 = lax.conj(x1) if op.kind_of(x1) == "c" else x1
    product = matmul(
        lax.expand_dims(x1, (op.ndim(x1) - 1,)),
        lax.expand_dims(x2, (op.ndim(x2),)),
        precision=precision,
        preferred_element_type=preferred_element_type,
    )
    rank = op.ndim(product)
    return lax.squeeze(product, (rank - 2, rank - 1))


@jit
def matvec(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Matrices times vectors: the last axis of each is contracted.

    Args:
        x1: array of shape ``(..., m, n)``.
        x2: array of shape ``(..., n)``.

    Returns:
        Array of shape ``(..., m)`` and the promoted dtype.

    Raises:
        TypeError: the axes of size ``n`` differ. ValueError: `x1` is no matrix.
    """
    x1, x2 = op.ensure_arraylike("matvec", x1, x2)
    if op.ndim(x1) < 2 or not op.ndim(x2):
        raise op.value_error(
            "matvec",
            "a matrix and a vector are needed.",
            [("x1", op.type_name(x1)), ("x2", op.type_name(x2))],
        )
    product = matmul(x1, lax.expand_dims(x2, (op.ndim(x2),)))
    return lax.squeeze(product, (op.ndim(product) - 1,))


@jit
def vecmat(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Vectors, conjugated, times matrices.

    Args:
        x1: array of shape ``(..., n)``.
        x2: array of shape ``(..., n, m)``.

    Returns:
        Array of shape ``(..., m)`` and the promoted dtype.

    Raises:
        TypeError: the axes of size ``n`` differ. ValueError: `x2` is no matrix.
    """
    x1, x2 = op.ensure_arraylike("vecmat", x1, x2)
    if op.ndim(x2) < 2 or not op.ndim(x1):
        raise op.value_error(
            "vecmat",
            "a vector and a matrix are needed.",
            [("x1", op.type_name(x1)), ("x2", op.type_name(x2))],
        )
    x1 = lax.conj(x1) if op.kind_of(x1) == "c" else x1
    product = matmul(lax.expand_dims(x1, (op.ndim(x1) - 1,)), x2)
    return lax.squeeze(product, (op.ndim(product) - 2,))


def _static_axes(axes):
    if isinstance(axes, (tuple, list)):
        return tuple(
            _static_axes(a) if isinstance(a, (tuple, list)) else operator.index(a)
            for a in axes
        )
    return operator.index(axes)


@ft.partial(
    jit,
    static_argnames=("axes", "precision", "preferred_element_type", "out_sharding"),
)
def tensordot(
    a: ArrayLike,
    b: ArrayLike,
    axes: int | Sequence[int] | Sequence[Sequence[int]] = 2,
    *,
    precision: Any = None,
    preferred_element_type: Any = None,
    out_sharding: Any = None,
) -> Array:
    """The sum of products over several axes.

    Args:
        a: array.
        b: array.
        axes: a number n: the last n axes of `a` with the first n of `b`; or a pair of
            axes, or of sequences of axes.
        precision: how exactly to multiply floats.
        preferred_element_type: the dtype to add up in.
        out_sharding: how the result is sharded over Explicit mesh axes.

    Raises:
        TypeError: the axes differ in number or size.


    Examples:
        >>> jnp.tensordot(jnp.ones((2, 3, 4)), jnp.ones((3, 4, 5))).shape
        (2, 5)
    """
    a, b, preferred, weak = _prepared("tensordot", a, b, preferred_element_type)
    axes = _static_axes(axes)
    if isinstance(axes, int):
        if axes > min(op.ndim(a), op.ndim(b)):
            raise op.type_error(
                "tensordot",
                "more axes than the arrays have.",
                [
                    ("a", op.type_name(a)),
                    ("b", op.type_name(b)),
                    ("axes", str(axes)),
                ],
            )
        first = tuple(range(op.ndim(a) - axes, op.ndim(a)))
        second = tuple(range(axes))
    else:
        if len(axes) != 2:
            raise TypeError(
                f"jnp.tensordot: axes={axes} is neither a number nor a pair."
            )
        first = op.canonical_axes("tensordot", axes[0], op.ndim(a))
        second = op.canonical_axes("tensordot", axes[1], op.ndim(b))
    sizes_a = [op.shape(a)[i] for i in first]
    sizes_b = [op.shape(b)[i] for i in second]
    if sizes_a != sizes_b:
        raise op.type_error(
            "tensordot",
            "the contracted axes differ.",
            [
                ("a", f"{op.type_name(a)}  axes {first}, sizes {sizes_a}"),
                ("b", f"{op.type_name(b)}  axes {second}, sizes {sizes_b}"),
            ],
        )
    return product(
        a, b, ((first, second), ((), ())), precision, preferred, weak, out_sharding
    )


@_static
def inner(
    a: ArrayLike,
    b: ArrayLike,
    *,
    precision: Any = None,
    preferred_element_type: Any = None,
) -> Array:
    """The sum of products over the last axis of both; scalars multiply.

    Args:
        a, b: arrays whose last axes have one size.
        precision, preferred_element_type: as for `jax.numpy.dot`.

    Returns:
        Array of the other axes of `a`, then those of `b`, of the promoted dtype.

    Raises:
        TypeError: the last axes differ in size, or an argument is no array or number.

    Examples:
        >>> jnp.inner(jnp.array([1, 2, 3]), jnp.array([4, 5, 6]))
        Array(32, dtype=int32)
    """
    a, b = op.ensure_arraylike("inner", a, b)
    if not op.ndim(a) or not op.ndim(b):
        a, b, preferred, _ = _prepared("inner", a, b, preferred_element_type)
        if preferred is not None:
            a, b = op.convert(a, preferred), op.convert(b, preferred)
        return _multiplied(a, b)
    return tensordot(
        a,
        b,
        (-1, -1),
        precision=precision,
        preferred_element_type=preferred_element_type,
    )


@ft.partial(jit, static_argnames=("out",))
def outer(a: ArrayLike, b: ArrayLike, out: None = None) -> Array:
    """All products of an element of `a` with one of `b`, both flattened.

    Args:
        a, b: arrays, which are flattened.
        out: not supported.

    Returns:
        Array of shape ``(a.size, b.size)`` and the promoted dtype.

    Raises:
        TypeError: an argument is no array or number. NotImplementedError: `out` is
            given.

    Examples:
        >>> jnp.outer(jnp.array([1, 2]), jnp.array([3, 4, 5]))
        Array([[ 3,  4,  5],
               [ 6,  8, 10]], dtype=int32)
    """
    op.refuse_out("outer", out)
    a, b = op.promote_dtypes(*op.ensure_arraylike("outer", a, b))
    a, b = reshaping.ravel(a), reshaping.ravel(b)
    a, b = lax.expand_dims(a, (1,)), lax.expand_dims(b, (0,))
    return _multiplied(a, b)


def _multiplied(a, b):
    """The products of elements; the logical and of booleans."""
    return lax.bitwise_and(a, b) if op.kind_of(a) == "b" else lax.mul(a, b)


@jit
def kron(a: ArrayLike, b: ArrayLike) -> Array:
    """The Kronecker product: each element of `a` times all of `b`.

    Args:
        a, b: arrays; the one with fewer axes gets new ones first.

    Returns:
        Array whose sizes are products of theirs, of the promoted dtype.

    Raises:
        TypeError: an argument is no array or number.
    """
    a, b = op.promote_dtypes(*op.ensure_arraylike("kron", a, b))
    rank = max(op.ndim(a), op.ndim(b))
    a = lax.reshape(a, (1,) * (rank - op.ndim(a)) + op.shape(a))
    b = lax.reshape(b, (1,) * (rank - op.ndim(b)) + op.shape(b))
    result = tuple(m * n for m, n in zip(op.shape(a), op.shape(b), strict=True))
    a = lax.expand_dims(a, tuple(range(1, 2 * rank, 2)))
    b = lax.expand_dims(b, tuple(range(0, 2 * rank, 2)))
    return lax.reshape(_multiplied(a, b), result)


@ft.partial(jit, static_argnames=("axisa", "axisb", "axisc", "axis"))
def cross(
    a: ArrayLike,
    b: ArrayLike,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> Array:
    """The cross product of vectors with two or three components; from 0.12 on, three.

    Args:
        a: array of vectors.
        b: array of vectors.
        axisa: the axis of the components in `a`.
        axisb: that in `b`.
        axisc: that in the result; two vectors of the plane give a number instead.
        axis: stands for all three.

    Raises:
        ValueError: vectors have other numbers of components, or an axis is out of bounds.
        TypeError: `a` or `b` is no array or number.

    Examples:
        >>> jnp.cross(jnp.array([1, 0, 0]), jnp.array([0, 1, 0]))
        Array([0, 0, 1], dtype=int32)
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = op.promote_dtypes(*op.ensure_arraylike("cross", a, b))
    a, b = (
        reshaping.moveaxis(x, op.canonical_axis("cross", own, op.ndim(x)), -1)
        for x, own in ((a, axisa), (b, axisb))
    )
    counts = (op.shape(a)[-1], op.shape(b)[-1])
    planes = releases.rule("cross_of_planes")
    if not set(counts) <= ({2, 3} if planes else {3}):
        raise op.value_error(
            "cross",
            "vectors have two or three components."
            if planes
            else "Dimension must be 3 for cross product.",
            [("a", op.type_name(a)), ("b", op.type_name(b))],
        )
    batch = op.broadcast_shapes("cross", op.shape(a)[:-1], op.shape(b)[:-1])
    a, b = op.strong(a), op.strong(b)
    a0, a1, a2 = _components(a, batch)
    b0, b1, b2 = _components(b, batch)
    last = lax.sub(lax.mul(a0, b1), lax.mul(a1, b0))
    if counts == (2, 2):
        return last
    parts = (
        lax.sub(lax.mul(a1, b2), lax.mul(a2, b1)),
        lax.sub(lax.mul(a2, b0), lax.mul(a0, b2)),
        last,
    )
    stacked = lax.concatenate(
        [lax.expand_dims(p, (len(batch),)) for p in parts], len(batch)
    )
    return reshaping.moveaxis(stacked, -1, axisc)


def _components(x, batch):
    x = op.broadcast_to(x, (*batch, op.shape(x)[-1]))
    parts = [
        lax.index_in_dim(x, i, op.ndim(x) - 1, keepdims=False)
        for i in range(op.shape(x)[-1])
    ]
    return parts if len(parts) == 3 else [*parts, lax.full_like(parts[0], 0)]


traceback_filter.hide_frames(globals())
