"""Functions with some arguments fixed, equal where code and arguments are."""

from collections.abc import Callable
from typing import Any


class HashablePartial:
    """A function with its first arguments and some keywords fixed, as a key of caches.

    Two are equal if their functions have the same code, also where each was made anew,
    and what is fixed is equal: a function that is defined in another one must take from
    there what it depends on as arguments.

    Args:
        f: a function written in Python.
        args: its first arguments; they have hashes.
        kwargs: further ones by name.
    """

    def __init__(self, f: Callable, *args: Any, **kwargs: Any):
        self.f = f
        self.args = args
        self.kwargs = kwargs

    def __eq__(self, other: object) -> bool:
        if type(other) is not HashablePartial:
            return NotImplemented
        return (self.f.__code__, self.args, self.kwargs) == (
            other.f.__code__,
            other.args,
            other.kwargs,
        )

    def __hash__(self) -> int:
        return hash((self.f.__code__, self.args, frozenset(self.kwargs.items())))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.f(*self.args, *args, **self.kwargs, **kwargs)
