"""Where a device stands along mesh axes, or a batch element along an axis of `vmap`."""

import numpy as np

from jax._src.base import traceback_filter
from jax._src.core import state, vma
from jax._src.core.avals import ShapedArray
from jax._src.core.primitive import Trait, declare
from jax._src.lax.collectives import axes, emit as collective
from jax._src.lax.ops import emit
from jax._src.lax.ops.arithmetic import add, mul
from jax._src.lax.ops.creation import broadcasted_iota


@declare("axis_index", traits=Trait.NOT_DIFFERENTIABLE | Trait.COLLECTIVE)
class axis_index_p:
    """The position along a named axis."""

    def types(*, axis_name):
        axes.size_of(axis_name)
        return ShapedArray((), np.dtype(np.int32))

    def effects(*, axis_name):
        return axes.named_effects(axis_name)

    def sharding(*, axis_name):
        return ()

    def manual(*, axis_name):
        return vma.ManualAxisType(varying=frozenset(axes.tracked((axis_name,))))

    def batch(axis, args, dims, *, axis_name):
        if axis.name != axis_name:
            return axis_index_p.bind(axis_name=axis_name), None
        return broadcasted_iota(np.int32, (axis.size,), 0), 0

    def lower(ctx, *, axis_name):
        region = axes.region_of(ctx, "axis_index", (axis_name,))
        if region.mesh.size == 1:
            return emit.constant(0, np.dtype(np.int32))
        return region.in_all_axes(ctx, lambda: _position(region.mesh, axis_name))


def _position(mesh, name):
    """The position along one axis of a mesh, from the number of the partition."""
    axis_index = mesh.axis_names.index(name)
    minor = int(np.prod(mesh.axis_sizes[axis_index + 1 :], dtype=np.int64))
    unsigned, signed = np.dtype(np.uint32), np.dtype(np.int32)
    number = collective.partition_id()
    outer = emit.operation("divide")(number, emit.constant(minor, unsigned))
    size = emit.constant(mesh.axis_sizes[axis_index], unsigned)
    here = emit.operation("remainder")(outer, size)
    return emit.convert(here, ShapedArray((), unsigned), ShapedArray((), signed))


def axis_index(axis_name):
    """The position of the device or the batch element along a named axis, from 0.

    Args:
        axis_name: the name of an axis, or a sequence of names, of which the last one
            runs fastest.

    Returns:
        Scalar of dtype int32.

    Raises:
        NameError: no axis of that name is bound.
    """
    index = None
    for name in axes.names_of(axis_name):
        size = axes.size_of(name)
        here = state.position_along(name)
        if here is None:
            here = axis_index_p.bind(axis_name=name)
        index = here if index is None else add(mul(index, np.int32(size)), here)
    return np.int32(0) if index is None else index


def axis_size(axis_name) -> int:
    """The number of devices or batch elements along a named axis; of several axes, the product.

    Args:
        axis_name: the name of an axis, or a sequence of names.

    Raises:
        NameError: no axis of that name is bound.
    """
    return axes.size_of(axis_name)


traceback_filter.hide_frames(globals())
