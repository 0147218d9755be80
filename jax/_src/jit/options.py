"""The options of `jit`, in one form."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.base import errors, records
from jax._src.core import (
    partition_spec,
    shardings as shardings_lib,
)
from jax._src.jit import inlining, primitive as jit_primitive
from jax._src.runtime.arrays import layouts
from jax._src.transforms import calls


@records.record
class JitOptions:
    """The arguments of `jit`, in one form."""

    static_argnums: tuple[int, ...] = ()
    static_argnames: tuple[str, ...] = ()
    donate_argnums: tuple[int, ...] = ()
    donate_argnames: tuple[str, ...] = ()
    keep_unused: bool = False
    inline: Any = inlining.DEFAULT
    in_shardings: Any = jit_primitive.UNSPECIFIED
    out_shardings: Any = jit_primitive.UNSPECIFIED
    device: Any = None
    backend: str | None = None
    compiler_options: tuple[tuple[str, Any], ...] = ()
    # Whether the function itself is called inside of a trace; see `jit_outermost`.
    is_itself_inside: bool = False


def _numbers(argnums, what):
    return () if argnums is None else calls.argnums_tuple(argnums, what)


def _names(argnames, what):
    if argnames is None:
        return ()
    if isinstance(argnames, str):
        return (argnames,)
    names = tuple(argnames)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{what} must be strings, got {name!r}.")
    return names


def _complete(fun, numbers, names, what):
    """Adds the names that belong to numbers, and the numbers that belong to names."""
    parameters = calls.parameters_of(fun) if numbers or names else None
    if parameters is None:
        return numbers, names
    positional, named = parameters.positional, parameters.named
    is_open = parameters.takes_any_position
    for number in numbers:
        if not is_open and not -len(positional) <= number < len(positional):
            raise errors.value_error(
                f"Jitted function has {what}argnums={tuple(numbers)}, but only accepts "
                f"{len(positional)} positional arguments.",
                [("function", calls.describe(fun))],
            )
    known = positional + parameters.by_name
    for name in names:
        if name not in known and not parameters.takes_any_name:
            raise errors.value_error(
                f"Jitted function has invalid argnames {{{name!r}}} in {what}argnames. "
                "Function does not take these args.",
                [
                    ("function", calls.describe(fun)),
                    ("parameters", ", ".join(known) or "none"),
                ],
            )
        if name in parameters.by_position:
            raise errors.value_error(
                f"jit: {what}argnames has {name!r}, which is passed by position only.",
                [("function", calls.describe(fun))],
                ways=f"Give its position in {what}argnums.",
            )
    if names and not numbers:
        numbers = tuple(positional.index(n) for n in names if n in positional)
    elif numbers and not names:
        by_name = [
            positional[n]
            for n in numbers
            if -len(positional) <= n < len(positional) and positional[n] in named
        ]
        names = tuple(by_name)
    return numbers, names


def make_options(
    fun: Callable,
    *,
    static_argnums: int | Sequence[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
    donate_argnums: int | Sequence[int] | None = None,
    donate_argnames: str | Iterable[str] | None = None,
    compiler_options: dict[str, Any] | None = None,
    inline: Any = False,
    **others: Any,
) -> JitOptions:
    """The options of `jit`, checked against the signature of the function.

    Raises:
        ValueError: an argument is named that does not exist, or is static and donated.
        TypeError: a sharding is none.
    """
    others["inline"] = inlining.parameter(inline)
    static = _complete(
        fun,
        _numbers(static_argnums, "static_argnums"),
        _names(static_argnames, "static_argnames"),
        "static_",
    )
    donated = _complete(
        fun,
        _numbers(donate_argnums, "donate_argnums"),
        _names(donate_argnames, "donate_argnames"),
        "donate_",
    )
    both = set(static[0]) & set(donated[0]) or set(static[1]) & set(donated[1])
    if both:
        raise errors.value_error(
            "static_argnames and donate_argnames cannot intersect.",
            [
                ("both", ", ".join(map(str, sorted(both)))),
                ("function", calls.describe(fun)),
            ],
            "Static arguments are no arrays: there is nothing to donate.",
        )
    for name in ("in_shardings", "out_shardings"):
        if name not in others:
            continue
        check_shardings(f"jit: {name}", others[name])
        others[name] = _frozen(others[name])
    items = compiler_items(compiler_options)
    return JitOptions(*static, *donated, compiler_options=items, **others)


@records.record
class ShardingTree:
    """A tree of shardings, hashable whatever its nodes are."""

    structure: Any
    leaves: tuple[Any, ...]

    @property
    def tree(self) -> Any:
        """The tree as it was given."""
        return tree.tree_unflatten(self.structure, self.leaves)


SHARDING_LEAVES = (
    shardings_lib.Sharding,
    partition_spec.PartitionSpec,
    layouts.Format,
    jit_primitive.Unspecified,
)


def is_sharding_leaf(x: Any) -> bool:
    """Whether something is a leaf in a tree of shardings."""
    return x is None or isinstance(x, SHARDING_LEAVES)


def _frozen(shardings):
    if is_sharding_leaf(shardings):
        return shardings
    leaves, structure = tree.tree_flatten(shardings, is_leaf=is_sharding_leaf)
    return ShardingTree(structure, tuple(leaves))


def check_shardings(what: str, shardings: Any) -> None:
    """Refuses trees with leaves that are no shardings.

    Raises:
        TypeError: a leaf is no sharding.
        NotImplementedError: a leaf asks for an order that arrays cannot have.
    """
    for leaf in tree.tree_leaves(shardings, is_leaf=is_sharding_leaf):
        if not is_sharding_leaf(leaf):
            raise errors.type_error(
                f"{what.removeprefix('jit: ')} leaf specifications are expected to be "
                f"PartitionSpec instances or None, but got {leaf}.",
                [("type", type(leaf).__name__)],
                "Its leaves are shardings, PartitionSpecs or None.",
                "On one device: jax.sharding.SingleDeviceSharding(device).",
            )
        if isinstance(leaf, layouts.Format):
            leaf.check()


def as_given(shardings: Any) -> Any:
    """A tree of shardings as the user gave it."""
    return shardings.tree if isinstance(shardings, ShardingTree) else shardings


def compiler_items(given: Mapping[str, Any] | None) -> tuple[tuple[str, Any], ...]:
    """Options for the compiler, sorted by name; which there are, the compiler knows.

    Raises:
        TypeError: they are no dict of names and booleans, numbers or strings.
    """
    if not isinstance(given or {}, Mapping):
        raise errors.type_error(
            "compiler_options must be a dict.",
            [("got", type(given).__name__)],
            ways='Write compiler_options={"name": value}.',
        )
    found = {}
    for name, value in (given or {}).items():
        plain = value.item() if isinstance(value, np.generic) else value
        if not isinstance(name, str) or not isinstance(plain, bool | int | float | str):
            raise errors.type_error(
                "An option for the compiler is not of a type that options have.",
                [("name", repr(name)), ("value", f"a {type(value).__name__}")],
                "Names are strings; values are booleans, numbers or strings.",
                "Leave out an option that shall have its default.",
            )
        found[name] = plain
    return tuple(sorted(found.items()))
