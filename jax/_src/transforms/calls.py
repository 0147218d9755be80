"""Functions of pytrees as functions of lists of values, with names for arguments and results."""

import collections
import inspect
import itertools
import types
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.base import caches, errors, records, scalars, util
from jax._src.core import avals, jaxpr, reference_links

_signatures = caches.FunctionCache("transforms.signatures")


class FlatFunction:
    """A function of pytrees, called with a list of values and returning one.

    `out_tree` is known after a call. References in `held` are no values of it: they go
    back to their positions among the leaves.
    """

    __slots__ = ("fun", "held", "in_tree", "is_leaf", "name", "out_tree")

    # Whether the trace computes the results, instead of their types alone.
    is_program = True

    def __init__(
        self, fun: Callable, in_tree: Any, name: str = "function", held: Any = ()
    ):
        # A function that says which trees in results count as leaves; None: none do.
        self.is_leaf: Any = None
        self.fun = fun
        self.held = held
        # The tree of (args, kwargs).
        self.in_tree = in_tree
        self.name = name
        self.out_tree: Any = None

    def __call__(self, *leaves: Any) -> list[Any]:
        whole = reference_links.put_back(leaves, self.held) if self.held else leaves
        args, kwargs = tree.tree_unflatten(self.in_tree, whole)
        out = self.fun(*args, **kwargs)
        outs, self.out_tree = tree.tree_flatten(out, self.is_leaf)
        if self.is_leaf is None:
            tree.remember_keys(out, self.out_tree)
        for i, out in enumerate(outs):
            if not avals.is_value(out):
                outs[i] = self.value_of(out, self._path_of(i))
            elif type(out) is reference_links.Ref:
                self._refuse_references(outs, args, kwargs)
        return outs

    def _path_of(self, number):
        """Returns the path of a leaf in the result, for messages; empty if the leaf is the whole result."""
        if self.out_tree.num_nodes == 1:
            return ""
        path = tree.keystr(tree.treedef_paths(self.out_tree)[number])
        return f" at output component {path}"

    def _refuse_references(self, outs, args, kwargs):
        names = arg_names(self.fun, args, kwargs)
        leaves = tree.tree_leaves((args, kwargs))
        is_one = tree.treedef_is_leaf(self.out_tree)
        reference_links.refuse_results(
            outs,
            f"function {describe(self.fun)} traced for {self.name}",
            () if is_one else result_paths(self.out_tree),
            list(zip(names, leaves, strict=False)),
        )

    def value_of(self, out: Any, path: str) -> Any:
        """Raises TypeError for an object that is no value; a subclass may return a value for it."""
        raise errors.type_error(
            f"function {describe(self.fun)} traced for {self.name} returned a value of "
            f"type {type(out)}{path}, which is not a valid JAX type.",
            [("value", repr(out)[:60])],
            "Results are arrays, numbers, or trees of them.",
            "Return only arrays, or use has_aux where the transformation offers it.",
        )


def _result_paths(out_tree):
    return ["result" + tree.keystr(path) for path in tree.treedef_paths(out_tree)]


def result_paths(out_tree: Any) -> tuple[str, ...]:
    """Where each result stands in the tree that a function returns."""
    if out_tree.num_leaves == 1 and out_tree.num_nodes == 1:
        return ("result",)
    return tuple(_result_paths(out_tree))


def describe(fun: Callable) -> str:
    """The name of a function and where it is defined."""
    location = util.function_location(fun)
    return (
        f"{util.function_name(fun)} at {location}"
        if location
        else util.function_name(fun)
    )


def signature_of(fun: Callable) -> inspect.Signature | None:
    """The signature of a function, or None for one that has none."""
    is_method = isinstance(fun, types.MethodType)
    # Each access makes a new method object, but the function in it is the same.
    entries = _signatures.entries(fun.__func__ if is_method else fun)
    if is_method in entries:
        return entries[is_method]
    try:
        found = util.signature(fun)
    except (TypeError, ValueError):
        found = None
    entries[is_method] = found
    return found


@records.record
class Parameters:
    """The names of the parameters of a function, by how they are passed."""

    by_position: tuple[str, ...]
    by_either: tuple[str, ...]
    by_name: tuple[str, ...]
    # The parameters that take all others of their kind; "" where there is none.
    any_position: str
    any_name: str

    @property
    def takes_any_position(self) -> bool:
        """Whether any number of arguments may be passed by position."""
        return bool(self.any_position)

    @property
    def takes_any_name(self) -> bool:
        """Whether arguments of any name may be passed by name."""
        return bool(self.any_name)

    @property
    def positional(self) -> tuple[str, ...]:
        """The names of the parameters that may be passed by position, in order."""
        return self.by_position + self.by_either

    @property
    def named(self) -> tuple[str, ...]:
        """The names of the parameters that may be passed by name."""
        return self.by_either + self.by_name


def parameters_of(fun: Callable) -> Parameters | None:
    """The parameters of a function, or None for one without a signature."""
    if isinstance(fun, types.FunctionType) and not fun.__dict__:
        # The code of a plain function has all that its signature has, and is faster to read.
        code = fun.__code__
        only, either, named = itertools.accumulate(
            (
                code.co_posonlyargcount,
                code.co_argcount - code.co_posonlyargcount,
                code.co_kwonlyargcount,
            )
        )
        names = code.co_varnames
        others = iter(names[named:])
        return Parameters(
            names[:only],
            names[only:either],
            names[either:named],
            next(others) if code.co_flags & inspect.CO_VARARGS else "",
            next(others) if code.co_flags & inspect.CO_VARKEYWORDS else "",
        )
    signature = signature_of(fun)
    if signature is None:
        return None
    kinds: dict[Any, list[str]] = collections.defaultdict(list)
    for parameter in signature.parameters.values():
        kinds[parameter.kind].append(parameter.name)
    return Parameters(
        tuple(kinds[inspect.Parameter.POSITIONAL_ONLY]),
        tuple(kinds[inspect.Parameter.POSITIONAL_OR_KEYWORD]),
        tuple(kinds[inspect.Parameter.KEYWORD_ONLY]),
        "".join(kinds[inspect.Parameter.VAR_POSITIONAL]),
        "".join(kinds[inspect.Parameter.VAR_KEYWORD]),
    )


def arg_names(
    fun: Callable, args: tuple, kwargs: dict, static: Collection[int] = ()
) -> tuple[str, ...]:
    """A name for each leaf of the arguments, such as ``x``, ``params['w']``.

    `args` lacks the static arguments, whose positions are `static`.
    """
    parameters = parameters_of(fun)
    names = list(parameters.positional) if parameters else []
    if parameters and parameters.any_position:
        count = len(args) + len(static) - len(names)
        names += [f"{parameters.any_position}[{i}]" for i in range(count)]
    names = [name for i, name in enumerate(names) if i not in static]
    out: list[str] = []
    for index, arg in enumerate(args):
        base = names[index] if index < len(names) else f"args[{index}]"
        out += leaf_names(base, arg)
    for name in sorted(kwargs):
        is_own = (
            parameters is None
            or not parameters.any_name
            or name in parameters.positional
            or name in parameters.by_name
        )
        base = name if is_own else f"{parameters.any_name}['{name}']"
        out += leaf_names(base, kwargs[name])
    return tuple(out)


def leaf_names(base: str, value: Any) -> list[str]:
    """A name for each leaf of a value that is called `base`."""
    if avals.is_value(value):
        return [base]
    return [base + tree.keystr(path) for path, _ in tree.tree_leaves_with_path(value)]


def debug_info(
    traced_for: str, fun: Callable, args: tuple = (), kwargs: dict | None = None
) -> jaxpr.DebugInfo:
    """Returns the names by which messages call a trace of `fun` with these arguments."""
    return jaxpr.DebugInfo(
        traced_for,
        util.function_source(fun),
        arg_names(fun, args, kwargs or {}),
        None,
    )


def check_callable(fun: Any, what: str) -> None:
    """Raises TypeError for an object that cannot be called.

    Raises:
        TypeError: `fun` is not callable, or is a generator function.
    """
    if not callable(fun):
        raise errors.type_error(
            f"Expected a callable value, got {str(fun)[:60]}",
            [("transformation", what), ("type", type(fun).__name__)],
            "The first argument is a function.",
            ways=f"Write {what}(f)(x), not {what}(f(x)).",
        )
    if inspect.isgeneratorfunction(fun):
        raise errors.type_error(
            f"Expected a function, got a generator function: {fun}",
            [("transformation", what), ("function", describe(fun))],
            ways="Return a list instead of yielding.",
        )


def check_values(leaves: Iterable[Any], what: str, names: Sequence[str] = ()) -> None:
    """Raises TypeError for leaves that are no values.

    Raises:
        TypeError: one is not.
    """
    for index, leaf in enumerate(leaves):
        if not avals.is_value(leaf):
            name = names[index] if index < len(names) else f"leaf {index}"
            raise avals.not_a_value(leaf, f"{what}, argument {name}")


def narrowed(leaves: Iterable[Any]) -> list[Any]:
    """Returns the leaves, those of NumPy converted to the dtype that arrays made of them have."""
    return [
        x.astype(scalars.narrow(x.dtype), copy=False)
        if isinstance(x, (np.ndarray, np.generic))
        else x
        for x in leaves
    ]


def argnums_tuple(argnums: Any, what: str) -> tuple[int, ...]:
    """The argument numbers as a tuple.

    Raises:
        TypeError: they are no integers.
    """
    is_array = getattr(argnums, "ndim", 0) > 0
    if hasattr(argnums, "__index__") and not is_array:
        return (argnums.__index__(),)
    try:
        return tuple(number.__index__() for number in argnums)
    except (AttributeError, TypeError):
        raise TypeError(
            f"{what} must be an integer or a sequence of integers, got {argnums!r}."
        ) from None


def select_arguments(
    fun: Callable, args: tuple, argnums: int | Sequence[int], what: str
) -> tuple[Callable, tuple]:
    """Splits off the arguments to differentiate in.

    Returns:
        A function of these arguments alone, and their values.

    Raises:
        TypeError: an index is beyond the positional arguments.
        ValueError: another transformation was, or an argument is named twice.
    """
    wanted = argnums_tuple(argnums, "argnums")
    count = len(args)
    for number in wanted:
        if not -count <= number < count:
            raise _too_few_arguments(fun, argnums, wanted, number, count, what)
    numbers = [n % count for n in wanted]
    if len(set(numbers)) < len(numbers):
        raise errors.value_error(
            f"{what}: an argument is listed twice.",
            [("argnums", str(argnums)), ("function", describe(fun))],
        )

    def partial(*chosen, **kwargs):
        full = list(args)
        for number, value in zip(numbers, chosen, strict=True):
            full[number] = value
        return fun(*full, **kwargs)

    return partial, tuple(args[n] for n in numbers)


def _too_few_arguments(fun, argnums, wanted, number, count, what):
    """The error of `argnums` with an argument that the caller does not pass by position."""
    if what == "grad" and number >= 0:
        kind: type[Exception] = TypeError
        text = (
            f"differentiating with respect to {argnums=} requires at least "
            f"{max(wanted) + 1} positional arguments to be passed by the caller, but got "
            f"only {count} positional arguments."
        )
    else:
        kind = ValueError
        text = (
            "Positional argument indices, e.g. for `static_argnums`, must have value "
            "greater than or equal to -len(args) and less than len(args), but got value "
            f"{number} for len(args) == {count}."
        )
    return kind(
        errors.explain(
            text,
            [("transformation", what), ("function", describe(fun))],
            ways="Pass the arguments to differentiate in by position.",
        )
    )


def has_two_results(out: Any, what: str) -> tuple[Any, Any]:
    """Checks that a function with `has_aux` returned a pair, and returns it.

    Raises:
        TypeError: it returned something else.
    """
    if not isinstance(out, tuple | list) or len(out) != 2:
        raise errors.type_error(
            "expected function with aux output to return a two-element tuple, but got "
            f"type {type(out)} with value {repr(out)[:80]}",
            [("transformation", f"{what} with has_aux=True")],
            ways="Return (value, auxiliary).",
        )
    return out[0], out[1]
