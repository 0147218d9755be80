"""Choices by the platform on which a program runs."""

from collections.abc import Callable

import numpy as np

from jax._src import tree as trees
from jax._src.base import errors, traceback_filter
from jax._src.core import avals, trace
from jax._src.core.primitive import Sample, Trait, declare
from jax._src.lax.control_flow.conditionals import group_of, switch_by_platform
from jax._src.lax.ops import emit
from jax._src.lax.ops.messages import explain, not_implemented
from jax._src.runtime.devices import backends

_SAME = {"gpu": ("cuda", "rocm")}


@declare("platform_index", traits=Trait.NOT_DIFFERENTIABLE)
class platform_index_p:
    """The number of the first group of platforms to which the compiled-for one belongs."""

    def types(*, platforms):
        return avals.ShapedArray((), np.dtype(np.int32))

    def sharding(**params):
        return ()

    def lower(ctx, *, platforms):
        here = ctx.platforms[0]
        index = group_of(here, platforms)
        if index is not None:
            return emit.constant(index, np.int32)
        raise not_implemented(
            f"lax.platform_dependent: there is nothing to run on {here}.",
            [("given for", ", ".join(p for g in platforms for p in g))],
            "Each platform needs a function, or default one.",
            "Pass default=.",
        )

    def reference(*, platforms):
        return np.int32(next(i for i, g in enumerate(platforms) if not g or "cpu" in g))

    def samples():
        return [
            Sample((), {"platforms": (("cuda", "rocm"), ("cpu",), None)}),
            Sample((), {"platforms": (("tpu",), None)}),
        ]


def platform_dependent(
    *args, default: Callable | None = None, **per_platform: Callable
):
    """Applies the function that belongs to the platform on which the program runs.

    Args:
        *args: trees of arrays, which go to the function.
        default: the function for platforms that have none of their own.
        **per_platform: functions by the name of the platform: "cpu", "cuda", "rocm",
            "gpu" for both of these, "tpu". All return the same types.

    Returns:
        What that function returns.

    Raises:
        TypeError: functions return other types.
        NotImplementedError: the platform has no function, and there is no default.

    Examples:
        >>> jax.lax.platform_dependent(1.0, cpu=jnp.sin, default=jnp.cos)
        Array(0.841471, dtype=float32, weak_type=True)
    """
    groups: list = [_SAME.get(name, (name,)) for name in per_platform]
    functions = list(per_platform.values())
    if default is not None:
        groups.append(None)
        functions.append(default)
    if not functions:
        raise errors.UnfitArgumentError(
            explain(
                "lax.platform_dependent: no function is given.",
                [],
                "One of them is chosen when it is known where the program runs.",
                "Name one per platform, such as cpu=f, or give a default.",
            )
        )
    if trace.is_evaluating() and trace.find_tracer(trees.tree_leaves(args)) is None:
        number = group_of(backends.default_device().client.platform, groups)
        if number is not None:
            return functions[number](*args)
    index = platform_index_p.bind(platforms=tuple(groups))
    return switch_by_platform(index, groups, functions, args)


traceback_filter.hide_frames(globals())
