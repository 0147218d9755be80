"""Weights of elements, given for some axes."""

from __future__ import annotations

from typing import Any

from jax._src.base import traceback_filter
from jax._src.numpy import lax_api as lax, operands


def along_axes(name: str, a: Any, weights: Any, axis: Any) -> Any:
    """Weights of the shape of `a`, given for the axes to reduce in the order of `axis`.

    Raises:
        ValueError: they have other sizes, or no axes are named.
    """
    facts = [
        ("a", operands.type_name(a)),
        ("weights", operands.type_name(weights)),
        ("axis", str(axis)),
    ]
    rule = (
        "Weights have the shape of `a`, or its sizes along the axes that are reduced."
    )
    if axis is None:
        what = "Axis must be specified when shapes of a and weights differ."
        if name != "average":
            what = "Weights shape must match 'a' shape when axis is None."
        raise operands.value_error(name, what, facts, rule)
    axes = operands.canonical_axes(name, axis, operands.ndim(a))
    sizes = tuple(operands.shape(a)[i] for i in axes)
    if operands.shape(weights) != sizes:
        what = (
            "Shape of weights must be consistent with shape of a along specified axis."
        )
        if name != "average":
            what = f"Weights shape {operands.shape(weights)} must match reduction axes {sizes}."
        raise operands.value_error(name, what, facts, rule)
    order = sorted(range(len(axes)), key=axes.__getitem__)
    turned = lax.transpose(weights, order) if operands.ndim(weights) > 1 else weights
    return lax.broadcast_in_dim(turned, operands.shape(a), sorted(axes))


traceback_filter.hide_frames(globals())
