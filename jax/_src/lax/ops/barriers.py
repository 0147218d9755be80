"""Barriers and identities that a transformation treats specially: optimization_barrier, stop_gradient, copy."""

from typing import TypeVar

from jax._src import dtypes, tree as trees
from jax._src.base import traceback_filter
from jax._src.core import avals, effects, slots
from jax._src.core.primitive import BY_TYPES, Sample, Trait, declare
from jax._src.interpreters import ad
from jax._src.lax.ops import emit, splitting
from jax._src.lax.ops.reshaping import counting
from jax._src.runtime.transfers import device_put_get

T = TypeVar("T")


@declare("optimization_barrier", multiple_results=True, traits=Trait.LINEAR)
class optimization_barrier_p:
    """Keeps the compiler from moving operations across."""

    def types(*xs):
        return list(xs)

    sharding = BY_TYPES

    def lower(ctx, *xs):
        return emit.optimization_barrier(xs)

    def jvp_all(primals, tangents):
        outs = optimization_barrier_p.bind(*primals)
        live = [t for t in tangents if type(t) is not ad.Zero]
        moved = iter(optimization_barrier_p.bind(*live) if live else [])
        return outs, [t if type(t) is ad.Zero else next(moved) for t in tangents]

    def transpose(cts, *xs):
        live = [ct for ct in cts if type(ct) is not ad.Zero]
        moved = iter(optimization_barrier_p.bind(*live) if live else [])
        return [ct if type(ct) is ad.Zero else next(moved) for ct in cts]

    def batch(axis, args, dims):
        return optimization_barrier_p.bind(*args), dims

    def reference(*xs):
        return list(xs)

    samples = [Sample((counting(2, 3), counting(2)), {})]


def optimization_barrier(operand: T, /) -> T:
    """Keeps the compiler from moving operations from one side to the other.

    Args:
        operand: a tree of arrays of any dtype.

    Returns:
        The same tree; its leaves become available together.

    Raises:
        TypeError: a leaf is no array or number.
    """
    leaves, structure = trees.tree_flatten(operand)
    return trees.tree_unflatten(structure, optimization_barrier_p.bind(*leaves))


@declare("stop_gradient", traits=Trait.NOT_DIFFERENTIABLE)
class stop_gradient_p:
    """The identity, whose derivative counts as zero."""

    def types(x):
        return x

    sharding = splitting.like_first
    sums = splitting.keeps_sums

    def impl(x):
        is_extended = dtypes.is_extended(avals.get_aval(x).dtype)
        return x if is_extended else device_put_get.put(x, None)

    def lower(ctx, x):
        return x

    def batch(axis, args, dims):
        return stop_gradient_p.bind(*args), dims[0]

    def reference(x):
        return x

    samples = [Sample((counting(2, 3),), {})]


@slots.stop_derivatives.fill
def _stop_one(x):
    return stop_gradient_p.bind(x)


def stop_gradient(x: T) -> T:
    """Returns its argument, and stops derivatives: they count as zero.

    Args:
        x: a tree of arrays of any dtype.

    Raises:
        TypeError: a leaf is no array or number.

    Examples:
        >>> jax.grad(lambda x: x * jax.lax.stop_gradient(x))(3.0)
        Array(3., dtype=float32, weak_type=True)
    """

    def stop(leaf):
        if not avals.is_value(leaf):
            raise avals.not_a_value(leaf, "lax.stop_gradient")
        return stop_gradient_p.bind(leaf)

    leaves, structure = trees.tree_flatten(x)
    return trees.tree_unflatten(structure, [stop(leaf) for leaf in leaves])


@declare("stage")
class stage_p:
    """The value itself, as a value of the current trace."""

    def types(x):
        return x

    sharding = splitting.like_first
    sums = splitting.keeps_sums

    def stage(trace, tracers, params):
        return tracers[0]

    def impl(x):
        is_extended = dtypes.is_extended(avals.get_aval(x).dtype)
        return x if is_extended else device_put_get.put(x, None)

    def lower(ctx, x):
        return x

    def jvp_all(primals, tangents):
        return stage_p.bind(*primals), tangents[0]

    def transpose(ct, x):
        return [ct]

    def batch(axis, args, dims):
        return stage_p.bind(*args), dims[0]

    def reference(x):
        return x

    samples = [Sample((counting(2, 3),), {})]


def stage(x, /):
    """The value itself, as a value of what is being traced; outside, as an array.

    Args:
        x: an array or a number.

    Raises:
        TypeError: it is neither.
    """
    if not avals.is_value(x):
        raise avals.not_a_value(x, "lax.stage")
    return stage_p.bind(x)


class DceSinkEffect(effects.Effect):
    """A value is needed, though nothing uses it."""

    def __repr__(self):
        return "DceSink"


_sink = DceSinkEffect()
for _kinds in (
    effects.lowerable_effects,
    effects.control_flow_allowed_effects,
    effects.custom_derivatives_allowed_effects,
    effects.remat_allowed_effects,
    effects.repeatable_effects,
):
    _kinds.add_type(DceSinkEffect)


@declare("dce_sink", multiple_results=True)
class dce_sink_p:
    """Keeps the operations before a value in the program."""

    def types(x, *, prevent_mlir_dce):
        return []

    sharding = BY_TYPES

    def effects(x, *, prevent_mlir_dce):
        return frozenset({_sink})

    def impl(x, *, prevent_mlir_dce):
        return []

    def lower(ctx, x, *, prevent_mlir_dce):
        return []

    def jvp_all(primals, tangents, **params):
        return dce_sink_p.bind(*primals, **params), []

    def batch(axis, args, dims, **params):
        return dce_sink_p.bind(*args, **params), []

    def reference(x, *, prevent_mlir_dce):
        return []

    samples = [Sample((counting(2, 3),), {"prevent_mlir_dce": False})]


def dce_sink(val, *, prevent_mlir_dce=False):
    """Keeps the equations that compute a value in the traced program.

    Args:
        val: a tree of arrays of any dtype.
        prevent_mlir_dce: must be False: the compiler drops what nothing uses.

    Raises:
        NotImplementedError: `prevent_mlir_dce` is true.
    """
    if prevent_mlir_dce:
        raise NotImplementedError(
            "lax.dce_sink: prevent_mlir_dce=True is not supported; the compiler drops what "
            "nothing uses. Return the value."
        )
    for leaf in trees.tree_leaves(val):
        dce_sink_p.bind(leaf, prevent_mlir_dce=False)


@declare("copy", traits=Trait.LINEAR)
class copy_p:
    """Copies an array into new memory."""

    def types(x):
        return x

    sharding = splitting.like_first
    sums = splitting.keeps_sums

    def lower(ctx, x):
        return x

    def transpose(ct, x):
        return [copy_p.bind(ct)]

    def batch(axis, args, dims):
        return copy_p.bind(*args), dims[0]

    def reference(x):
        return x.copy()

    samples = [Sample((counting(2, 3),), {})]


traceback_filter.hide_frames(globals())
