"""Over which mesh axes the results of products and reshapes are split."""

import math
from collections.abc import Sequence
from typing import Any, NoReturn

from jax._src.base import errors
from jax._src.base.errors import ShardingTypeError
from jax._src.core import sharding_rules
from jax._src.core.avals import ShapedArray
from jax._src.core.unreduced import NO_SUMS, Operand, Sums
from jax._src.lax.ops import splitting


def of_dot(lhs, rhs, dimension_numbers, out_sharding) -> Any:
    """Batch axes of the left, free axes of the left, free axes of the right."""
    (lhs_sum, rhs_sum), (lhs_batch, rhs_batch) = dimension_numbers
    left, right = splitting.entries(lhs), splitting.entries(rhs)
    pairs = [(left[i], right[j]) for i, j in zip(lhs_sum, rhs_sum, strict=True)]
    if out_sharding is not None:
        _check_unreduced(lhs, rhs, pairs, out_sharding)
        return out_sharding
    for kind, axes in (
        ("batch", (lhs_batch, rhs_batch)),
        ("contracted", (lhs_sum, rhs_sum)),
    ):
        for i, j in zip(*axes, strict=True):
            if None not in (left[i], right[j]) and left[i] != right[j]:
                splitting.refuse(
                    "dot_general",
                    (lhs, rhs),
                    f"The {kind} axes {i} of lhs and {j} of rhs are split alike, or in "
                    "one operand alone.",
                )
    if any(one is not None and one == other for one, other in pairs):
        _refuse_ambiguous(lhs, rhs)
    out = [left[i] for i in lhs_batch]
    out += [e for i, e in enumerate(left) if i not in (*lhs_sum, *lhs_batch)]
    return out + [e for j, e in enumerate(right) if j not in (*rhs_sum, *rhs_batch)]


def _check_unreduced(lhs, rhs, pairs, out_sharding):
    unreduced = out_sharding.spec.unreduced
    if not unreduced:
        return
    summed = frozenset(name for one, _ in pairs for name in splitting.names_in(one))
    if any(one != other for one, other in pairs) or summed != unreduced:
        raise ShardingTypeError(
            errors.explain(
                "dot_general: out_sharding is unreduced on axes along which nothing is "
                "summed.",
                [
                    ("lhs", lhs.str_short()),
                    ("rhs", rhs.str_short()),
                    ("out_sharding", repr(out_sharding.spec)),
                ],
                "The unreduced axes are exactly those over which both operands' "
                "contracted axes are split.",
            )
        )


def _refuse_ambiguous(lhs, rhs) -> NoReturn:
    raise ShardingTypeError(
        errors.explain(
            "dot_general: Contracting dimensions are sharded and it is ambiguous how the "
            "output should be sharded.",
            [("lhs", lhs.str_short()), ("rhs", rhs.str_short())],
            "Each device sums over its part; then sums are added up somewhere.",
            "Say where with out_sharding=P(…): jnp.matmul, jnp.einsum and lax.dot_general "
            "have it.",
        )
    )


def sums_of_dot(lhs: Operand, rhs: Operand) -> Sums:
    """A product is no part of a sum unless `out_sharding` says so."""
    if lhs.sums.unreduced or rhs.sums.unreduced:
        splitting.refuse(
            "dot_general",
            (lhs.aval, rhs.aval),
            "Operands of dot_general cannot be unreduced.",
            "Take the sum first: jax.reshard(x, P(…)), or jax.lax.psum(x, axes) in "
            "shard_map.",
        )
    return NO_SUMS


def check_pending_sums(x: ShapedArray, axes: Sequence[int], out_sharding: Any) -> None:
    """Refuses sums left to do over mesh axes that do not split what is summed."""
    summed = {
        name for axis in axes for name in splitting.names_in(splitting.entries(x)[axis])
    }
    due = out_sharding.spec.unreduced - sharding_rules.sums_of(x).unreduced
    if not due <= summed:
        raise ShardingTypeError(
            errors.explain(
                "reduce_sum: out_sharding is unreduced on axes along which nothing is "
                "summed.",
                [
                    ("operand", x.str_short()),
                    ("axes", str(tuple(axes))),
                    ("out_sharding", repr(out_sharding.spec)),
                ],
                "Unreduced axes are among those that split the summed axes.",
            )
        )


def of_reshape(x: ShapedArray, new_sizes: Sequence[int], dimensions: Any) -> Any:
    """Sizes of 1 come and go; an axis is split, or several are merged into one."""
    spec = splitting.entries(x)
    if all(entry is None for entry in spec):
        return (None,) * len(new_sizes)
    if dimensions is not None:
        _refuse_reshape(x, new_sizes)
    if tuple(new_sizes) == x.shape:
        return spec
    old = [(n, entry) for n, entry in zip(x.shape, spec, strict=True) if n != 1]
    new = [n for n in new_sizes if n != 1]
    found = _entries_of_groups(x, old, new)
    if found is None:
        _refuse_reshape(x, new_sizes)
    rest = iter(found)
    return [None if n == 1 else next(rest) for n in new_sizes]


def _entries_of_groups(x, old, new):
    """Entries for the sizes `new`, where one axis changed into several or the reverse."""
    before = 0
    while before < min(len(old), len(new)) and old[before][0] == new[before]:
        before += 1
    after = 0
    while (
        after < min(len(old), len(new)) - before
        and old[-1 - after][0] == new[-1 - after]
    ):
        after += 1
    middle, sizes = old[before : len(old) - after], new[before : len(new) - after]
    head = [entry for _, entry in old[:before]]
    tail = [entry for _, entry in old[len(old) - after :]]
    if not middle and not sizes:
        return head + tail
    if len(middle) == 1:
        inside = _split(x, middle[0][1], sizes)
    elif len(sizes) == 1:
        inside = _merged([entry for _, entry in middle])
    else:
        inside = None
    return None if inside is None else head + inside + tail


def _split(x, entry, sizes):
    """The mesh axes of one axis dealt to several, the leftmost first."""
    mesh_sizes = x.sharding.mesh.shape
    names = list(splitting.names_in(entry))
    out = []
    for size in sizes:
        taken = []
        while names and size % mesh_sizes[names[0]] == 0 and size > 1:
            size //= mesh_sizes[names[0]]
            taken.append(names.pop(0))
        out.append(tuple(taken) or None)
        if names and size > 1:
            return None
    return None if names else out


def _merged(spec):
    """One entry for merged axes, of which only the last ones may be whole."""
    named = [entry is not None for entry in spec]
    if named != sorted(named, reverse=True):
        return None
    names = [name for entry in spec for name in splitting.names_in(entry)]
    return [tuple(names) or None]


def _refuse_reshape(x, new_sizes) -> NoReturn:
    raise ShardingTypeError(
        errors.explain(
            "reshape: it is ambiguous how the result should be sharded.",
            [("operand", x.str_short()), ("new shape", str(tuple(new_sizes)))],
            "Without out_sharding, one axis may be split into several, or several may "
            "be merged into one.",
            "Say it: jnp.reshape(x, shape, out_sharding=P(…)).",
        )
    )


def of_convolution(lhs, rhs, numbers, out) -> Any:
    """Returns the sharding of a convolution's result: that of `lhs`, if its features and the kernel are whole."""
    name = "conv_general_dilated"
    splitting.whole_along(name, lhs, [numbers.lhs_spec[1]])
    splitting.whole_along(name, rhs, range(rhs.ndim))
    spec: list = [None] * out.ndim
    for source, target in zip(numbers.lhs_spec, numbers.out_spec, strict=True):
        entry = splitting.entries(lhs)[source]
        if entry is not None and out.shape[target] % math.prod(
            [splitting.parts(lhs, entry)]
        ):
            splitting.refuse(
                name, (lhs, rhs), "The new sizes of sharded axes must divide evenly."
            )
        spec[target] = entry
    return spec
