"""The older name of `jit`, whose options may be given by position.

What it returns runs on the mesh of a block ``with mesh:`` around the call, where `jit` asks
for `jax.set_mesh`.
"""

import functools as ft
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from jax._src.base import traceback_filter
from jax._src.core import mesh_context
from jax._src.jit import jit as jits, primitive as jit_primitive


class PjittedFunction:
    """A jitted function that runs on the mesh of a block ``with mesh:`` around the call."""

    def __init__(self, jitted: Any):
        self._jitted = jitted
        ft.update_wrapper(self, jitted, updated=())
        self.__wrapped__ = jitted.__wrapped__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with mesh_context.use_entered_mesh():
            return self._jitted(*args, **kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __reduce__(self):
        return PjittedFunction, (self._jitted,)

    def __getattr__(self, name: str) -> Any:
        if name == "_jitted":  # before it is there
            raise AttributeError(name)
        return getattr(self._jitted, name)

    def trace(self, *args: Any, **kwargs: Any) -> Any:
        """Traces the function for arguments, as `jax.jit(f).trace` does."""
        with mesh_context.use_entered_mesh():
            return self._jitted.trace(*args, **kwargs)

    def lower(self, *args: Any, **kwargs: Any) -> Any:
        """Lowers the function for arguments, as `jax.jit(f).lower` does."""
        with mesh_context.use_entered_mesh():
            return self._jitted.lower(*args, **kwargs)

    def eval_shape(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the types of the results, as `jax.jit(f).eval_shape` does."""
        with mesh_context.use_entered_mesh():
            return self._jitted.eval_shape(*args, **kwargs)


def pjit(
    fun: Callable,
    in_shardings: Any = jit_primitive.UNSPECIFIED,
    out_shardings: Any = jit_primitive.UNSPECIFIED,
    static_argnums: int | Sequence[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
    donate_argnums: int | Sequence[int] | None = None,
    donate_argnames: str | Iterable[str] | None = None,
    keep_unused: bool = False,
    device: Any = None,
    backend: str | None = None,
    inline: bool = False,
    compiler_options: dict[str, Any] | None = None,
) -> Any:
    """`jax.jit` of a function; the arguments mean the same.

    Args:
        fun: the function.
        in_shardings: the shardings of the arguments.
        out_shardings: how the results do.
        static_argnums: positions of arguments that are Python values.
        static_argnames: names of such arguments.
        donate_argnums: positions of arguments whose memory the results may take.
        donate_argnames: names of such arguments.
        keep_unused: whether arguments that are not used stay in the program.
        device: where it runs.
        backend: the platform on which it runs.
        inline: whether it becomes part of programs that call it.
        compiler_options: options of the compiler.
    """
    given = locals()
    return PjittedFunction(jits.jit(given.pop("fun"), **given))


traceback_filter.hide_frames(globals())
