"""The arguments of one call of a jitted function, taken apart."""

from collections.abc import Callable
from typing import Any

from jax._src import tree
from jax._src.base import errors, util
from jax._src.core import (
    avals as avals_lib,
    reference_links,
)
from jax._src.jit import static_values
from jax._src.jit.options import JitOptions
from jax._src.transforms import calls


class Arguments:
    """The arguments of one call: traced leaves and their tree, and static values."""

    __slots__ = (
        "donated",
        "fun",
        "held",
        "in_tree",
        "key",
        "leaves",
        "names",
        "traced",
        "types",
    )

    def __init__(self, fun: Callable, opts: JitOptions, args: tuple, kwargs: dict):
        # References that the function gets as they are, instead of as inputs.
        self.held: tuple[tuple[int, Any], ...] = ()
        # The leaves that are mere types, by their numbers.
        self.types: tuple[int, ...] = ()
        count = len(args)
        if not (opts.static_argnums or opts.static_argnames):
            self.traced = (args, kwargs)
            self.leaves, self.in_tree = tree.tree_flatten(self.traced)
            self.key: tuple[Any, ...] = ()
            self.fun = fun
            self.donated = _donated(opts, count, (), self.in_tree, kwargs)
            self.names = (fun, args, kwargs, ())
            return
        _check_low_numbers(fun, opts.static_argnums, count)
        static = {n % count for n in opts.static_argnums if n < count}
        fixed_kwargs = {k: v for k, v in kwargs.items() if k in opts.static_argnames}
        dynamic = tuple(a for i, a in enumerate(args) if i not in static)
        traced_kwargs = {k: v for k, v in kwargs.items() if k not in fixed_kwargs}
        self.traced = (dynamic, traced_kwargs)
        self.leaves, self.in_tree = tree.tree_flatten(self.traced)
        fixed = tuple((i, args[i]) for i in sorted(static))
        statics = fixed + tuple(sorted(fixed_kwargs.items()))
        values = [value for _, value in statics]
        if opts.is_itself_inside:
            values = list(map(static_values.frozen, values))
        for (name, _), value in zip(statics, values, strict=True):
            _check_hashable(fun, name, value)
        # 1, 1.0 and True are equal, and must not share a program.
        self.key = tuple(
            (name, _classes(given), static_values.compared(value))
            for (name, given), value in zip(statics, values, strict=True)
        )
        self.fun = (
            _with_statics(fun, count, dict(fixed), fixed_kwargs) if statics else fun
        )
        self.donated = _donated(opts, count, static, self.in_tree, traced_kwargs)
        self.names = (fun, dynamic, traced_kwargs, static)

    def hold_references(self) -> None:
        """Gives references to the function as they are, under a transformation.

        What it does to them then concerns themselves: rules of derivatives that keep
        them find them again.
        """
        self._without(*reference_links.hold(self.leaves, "a jitted function"))

    def _without(self, leaves, held):
        """Takes leaves out that the function gets as they are."""
        if not held:
            return
        self.leaves, self.held = leaves, held
        self.key += tuple((i, util.IdentityKey(ref)) for i, ref in held)
        if self.donated:
            indices = {i for i, _ in held}
            self.donated = tuple(
                d for i, d in enumerate(self.donated) if i not in indices
            )

    def hold_objects(self) -> None:
        """Gives values of libraries that change to the function as they are."""
        self._without(*reference_links.hold_objects(self.leaves))

    def leaf_names(self) -> tuple[str, ...]:
        """What the user calls each leaf."""
        names = calls.arg_names(*self.names)
        if not self.held:
            return names
        indices = {i for i, _ in self.held}
        return tuple(name for i, name in enumerate(names) if i not in indices)

    def avals(self) -> tuple[Any, ...]:
        """The types of the leaves, of which some may be types themselves.

        Raises:
            TypeError: a leaf is no value.
            OverflowError: an integer has too many bits.
        """
        try:
            return tuple([avals_lib.get_aval(leaf) for leaf in self.leaves])
        except TypeError:
            names = calls.arg_names(*self.names)
            for leaf, name in zip(self.leaves, names, strict=False):
                if not (avals_lib.is_value(leaf) or avals_lib.describes_type(leaf)):
                    raise not_a_jit_argument(self.names[0], leaf, name) from None
            found = tuple([avals_lib.typeof(leaf) for leaf in self.leaves])
            leaves = enumerate(self.leaves)
            self.types = tuple(i for i, leaf in leaves if not avals_lib.is_value(leaf))
            return found
        except OverflowError as error:
            names = calls.arg_names(*self.names)
            for leaf, name in zip(self.leaves, names, strict=False):
                if isinstance(leaf, int) and not _fits(leaf):
                    raise OverflowError(
                        "An overflow was encountered while parsing an argument to a jitted "
                        f"computation, whose argument path is {name}. Got {type(leaf)} with "
                        f"value {leaf}.\n{error}"
                    ) from None
            raise


def _check_low_numbers(fun, numbers, count):
    for number in numbers:
        if number < -count:
            raise errors.value_error(
                "jit: static_argnums has a number from the end that no argument has.",
                [
                    ("number", str(number)),
                    ("arguments", f"{count} by position"),
                    ("function", calls.describe(fun)),
                ],
                "-1 is the last of the arguments of a call.",
            )


def _check_hashable(fun, name, value):
    try:
        hash(value)
    except TypeError:
        raise errors.value_error(
            "Non-hashable static arguments are not supported: a jitted function is "
            "compiled once per value of its static arguments.",
            [
                ("argument", str(name)),
                ("type", f"{type(value).__name__}"),
                ("function", calls.describe(fun)),
            ],
            ways="Use a tuple instead of a list, or make the argument an array.",
        ) from None


def _classes(value):
    """The class of a static value, with those of the parts of a tuple or list.

    (1,) and (1.0,) differ by it.
    """
    if type(value) in (tuple, list):
        return type(value), *map(_classes, value)
    return type(value)


def _with_statics(fun, count, fixed, fixed_kwargs):
    def dynamic(*xs, **kwargs):
        rest = iter(xs)
        full = [fixed[i] if i in fixed else next(rest) for i in range(count)]
        return fun(*full, **kwargs, **fixed_kwargs)

    dynamic.__name__ = util.function_name(fun)
    dynamic.__wrapped__ = fun
    return dynamic


def _donated(opts, count, static, in_tree, kwargs):
    """Which leaves are donated; None: no option says that any is."""
    if not opts.donate_argnums and not opts.donate_argnames:
        return None
    given = {n % count for n in opts.donate_argnums if -count <= n < count}
    is_given = [i in given for i in range(count) if i not in static]
    is_given += [name in opts.donate_argnames for name in sorted(kwargs)]
    by_position, by_name = in_tree.children()
    parts = (*by_position.children(), *by_name.children())
    flags: list[bool] = []
    for is_donated, part in zip(is_given, parts, strict=True):
        flags += [is_donated] * part.num_leaves
    return tuple(flags)


def not_a_jit_argument(fun: Callable, leaf: Any, name: str) -> TypeError:
    """The error for an argument of a traced function that is no array."""
    cause = avals_lib.not_a_value(leaf)
    return TypeError(
        f"Error interpreting argument to {calls.describe(fun)} as an abstract array. The "
        f"problematic value "
        f"is of type {type(leaf)} and was passed to the function at path {name}.\n"
        f"{cause.args[0]}"
    )


def _fits(number: int) -> bool:
    try:
        avals_lib.get_aval(number)
    except OverflowError:
        return False
    return True
