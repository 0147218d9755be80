"""Building programs with jaxlib.mlir, as lowering rules do."""

import io
import threading
import time

import numpy as np
import pytest

from jaxlib.mlir import ir, passmanager
from jaxlib.mlir.dialects import _ods_common, chlo, func, stablehlo
from tests.testing import patience


@pytest.fixture(autouse=True)
def context():
    with ir.Context() as context, ir.Location.unknown():
        yield context


def f32(*shape):
    return ir.RankedTensorType.get(shape, ir.F32Type.get())


def module_with(build, n_args=2, results=1, type=None):
    """A module whose `main` returns what `build` makes of its arguments."""
    type = type or f32(4)
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        main = func.FuncOp("main", ([type] * n_args, [type] * results))
    with ir.InsertionPoint(main.add_entry_block()):
        func.ReturnOp(build(*main.arguments))
    module.operation.verify()
    return module


def test_a_module_prints_as_text_and_reads_back():
    module = module_with(lambda x, y: [stablehlo.add(x, y)])
    assert str(module) == (
        "module {\n"
        "  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>)"
        " -> tensor<4xf32> {\n"
        "    %0 = stablehlo.add %arg0, %arg1 : tensor<4xf32>\n"
        "    return %0 : tensor<4xf32>\n"
        "  }\n"
        "}\n"
    )
    assert str(ir.Module.parse(str(module))) == str(module)
    stream = io.BytesIO()
    module.operation.write_bytecode(stream)
    assert stream.getvalue()[:4] == b"ML\xefR"
    assert str(ir.Module.parse(stream.getvalue())) == str(module)


def test_the_ways_to_make_an_operation_agree():
    ways = [
        lambda x, y: (
            ir.Operation.create(
                "stablehlo.add", results=[x.type], operands=[x, y]
            ).result
        ),
        lambda x, y: (
            ir.Operation.create(
                "stablehlo.add", operands=[x, y], infer_type=True
            ).result
        ),
        lambda x, y: ir.build("stablehlo.add", [x, y], [x.type]),
        lambda x, y: ir.build("stablehlo.add", [x, y]),
        lambda x, y: stablehlo.AddOp(x, y).result,
        lambda x, y: stablehlo.add(x, y),
    ]
    texts = {str(module_with(lambda x, y, way=way: [way(x, y)])) for way in ways}
    assert len(texts) == 1


def test_generated_classes_take_python_values_for_plain_attributes():
    module = module_with(
        lambda x: [stablehlo.transpose(x, permutation=[1, 0])], 1, type=f32(2, 2)
    )
    assert "stablehlo.transpose %arg0, dims = [1, 0]" in str(module)


def test_regions_and_variadic_results_can_be_built():
    def reduce(x, y):
        zero = stablehlo.constant(ir.DenseElementsAttr.get(np.float32(0)))
        op = stablehlo.ReduceOp([f32()], [x], [zero], [0])
        assert list(op.inputs) == [x] and list(op.init_values) == [
            zero.owner.results[0]
        ]
        body = op.regions[0].blocks.append(f32(), f32())
        with ir.InsertionPoint(body):
            stablehlo.return_([stablehlo.add(*body.arguments)])
        return [stablehlo.broadcast_in_dim(f32(4), op.results[0], [])]

    assert "applies stablehlo.add" in str(module_with(reduce))


def test_groups_of_operands_follow_each_other():
    assert _ods_common.segmented_accessor("abcdef", [1, 2, 3], 1) == "bc"
    assert _ods_common.equally_sized_accessor("abcde", 1, 2, 1, 1) == (3, 2)
    with pytest.raises(ValueError, match="5 elements do not make 2 groups"):
        _ods_common.equally_sized_accessor("abcde", 0, 2, 0, 1)


def test_chlo_and_calls_are_there():
    module = module_with(lambda x, y: [chlo.tan(x)])
    assert "chlo.tan" in str(module)
    with ir.InsertionPoint(module.body):
        other = func.FuncOp("other", ([f32(4)], [f32(4)]), visibility="private")
    with ir.InsertionPoint(other.add_entry_block()):
        (x,) = other.arguments
        call = func.CallOp([f32(4)], ir.FlatSymbolRefAttr.get("main"), [x, x])
        func.ReturnOp(call.results)
    module.operation.verify()
    assert "call @main" in str(module)
    symbols = ir.SymbolTable(module.operation)
    assert "other" in symbols and isinstance(symbols["other"], func.FuncOp)
    assert symbols["other"].name.value == "other"
    assert symbols["other"].visibility == ir.StringAttr.get("private")
    assert symbols["main"].visibility is None


def test_operations_can_be_inspected():
    module = module_with(lambda x, y: [stablehlo.add(stablehlo.sine(x), y)])
    main = module.body.operations[0]
    sine, add, end = main.entry_block.operations
    assert isinstance(sine, stablehlo.SineOp) and isinstance(add, stablehlo.AddOp)
    assert sine.result == add.lhs and add.rhs == main.arguments[1]
    assert [use.owner for use in sine.result.uses] == [add.operation]
    assert sine.result.owner == sine.operation
    assert (
        main.arguments[1].arg_number == 1
        and main.arguments[1].owner == main.entry_block
    )
    assert end.operation.name == "func.return" and end.parent == main
    assert module.body.owner == module.operation
    names = []
    module.operation.walk(lambda op: names.append(op.name))
    assert names == [
        "stablehlo.sine",
        "stablehlo.add",
        "func.return",
        "func.func",
        "builtin.module",
    ]


def test_operations_can_be_changed():
    module = module_with(lambda x, y: [stablehlo.add(stablehlo.sine(x), y)])
    sine, add, _ = module.body.operations[0].entry_block.operations
    with pytest.raises(ValueError, match="used"):
        sine.erase()
    sine.result.replace_all_uses_with(add.rhs)
    sine.erase()
    add.operation.attributes["mark"] = ir.UnitAttr.get()
    assert "mark" in add.operation.attributes
    assert "%0 = stablehlo.add %arg1, %arg1 {mark}" in str(module)
    del add.operation.attributes["mark"]
    with pytest.raises(KeyError):
        add.operation.attributes["mark"]
    with ir.InsertionPoint(add):
        cosine = stablehlo.CosineOp(add.lhs)
    add.operation.operands[0] = cosine.result
    module.operation.verify()
    assert cosine.operation.is_before_in_block(add)
    copy = module.operation.clone()
    assert str(copy) == str(module.operation)


def test_insertion_points_stand_where_they_say():
    module = ir.Module.create()
    constant = lambda value: stablehlo.ConstantOp(
        ir.DenseElementsAttr.get(np.float32(value))
    )
    with ir.InsertionPoint(module.body):
        one = constant(1)
    with ir.InsertionPoint.at_block_begin(module.body):
        constant(0)
    with ir.InsertionPoint.after(one):
        constant(2)
    with ir.InsertionPoint(one):
        constant(0.5)
    values = [float(np.asarray(op.value)) for op in module.body.operations]
    assert values == [0, 0.5, 1, 2]
    main = module_with(lambda x, y: [x]).body.operations[0]
    with pytest.raises(IndexError, match="terminator"):
        with ir.InsertionPoint(main.entry_block):
            constant(1)
    with ir.InsertionPoint.at_block_terminator(main.entry_block):
        constant(1)


def test_locations_print_and_nest():
    frame = ir.Location.name("f", childLoc=ir.Location.file("model.py", 12, 5))
    call = ir.Location.callsite(frame, [ir.Location.file("main.py", 3, 1)])
    with ir.Location.name("jit(f)/sin", childLoc=call):
        module = module_with(lambda x, y: [stablehlo.sine(x)])
    text = module.operation.get_asm(enable_debug_info=True)
    assert 'loc("model.py":12:5)' in text and '"jit(f)/sin"' in text
    assert frame.name_str == "f" and frame.child_loc.start_line == 12
    fused = ir.Location.fused([frame, call])
    assert list(fused.locations) == [frame, call]
    assert ir.Location.unknown() == ir.Location.unknown()


def test_printing_has_options():
    module = module_with(
        lambda: [
            stablehlo.constant(ir.DenseElementsAttr.get(np.arange(4.0, dtype="f")))
        ],
        n_args=0,
    )
    asm = module.operation.get_asm
    assert '"stablehlo.constant"()' in asm(print_generic_op_form=True)
    assert "dense_resource<__elided__>" in asm(large_elements_limit=2)
    assert isinstance(asm(binary=True), bytes)


def test_a_wrong_program_is_explained():
    with pytest.raises(ir.MLIRError, match="Unable to parse module") as caught:
        ir.Module.parse("module { oops }")
    (diagnostic,) = caught.value.error_diagnostics
    assert "oops" in str(caught.value) and diagnostic.location.start_line == 1
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        main = func.FuncOp("main", ([f32(4)], [f32(3)]))
    with ir.InsertionPoint(main.add_entry_block()):
        func.ReturnOp(main.arguments)
    with pytest.raises(ir.MLIRError, match="Verification failed"):
        module.operation.verify()
    with pytest.raises(ValueError, match="no operation|not take|no registered"):
        ir.Operation.create("stablehlo.no_such_thing")
    with pytest.raises(ValueError, match="does not take 0 operands"):
        ir.Operation.create("stablehlo.add", infer_type=True)
    with pytest.raises(TypeError, match="the operands to be values"):
        ir.Operation.create("stablehlo.add", operands=[1, 2])
    with pytest.raises(ir.MLIRError, match="Unable to parse type"):
        ir.Type.parse("tensor<4xoops>")


def test_what_is_current_must_be_there():
    def in_another_thread(run):
        raised = []

        def target():
            try:
                run()
            except Exception as error:
                raised.append(error)

        thread = threading.Thread(target=target)
        thread.start()
        thread.join()
        return raised[0]

    assert "requires a Context" in str(in_another_thread(ir.F32Type.get))
    assert "requires a Location" in str(in_another_thread(ir.Module.create))
    with ir.Context() as other:
        assert ir.Context.current is other
        with pytest.raises(ValueError, match="No current Location"):
            ir.Location.current  # noqa: B018
    with pytest.raises(ValueError, match="different contexts"):
        foreign = ir.F32Type.get(ir.Context())
        ir.Operation.create("stablehlo.create_token", results=[foreign])


def test_passes_run():
    module = module_with(lambda x, y: [x, stablehlo.add(x, y)][:1])
    manager = passmanager.PassManager.parse("builtin.module(canonicalize,cse)")
    assert "canonicalize" in str(manager)
    manager.run(module.operation)
    assert "stablehlo.add" not in str(module)
    with pytest.raises(ValueError, match="no_such_pass"):
        passmanager.PassManager.parse("builtin.module(no_such_pass)")


def test_building_is_cheap():
    type = f32(4)

    def chain(x, y):
        for _ in range(5_000):
            x = ir.Operation.create(
                "stablehlo.add", results=[type], operands=[x, y]
            ).result
        return [x]

    seconds = patience.least_seconds(lambda: module_with(chain), time.thread_time)
    # About 0.03 s alone; the bound is wide for sanitizers.
    assert seconds < 1.0 * patience.slowness()
