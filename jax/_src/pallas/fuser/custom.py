"""Functions with rules of their own for blocks, and evaluation by these rules."""

import functools as ft
from collections.abc import Callable
from typing import Any

from jax._src.base import errors
from jax._src.transforms import inspect_programs


class custom_fusion:  # noqa: N801 (a decorator)
    """A function with rules of its own for what kernels do with it.

    Args:
        fun: the function; it is what is computed outside of kernels.
    """

    def __init__(self, fun: Callable[..., Any]):
        ft.update_wrapper(self, fun)
        self.fun = fun
        self.eval_rule: Callable | None = None
        self.pallas_impl: Callable | None = None
        self.pull_block_spec_rule: Callable | None = None
        self.push_block_spec_rule: Callable | None = None

    def def_eval_rule(self, eval_rule: Callable) -> Callable:
        """Says what is computed of blocks; returns the rule."""
        self.eval_rule = eval_rule
        return eval_rule

    def def_pallas_impl(self, pallas_impl: Callable) -> Callable:
        """Says what kernels compute; returns the function."""
        self.pallas_impl = pallas_impl
        return pallas_impl

    def def_pull_block_spec(self, pull_block_spec_rule: Callable) -> Callable:
        """Says which blocks of arguments are needed; returns the rule."""
        self.pull_block_spec_rule = pull_block_spec_rule
        return pull_block_spec_rule

    def def_push_block_spec(self, push_block_spec_rule: Callable) -> Callable:
        """Says which blocks results have; returns the rule."""
        self.push_block_spec_rule = push_block_spec_rule
        return push_block_spec_rule

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.fun(*args, **kwargs)


def evaluate(f: Callable[..., Any], *, allow_transpose: bool = True) -> Callable:
    """The function, evaluated operation by operation as in a kernel.

    Args:
        f: the function.
        allow_transpose: whether it may transpose.

    Raises:
        ValueError: the returned function, where `f` transposes and may not.
    """

    @ft.wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not allow_transpose:
            program, _ = inspect_programs.trace_call(f, args, kwargs, "fuser.evaluate")
            names = {eqn.primitive.name for eqn in program.jaxpr.eqns}
            if "transpose" in names:
                raise errors.value_error(
                    "fuser.evaluate: Transpose is not allowed.",
                    [("function", getattr(f, "__name__", repr(f)))],
                    ways="Allow it: allow_transpose=True.",
                )
        return f(*args, **kwargs)

    return call
