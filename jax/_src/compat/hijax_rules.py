"""Rules of operations of libraries that follow from other rules of theirs, and helpers for `batch`."""

from collections.abc import Callable
from typing import Any, NamedTuple

from jax._src import tree
from jax._src.base import errors
from jax._src.core import avals as avals_lib, slots
from jax._src.interpreters import ad, batching
from jax._src.transforms import calls

_is_zero = lambda x: isinstance(x, ad.Zero)  # noqa: E731


def jvp_from_lin(self: Any, primals: Any, tangents: Any) -> tuple[Any, Any]:
    """The rule `jvp` of an operation that has `lin` and `linearized`.

    Set it in the class: ``jvp = hijax.jvp_from_lin``.
    """
    nonzero = tree.tree_map(
        lambda t: not _is_zero(t), tuple(tangents), is_leaf=_is_zero
    )
    out, residuals, *_ = self.lin(nonzero, *primals)
    return out, self.linearized(residuals, *tangents)


def _tangent_of_result(self, primals, tangents):
    """The tangent by `jvp`, with arrays in place of zeros."""
    _, tangent = self.jvp(tuple(primals), tuple(tangents))
    return tree.tree_map(ad.instantiate_zeros, tangent, is_leaf=_is_zero)


def _keep_primals(self, _nzs_in, *primals):
    return self(*primals), primals


def _tangents_of(self, nonzero, tangents):
    """All tangents, given those that are not zero."""
    rest = iter(tangents)
    flags = tree.tree_leaves(nonzero)
    whole = [
        next(rest) if flag else ad.Zero(aval.to_tangent_aval())
        for flag, aval in zip(flags, self.in_avals_flat, strict=True)
    ]
    return tree.tree_unflatten(self.in_tree, whole)


def _transposed_jvp(self, primals, ct):
    """The cotangents of the arguments: the rule `jvp`, run backwards."""
    in_avals = [aval.to_tangent_aval() for aval in self.in_avals_flat]
    varies = [not avals_lib.is_float0(aval) for aval in in_avals]

    def tangents_to_result(*live):
        given = _tangents_of(self, varies, live)
        return self.out_tree.flatten_up_to(_tangent_of_result(self, primals, given))

    live_avals = [aval for aval, v in zip(in_avals, varies, strict=True) if v]
    return _transposed(self, tangents_to_result, live_avals, varies, ct)


def _transposed_lin(self, residuals, ct):
    """The cotangents of the arguments: the rule `linearized`, run backwards."""
    in_avals = [aval.to_tangent_aval() for aval in self.in_avals_flat]
    varies = [not avals_lib.is_float0(aval) for aval in in_avals]

    def tangents_to_result(*live):
        given = _tangents_of(self, varies, live)
        out = self.linearized(residuals, *given)
        leaves = self.out_tree.flatten_up_to(out)
        return [ad.instantiate_zeros(leaf) for leaf in leaves]

    live_avals = [aval for aval, v in zip(in_avals, varies, strict=True) if v]
    return _transposed(self, tangents_to_result, live_avals, varies, ct)


def _transposed(self, fun, live_avals, varies, ct):
    closed = ad.trace_linear(fun, live_avals, calls.debug_info("transpose", fun))
    cts = [ad.instantiate_zeros(leaf) for leaf in self.out_tree.flatten_up_to(ct)]
    inputs = [ad.UndefinedPrimal(aval) for aval in live_avals]
    found = iter(ad.backward_pass(closed.jaxpr, closed.consts, inputs, cts))
    return tree.tree_unflatten(
        self.in_tree, [next(found) if v else None for v in varies]
    )


class _LinearizeFromJVP(NamedTuple):
    lin: Callable[..., Any]
    linearized: Callable[..., Any]


class _VJPFromJVP(NamedTuple):
    vjp_fwd: Callable[..., Any]
    vjp_bwd_retval: Callable[..., Any]


class _VJPFromLin(NamedTuple):
    vjp_fwd: Callable[..., Any]
    vjp_bwd_retval: Callable[..., Any]


# Of an operation that has `jvp`: ``lin, linearized = hijax.linearize_from_jvp``.
linearize_from_jvp = _LinearizeFromJVP(
    _keep_primals,
    lambda self, primals, *tangents: _tangent_of_result(self, primals, tangents),
)

# Of an operation that has `jvp`: ``vjp_fwd, vjp_bwd_retval = hijax.vjp_from_jvp``.
vjp_from_jvp = _VJPFromJVP(_keep_primals, _transposed_jvp)

# Of an operation that has `lin` and `linearized`.
vjp_from_lin = _VJPFromLin(
    lambda self, nzs_in, *primals: self.lin(nzs_in, *primals), _transposed_lin
)


def _zip_dims(args, dims):
    leaves, structure = tree.tree_flatten(args, is_leaf=_is_zero)
    return leaves, structure, structure.flatten_up_to(dims)


def bdims_at_front(axis_data: Any, args: Any, dims: Any) -> Any:
    """The arguments of the rule `batch` with their batch axes first.

    What is not batched is repeated.

    Args:
        axis_data: the mapped axis.
        args: a tree of arrays.
        dims: a tree like it of batch axes; None: not batched.
    """
    leaves, structure, of_leaves = _zip_dims(args, dims)
    moved = [
        ad.Zero(
            batching.batched_aval(
                batching.unbatched_aval(x.aval, d, axis_data.size), 0, axis_data.size
            )
        )
        if _is_zero(x)
        else batching.move_to(x, d, 0, axis_data.size)
        for x, d in zip(leaves, of_leaves, strict=True)
    ]
    return tree.tree_unflatten(structure, moved)


def unmap_avals(axis_data: Any, avals: Any, dims: Any) -> Any:
    """The types of stacked values, of a tree of the types of one.

    Args:
        axis_data: the mapped axis.
        avals: a tree of types.
        dims: a tree like it of batch axes; None: not batched.
    """
    leaves, structure = tree.tree_flatten(avals)
    stacked = [
        batching.batched_aval(aval, d, axis_data.size)
        for aval, d in zip(leaves, structure.flatten_up_to(dims), strict=True)
    ]
    return tree.tree_unflatten(structure, stacked)


def vmap_rule(
    axis_data: Any,
    f: Callable[..., Any],
    in_axes: Any,
    out_axes: Any,
    *,
    sum_match: bool = False,
) -> Callable[..., Any]:
    """The function `f` mapped along the axis of a rule `batch`.

    Args:
        axis_data: the mapped axis.
        f: a function of trees of arrays; symbolic zeros among its arguments and results
            pass through.
        in_axes: as for `jax.vmap`.
        out_axes: as for `jax.vmap`.
        sum_match: whether results that are batched where `out_axes` says None are summed.
    """

    def mapped(*args):
        leaves, structure = tree.tree_flatten(args, is_leaf=_is_zero)
        axes = tree.broadcast_prefix(
            in_axes, args, is_leaf=lambda x: x is None or _is_zero(x)
        )
        zeros = [
            ad.Zero(batching.unbatched_aval(x.aval, d, axis_data.size))
            if _is_zero(x)
            else None
            for x, d in zip(leaves, axes, strict=True)
        ]
        made: list[Any] = []

        def run(*live):
            rest = iter(live)
            whole = [next(rest) if z is None else z for z in zeros]
            out = f(*tree.tree_unflatten(structure, whole))
            outs, out_structure = tree.tree_flatten(out, is_leaf=_is_zero)
            wanted = tree.broadcast_prefix(
                out_axes, out, is_leaf=lambda x: x is None or _is_zero(x)
            )
            made[:] = [out_structure, outs, wanted]
            return [x for x in outs if not _is_zero(x)]

        pairs = [
            (x, d) for x, d, z in zip(leaves, axes, zeros, strict=True) if z is None
        ]
        values, dims = batching.batch(
            run, axis_data, *map(list, zip(*pairs, strict=True))
        )
        out_structure, outs, wanted = made
        found = iter(zip(values, dims, strict=True))
        return tree.tree_unflatten(
            out_structure,
            [
                ad.Zero(batching.batched_aval(x.aval, d, axis_data.size))
                if _is_zero(x)
                else _to_axis(*next(found), d, axis_data, sum_match)
                for x, d in zip(outs, wanted, strict=True)
            ],
        )

    return mapped


def _to_axis(value, dim, wanted, axis_data, sum_match):
    if wanted is None and dim is not None:
        if sum_match:
            return slots.sum_axis(value, dim)
        raise errors.value_error(
            f"vmap_rule: a result is batched along axis {dim}, where out_axes says None.",
            [("result", avals_lib.get_aval(value).str_short())],
            "None is for results that are the same for all batch elements.",
            "Give its axis in out_axes, or sum_match=True for the sum.",
        )
    return batching.move_to(value, dim, wanted, axis_data.size)
