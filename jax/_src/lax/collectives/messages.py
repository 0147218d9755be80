"""Sending without receiving at once: messages between devices, ordered by tokens."""

from collections.abc import Sequence

import numpy as np

from jax._src.base import traceback_filter
from jax._src.core.avals import ShapedArray, abstract_token, get_aval
from jax._src.core.primitive import BY_TYPES, Trait, Unsupported, declare
from jax._src.core.vma import ManualAxisType
from jax._src.lax.collectives import axes, exchanging
from jax._src.lax.ops.messages import not_implemented

_ONE_SIDED = Unsupported("one half of an exchange has none; use lax.ppermute")


def _refuse(name):
    raise not_implemented(
        f"lax.{name} is not implemented on the CPU.",
        [("operation", name)],
        "Messages in two halves are for devices that have channels, such as GPUs.",
        "lax.ppermute sends and receives.",
    )


@declare("psend", traits=Trait.COLLECTIVE)
class psend_p:
    """Sends values to other devices; the result orders what follows."""

    def types(x, *, axis_name, perm):
        axes.size_of(axis_name)
        return abstract_token

    sharding = BY_TYPES

    def effects(x, *, axis_name, perm):
        return axes.named_effects(axis_name)

    jvp = (_ONE_SIDED,)
    batch = _ONE_SIDED

    def lower(ctx, x, *, axis_name, perm):
        _refuse("psend")


@declare("precv", traits=Trait.COLLECTIVE | Trait.NOT_DIFFERENTIABLE)
class precv_p:
    """Receives values from other devices, after what made its token."""

    def types(token, *, shape, dtype, axis_name, perm):
        axes.size_of(axis_name)
        return ShapedArray(shape, dtype)

    def sharding(token, *, shape, **params):
        return (None,) * len(shape)

    def effects(token, *, axis_name, **params):
        return axes.named_effects(axis_name)

    def manual(token, *, axis_name, **params):
        return ManualAxisType(varying=frozenset(axes.tracked(axis_name)))

    batch = _ONE_SIDED

    def lower(ctx, token, **params):
        _refuse("precv")


def psend(x, axis_name, perm: Sequence[tuple[int, int]]):
    """Sends the values of devices to other devices, which get them with `precv`.

    Args:
        x: array of any dtype.
        axis_name: the name of a mesh axis.
        perm: as for `ppermute`.

    Returns:
        A token.

    Raises:
        NotImplementedError: when it is compiled for a CPU.
    """
    names = axes.names_of(axis_name)
    pairs = exchanging.checked_pairs("psend", perm, axes.size_of(names))
    return psend_p.bind(
        axes.make_varying("psend", x, names), axis_name=names, perm=pairs
    )


def precv(token, out_shape, axis_name, perm: Sequence[tuple[int, int]]):
    """Receives what other devices sent with `psend`.

    Args:
        token: made by what must happen before.
        out_shape: something with the shape and dtype of the values.
        axis_name: the name of a mesh axis.
        perm: as for `ppermute`.

    Raises:
        NotImplementedError: when it is compiled for a CPU.
    """
    names = axes.names_of(axis_name)
    pairs = exchanging.checked_pairs("precv", perm, axes.size_of(names))
    like = out_shape if hasattr(out_shape, "shape") else get_aval(out_shape)
    return precv_p.bind(
        token,
        shape=tuple(like.shape),
        dtype=np.dtype(like.dtype),
        axis_name=names,
        perm=pairs,
    )


traceback_filter.hide_frames(globals())
