"""Values that get one sharding, which the compiler chooses."""

import itertools
from typing import Any

from jax._src import tree
from jax._src.base import errors, traceback_filter
from jax._src.core import avals, primitive, slots
from jax._src.interpreters import ad, mlir
from jax._src.lib import client

_numbers = itertools.count()


@primitive.declare("shard_alike", multiple_results=True)
class shard_alike_p:
    """Returns two values, to which the compiler gives one sharding."""

    def types(x, y):
        return [x, y]

    def impl(x, y):
        if _sharding_of(x) == _sharding_of(y):
            return [x, y]
        return slots.apply_primitive(shard_alike_p, (x, y), {})

    def jvp_all(primals, tangents):
        outs = shard_alike_p.bind(*primals)
        if all(type(t) is ad.Zero for t in tangents):
            return outs, list(tangents)
        whole = [ad.instantiate_zeros(t) for t in tangents]
        return outs, shard_alike_p.bind(*whole)

    def transpose(cts, x, y):
        if any(type(ct) is ad.Zero for ct in cts):
            return list(cts)
        return shard_alike_p.bind(*cts)

    def batch(axis, args, dims):
        (x, y), (dx, dy) = args, dims
        if dx == dy:
            return shard_alike_p.bind(x, y), [dx, dy]
        # Values that are mapped along different axes have no batch elements to share.
        return [x, y], [dx, dy]

    def lower(ctx, x, y):
        module = ctx.module_context
        if module.partition_count > 1:
            mlir.group_shardings(module, (x, y), next(_numbers))
        return [x, y]

    def reference(x, y):
        return [x, y]

    samples = ()


def _sharding_of(x):
    """Returns the sharding of an array; None: it is not committed."""
    return x.sharding if isinstance(x, client.Array) and x.committed else None


def shard_alike(x: Any, y: Any) -> tuple[Any, Any]:
    """Returns two trees of one structure, whose leaves get the same shardings in pairs.

    Args:
        x: a tree of arrays of any dtype.
        y: a tree of the same structure, with leaves of the same shapes.

    Returns:
        Both. Where one is placed, so is the other.

    Raises:
        ValueError: the structures, or the shapes of two leaves, differ.
    """
    xs, structure = tree.tree_flatten(x)
    ys, other = tree.tree_flatten(y)
    if structure != other:
        raise errors.value_error(
            "shard_alike: Trees should be equal.",
            [("x", str(structure)), ("y", str(other))],
            "Leaves are paired.",
        )
    pairs = []
    for a, b in zip(xs, ys, strict=True):
        if avals.get_aval(a).shape != avals.get_aval(b).shape:
            raise errors.value_error(
                "shard_alike: The leaves shapes of `x` and `y` should match.",
                [("x", str(avals.get_aval(a))), ("y", str(avals.get_aval(b)))],
                "Arrays of one shape can be sharded alike.",
            )
        pairs.append(shard_alike_p.bind(a, b))
    return (
        tree.tree_unflatten(structure, [a for a, _ in pairs]),
        tree.tree_unflatten(structure, [b for _, b in pairs]),
    )


traceback_filter.hide_frames(globals())
