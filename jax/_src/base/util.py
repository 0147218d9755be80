"""Small helpers for lists, names and functions."""

import functools as ft
import importlib
import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any


def partition_list(which: Sequence[bool], values: Sequence) -> tuple[list, list]:
    """Splits `values` into those where `which` is false, and those where it is true."""
    out: tuple[list, list] = ([], [])
    for selector, value in zip(which, values, strict=True):
        out[bool(selector)].append(value)
    return out


def merge_lists(which: Sequence[bool], if_false: Sequence, if_true: Sequence) -> list:
    """The inverse of `partition_list`."""
    false_values, true_values = iter(if_false), iter(if_true)
    return [next(true_values) if w else next(false_values) for w in which]


def safe_map(fun: Callable, *lists: Iterable) -> list:
    """`map` as a list, over sequences of one length.

    Raises:
        ValueError: the lengths differ.
    """
    return [fun(*entries) for entries in zip(*lists, strict=True)]


def safe_zip(*lists: Iterable) -> list[tuple]:
    """`zip` as a list, of sequences of one length.

    Raises:
        ValueError: the lengths differ.
    """
    return list(zip(*lists, strict=True))


def listed(values: Any) -> tuple[Any, ...] | None:
    """Returns the entries of an iterable, such as a generator or an array with one axis; None for other values."""
    if isinstance(values, (int, str)) or getattr(values, "ndim", 1) == 0:
        return None
    return tuple(values) if isinstance(values, Iterable) else None


def reusable(values: Any) -> Any:
    """Returns the entries of an iterator as a tuple, which can be read twice; other values as they are."""
    return tuple(values) if isinstance(values, Iterator) else values


def function_name(fun: Callable) -> str:
    """The name of `fun` for messages and programs; looks through partials."""
    while isinstance(fun, ft.partial):
        fun = fun.func
    name = getattr(fun, "__name__", None)
    return name if name is not None else type(fun).__name__


def function_location(fun: Callable) -> str:
    """Where `fun` is defined, as `file.py:12`, or an empty string."""
    while isinstance(fun, ft.partial):
        fun = fun.func
    while hasattr(fun, "__wrapped__"):
        fun = fun.__wrapped__
    fun = getattr(fun, "__func__", fun)
    code = getattr(fun, "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code is not None else ""


def function_source(fun: Callable) -> str:
    """The name of `fun` and where it is defined: ``"loss at model.py:12"``."""
    location = function_location(fun)
    return f"{function_name(fun)} at {location}" if location else function_name(fun)


def canonical_axis(axis: int, rank: int) -> int:
    """Counts a negative `axis` from the end; `ValueError` when it is out of range."""
    if not -rank <= axis < rank:
        raise ValueError(f"axis {axis} is out of bounds for an array of rank {rank}.")
    return axis + rank if axis < 0 else axis


def wraps(wrapped: Callable, name: str = "{fun}", doc: str | None = None) -> Callable:
    """Gives a wrapper the name, module, docstring and signature of `wrapped`.

    Args:
        wrapped: the function.
        name: the name of the wrapper, with ``{fun}`` for that of `wrapped`.
        doc: the docstring, with ``{fun}``, and ``{doc}`` for what `wrapped` says of itself;
            None: that of `wrapped`.
    """

    def decorate(fun: Callable) -> Callable:
        try:
            fun.__name__ = name.format(fun=function_name(wrapped))
            fun.__qualname__ = getattr(wrapped, "__qualname__", fun.__name__)
            fun.__module__ = getattr(wrapped, "__module__", "<unknown module>")
            own = getattr(wrapped, "__doc__", "")
            fun.__doc__ = own if doc is None else _filled(doc, fun.__name__, own)
            take_annotations(fun, wrapped)
            fun.__dict__.update(getattr(wrapped, "__dict__", {}))
            fun.__wrapped__ = wrapped
        except (AttributeError, TypeError):
            pass
        return fun

    return decorate


def take_annotations(fun: Any, wrapped: Any) -> None:
    """Gives a function the annotations of another; they may name classes that are not defined yet."""
    annotate = getattr(wrapped, "__annotate__", None)
    if annotate is not None:  # From Python 3.14 on, reading annotations evaluates them.
        fun.__annotate__ = annotate
    else:
        fun.__annotations__ = getattr(wrapped, "__annotations__", {})


def signature(fun: Callable) -> inspect.Signature:
    """Returns the signature of a function; its annotations may name classes that do not exist.

    Raises:
        TypeError, ValueError: the function has none.
    """
    try:
        return inspect.signature(fun)
    except NameError:
        # From Python 3.14 on, reading annotations evaluates them.
        form = importlib.import_module("annotationlib").Format.FORWARDREF
        return inspect.signature(fun, annotation_format=form)  # type: ignore[call-arg]


def _filled(doc, name, own):
    original = f"\n\nOriginal documentation:\n\n{own}" if own else ""
    return doc.replace("{fun}", name).replace("{doc}", original)


class WrappedSignature:
    """The signature of what an object wraps, where `inspect` does not follow `__wrapped__`."""

    def __get__(self, wrapper: Any, owner: type) -> inspect.Signature:
        wrapped = getattr(wrapper, "__wrapped__", None)
        if wrapped is None:
            raise AttributeError("__signature__")
        return signature(wrapped)


class Seen:
    """Whether this process has ever met something rare; code that handles it is skipped before."""

    __slots__ = ("yes",)

    def __init__(self) -> None:
        self.yes = False


class KeyedValue:
    """A value that is compared and hashed by a key, in parameters and keys of caches."""

    __slots__ = ("key", "value")

    def __init__(self, value: Any, key: Any):
        self.value = value
        self.key = key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KeyedValue) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return repr(self.value)


class IdentityKey:
    """A cache key that stands for one object and keeps it alive."""

    __slots__ = ("value",)

    def __init__(self, value: Any):
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IdentityKey) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)
