"""Custom calls in place of operations that StableHLO has for known sizes only."""

from collections.abc import Sequence
from typing import Any

from jax._src.export.refining import results
from jax._src.interpreters import mlir

ir = mlir.ir


def build(
    op: Any,
    target: str,
    items: Sequence[Any],
    shapes: Sequence[Any],
    known: Sequence[Any],
    writer: Any,
) -> list[Any] | None:
    """Writes the operation that such a call stands for; None where sizes are not known."""
    make = _BY_TARGET.get(target)
    return None if make is None else make(op, items, shapes, known, writer)


def _numbers(array):
    return [int(n) for n in array.reshape(-1)]


def _reduce_window(op, items, shapes, known, writer):
    """Operands, their initial values, then five vectors: window, strides, ..., padding."""
    count = len(op.results)
    vectors = known[2 * count :]
    if len(vectors) != 5 or any(v is None for v in vectors):
        return None
    window, strides, base, reach, padding = map(_numbers, vectors)
    rows = [padding[2 * i : 2 * i + 2] for i in range(len(padding) // 2)]
    steps = zip(shapes[0], window, strides, rows, base, reach, strict=True)
    shape = [
        results.windowed(n, size, step, *pads, b, r)
        for n, size, step, pads, b, r in steps
    ]
    text = ", ".join(f"[{low}, {high}]" for low, high in rows)
    attributes = {
        "window_dimensions": mlir.dense_int_array(window),
        "window_strides": mlir.dense_int_array(strides),
        "base_dilations": mlir.dense_int_array(base),
        "window_dilations": mlir.dense_int_array(reach),
        "padding": ir.Attribute.parse(f"dense<[{text}]> : tensor<{len(rows)}x2xi64>"),
    }
    element = lambda item: ir.RankedTensorType(item.type).element_type  # noqa: E731
    kinds = [ir.RankedTensorType.get(shape, element(x)) for x in items[:count]]
    made = ir.Operation.create(
        "stablehlo.reduce_window",
        results=kinds,
        operands=[item.value() for item in items[: 2 * count]],
        attributes=attributes,
        regions=1,
    )
    scalars = [ir.RankedTensorType.get([], element(x)) for x in items[:count]]
    block = made.regions[0].blocks.append(*scalars, *scalars)
    (name,) = [reference.value for reference in op.attributes["called_computations"]]
    with ir.InsertionPoint(block):
        outs = writer.inline(name, list(block.arguments))
        ir.Operation.create("stablehlo.return", operands=outs)
    return [writer.item(result) for result in made.results]


def _top_k(op, items, shapes, known, writer):
    if known[1] is None:
        return None
    size = int(known[1].reshape(()))
    shape = [*shapes[0][:-1], size]
    kinds = [
        ir.RankedTensorType.get(shape, ir.RankedTensorType(r.type).element_type)
        for r in op.results
    ]
    attribute = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), size)
    made = ir.Operation.create(
        "chlo.top_k",
        results=kinds,
        operands=[items[0].value()],
        attributes={"k": attribute},
    )
    return [writer.item(result) for result in made.results]


def _bits(op, items, shapes, known, writer):
    if known[1] is None:
        return None
    state = items[0].value()
    element = ir.RankedTensorType(op.results[1].type).element_type
    made = ir.Operation.create(
        "stablehlo.rng_bit_generator",
        results=[state.type, ir.RankedTensorType.get(_numbers(known[1]), element)],
        operands=[state],
        attributes={"rng_algorithm": op.attributes["rng_algorithm"]},
    )
    return [writer.item(result) for result in made.results]


_BY_TARGET = {
    "stablehlo.dynamic_reduce_window": _reduce_window,
    "stablehlo.dynamic_top_k": _top_k,
    "stablehlo.dynamic_rng_bit_generator": _bits,
}
