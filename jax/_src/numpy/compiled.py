"""The decorator under which functions of `jax.numpy` become one native call each.

Called eagerly they are looked up and run by the native cache; inside another trace
their operations appear one by one, as if there were no decorator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jax._src.transforms import calls, jit as jit_module


def jit(
    fun: Callable,
    *,
    static_argnums: Sequence[int] = (),
    static_argnames: Sequence[str] = (),
) -> Callable:
    """Compiles `fun`; names of static arguments that it lacks are left out."""
    return _compiled(fun, static_argnums, static_argnames, inline=True)


def jit_as_call(
    fun: Callable,
    *,
    static_argnums: Sequence[int] = (),
    static_argnames: Sequence[str] = (),
) -> Callable:
    """The same for longer functions: one call inside other traces too."""
    return _compiled(fun, static_argnums, static_argnames, inline=False)


def _compiled(fun, static_argnums, static_argnames, inline):
    parameters = calls.parameters_of(fun)
    assert parameters is not None
    names = tuple(name for name in static_argnames if name in parameters.named)
    return jit_module.jit(
        fun, static_argnums=tuple(static_argnums), static_argnames=names, inline=inline
    )
