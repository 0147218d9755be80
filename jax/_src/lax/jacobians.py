"""Matrices of derivatives: `jacfwd`, `jacrev`, `hessian`."""

from collections.abc import Callable, Sequence

import numpy as np

from jax._src import dtypes, tree
from jax._src.base import scalars, traceback_filter, util
from jax._src.core import avals as avals_lib
from jax._src.core.trace import trace_state_clean
from jax._src.interpreters import ad
from jax._src.lax.ops.broadcast_and_reduce_sum import broadcast_in_dim
from jax._src.lax.ops.comparison import eq
from jax._src.lax.ops.conversion import convert
from jax._src.lax.ops.creation import broadcasted_iota
from jax._src.runtime.transfers import device_put_get
from jax._src.transforms import (
    calls,
    derivative_checks,
    differentiate,
    vectorize,
)


def basis(leaves):
    """For a list of arrays, all directions: each leaf gets a leading axis of that size."""
    avals = [avals_lib.get_aval(leaf) for leaf in leaves]
    total = sum(aval.size for aval in avals)
    make = _units if trace_state_clean() else _counted_units
    out = []
    start = 0
    for aval in avals:
        out.append(make(aval, total, start))
        start += aval.size
    return out


def _units(aval, total, start):
    """Unit vectors as rows: zeros, but for a one at each index in turn, from row `start` on."""
    block = np.zeros((total, aval.size), aval.dtype)
    block[start + np.arange(aval.size), np.arange(aval.size)] = 1
    block = block.reshape(total, *aval.shape)
    return device_put_get.put_on_device(
        block, dtype=aval.dtype, weak_type=aval.weak_type
    )


def _counted_units(aval, total, start):
    """Makes the unit vectors within a program: computed wherever they are read, not stored."""
    shape = (total, *aval.shape)
    rows = broadcasted_iota(np.int32, shape, 0)
    if aval.ndim == 1 and not start:
        columns = broadcasted_iota(np.int32, shape, 1)
    else:
        indices = np.arange(start, start + aval.size, dtype=np.int32)
        indices = indices.reshape(aval.shape)
        columns = broadcast_in_dim(indices, shape, range(1, len(shape)))
    return convert(eq(rows, columns), aval.dtype, aval.weak_type)


def _without_float0(derivatives, of):
    """Derivatives of several directions: zeros of the dtype of `of` where it is integer.

    They give way to other dtypes where `of` does, and there alone.
    """
    aval = avals_lib.get_aval(of)
    if derivatives.dtype != scalars.float0 or aval.dtype == scalars.float0:
        if dtypes.is_weakly_typed(derivatives) and not aval.weak_type:
            return convert(derivatives, derivatives.dtype)
        return ad.as_weak(derivatives, aval)
    return device_put_get.put_on_device(
        np.zeros(derivatives.shape, aval.dtype),
        dtype=aval.dtype,
        weak_type=aval.weak_type,
    )


def cut(stacked, leaves, axis):
    """Cuts an array along `axis`, one piece for each leaf, with the shape of the leaf."""
    pieces = []
    start = 0
    for leaf in leaves:
        aval = avals_lib.get_aval(leaf)
        index = [slice(None)] * len(stacked.shape)
        index[axis] = slice(start, start + aval.size)
        piece = stacked[tuple(index)]
        shape = piece.shape
        pieces.append(piece.reshape(shape[:axis] + aval.shape + shape[axis + 1 :]))
        start += aval.size
    return pieces


def _first_unless_sequence(argnums, found):
    return found if hasattr(argnums, "__iter__") else found[0]


_DOC = "Jacobian of {fun} with respect to positional argument(s).{doc}"


@traceback_filter.hides_frames
def jacfwd(
    fun: Callable,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Callable:
    """The Jacobian of `fun`, column by column, in forward mode.

    Cheaper than `jacrev` where there are fewer inputs than outputs.

    Args:
        fun: the function of trees of arrays.
        argnums: the positional arguments to differentiate in.
        has_aux: whether `fun` returns a pair whose second part is not differentiated.
        holomorphic: whether `fun` is complex and to be differentiated as such.

    Returns:
        A function that returns a tree like the result, whose leaves are trees like the
        arguments; a leaf has the shape of the result followed by that of the argument.

    Raises:
        TypeError: `fun` is no function, or an argument has no derivative. ValueError:
            there are fewer arguments than `argnums` says.

    Examples:
        >>> jax.jacfwd(lambda x: x ** 2)(jnp.array([1.0, 3.0]))
        Array([[2., 0.],
               [0., 6.]], dtype=float32)
    """
    calls.check_callable(fun, "jacfwd")

    @util.wraps(fun, doc=_DOC)
    @traceback_filter.api_boundary
    def jacobian_of(*args, **kwargs):
        chosen_fun, chosen = calls.select_arguments(fun, args, argnums, "jacfwd")
        leaves, in_tree = tree.tree_flatten(chosen)
        for leaf in leaves:
            derivative_checks.check_argument(
                "jacfwd", avals_lib.get_aval(leaf), holomorphic, False
            )

        def push(*directions):
            tangents = tree.tree_unflatten(in_tree, directions)
            return differentiate.jvp(
                lambda *xs: chosen_fun(*xs, **kwargs), chosen, tangents, has_aux=has_aux
            )

        value, tangents, *aux = vectorize.vmap(
            push, out_axes=(None, -1, None) if has_aux else (None, -1)
        )(*basis(leaves))
        if holomorphic:
            for leaf in tree.tree_leaves(value):
                _check_output("jacfwd", avals_lib.get_aval(leaf), holomorphic)
        tangents = tree.tree_map(_without_float0, tangents, value)

        def row(stacked):
            pieces = cut(stacked, leaves, len(stacked.shape) - 1)
            return _first_unless_sequence(argnums, tree.tree_unflatten(in_tree, pieces))

        jacobian = tree.tree_map(row, tangents)
        return (jacobian, *aux) if has_aux else jacobian

    return jacobian_of


@traceback_filter.hides_frames
def jacrev(
    fun: Callable,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
) -> Callable:
    """The Jacobian of `fun`, row by row, in reverse mode.

    Cheaper than `jacfwd` where there are fewer outputs than inputs.

    Args:
        fun: the function of trees of arrays.
        argnums: the positional arguments to differentiate in.
        has_aux: whether `fun` returns a pair whose second part is not differentiated.
        holomorphic: whether `fun` is complex and to be differentiated as such.
        allow_int: whether integer arguments are allowed; derivatives in them are zero.

    Returns:
        A function that returns a tree like the result, whose leaves are trees like the
        arguments; a leaf has the shape of the result followed by that of the argument.

    Raises:
        TypeError: `fun` is no function, or an argument has no derivative. ValueError:
            there are fewer arguments than `argnums` says.

    Examples:
        >>> jax.jacrev(jnp.sum)(jnp.array([1.0, 3.0]))
        Array([1., 1.], dtype=float32)
    """
    calls.check_callable(fun, "jacrev")

    @util.wraps(fun, doc=_DOC)
    @traceback_filter.api_boundary
    def jacobian_of(*args, **kwargs):
        chosen_fun, chosen = calls.select_arguments(fun, args, argnums, "jacrev")
        for leaf in tree.tree_leaves(chosen):
            derivative_checks.check_argument(
                "jacrev", avals_lib.get_aval(leaf), holomorphic, allow_int
            )
        out = differentiate.vjp(
            lambda *xs: chosen_fun(*xs, **kwargs), *chosen, has_aux=has_aux
        )
        value, back = out[0], out[1]
        leaves, out_tree = tree.tree_flatten(value)
        for leaf in leaves:
            _check_output("jacrev", avals_lib.get_aval(leaf), holomorphic)
        if not leaves:
            return (value, out[2]) if has_aux else value

        def pull(*cotangents):
            return back(tree.tree_unflatten(out_tree, cotangents))

        stacked = vectorize.vmap(pull)(*basis(leaves))
        stacked = tree.tree_map(_without_float0, stacked, chosen)
        columns, in_tree = tree.tree_flatten(_first_unless_sequence(argnums, stacked))
        per_input = [cut(column, leaves, 0) for column in columns]
        rows = [
            tree.tree_unflatten(in_tree, row) for row in zip(*per_input, strict=True)
        ]
        jacobian = tree.tree_unflatten(out_tree, rows)
        return (jacobian, out[2]) if has_aux else jacobian

    return jacobian_of


def _check_output(name, aval, holomorphic):
    if dtypes.is_extended(aval.dtype):
        raise TypeError(f"{name}: results of dtype {aval.dtype} have no derivative.")
    kind = aval.dtype.kind
    if holomorphic and kind != "c":
        raise TypeError(
            f"{name} with holomorphic=True requires outputs with complex dtype, but got "
            f"{aval.dtype.name}."
        )
    if not holomorphic and (kind in "buic" or aval.dtype == scalars.float0):
        raise derivative_checks.no_real_results(name, aval.dtype)


@traceback_filter.hides_frames
def hessian(
    fun: Callable,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Callable:
    """The matrix of second derivatives of `fun`: forward mode over reverse mode.

    Args:
        fun: the function of trees of arrays.
        argnums: the positional arguments to differentiate in.
        has_aux: whether `fun` returns a pair whose second part is not differentiated.
        holomorphic: whether `fun` is complex and to be differentiated as such.

    Returns:
        A function that returns a tree like the result, of trees like the arguments, of
        trees like the arguments.

    Raises:
        TypeError: `fun` is no function, or an argument has no derivative. ValueError:
            there are fewer arguments than `argnums` says.

    Examples:
        >>> jax.hessian(lambda x: jnp.sum(x ** 3))(jnp.array([1.0, 2.0]))
        Array([[ 6.,  0.],
               [ 0., 12.]], dtype=float32)
    """
    return jacfwd(
        jacrev(fun, argnums, has_aux=has_aux, holomorphic=holomorphic),
        argnums,
        has_aux=has_aux,
        holomorphic=holomorphic,
    )
