"""What the docstrings of functions that act on each element say of arrays.

A function's own docstring says what it computes; the decorators here add its arguments,
its result and its errors, in one form for all.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TypeVar

_F = TypeVar("_F", bound=Callable)

NO_ARRAY = "`{x}` is no array or number"
COMMON = "their common dtype"
NO_COMPLEX = f"{NO_ARRAY}. ValueError: it is complex"


def of_one(takes: str, gives: str, refuses: str = NO_ARRAY) -> Callable[[_F], _F]:
    """Completes the docstring of a function of one array.

    Args:
        takes: the elements of the array.
        gives: those of the result.
        refuses: when a TypeError is raised; ``{x}`` stands for the argument.
    """

    def decorate(function: _F) -> _F:
        (x,) = _arguments(function, 1)
        return _completed(
            function,
            [f"{x}: array of {takes}, of any shape."],
            f"Array of {gives}, of the shape of `{x}`.",
            [f"TypeError: {refuses.format(x=x)}."],
        )

    return decorate


def of_two(takes: str, gives: str = COMMON, *others: str) -> Callable[[_F], _F]:
    """Completes the docstring of a function of two arrays that broadcast.

    Args:
        takes: the elements of the arrays.
        gives: those of the result.
        others: lines for further errors.
    """

    def decorate(function: _F) -> _F:
        x, y = _arguments(function, 2)
        shapes = (
            "TypeError: no array or number. TypeError or ValueError: shapes do not "
            "broadcast."
        )
        return _completed(
            function,
            [f"{x}: array of {takes}.", f"{y}: array that broadcasts with `{x}`."],
            f"Array of the shape of both, of {gives}.",
            [shapes, *others],
        )

    return decorate


def _arguments(function, count):
    return function.__code__.co_varnames[:count]


def _completed(function, takes, gives, raises):
    if function.__doc__ is None:  # `python -OO` leaves docstrings out.
        return function
    parts = [inspect.cleandoc(function.__doc__)]
    for name, lines in (("Args", takes), ("Returns", [gives]), ("Raises", raises)):
        parts.append("\n    ".join([f"{name}:", *lines]))
    function.__doc__ = "\n\n".join(parts)
    return function
