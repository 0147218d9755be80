"""How the arrays of a program are divided among devices, and what these send each other."""

from typing import Any

from jax._src import tree
from jax._src.base import errors

_MOST_ARRAYS = 60


def shardings_of(traced: Any, compiled: Any) -> list[dict[str, Any]]:
    """Arguments and results with the parts that each device holds; none for one device."""
    arguments = tree.tree_leaves_with_path(traced.args_info)
    results = tree.tree_leaves_with_path(traced.out_info)
    given = tree.tree_leaves(compiled.input_shardings)
    made = tree.tree_leaves(compiled.output_shardings)
    found = []
    for kind, leaves, shardings in (
        ("argument", arguments, given),
        ("result", results, made),
    ):
        for (path, leaf), sharding in zip(leaves, shardings, strict=False):
            name = kind + tree.keystr(path)
            entry = _sharding(name, tuple(leaf.shape), str(leaf.dtype), sharding)
            if entry is not None and len(found) < _MOST_ARRAYS:
                found.append(entry)
    return found


def _sharding(name, shape, dtype, sharding):
    if len(sharding.device_set) == 1:
        return None
    cells: dict[tuple, list[str]] = {}
    for device, index in sharding.devices_indices_map(shape).items():
        key = tuple((part.start, part.stop) for part in index)
        cells.setdefault(key, []).append(str(device.id))
    return {
        "name": name,
        "type": f"{dtype}[{','.join(map(str, shape))}]",
        "spec": str(getattr(sharding, "spec", "")),
        "cells": [_cell(shape, key, devices) for key, devices in cells.items()],
    }


def _cell(shape, key, devices):
    bounds = [
        (start or 0, size if stop is None else stop)
        for (start, stop), size in zip(key, shape, strict=True)
    ]
    # One dimension goes across; of two and more the first goes down, the second across.
    down = bounds[0] if len(bounds) > 1 else (0, 1)
    across = bounds[min(1, len(bounds) - 1)] if bounds else (0, 1)
    high = shape[0] if len(shape) > 1 else 1
    wide = shape[min(1, len(shape) - 1)] if shape else 1
    return {
        "index": ", ".join(f"{start}:{stop}" for start, stop in bounds),
        "devices": ",".join(devices),
        "x": across[0] / max(wide, 1),
        "w": (across[1] - across[0]) / max(wide, 1),
        "y": down[0] / max(high, 1),
        "h": (down[1] - down[0]) / max(high, 1),
    }


def collectives_of(compiled: Any) -> list[dict[str, Any]]:
    """What devices send each other in one call."""
    try:
        plan = compiled.plan()
    except (NotImplementedError, errors.JaxRuntimeError):
        return []
    return [
        {
            "kind": found.kind,
            "axes": list(found.axes),
            "bytes": found.total_bytes,
            "times": found.times,
            "line": found.line,
        }
        for found in plan.collectives
    ]
