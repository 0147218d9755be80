"""Names for parts of programs, which profiles and compiled programs show."""

import contextlib
from collections.abc import Callable
from typing import Any, TypeVar

from jax._src.base import traceback_filter, util
from jax._src.core import state

Fun = TypeVar("Fun", bound=Callable)


@traceback_filter.hides_frames
def named_scope(name: str) -> Any:
    """Names the operations of a block, in compiled programs and in profiles.

    May be used as a decorator.

    Args:
        name: the name.

    Raises:
        TypeError: `name` is no string.
    """
    if not isinstance(name, str):
        raise TypeError(f"named_scope name argument must be a string. Got {name!r}.")
    return _NamedScope(name)


class _NamedScope(contextlib.ContextDecorator):
    """A block or a function whose operations carry a name; functions of it can be pickled."""

    def __init__(self, name: str):
        self.name = name
        self.tokens: list[Any] = []

    def __enter__(self) -> None:
        self.tokens.append(state.enter_scopes((self.name,)))

    def __exit__(self, *error: Any) -> None:
        state.leave_scopes(self.tokens.pop())

    def _recreate_cm(self) -> "_NamedScope":
        return _NamedScope(self.name)


def named_call(fun: Fun, *, name: str | None = None) -> Fun:
    """A function whose operations carry its name in programs and profiles.

    Args:
        fun: the function.
        name: the name; None: that of `fun`.

    Raises:
        TypeError: `name` is no string.
    """
    scope = util.function_name(fun) if name is None else name
    if not isinstance(scope, str):
        raise TypeError(f"named_call name must be a string, got {name!r}.")

    @util.wraps(fun)
    @traceback_filter.api_boundary
    def named(*args: Any, **kwargs: Any) -> Any:
        with state.scope(scope):
            return fun(*args, **kwargs)

    return named
