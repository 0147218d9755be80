"""Loops and choices."""

from collections.abc import Callable, Sequence

from jax._src.interpreters import mlir
from jax._src.lax.ops.emit.values import fill_region, hlo


def while_loop(operands: Sequence, cond: Callable, body: Callable):
    """Repeats `body` while `cond`; both take the list of what is carried."""
    types = [x.type for x in operands]
    op = hlo("while", types, operands, regions=2)
    fill_region(op.regions[0], types, lambda *args: cond(list(args)))
    fill_region(op.regions[1], types, lambda *args: body(list(args)))
    return list(op.results)


def case(index, bodies: Sequence[Callable], avals_out):
    """Runs one of several bodies, which take no arguments."""
    types = [mlir.aval_to_ir_type(aval) for aval in avals_out]
    op = hlo("case", types, [index], regions=len(bodies))
    for region, body in zip(op.regions, bodies, strict=True):
        fill_region(region, [], body)
    return list(op.results)
