"""Over which mesh axes the results of gathers and scatters are split."""

from typing import Any

from jax._src.lax.ops import splitting

_GATHER = "Give its sharding: x.at[i].get(out_sharding=P(…))."
_SCATTER = "Give its sharding: x.at[i].set(…, out_sharding=P(…))."


def of_gather(operand, indices, numbers, slice_sizes) -> Any:
    """Offset axes as the operand, the others as the indices."""
    spec, index_entries = splitting.entries(operand), splitting.entries(indices)
    avals = (operand, indices)
    dropped = {*numbers.collapsed_slice_dims, *numbers.operand_batching_dims}
    for axis, (entry, size) in enumerate(zip(spec, slice_sizes, strict=True)):
        if axis in numbers.operand_batching_dims or entry is None:
            continue
        if size != operand.shape[axis]:
            splitting.refuse(
                "gather",
                avals,
                f"Axis {axis} of the operand is indexed, so it must not be sharded. "
                "Use `.at[...].get(out_sharding=)`.",
                _GATHER,
            )
    if index_entries and index_entries[-1] is not None:
        splitting.refuse("gather", avals, "The index vectors must be whole.", _GATHER)
    out = list(index_entries[:-1])
    for i, j in zip(
        numbers.operand_batching_dims, numbers.start_indices_batching_dims, strict=True
    ):
        if None not in (spec[i], index_entries[j]) and spec[i] != index_entries[j]:
            splitting.refuse("gather", avals, "Batch axes are split alike.", _GATHER)
        out[j] = spec[i] if index_entries[j] is None else index_entries[j]
    window = [entry for axis, entry in enumerate(spec) if axis not in dropped]
    for axis, entry in zip(numbers.offset_dims, window, strict=True):
        out.insert(axis, entry)
    return out


def of_scatter(name, operand, indices, updates, numbers) -> Any:
    """Returns the sharding of a scatter's result: its operand's, where each window is on one device."""
    avals = (operand, indices, updates)

    def fail(rule):
        splitting.refuse(
            name, avals, f"{rule} Use `.at[...].set/add(out_sharding=)`.", _SCATTER
        )

    spec, new = splitting.entries(operand), splitting.entries(updates)
    index_entries = splitting.entries(indices)
    batching = dict(
        zip(
            numbers.operand_batching_dims,
            numbers.scatter_indices_batching_dims,
            strict=True,
        )
    )
    if index_entries and index_entries[-1] is not None:
        fail("The index vectors must be whole.")
    windows = iter(numbers.update_window_dims)
    outer = [i for i in range(updates.ndim) if i not in numbers.update_window_dims]
    for axis, entry in enumerate(spec):
        if axis in batching:
            axis_index = batching[axis]
            if new[outer[axis_index]] != entry or index_entries[axis_index] not in (
                None,
                entry,
            ):
                fail("Batch axes are split alike.")
        elif axis in numbers.inserted_window_dims:
            if entry is not None:
                fail(f"Axis {axis} of the operand is indexed, so it must be whole.")
        else:
            window = next(windows)
            whole = updates.shape[window] == operand.shape[axis]
            if new[window] != entry or (entry is not None and not whole):
                fail(f"Axis {axis} and that of the updates are split alike.")
    for axis_index, axis in enumerate(outer):
        is_window = axis_index not in batching.values()
        if is_window and (
            new[axis] is not None or index_entries[axis_index] is not None
        ):
            fail("The index axes of updates must be whole.")
    return spec
