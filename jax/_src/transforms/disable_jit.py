"""Blocks in which tracing behaves otherwise: `disable_jit`, `checking_leaks`, `ensure_compile_time_eval`."""

import contextlib

from jax._src.base import options
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
