"""What a kernel costs, as its author says it or as its operations are counted."""

import dataclasses
import json
import math
from collections.abc import Callable
from typing import Any

from jax._src import tree
from jax._src.base import errors
from jax._src.interpreters import partial_eval as pe
from jax._src.transforms import differentiate


@dataclasses.dataclass(frozen=True)
class CostEstimate:
    """What a kernel costs.

    Args:
        flops: floating-point operations.
        transcendentals: values of functions such as `exp`.
        bytes_accessed: bytes read and written.
        remote_bytes_transferred: bytes sent to other devices.

    Raises:
        ValueError: one is no integer.
    """

    flops: int
    transcendentals: int
    bytes_accessed: int
    remote_bytes_transferred: int = 0

    def __post_init__(self) -> None:
        for name, value in dataclasses.asdict(self).items():
            if not isinstance(value, int):
                raise errors.value_error(
                    "pl.CostEstimate: an entry is no integer.",
                    [(name, repr(value))],
                    "Operations and bytes are whole numbers.",
                )

    def to_json(self) -> bytes:
        """The numbers as a JSON object, encoded."""
        return json.dumps(dataclasses.asdict(self)).encode("ascii")


def scaled(cost: CostEstimate | None, factor: int) -> CostEstimate | None:
    """The cost of so many kernels like it."""
    if cost is None:
        return None
    return CostEstimate(*(value * factor for value in dataclasses.astuple(cost)))


_FLOPS = frozenset(
    "add add_any and ceil div floor max min mul neg not or round sub xor".split()
)
_TRANSCENDENTALS = frozenset(
    "acos asin atan cos cosh exp log logistic sin sinh sqrt tan tanh".split()
)


def estimate_cost(fun: Callable, *args: Any, **kwargs: Any) -> CostEstimate:
    """Counts the operations of a function.

    Args:
        fun: a function of trees of arrays.
        *args: its arguments, or types of them.
        **kwargs: options of it.

    Returns:
        An operation and element each for sums, products, comparisons and the like;
        ``2 * m * n * k`` for a matrix product; the sizes of arguments and results in bytes.

    Raises:
        TypeError: the function cannot be traced with these arguments.
    """
    leaves, in_tree = tree.tree_flatten(args)
    avals = [differentiate.shaped_aval(x) for x in leaves]

    def flat(*xs):
        return tree.tree_leaves(fun(*tree.tree_unflatten(in_tree, xs), **kwargs))

    closed = pe.trace_to_closed(flat, avals)
    flops, transcendentals = _count(closed.jaxpr)
    arrays = [*closed.in_avals, *closed.out_avals]
    return CostEstimate(flops, transcendentals, sum(map(_bytes, arrays)))


def _bytes(aval):
    return aval.size * aval.dtype.itemsize


def _count(jaxpr):
    flops = transcendentals = 0
    for eqn in jaxpr.eqns:
        own, functions = _count_equation(eqn)
        flops += own
        transcendentals += functions
    return flops, transcendentals


# Primitives that call a program once, and the parameter in which they hold it.
_CALLED = {"custom_vjp_call": "call_jaxpr", "jit": "jaxpr"}


def _count_equation(eqn):
    name = eqn.primitive.name
    if name in _CALLED:
        return _count(eqn.params[_CALLED[name]].jaxpr)
    size = sum(math.prod(v.aval.shape) for v in eqn.outvars[:1])
    if name in _FLOPS:
        return size, 0
    if name in _TRANSCENDENTALS:
        return 0, size
    if name == "integer_pow":
        y = abs(eqn.params["y"])
        return (size * (y.bit_length() - 1 + y.bit_count()) if y > 1 else 0), 0
    if name == "dot_general":
        (contracted, _), _ = eqn.params["dimension_numbers"]
        shape = eqn.invars[0].aval.shape
        return 2 * size * math.prod(shape[i] for i in contracted), 0
    return 0, 0
