"""Operations on parts of sums: what their results are.

A value may be part of a sum that is still due over mesh axes (unreduced), or be the
same along axes over which its cotangents are such parts (reduced). The rules are the
same for Explicit axes, where `core.sharding_rules` asks, and for Manual ones, where
`core.varying` does; the rule `sums` of a primitive takes an `Operand` for each operand.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jax._src.base import errors, records
from jax._src.base.errors import ShardingTypeError


@records.record
class Sums:
    """The mesh axes along which a value is part of a sum, or its cotangent is."""

    unreduced: frozenset = frozenset()
    reduced: frozenset = frozenset()


NO_SUMS = Sums()
_REDUCE_FIRST = (
    "Take the sum first: jax.reshard(x, P(…)), or jax.lax.psum(x, axes) in shard_map."
)
_MAKE_REDUCED = (
    "Make the other operand reduced: jax.reshard(x, P(…, reduced={…})), or in shard_map "
    'jax.lax.pcast(x, axes, to="reduced").'
)


def along(unreduced: frozenset, reduced: frozenset) -> Sums:
    """Returns the sums along unreduced and reduced axes; `NO_SUMS` itself where there are none."""
    return Sums(unreduced, reduced) if unreduced or reduced else NO_SUMS


@records.record
class Operand:
    """An operand, as rules see it.

    Attributes:
        aval: its type.
        sums: along which axes it is part of a sum, or its cotangents are.
        differs: along which axes it is not the same.
        is_seen: whether the program has the parts before it (Manual axes) and works on
            each of them; over Explicit axes the compiler sees to it that the sum is right.
    """

    aval: Any
    sums: Sums = NO_SUMS
    differs: frozenset = frozenset()
    is_seen: bool = False


def result_of(
    primitive: Any, operands: Sequence[Operand], params: Mapping[str, Any]
) -> Sums:
    """Along which axes the results are parts of sums, or their cotangents are.

    Raises:
        ShardingTypeError: the operands are parts of different sums.
        NotImplementedError: the operation says nothing of parts of sums.
    """
    if all(one.sums is NO_SUMS for one in operands):
        return NO_SUMS
    rule = primitive.rules.get("sums")
    if rule is not None:
        return rule(*operands, **params)
    return _rule_of(primitive)(primitive.name, operands)


def _rule_of(primitive: Any) -> Callable:
    if primitive.traits.is_linear:
        return of_linear
    if primitive.traits.is_multilinear:
        return of_product
    return default_rule


def of_linear(name: str, operands: Sequence[Operand], strict: bool = False) -> Sums:
    """A linear operation of parts gives the parts of its result.

    Scalars beside arrays, and what has no derivative, take no part, unless `strict`.
    """
    known = operands
    if not strict:
        ranked = [
            one
            for one in operands
            if one.aval.shape and one.aval.dtype.kind not in "biu"
        ]
        known = ranked or [one for one in known if one.sums is not NO_SUMS]
    due = {one.sums.unreduced for one in known}
    if len(due) > 1:
        raise ShardingTypeError(
            errors.explain(
                f"{name}: one operand is unreduced while another is not.",
                _facts(operands),
                f"{name} does not allow this, as the sums would be communicated "
                "without an explicit request.",
                _REDUCE_FIRST,
            )
        )
    return Sums(due.pop(), _reduced_of(name, operands))


def of_product(name: str, operands: Sequence[Operand]) -> Sums:
    """In a product one factor may be parts of a sum, if the others are whole there."""
    due = [one for one in operands if one.sums.unreduced]
    if not due:
        return Sums(frozenset(), _reduced_of(name, operands))
    axes = due[0].sums.unreduced
    if len(due) > 1:
        raise ShardingTypeError(
            errors.explain(
                f"{name}: two operands cannot be unreduced, since {name} is bilinear.",
                _facts(operands),
                ways=_REDUCE_FIRST,
            )
        )
    # A scalar is the same on all devices, whatever its type says.
    others = [one for one in operands if one is not due[0] and one.aval.shape]
    if any(one.sums.reduced != axes for one in others):
        raise ShardingTypeError(
            errors.explain(
                f"{name}: the other operand should be reduced along the same axes on "
                "which one is unreduced.",
                _facts(operands),
                ways=_MAKE_REDUCED,
            )
        )
    return Sums(axes)


def default_rule(name: str, operands: Sequence[Operand]) -> Sums:
    """Where an operation of parts says nothing of the whole."""
    if any(one.sums.unreduced for one in operands):
        raise errors.not_implemented(
            f"The unreduced rule for {name} is not implemented.",
            _facts(operands),
            "Only linear operations of the parts of a sum give parts of their result.",
            _REDUCE_FIRST,
        )
    return Sums(frozenset(), _reduced_of(name, operands))


def _reduced_of(name: str, operands: Sequence[Operand]) -> frozenset:
    """The axes on which all operands are reduced; scalars are made so.

    Raises:
        ShardingTypeError: some operand is not, or is split over them.
    """
    axes = frozenset().union(*[one.sums.reduced for one in operands])
    if not axes:
        return axes
    for one in operands:
        if axes & one.differs:
            raise ShardingTypeError(
                errors.explain(
                    f"{name}: operands cannot be sharded on the same axes "
                    "that another one is reduced on.",
                    _facts(operands),
                    ways="Reshard the reduced operand to be sharded there, or in shard_map: "
                    'jax.lax.pcast(x, axes, to="varying").',
                )
            )
        if one.aval.shape and one.sums.reduced != axes:
            raise ShardingTypeError(
                errors.explain(
                    f"{name}: operands cannot be replicated on the same axes that "
                    "another one is reduced on.",
                    _facts(operands),
                    ways=_MAKE_REDUCED,
                )
            )
    return axes


def _facts(operands):
    return [(f"operand {i}", one.aval.str_short()) for i, one in enumerate(operands)]
