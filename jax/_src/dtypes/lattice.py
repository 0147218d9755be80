"""The promotion lattice: which dtype holds two others.

The nodes are the dtypes and three weak types, written as the Python classes
``int``, ``float`` and ``complex``: the types of scalars that adapt to their
company. An edge leads to a type that may stand in for the first; the result of
a promotion is the least node that all operands reach.
"""

from __future__ import annotations

import functools as ft
from collections.abc import Hashable, Iterable

import numpy as np

from jax._src.dtypes import known

Node = Hashable


class TypePromotionError(ValueError):
    """No dtype holds all the operands' dtypes without a conversion in the program."""

    __module__ = "jax.dtypes"


def _standard_edges() -> dict[Node, tuple[Node, ...]]:
    d = np.dtype
    small = known.small_integer_dtypes
    edges: dict[Node, tuple[Node, ...]] = {
        d("bool"): (int,),
        d("uint8"): (d("int16"), d("uint16")),
        d("uint16"): (d("int32"), d("uint32")),
        d("uint32"): (d("int64"), d("uint64")),
        d("uint64"): (float,),
        d("int8"): (d("int16"),),
        d("int16"): (d("int32"),),
        d("int32"): (d("int64"),),
        d("int64"): (float,),
        int: (d("uint8"), d("int8"), *small),
        float: (complex, d(known.bfloat16), d("float16"), *known.small_float_dtypes),
        complex: (d("complex64"),),
        d(known.bfloat16): (d("float32"),),
        d("float16"): (d("float32"),),
        d("float32"): (d("float64"), d("complex64")),
        d("float64"): (d("complex128"),),
        d("complex64"): (d("complex128"),),
        d("complex128"): (),
    }
    edges.update({dtype: () for dtype in small + known.small_float_dtypes})
    return edges


def _strict_edges() -> dict[Node, tuple[Node, ...]]:
    edges: dict[Node, tuple[Node, ...]] = {
        int: (float, *known.integer_dtypes),
        float: (complex, *known.floating_dtypes),
        complex: known.complex_dtypes,
    }
    edges.update({dtype: () for dtype in known.array_dtypes})
    return edges


def _reachable(edges: dict[Node, tuple[Node, ...]]) -> dict[Node, frozenset[Node]]:
    """For each node, the set of nodes it may be replaced by, itself included."""
    reached: dict[Node, frozenset[Node]] = {}

    def visit(node: Node) -> frozenset[Node]:
        if node not in reached:
            reached[node] = frozenset({node}).union(*map(visit, edges[node]))
        return reached[node]

    for node in edges:
        visit(node)
    return reached


_UPPER_BOUNDS = {
    False: _reachable(_standard_edges()),
    True: _reachable(_strict_edges()),
}


@ft.lru_cache(maxsize=4096)
def least_upper_bound(strict: bool, nodes: frozenset[Node]) -> Node:
    """The least node that holds all `nodes`; TypePromotionError where there is none."""
    upper_bounds = _UPPER_BOUNDS[strict]
    unknown = [node for node in nodes if node not in upper_bounds]
    if unknown:
        raise ValueError(
            f"dtype={unknown[0]!s} is not a valid dtype for JAX type promotion."
        )
    common = frozenset.intersection(*(upper_bounds[node] for node in nodes))
    for node in common:
        if upper_bounds[node] == common:
            return node
    raise TypePromotionError(_failure(strict, nodes))


def _failure(strict: bool, nodes: Iterable[Node]) -> str:
    named = ", ".join(sorted(repr(_node_name(node)) for node in nodes))
    message = f"Input dtypes ({named}) have no available implicit dtype promotion path"
    if strict:
        return (
            f"{message} under jax_numpy_dtype_promotion=strict.\n"
            "Convert the operands with x.astype(dtype), or set "
            "jax_numpy_dtype_promotion to 'standard'."
        )
    for dtypes, kind, wider in (
        (known.float8_dtypes, "8-bit floats", "float32"),
        (known.float6_dtypes, "6-bit floats", "float32"),
        (known.float4_dtypes, "4-bit floats", "float32"),
        (known.small_integer_dtypes, "Integers of 1, 2 and 4 bits", "int32"),
    ):
        if any(node in dtypes for node in nodes):
            return (
                f"{message}.\n{kind} are never promoted implicitly, so that no "
                "precision is gained or lost unasked.\nConvert an operand: "
                f"x.astype('{wider}')."
            )
    return f"{message}.\nConvert the operands with x.astype(dtype)."


def _node_name(node: Node) -> str:
    return f"Python {node.__name__}" if isinstance(node, type) else str(node)
