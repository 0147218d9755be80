"""Operations that leave values alone and tell something to a transformation."""

from jax._src import tree as trees
from jax._src.core import avals
from jax._src.core.primitive import Sample, Trait, declare
from jax._src.interpreters import ad
from jax._src.lax.ops import emit
from jax._src.lax.ops.reshaping import counting


@declare("optimization_barrier", multiple_results=True, traits=Trait.LINEAR)
class optimization_barrier_p:
    """Keeps the compiler from moving operations across."""

    def types(*xs):
        return list(xs)

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


def optimization_barrier(operand, /):
    """Keeps the compiler from moving operations from one side to the other.

    Args:
        operand: a tree of arrays.

    Returns:
        The same tree; its leaves become available together.
    """
    leaves, structure = trees.tree_flatten(operand)
    return trees.tree_unflatten(structure, optimization_barrier_p.bind(*leaves))


@declare("stop_gradient", traits=Trait.NOT_DIFFERENTIABLE)
class stop_gradient_p:
    """The identity, whose derivative counts as zero."""

    def types(x):
        return x

    def lower(ctx, x):
        return x

    def batch(axis, args, dims):
        return stop_gradient_p.bind(*args), dims[0]

    def reference(x):
        return x

    samples = [Sample((counting(2, 3),), {})]


def stop_gradient(x):
    """The same values, of which derivatives count as zero.

    Args:
        x: a tree of arrays.
    """

    def stop(leaf):
        if not avals.is_value(leaf):
            raise avals.not_a_value(leaf, "lax.stop_gradient")
        return stop_gradient_p.bind(leaf)

    leaves, structure = trees.tree_flatten(x)
    return trees.tree_unflatten(structure, [stop(leaf) for leaf in leaves])


@declare("copy", traits=Trait.LINEAR)
class copy_p:
    """The same values in new memory."""

    def types(x):
        return x

    def lower(ctx, x):
        return x

    def transpose(ct, x):
        return [copy_p.bind(ct)]

    def batch(axis, args, dims):
        return copy_p.bind(*args), dims[0]

    def reference(x):
        return x.copy()

    samples = [Sample((counting(2, 3),), {})]
