"""Residuals of `vjp` functions that are arguments: callers may take them out and put them back."""

from collections.abc import Sequence
from typing import Any

from jax._src import tree
from jax._src.base import errors, records
from jax._src.core import avals


class NotNeeded:
    """Stands for an argument that a derivative does not read."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "NotNeeded()"

    def __eq__(self, other: object) -> bool:
        return type(other) is NotNeeded

    def __hash__(self) -> int:
        return hash(NotNeeded)


tree.register_pytree_node(NotNeeded, lambda _: ((), None), lambda *_: NotNeeded())


def sources_of(consts: Sequence[Any], leaves: Sequence[Any]) -> tuple[int | None, ...]:
    """For each constant of a linear program the leaf of the arguments that it is, if any.

    An array that is several leaves counts as none of them: one constant stands for all.
    """
    numbers: dict[int, int | None] = {}
    for number, leaf in enumerate(leaves):
        numbers[id(leaf)] = None if id(leaf) in numbers else number
    return tuple(numbers.get(id(const)) for const in consts)


def arguments(
    args_tree: Any, sources: Sequence[int | None], consts: Sequence[Any]
) -> list[Any]:
    """For each positional argument its tree, with `NotNeeded` for leaves that are not read.

    Args:
        args_tree: the tree of the arguments.
        sources: which leaf each constant is.
        consts: the constants; None for one that was taken out.
    """
    leaves: list[Any] = [NotNeeded()] * args_tree.num_leaves
    for source, const in zip(sources, consts, strict=True):
        if source is not None:
            leaves[source] = const
    return list(tree.tree_unflatten(args_tree, leaves))


def with_arguments(
    args_tree: Any,
    sources: Sequence[int | None],
    constvars: Sequence[Any],
    consts: Sequence[Any],
    given: Sequence[Any],
) -> list[Any]:
    """The constants, those that are arguments taken from what the caller put there.

    Args:
        args_tree: the tree of the arguments.
        sources: which leaf each constant is.
        constvars: the variables of the constants.
        consts: the constants.
        given: for each positional argument a tree of arrays, `NotNeeded` or None.
    """
    leaves: list[Any] = []
    for own, arg in zip(tree.treedef_children(args_tree), given, strict=False):
        found = tree.tree_leaves(arg, is_leaf=_is_absent)
        leaves += found if len(found) == own.num_leaves else [None] * own.num_leaves
    values = []
    for source, var, const in zip(sources, constvars, consts, strict=True):
        if source is None:
            values.append(const)
            continue
        value = leaves[source] if source < len(leaves) else None
        if not _is_absent(value):
            _check(value, var.aval, source, args_tree)
        values.append(None if _is_absent(value) else value)
    return values


def _is_absent(x):
    return x is None or type(x) is NotNeeded


def _name(source, args_tree):
    return "args_res" + tree.keystr(tree.treedef_paths(args_tree)[source])


def _check(value, aval, source, args_tree):
    """Refuses an array that is not of the type of the argument.

    Raises:
        TypeError: it is another type, or no array.
    """
    found = avals.get_aval(value) if avals.is_value(value) else None
    if found is None or (found.shape, found.dtype) != (aval.shape, aval.dtype):
        given = type(value).__name__ if found is None else found.str_short()
        raise errors.type_error(
            f"jax.vjp: {_name(source, args_tree)} is not the argument's type.",
            [("argument", aval.str_short()), ("given", given)],
            "A residual that is an argument is replaced by an array like it.",
        )


def check_complete(
    args_tree: Any, sources: Sequence[int | None], consts: Sequence[Any]
) -> None:
    """Refuses to go on while residuals are taken out.

    Raises:
        ValueError: one is.
    """
    for source, const in zip(sources, consts, strict=True):
        if const is None:
            name = "a residual" if source is None else _name(source, args_tree)
            raise errors.value_error(
                f"jax.vjp: {name} was taken out, and the derivative needs it.",
                rule="Residuals that are arguments may be dropped between calls.",
                ways="Put it back before the call: vjp_function.args_res[0] = x.",
            )


@records.record
class GradValue:
    """Asks that the cotangent of an argument be returned."""


@records.record
class DontWant:
    """Says that the cotangent of an argument is not needed."""


@records.record
class GradRef:
    """Stands where a cotangent would: it was added to a reference. An empty tree."""


@records.record
class DidntWant:
    """Stands where a cotangent would that was not wanted. An empty tree."""


for _answer in (GradRef, DidntWant):
    tree.register_pytree_node(
        _answer, lambda _: ((), None), lambda _, __, kind=_answer: kind()
    )
