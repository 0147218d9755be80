"""Control dependencies: one operation shall run before another although no value says so.

Compilers that know the call `control_dep` take it as an order. On CPUs, whose programs run
step after step on memory of their own, an order changes nothing, and none is written.
"""

from collections.abc import Sequence
from typing import Any

from jax._src.base import traceback_filter
from jax._src.callbacks import primitives
from jax._src.core import primitive
from jax._src.ffi import lowering


def _nothing(ctx, source, target):
    return []


@primitive.declare("control_dep", multiple_results=True)
class control_dep_p:
    """Says that what computes the first operand runs before what computes the second."""

    sharding = primitive.BY_TYPES

    def types(source, target):
        return []

    def effects(source, target):
        return {primitives.io_effect}

    def impl(source, target):
        return []

    def jvp_all(primals, tangents):
        return control_dep_p.bind(*primals), []

    def transpose(cts, source, target):
        return [None, None]

    def batch(axis, args, dims):
        return control_dep_p.bind(*args), []

    def lower(ctx, source, target):
        return lowering.custom_call(
            ctx, "control_dep", (source, target), {}, has_side_effect=True
        )

    lower_platforms = {"cpu": _nothing}  # noqa: RUF012


@traceback_filter.hides_frames
def control_dep(src: Any, dst: Any) -> None:
    """Makes the operation whose result is `dst` run after the one whose result is `src`."""
    control_dep_p.bind(src, dst)


@traceback_filter.hides_frames
def schedule(ops: Sequence[Any]) -> None:
    """Makes the operations with these results run one after another, in this order."""
    for source, target in zip(ops[:-1], ops[1:], strict=True):
        control_dep(source, target)
