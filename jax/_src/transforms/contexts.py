"""Ways to run code differently for a while, and names for parts of programs."""

import contextlib
from collections.abc import Callable
from typing import Any

from jax._src.base import caches, options, traceback_filter, util
from jax._src.core import state, trace


def disable_jit(disable: bool = True) -> contextlib.AbstractContextManager[None]:
    """A context in which jitted functions run as plain Python, operation by operation.

    Args:
        disable: whether to do so.

    Raises:
        Nothing.
    """
    return options.disable_jit(disable)


def checking_leaks() -> contextlib.AbstractContextManager[None]:
    """A context in which a traced value that outlives its trace is an error.

    Raises:
        Nothing by itself; in the block, an exception for each value that leaks.
    """
    return options.check_tracer_leaks(True)


def ensure_compile_time_eval() -> contextlib.AbstractContextManager[None]:
    """A context in which operations on known arrays run now, even while tracing.

    Operations with a traced operand are traced as before.

    Raises:
        Nothing.

    Examples:
        >>> @jax.jit
        ... def f(x):
        ...     with jax.ensure_compile_time_eval():
        ...         n = int(jnp.ceil(jnp.log2(10.0)))
        ...     return x * n
    """
    return state.tracing(
        trace.KnownNowTrace(state.current(), "compile-time evaluation")
    )


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


def named_call(fun: Callable, *, name: str | None = None) -> Callable:
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


def clear_caches() -> None:
    """Forgets all traced and compiled programs.

    Raises:
        Nothing.
    """
    caches.clear_all()
