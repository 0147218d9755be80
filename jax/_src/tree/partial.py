"""A partial application that is a pytree: functions that carry arrays."""

import functools as ft
from collections.abc import Callable
from typing import Any

from jax._src.tree.registry import register_pytree_node


class _Whole:
    """Hides a partial, so that functools does not merge it into another one."""

    __slots__ = ("fun",)

    def __init__(self, fun: Callable):
        self.fun = fun

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.fun(*args, **kwargs)

    def __hash__(self) -> int:
        return hash(self.fun)

    def __eq__(self, other: object) -> bool:
        return self.fun == (other.fun if isinstance(other, _Whole) else other)

    def __repr__(self) -> str:
        return repr(self.fun)


class Partial(ft.partial):
    """``functools.partial`` as a pytree: the bound arguments are its children.

    The function is part of the structure. So a partial application of a function can
    be an argument or a result of a transformed function.

    Args:
        func: the function. If it is itself a ``functools.partial``, what it binds is
            structure, not data.
        *args: the first positional arguments.
        **kw: keyword arguments.

    Raises:
        TypeError: `func` is not callable.

    Examples:
        >>> add_one = jax.tree_util.Partial(operator.add, 1)
        >>> jax.tree.leaves(add_one)
        [1]
        >>> add_one(2)
        3
    """

    def __new__(cls, func: Callable, *args: Any, **kw: Any) -> "Partial":
        if isinstance(func, ft.partial):
            func = _Whole(func)
        return super().__new__(cls, func, *args, **kw)


Partial.__module__ = "jax.tree_util"

register_pytree_node(
    Partial,
    lambda partial: ((partial.args, partial.keywords), partial.func),
    lambda func, children: Partial(func, *children[0], **children[1]),
)
