"""Arguments of functions and transformations, as libraries that take calls apart check them."""

import inspect
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from jax._src.base import errors, util
from jax._src.core import avals


def check_callable(fun: Any) -> None:
    """Raises an error for an object that transformations do not take as a function.

    Raises:
        TypeError: it is not callable, or is a generator function.
    """
    if not callable(fun):
        raise TypeError(f"Expected a callable value, got {fun}")
    if inspect.isgeneratorfunction(fun):
        raise TypeError(f"Expected a function, got a generator function: {fun}")


def ensure_index(x: Any) -> int | tuple[int, ...]:
    """A position, or a tuple of positions."""
    try:
        return operator.index(x)
    except TypeError:
        return tuple(map(operator.index, x))


def ensure_index_tuple(x: Any) -> tuple[int, ...]:
    """A position or several, as a tuple."""
    found = ensure_index(x)
    return found if isinstance(found, tuple) else (found,)


def ensure_inbounds(
    allow_invalid: bool, num_args: int, argnums: Sequence[int]
) -> tuple[int, ...]:
    """Positions counted from the front, in the order in which they are given.

    Args:
        allow_invalid: leaves out positions that there are not.
        num_args: how many arguments there are.
        argnums: positions; negative ones count from the end.

    Raises:
        ValueError: there is no such position, and `allow_invalid` is false.
    """
    found = []
    for number in map(operator.index, argnums):
        if -num_args <= number < num_args:
            found.append(number % num_args)
        elif not allow_invalid:
            raise errors.value_error(
                "Positional argument indices, e.g. for `static_argnums`, must have "
                "value greater than or equal to -len(args) and less than len(args), "
                f"but got value {number} for len(args) == {num_args}.",
                ways="Name arguments that the call has.",
            )
    return tuple(found)


def argnums_partial2(
    f: Callable, dyn_argnums: int | Sequence[int], args: Sequence, kwargs: dict
) -> tuple[Callable, tuple]:
    """Binds all arguments of a call but some positional ones.

    Args:
        f: the function.
        dyn_argnums: the positions that stay open.
        args: the positional arguments.
        kwargs: the keyword arguments.

    Returns:
        A function of the open arguments, and their values in this call.

    Raises:
        ValueError: there is no such position.
    """
    numbers = ensure_inbounds(False, len(args), ensure_index_tuple(dyn_argnums))

    def with_rest(*open_args: Any) -> Any:
        whole = list(args)
        for number, value in zip(numbers, open_args, strict=True):
            whole[number] = value
        return f(*whole, **kwargs)

    return with_rest, tuple(args[number] for number in numbers)


def ensure_str(x: str) -> str:
    """A name.

    Raises:
        TypeError: it is no string.
    """
    if not isinstance(x, str):
        raise TypeError(f"argument is not a string: {x}")
    return x


def ensure_str_tuple(x: str | Iterable[str]) -> tuple[str, ...]:
    """A name or several, as a tuple."""
    return (x,) if isinstance(x, str) else tuple(map(ensure_str, x))


def fun_signature(fun: Callable) -> inspect.Signature | None:
    """The signature of a function, or None where Python knows none."""
    try:
        return util.signature(fun)
    except (ValueError, TypeError):
        return None


def fun_sourceinfo(fun: Callable) -> str:
    """The name of a function and its source location: ``"loss at model.py:12"``."""
    return util.function_source(fun)


def is_hashable(arg: Any) -> bool:
    """Whether a value has a hash."""
    try:
        hash(arg)
    except TypeError:
        return False
    return True


def reduction_dims(a: Any, axis: Any) -> tuple[tuple, tuple[int, ...]]:
    """The axes of a reduction, twice: with named ones, and those of the array alone.

    Args:
        a: the array.
        axis: an axis, several, or None for all.
    """
    rank = len(avals.get_aval(a).shape)
    if axis is None:
        return tuple(range(rank)), tuple(range(rank))
    axes = tuple(axis) if isinstance(axis, tuple | list) else (axis,)
    counted = tuple(
        util.canonical_axis(operator.index(x), rank) if hasattr(x, "__index__") else x
        for x in axes
    )
    if len(set(counted)) != len(counted):
        raise ValueError(f"duplicate value in 'axis': {axes}")
    return counted, tuple(x for x in counted if isinstance(x, int))
