"""Showing how arrays are sharded."""

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src.base import errors, traceback_filter
from jax._src.core import (
    effects as effects_lib,
    primitive,
    shardings as shardings_lib,
    trace,
)
from jax._src.interpreters import mlir

# Colours of cells, one after the other.
_COLOURS = (
    "#3b6fb6",
    "#d98c2b",
    "#4f9d57",
    "#b8433c",
    "#7d62a8",
    "#8a6148",
    "#c874ae",
    "#6f6f6f",
    "#a8a336",
    "#3aa3ad",
)


class InspectEffect(effects_lib.Effect):
    """The program is looked at while it is compiled."""

    def __repr__(self) -> str:
        return "InspectSharding"


inspect_effect = InspectEffect()
for _kinds in (
    effects_lib.lowerable_effects,
    effects_lib.control_flow_allowed_effects,
    effects_lib.custom_derivatives_allowed_effects,
    effects_lib.remat_allowed_effects,
    effects_lib.repeatable_effects,
):
    _kinds.add_type(InspectEffect)


@primitive.declare("inspect_sharding", multiple_results=True)
class inspect_sharding_p:
    """Calls a Python function with the sharding of a value when the program is compiled."""

    sharding = primitive.BY_TYPES

    def types(x, *, callback):
        return []

    def effects(x, *, callback):
        return {inspect_effect}

    def impl(x, *, callback):
        callback(x.sharding)
        return []

    def lower(ctx, x, *, callback):
        module = ctx.module_context
        (aval,) = ctx.avals_in

        def answer(shardings):
            callback(shardings[0])

        key = module.ask("inspect_array_sharding", [aval, aval], answer)
        if module.partition_count > 1:
            mlir.ir.Operation.create(
                "stablehlo.custom_call",
                results=[x.type],
                operands=[x],
                attributes={
                    "call_target_name": mlir.ir.StringAttr.get("InspectSharding"),
                    "has_side_effect": mlir.ir.BoolAttr.get(True),
                    "backend_config": mlir.ir.StringAttr.get(key),
                },
            )
        return []

    def jvp_all(primals, tangents, *, callback):
        return inspect_sharding_p.bind(*primals, callback=callback), []

    transpose = primitive.Unsupported("looking at a value is not linear")

    def batch(axis, args, dims, *, callback):
        return inspect_sharding_p.bind(*args, callback=callback), []

    def reference(x, *, callback):
        return []

    samples = ()


def inspect_array_sharding(
    value: Any, *, callback: Callable[[shardings_lib.Sharding], None]
) -> None:
    """Calls a function with the sharding of an array.

    In a program that is compiled the function is called when it is compiled, once for
    each program in which the value is computed.

    Args:
        value: an array, or a traced value.
        callback: gets its sharding.

    Raises:
        NotImplementedError: the compiler of a traced value's program does not report it.
        TypeError: `value` is no array on devices.
    """
    if isinstance(value, trace.Tracer):
        inspect_sharding_p.bind(value, callback=callback)
        return
    sharding = getattr(value, "sharding", None)
    if not isinstance(sharding, shardings_lib.Sharding):
        raise errors.type_error(
            "inspect_array_sharding takes an array on devices.",
            [("type", type(value).__name__)],
            ways="Put it on devices first: jax.device_put(x, sharding).",
        )
    callback(sharding)


def _cells(shape, sharding):
    """The parts of an array of rank 1 or 2: position and size, and who holds it."""
    found: dict[tuple, list[int]] = {}
    for device, index in sharding.devices_indices_map(tuple(shape)).items():
        spans = [s.indices(n)[:2] for s, n in zip(index, shape, strict=True)]
        if len(spans) == 1:
            spans.insert(0, (0, 1))
        found.setdefault(tuple(spans), []).append(device.id)
    return found


def visualize_sharding(
    shape: Sequence[int],
    sharding: shardings_lib.Sharding,
    *,
    use_color: bool = True,
    scale: float = 1.0,
    min_width: int = 9,
    max_width: int = 80,
    color_map: Any = None,
) -> None:
    """Prints which device holds which part of an array. Needs the package `rich`.

    Args:
        shape: the shape of the array, of one or two axes.
        sharding: its sharding.
        use_color: whether parts are coloured, where the output shows colours.
        scale: how much larger or smaller than usual the picture is.
        min_width: the least width of a part, in characters.
        max_width: the greatest width of the picture.
        color_map: a function from a number between 0 and 1 to a colour (red, green,
            blue, opacity), each between 0 and 1.

    Raises:
        ValueError: `rich` is not installed, or the shape has other than 1 or 2 axes.
    """
    if len(shape) not in (1, 2):
        raise errors.value_error(
            "`visualize_sharding` only works for shapes with 1 and 2 dimensions.",
            [("shape", str(tuple(shape)))],
            ways="Reshape the array, or show a slice of it.",
        )
    rich = _rich()
    parts = _cells(shape, sharding)
    rows = sorted({spans[0] for spans in parts})
    columns = sorted({spans[1] for spans in parts})
    platform = sharding.ordered_devices[0].platform.upper()
    console = rich["console"].Console(width=max_width)
    # Where there are no colours, lines separate the parts.
    use_color = use_color and console.color_system is not None
    table = rich["table"].Table(
        show_header=False,
        show_lines=not use_color,
        padding=0,
        highlight=not use_color,
        pad_edge=False,
        box=rich["box"].SQUARE if not use_color else None,
    )
    number = 0
    for row in rows:
        cells = []
        for column in columns:
            ids = ",".join(map(str, sorted(parts[row, column])))
            style = rich["style"].Style()
            if use_color:
                colour = _colour(number, len(parts), color_map)
                style = rich["style"].Style(bgcolor=colour, color="#ffffff")
            text = f"{platform} {ids}"
            width = _width(shape, column, scale, min_width, max_width)
            above, below = _around(_height(shape, row, scale), 0)
            left, right = _around(width, len(text))
            cells.append(
                rich["padding"].Padding(
                    rich["align"].Align(text, "center", vertical="middle"),
                    (above, right, below, left),
                    style=style,
                )
            )
            number += 1
        table.add_row(*cells)
    console.print(table)


# Of a square array: lines, and how many times as many characters.
_HEIGHT, _CHARACTERS_PER_LINE = 10, 2.5


def _height(shape, span, scale):
    """The lines around the text of a part, and two; an array of one axis has one line."""
    if len(shape) == 1:
        return 2
    return int(int(_HEIGHT * scale) * (span[1] - span[0]) / max(shape[0], 1))


def _width(shape, span, scale, least, greatest):
    """The characters of a part, borders included."""
    if len(shape) == 1:
        return least
    aspect = shape[1] / max(shape[0], 1)
    whole = int(_HEIGHT * scale) * aspect * _CHARACTERS_PER_LINE
    width = int(whole * (span[1] - span[0]) / max(shape[1], 1))
    return min(max(width, least), greatest)


def _around(size, content):
    """What stands before and behind a content to fill a size, less the borders."""
    rest = max(size - content - 2, 0)
    return rest // 2, rest - rest // 2


def _colour(number, count, color_map):
    if color_map is None:
        return _COLOURS[number % len(_COLOURS)]
    channels = np.asarray(color_map(number / max(count - 1, 1)))[:3]
    return "#" + "".join(f"{int(round(float(c) * 255)):02x}" for c in channels)


def _rich():
    names = ("align", "box", "console", "padding", "style", "table")
    try:
        return {name: importlib.import_module(f"rich.{name}") for name in names}
    except ImportError:
        raise errors.value_error(
            "visualize_sharding needs the package `rich`, which is not installed.",
            [],
            ways="pip install rich",
        ) from None


def visualize_array_sharding(arr: Any, **kwargs: Any) -> None:
    """Prints which device holds which part of an array.

    Args:
        arr: an array of one or two axes.
        **kwargs: the settings of `visualize_sharding`.

    Raises:
        ValueError: `rich` is not installed, or `arr` has other than 1 or 2 axes.
    """
    inspect_array_sharding(
        arr, callback=lambda s: visualize_sharding(arr.shape, s, **kwargs)
    )


traceback_filter.hide_frames(globals())
