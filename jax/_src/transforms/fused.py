"""Functions that a compiler shall make one kernel of: on GPUs of another runtime."""

import functools as ft
from collections.abc import Callable
from typing import Any, NoReturn

from jax._src.base import errors


def fused(*, out_spaces: Any) -> Callable[[Callable], Callable]:
    """A decorator: the function becomes one kernel, whose results lie in given memories.

    Args:
        out_spaces: a tree of memory spaces, like the result.

    Raises:
        NotImplementedError: when the function is called, as no compiler here has such
            kernels.
    """

    def decorate(f: Callable) -> Callable:
        @ft.wraps(f)
        def refuse(*args: Any, **kwargs: Any) -> NoReturn:
            raise NotImplementedError(
                errors.explain(
                    "fused: no compiler here makes one kernel of a function on request.",
                    [("function", getattr(f, "__name__", repr(f)))],
                    "CUDA alone has a rule for it.",
                    "Leave it out: jax.jit fuses what it can.",
                )
            )

        return refuse

    return decorate
