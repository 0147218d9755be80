"""StableHLO's collectives."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src.interpreters import mlir
from jax._src.lax.ops import emit
from jax._src.lib.mlir import ir


def _attributes(groups: np.ndarray, *, by_device: bool) -> dict[str, Any]:
    # All collectives have one channel: the groups say who takes part.
    found = {
        "channel_handle": ir.Attribute.parse(
            "#stablehlo.channel_handle<handle = 1, type = 1>"
        ),
        "replica_groups": mlir.dense_int_elements(groups),
    }
    if by_device:
        found["use_global_device_ids"] = ir.UnitAttr.get()
    return found


def all_reduce(x: Any, groups: np.ndarray, combine: Callable) -> Any:
    """Every member of a group gets the elements of all, combined."""
    if groups.shape[1] == 1:
        return x
    attributes = _attributes(groups, by_device=True)
    op = emit.hlo("all_reduce", [x.type], [x], attributes, regions=1)
    scalar = emit.scalar_type(x)
    emit.fill_region(op.regions[0], [scalar, scalar], lambda a, b: [combine(a, b)])
    return op.results[0]


def all_gather(x: Any, groups: np.ndarray, axis: int) -> Any:
    """Every member of a group gets the parts of all, joined along an axis."""
    if groups.shape[1] == 1:
        return x
    shape = list(emit.shape_of(x))
    shape[axis] *= groups.shape[1]
    attributes = _attributes(groups, by_device=True)
    attributes["all_gather_dim"] = emit.int_attribute(axis)
    return emit.hlo(
        "all_gather", [emit.tensor_type(shape, x)], [x], attributes
    ).results[0]


def reduce_scatter(x: Any, groups: np.ndarray, axis: int) -> Any:
    """Every member of a group gets its part of the sum."""
    if groups.shape[1] == 1:
        return x
    shape = list(emit.shape_of(x))
    shape[axis] //= groups.shape[1]
    attributes = _attributes(groups, by_device=True)
    attributes["scatter_dimension"] = emit.int_attribute(axis)
    result = emit.tensor_type(shape, x)
    op = emit.hlo("reduce_scatter", [result], [x], attributes, regions=1)
    scalar, add = emit.scalar_type(x), emit.operation("add")
    emit.fill_region(op.regions[0], [scalar, scalar], lambda a, b: [add(a, b)])
    return op.results[0]


def all_to_all(x: Any, groups: np.ndarray, split_axis: int, concat_axis: int) -> Any:
    """Every member of a group cuts its array and gives part `j` to member `j`."""
    if groups.shape[1] == 1:
        return x
    count = groups.shape[1]
    shape = list(emit.shape_of(x))
    shape[split_axis] //= count
    shape[concat_axis] *= count
    attributes = _attributes(groups, by_device=False)
    attributes["split_dimension"] = emit.int_attribute(split_axis)
    attributes["concat_dimension"] = emit.int_attribute(concat_axis)
    attributes["split_count"] = emit.int_attribute(count)
    result = emit.tensor_type(shape, x)
    return emit.hlo("all_to_all", [result], [x], attributes).results[0]


def collective_permute(x: Any, pairs: Sequence[tuple[int, int]]) -> Any:
    """Sends arrays from partition to partition; who gets nothing has zeros."""
    attributes = _attributes(np.zeros((0, 0), np.int64), by_device=False)
    del attributes["replica_groups"]
    listed = np.array(pairs, np.int64).reshape(-1, 2)
    attributes["source_target_pairs"] = mlir.dense_int_elements(listed)
    return emit.hlo("collective_permute", [x.type], [x], attributes).results[0]


def collective_broadcast(x: Any, groups: np.ndarray) -> Any:
    """Every member of a group gets the array of the first one."""
    if groups.shape[1] == 1:
        return x
    attributes = _attributes(groups, by_device=False)
    return emit.hlo("collective_broadcast", [x.type], [x], attributes).results[0]


def partition_id() -> Any:
    """The number of the partition, a scalar of 32 bits without a sign."""
    result = ir.RankedTensorType.get([], mlir.dtype_to_ir_type(np.dtype(np.uint32)))
    return emit.hlo("partition_id", [result], [], {}).results[0]
