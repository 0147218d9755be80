"""Whatever Python asks of MLIR, the process survives: wrong requests raise."""

import itertools

import numpy as np
import pytest

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import chlo, func, stablehlo

NAMES = sorted(
    {
        value.OPERATION_NAME
        for module in (stablehlo, chlo, func)
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, ir.OpView)
        and hasattr(value, "OPERATION_NAME")
    }
)


def test_all_operations_are_tried():
    assert len(NAMES) > 150


@pytest.fixture
def values():
    """A module with values of types that fit some operations and not others."""
    with ir.Context(), ir.Location.unknown():
        texts = ("tensor<4xf32>", "tensor<i32>", "!stablehlo.token", "f32", "tuple<i1>")
        types = [ir.Type.parse(text) for text in texts]
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            main = func.FuncOp("main", (types, []))
        yield main.add_entry_block().arguments


def attributes_of_wrong_kinds():
    """Attributes under names that operations use, of kinds they do not expect."""
    wrong = [ir.StringAttr.get("x"), ir.DenseI64ArrayAttr.get([7, -1])]
    wrong.append(ir.DenseElementsAttr.get(np.arange(3)))
    names = (
        *("permutation", "dimensions", "dimension", "broadcast_dimensions", "value"),
        *("start_indices", "limit_indices", "strides", "fft_type", "fft_length"),
        *("edge_padding_low", "edge_padding_high", "interior_padding", "index"),
        *("slice_sizes", "dimension_numbers", "compare_type", "operandSegmentSizes"),
    )
    return [{}, *({name: attribute for name in names} for attribute in wrong)]


@pytest.mark.parametrize("name", NAMES)
def test_inference_from_wrong_parts_raises_or_works(name, values):
    for count in range(4):
        for operands in itertools.product(values, repeat=count):
            if count == 3 and len(set(operands)) > 2:
                continue
            for attributes in attributes_of_wrong_kinds():
                try:
                    made = ir.Operation.create(
                        name,
                        operands=operands,
                        attributes=attributes,
                        infer_type=True,
                        ip=False,
                    )
                except (ValueError, ir.MLIRError):
                    continue
                assert made.name == name


@pytest.mark.parametrize("name", NAMES)
def test_an_operation_of_wrong_parts_verifies_or_raises_and_prints(name, values):
    for operands in ([], [values[0]], [values[2], values[3]], [values[1]] * 5):
        for attributes in attributes_of_wrong_kinds():
            for results, regions in (
                ([], 0),
                ([values[0].type], 1),
                ([values[3].type] * 2, 2),
            ):
                try:
                    made = ir.Operation.create(
                        name, results, operands, attributes, regions=regions, ip=False
                    )
                except (ValueError, ir.MLIRError):
                    continue
                assert name.split(".")[1] in str(made)
                try:
                    made.verify()
                except ir.MLIRError:
                    pass
                assert made.clone(ip=False).operation.name == name


def test_parts_of_different_contexts_are_refused():
    with ir.Context(), ir.Location.unknown():
        foreign = ir.RankedTensorType.get([4], ir.F32Type.get())
        text = ir.StringAttr.get("x")
        location = ir.Location.current
    with ir.Context(), ir.Location.unknown():
        own = ir.RankedTensorType.get([4], ir.F32Type.get())
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            main = func.FuncOp("main", ([own], []))
        (argument,) = main.add_entry_block().arguments
        for mix in [
            lambda: ir.FunctionType.get([own], [foreign]),
            lambda: ir.ArrayAttr.get([text]),
            lambda: ir.DictAttr.get({"a": text}),
            lambda: argument.set_type(foreign),
            lambda: argument.set_location(location),
            lambda: main.operation.attributes.__setitem__("a", text),
            lambda: main.entry_block.add_argument(foreign, ir.Location.current),
            lambda: ir.Location.fused([location]),
            lambda: ir.Operation.create("stablehlo.iota", results=[foreign]),
            lambda: ir.build("stablehlo.sine", [argument], attributes={"a": text}),
            lambda: ir.RankedTensorType.get([1], own.element_type, text),
        ]:
            with pytest.raises(ValueError, match="different contexts"):
                mix()
