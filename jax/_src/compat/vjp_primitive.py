"""Operations of libraries as classes: one object for each set of parameters.

`VJPHiPrimitive` is what a library derives from. Its objects are called with trees of
arrays; programs hold the call as one equation, and its methods are the rules.
"""

from collections.abc import Callable, Hashable
from typing import Any

from jax._src import tree
from jax._src.base import errors, records
from jax._src.core import avals as avals_lib, effects as effects_lib, primitive, state
from jax._src.interpreters import ad, batching
from jax._src.transforms import vectorize
from jax._src.transforms.accumulators import NullAccum, ValAccum, is_accumulator


class VJPHiPrimitive:
    """An operation with rules for both directions of differentiation.

    Subclasses set in ``__init__``, before they call it here, `in_avals` (a tuple of trees of
    types, one for each argument), `out_aval` (a tree of types) and `params` (hashable
    values by name, which become attributes). They define `expand`, and what is needed of
    `vjp_fwd` with `vjp_bwd_retval`, `jvp`, `batch`.
    """

    in_avals: tuple[Any, ...]
    out_aval: Any
    params: dict[str, Hashable]
    effects: frozenset[effects_lib.Effect] = frozenset()

    def __init__(self) -> None:
        for name in ("in_avals", "out_aval", "params"):
            if not hasattr(self, name):
                raise AttributeError(
                    f"{type(self).__name__}.__init__ should set `self.{name}` before it "
                    "calls super().__init__()."
                )
        if _overrides(self, "vjp_bwd") and _overrides(self, "vjp_bwd_retval"):
            raise AttributeError(
                f"{type(self).__name__} should not define both vjp_bwd and "
                "vjp_bwd_retval: one adds cotangents, the other returns them."
            )
        self.in_avals_flat, self.in_tree = tree.tree_flatten(self.in_avals)
        self.out_avals_flat, self.out_tree = tree.tree_flatten(self.out_aval)
        vars(self).update(self.params)
        self.check(*self.in_avals)

    def check(self, *arg_tys: Any) -> None:
        """Refuses types of arguments; any are fine by default."""

    def expand(self, *args: Any) -> Any:
        """The result, computed by other operations."""
        raise _lacks(self, "expand", "to be evaluated")

    def vjp_fwd(self, nzs_in: Any, /, *args: Any) -> Any:
        """``(result, residuals)``, and perhaps which results vary; `nzs_in` says which inputs do."""
        raise _lacks(self, "vjp_fwd", "for grad support")

    def vjp_bwd(self, res: Any, outgrad: Any, /, *arg_accums: Any) -> None:
        """Adds cotangents: ``arg_accums[i].accum(ct)``, for the leaves that have one."""
        found = self.vjp_bwd_retval(res, outgrad)
        accumulators = tree.tree_leaves(arg_accums, is_leaf=is_accumulator)
        cts = self.in_tree.flatten_up_to(tuple(found))
        for accumulator, ct in zip(accumulators, cts, strict=True):
            accumulator.accum(ct)

    def vjp_bwd_retval(self, res: Any, outgrad: Any, /) -> Any:
        """The cotangents of the arguments, a tuple like them."""
        raise _lacks(self, "vjp_bwd` or `vjp_bwd_retval", "for grad support")

    def jvp(self, primals: Any, tangents: Any) -> Any:
        """``(result, tangent)``; a tangent that is zero may be an `ad.Zero`."""
        raise _lacks(self, "jvp", "for jvp support")

    def lin(self, nzs_in: Any, *primals: Any) -> Any:
        """``(result, residuals)`` for `linearized`."""
        raise _lacks(self, "lin` and `linearized", "for linearize support")

    def linearized(self, residuals: Any, *tangents: Any) -> Any:
        """The tangent of the result."""
        raise _lacks(self, "lin` and `linearized", "for linearize support")

    def transpose(self, out_ct: Any, *maybe_accums: Any) -> None:
        """Adds cotangents to those operands in which the operation is linear."""
        raise _lacks(self, "transpose", "for transpose support")

    def batch(self, axis_data: Any, args: Any, dims: Any) -> Any:
        """``(result, its batch dimension)`` of arguments whose batch dimensions are `dims`."""
        out_dim = self.batch_dim_rule(axis_data, dims)
        return VmapOf(self, axis_data, dims, out_dim)(*args), out_dim

    def batch_dim_rule(self, axis_data: Any, dims: Any, /) -> Any:
        """The batch dimension of the result, if `vmap` of the other rules shall do the rest."""
        raise _lacks(self, "batch` or `batch_dim_rule", "for vmap support")

    def dce(self, used_outs: Any) -> tuple[Any, Any, Any]:
        """What is needed for some results: which arguments, which results come, by which object.

        No object: the operation can go.
        """
        used = self.out_tree.flatten_up_to(used_outs)
        return (True, True, self) if any(used) else (False, False, None)

    def remat(self, _policy: Any, *args: Any) -> tuple[Any, Callable[..., Any]]:
        """The result now, and what computes it again: all of it by default."""
        return self(*args), self

    def staging(self, trace: Any, source_info: Any, *args: Any) -> Any:
        """What a program that is traced gets: one equation by default."""
        leaves = self.in_tree.flatten_up_to(args)
        outs = trace.add_equation(call_hi_primitive_p, leaves, {"_prim": self})
        return tree.tree_unflatten(self.out_tree, outs)

    def __call__(self, *args: Any) -> Any:
        leaves, structure = tree.tree_flatten(args)
        if structure != self.in_tree:
            raise errors.type_error(
                f"{type(self).__name__}: the arguments have another structure.",
                [
                    ("expected", str(self.in_tree)),
                    ("got", str(structure)),
                ],
                "Arguments are trees like those of the types in `in_avals`.",
            )
        outs = call_hi_primitive_p.bind(*leaves, _prim=self)
        return tree.tree_unflatten(self.out_tree, outs)

    def __repr__(self) -> str:
        return f"{type(self).__name__}[{self.params}]"

    def __hash__(self) -> int:
        return hash((type(self).__name__, tuple(self.params.items()), self.effects))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, VJPHiPrimitive)
            and type(self) is type(other)
            and (self.params, self.effects) == (other.params, other.effects)
        )


def _overrides(prim, method):
    return getattr(type(prim), method) is not getattr(VJPHiPrimitive, method)


def _lacks(prim, methods, what):
    return errors.not_implemented(
        f"{what}, subclass {type(prim)} must implement `{methods}`",
        [("operation", repr(prim))],
    )


def _flat(prim, out):
    """The leaves of a result of one of the methods."""
    return prim.out_tree.flatten_up_to(out)


@primitive.declare("call_hi_primitive", multiple_results=True)
class call_hi_primitive_p:
    """Applies the operation `_prim`, whose methods are the rules."""

    sharding = primitive.BY_TYPES

    def types(*avals, _prim):
        return list(_prim.out_avals_flat)

    def effects(*avals, _prim):
        return _prim.effects

    def high(*avals, _prim):
        return True  # `expand` may make values above arrays of arrays alone.

    def impl(*args, _prim):
        return _expanded(*args, _prim=_prim)

    def stage(trace, tracers, params):
        prim = params["_prim"]
        args = tree.tree_unflatten(prim.in_tree, tracers)
        return _flat(prim, prim.staging(trace, None, *args))

    def decompose(*args, _prim):
        return _expanded(*args, _prim=_prim)

    def jvp_all(primals, tangents, *, _prim):
        if _overrides(_prim, "vjp_fwd"):
            return _with_backward_rule(_prim, primals, tangents)
        args = tree.tree_unflatten(_prim.in_tree, primals)
        moved = tree.tree_unflatten(_prim.in_tree, tangents)
        if _overrides(_prim, "lin") and not _overrides(_prim, "jvp"):
            nonzero = _nonzero(_prim, tangents)
            out, residuals, *_ = _prim.lin(nonzero, *args)
            return _flat(_prim, out), _flat(_prim, _prim.linearized(residuals, *moved))
        if not _overrides(_prim, "jvp"):
            raise _lacks(_prim, "vjp_fwd` or `jvp", "for grad support or jvp support")
        out, tangent = _prim.jvp(args, moved)
        return _flat(_prim, out), _flat(_prim, tangent)

    def transpose(cts, *operands, _prim):
        accumulators = [
            ValAccum(x.aval.to_cotangent_aval()) if ad.is_undefined_primal(x) else x
            for x in operands
        ]
        given = tree.tree_unflatten(_prim.in_tree, accumulators)
        _prim.transpose(tree.tree_unflatten(_prim.out_tree, cts), *given)
        return [_total(a) for a in accumulators]

    def batch(axis, args, dims, *, _prim):
        whole = tree.tree_unflatten(_prim.in_tree, args)
        residual_dims = tree.tree_unflatten(_prim.in_tree, dims)
        out, out_dims = _prim.batch(axis, whole, residual_dims)
        return _flat(_prim, out), _flat(_prim, out_dims)

    def dce(used_outputs, eqn):
        prim = eqn.params["_prim"]
        wanted = tree.tree_unflatten(prim.out_tree, used_outputs)
        used, made, smaller = prim.dce(wanted)
        if smaller is None:
            return [False] * len(eqn.invars), None
        used = tree.broadcast_prefix(used, prim.in_avals)
        made = tree.broadcast_prefix(made, prim.out_aval)
        return used, eqn.replace(
            invars=[v for v, u in zip(eqn.invars, used, strict=True) if u],
            outvars=[v for v, m in zip(eqn.outvars, made, strict=True) if m],
            params={"_prim": smaller},
        )


def _expanded(*args, _prim):
    return _flat(_prim, _prim.expand(*tree.tree_unflatten(_prim.in_tree, args)))


def _nonzero(prim, tangents):
    flags = [type(t) is not ad.Zero for t in tangents]
    return tree.tree_unflatten(prim.in_tree, flags)


def _total(accumulator):
    """What was added to an operand's accumulator; None where it has none, and for nothing."""
    if not isinstance(accumulator, ValAccum):
        return None
    total = accumulator.freeze()
    return None if isinstance(total, ad.Zero) else total


def _with_backward_rule(prim, primals, tangents):
    """Results by the forward rule, and tangents that can be transposed by the other one."""
    flags = tuple(type(t) is not ad.Zero for t in tangents)
    args = tree.tree_unflatten(prim.in_tree, primals)
    out, residuals, *more = prim.vjp_fwd(_nonzero(prim, tangents), *args)
    outs = _flat(prim, out)
    kept, structure = tree.tree_flatten(residuals)
    live = [t for t, n in zip(tangents, flags, strict=True) if n]
    moved = hi_tangents_p.bind(
        *kept, *primals, *live, _prim=prim, structure=structure, nonzero=flags
    )
    varies = tree.broadcast_prefix(more[0], out) if more else [True] * len(outs)
    return outs, [
        t if v else ad.Zero(avals_lib.get_aval(o).to_tangent_aval())
        for o, t, v in zip(outs, moved, varies, strict=True)
    ]


def _operand_groups(operands, prim, structure):
    """Residuals, arguments and tangents."""
    count = structure.num_leaves
    stop = count + len(prim.in_avals_flat)
    return operands[:count], operands[count:stop], operands[stop:]


@primitive.declare("call_hi_primitive_linearized", multiple_results=True)
class hi_tangents_p:
    """The derivative of an operation with a backward rule, as a linear map of tangents."""

    sharding = primitive.BY_TYPES

    def types(*avals, _prim, **params):
        return [aval.to_tangent_aval() for aval in _prim.out_avals_flat]

    def high(*avals, **params):
        return True

    def impl(*operands, **params):
        return _tangents(*operands, **params)

    def decompose(*operands, **params):
        return _tangents(*operands, **params)

    def jvp_all(primals, tangents, **params):
        return ad.jvp(lambda *xs: _tangents(*xs, **params), primals, tangents)

    def batch(axis, args, dims, **params):
        outs, out_dims = batching.batch(
            lambda *xs: _tangents(*xs, **params), axis, args, dims
        )
        return outs, out_dims

    def transpose(cts, *operands, _prim, structure, nonzero):
        prim = _prim
        kept, _, _ = _operand_groups(operands, prim, structure)
        accumulators = [
            (ValAccum if n else NullAccum)(aval.to_cotangent_aval())
            for n, aval in zip(nonzero, prim.in_avals_flat, strict=True)
        ]
        residuals = tree.tree_unflatten(structure, kept)
        given = tree.tree_unflatten(prim.in_tree, accumulators)
        prim.vjp_bwd(residuals, tree.tree_unflatten(prim.out_tree, cts), *given)
        live = [_total(a) for a, n in zip(accumulators, nonzero, strict=True) if n]
        return [None] * (len(operands) - len(live)) + live


def _tangents(*operands, _prim, structure, nonzero):
    """The tangents of the results where they are wanted at once: by a forward rule."""
    prim = _prim
    _, primals, live = _operand_groups(operands, prim, structure)
    moved = iter(live)
    tangents = [
        next(moved) if n else ad.Zero(aval.to_tangent_aval())
        for n, aval in zip(nonzero, prim.in_avals_flat, strict=True)
    ]
    args = tree.tree_unflatten(prim.in_tree, primals)
    given = tree.tree_unflatten(prim.in_tree, tangents)
    if _overrides(prim, "lin") and not _overrides(prim, "jvp"):
        flags = tree.tree_unflatten(prim.in_tree, nonzero)
        _, residuals, *_ = prim.lin(flags, *args)
        out = prim.linearized(residuals, *given)
    else:
        _, out = prim.jvp(args, given)
    return [ad.instantiate_zeros(t) for t in _flat(prim, out)]


@tree.register_static
@records.record
class _ResidualDims:
    """Residuals of batch elements: their tree, and the batch dimension of each leaf."""

    structure: Any
    dims: tuple[Any, ...]


class VmapOf(VJPHiPrimitive):
    """An operation on batch elements, whose rules are those of the operation on one, mapped."""

    prim: VJPHiPrimitive
    axis_data: Any
    in_dims: Any
    out_dim: Any

    def __init__(
        self, prim: VJPHiPrimitive, axis_data: Any, in_dims: Any, out_dim: Any
    ):
        def stacked(avals, structure, dims):
            flat_dims = structure.flatten_up_to(dims)
            rows = [
                batching.batched_aval(aval, d, axis_data.size)
                for aval, d in zip(avals, flat_dims, strict=True)
            ]
            return tree.tree_unflatten(structure, rows)

        self.in_avals = stacked(prim.in_avals_flat, prim.in_tree, in_dims)
        self.out_aval = stacked(prim.out_avals_flat, prim.out_tree, out_dim)
        self.params = {
            "prim": prim,
            "axis_data": axis_data,
            "in_dims": in_dims,
            "out_dim": out_dim,
        }
        super().__init__()

    def _mapped(self, fun, in_axes, out_axes):
        return vectorize.vmap(
            fun,
            in_axes=in_axes,
            out_axes=out_axes,
            axis_size=self.axis_data.size,
            axis_name=self.axis_data.name,
            spmd_axis_name=self.axis_data.spmd_name,
        )

    def expand(self, *args: Any) -> Any:
        return self._mapped(self.prim.expand, self.in_dims, self.out_dim)(*args)

    def jvp(self, primals: Any, tangents: Any) -> Any:
        live = tree.tree_map(ad.instantiate_zeros, tangents)
        dims = (self.in_dims, self.in_dims)
        return self._mapped(self.prim.jvp, dims, (self.out_dim, self.out_dim))(
            primals, live
        )

    def vjp_fwd(self, nzs_in: Any, /, *args: Any) -> Any:
        varies: list[Any] = []
        residual_dims: list[_ResidualDims] = []

        def forward(*row):
            out, residuals, *more = self.prim.vjp_fwd(nzs_in, *row)
            varies[:] = more
            leaves, structure = tree.tree_flatten(residuals)
            pairs = [state.current().split(x) for x in leaves]
            residual_dims[:] = [
                _ResidualDims(structure, tuple(dim for _, dim in pairs))
            ]
            return out, [value for value, _ in pairs]

        mapped = self._mapped(forward, self.in_dims, (self.out_dim, None))
        out, kept = mapped(*args)
        return (out, (kept, *residual_dims), *varies)

    def vjp_bwd_retval(self, res: Any, outgrad: Any, /) -> Any:
        kept, at = res
        cts = [ad.instantiate_zeros(ct) for ct in self.out_tree.flatten_up_to(outgrad)]
        whole = tree.tree_unflatten(self.out_tree, cts)
        dims = self.in_tree.flatten_up_to(self.in_dims)
        shared = [d is None for d in dims]
        argument_dims = tree.tree_unflatten(
            self.in_tree, [0 if d is None else d for d in dims]
        )

        def backward(residuals, ct):
            found = self.in_tree.flatten_up_to(self.prim.vjp_bwd_retval(residuals, ct))
            filled = [
                ad.instantiate_zeros(ad.Zero(aval) if x is None else x)
                for x, aval in zip(found, self.prim.in_avals_flat, strict=True)
            ]
            return tree.tree_unflatten(self.in_tree, filled)

        residual_dims = tree.tree_unflatten(at.structure, at.dims)
        mapped = self._mapped(backward, (residual_dims, self.out_dim), argument_dims)
        residuals = tree.tree_unflatten(at.structure, kept)
        found = self.in_tree.flatten_up_to(mapped(residuals, whole))
        # An argument that all batch elements share gets the sum of their cotangents.
        summed = [x.sum(0) if s else x for x, s in zip(found, shared, strict=True)]
        return tree.tree_unflatten(self.in_tree, summed)

    def batch_dim_rule(self, axis_data: Any, dims: Any, /) -> Any:
        def without(d, inner):
            return d if d is None or inner is None else d - (inner < d)

        def around(d, inner):
            return d if d is None or inner is None else d + (inner <= d)

        outer = self.in_tree.flatten_up_to(dims)
        inner = self.in_tree.flatten_up_to(self.in_dims)
        own = self.out_tree.flatten_up_to(self.out_dim)
        if any(isinstance(d, avals_lib.MappingSpec) for d in (*outer, *inner, *own)):
            raise _lacks(self.prim, "batch", "for vmap of vmap of values above arrays")
        rows = [without(d, i) for d, i in zip(outer, inner, strict=True)]
        out = self.prim.batch_dim_rule(
            axis_data, tree.tree_unflatten(self.in_tree, rows)
        )
        found = self.out_tree.flatten_up_to(out)
        result_dims = [around(d, i) for d, i in zip(found, own, strict=True)]
        return tree.tree_unflatten(self.out_tree, result_dims)
