"""No order of events in Python leaves an MLIR object pointing to freed memory."""

import gc
import resource
import threading

import numpy as np
import pytest

from jaxlib.mlir import ir, passmanager
from jaxlib.mlir.dialects import func, stablehlo


def make_module():
    with ir.Context(), ir.Location.unknown():
        type = ir.RankedTensorType.get([4], ir.F32Type.get())
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            main = func.FuncOp("main", ([type], [type]))
        with ir.InsertionPoint(main.add_entry_block()):
            func.ReturnOp([stablehlo.sine(main.arguments[0])])
    return module


@pytest.mark.parametrize(
    "take",
    [
        lambda module: module.operation,
        lambda module: module.body,
        lambda module: module.body.operations[0],
        lambda module: module.body.operations[0].regions[0],
        lambda module: module.body.operations[0].entry_block.operations[0].result,
        lambda module: module.body.operations[0].arguments[0],
        lambda module: module.context,
        lambda module: module.body.operations[0].type,
        lambda module: module.body.operations[0].operation.attributes,
        lambda module: ir.SymbolTable(module.operation),
    ],
)
def test_a_part_outlives_its_module(take):
    part = take(make_module())
    gc.collect()
    assert str(part)
    if isinstance(part, ir.Value):
        assert str(part.type) == "tensor<4xf32>"


def test_an_operation_may_move_to_another_module_which_dies_first():
    module = make_module()
    with module.context, ir.Location.unknown():
        other = ir.Module.create()
        main = module.body.operations[0]
        value = main.entry_block.operations[0].result
        other.body.append(main)
        assert len(module.body.operations) == 0
        del other, main
        gc.collect()
        assert "stablehlo.sine" in str(value.owner)


def test_a_detached_operation_keeps_what_it_uses():
    module = make_module()
    argument = module.body.operations[0].arguments[0]
    with module.context, ir.Location.unknown():
        loose = stablehlo.CosineOp(argument, ip=False)
        assert not loose.operation.attached
    del module, argument
    gc.collect()
    assert "tensor<4xf32>" in str(loose.operand.type)
    with pytest.raises(ValueError, match="no block"):
        loose.erase()


def test_an_erased_operation_raises():
    module = make_module()
    main = module.body.operations[0]
    block, result = main.entry_block, main.entry_block.operations[0].result
    main.erase()
    assert len(module.body.operations) == 0
    for use in [lambda: main.name, lambda: str(block), lambda: result.type]:
        with pytest.raises(RuntimeError, match="erased"):
            use()


def test_an_erased_argument_raises():
    module = make_module()
    block = module.body.operations[0].entry_block
    with module.context, ir.Location.unknown():
        extra = block.add_argument(ir.F32Type.get(), ir.Location.unknown())
        with pytest.raises(ValueError, match="used"):
            block.erase_argument(0)
    block.erase_argument(1)
    with pytest.raises(RuntimeError, match="erased"):
        extra.type  # noqa: B018


def test_wrappers_made_before_passes_raise():
    module = make_module()
    main = module.body.operations[0]
    with module.context:
        passmanager.PassManager.parse("builtin.module(cse)").run(module.operation)
    with pytest.raises(RuntimeError, match="passes have run"):
        str(main)
    assert "stablehlo.sine" in str(module)
    assert module.body.operations[0].name.value == "main"


def test_an_operation_cannot_be_put_into_itself():
    module = make_module()
    main = module.body.operations[0]
    block = main.entry_block
    with pytest.raises(ValueError, match="itself"):
        block.append(main)
    with pytest.raises(ValueError, match="itself"):
        main.move_before(block.operations[0])
    with pytest.raises(ValueError, match="already been inserted"):
        ir.InsertionPoint.at_block_begin(block).insert(main)


def test_a_module_with_an_invalid_operation_still_prints():
    module = make_module()
    with module.context, ir.Location.unknown():
        with ir.InsertionPoint(module.body):
            ir.Operation.create("stablehlo.constant")
            ir.Operation.create("stablehlo.dot_general", regions=3)
    assert "stablehlo.constant" in str(module)
    with pytest.raises(ir.MLIRError):
        module.operation.verify()


def test_contexts_are_left_in_order():
    first, second = ir.Context(), ir.Context()
    first.__enter__()
    second.__enter__()
    with pytest.raises(RuntimeError, match="Unbalanced"):
        first.__exit__(None, None, None)
    second.__exit__(None, None, None)
    first.__exit__(None, None, None)


def test_threads_build_in_contexts_of_their_own():
    texts = []

    def work():
        for _ in range(20):
            module = make_module()
            with module.context:
                ir.DenseElementsAttr.get(np.arange(8))
            texts.append(str(module))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(texts) == 80 and len(set(texts)) == 1


def test_a_context_that_is_made_anew_is_as_the_first():
    """MLIR's part of it serves again, which nothing shows."""
    dialects = ir.Context()._loaded_dialects()
    for _ in range(3):
        used = ir.Context()
        used.allow_unregistered_dialects = True
        used.enable_multithreading(True)
        artifact = stablehlo.serialize_portable_artifact(make_module(), "1.15.0")
        stablehlo.deserialize_portable_artifact(used, artifact)
        used.note = "mine"
        del used
        fresh = ir.Context()
        assert not fresh.allow_unregistered_dialects
        assert fresh.get_num_threads() == 1
        assert fresh._loaded_dialects() == dialects
        assert not hasattr(fresh, "note")
        del fresh


def test_what_contexts_keep_is_bounded():
    """What was made in contexts that are gone does not add up."""

    def make_many(number):
        with ir.Context():
            for n in range(40):
                ir.DenseElementsAttr.get(
                    np.full(20_000, 40 * number + n) + np.arange(20_000)
                )

    def resident_bytes():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()

    make_many(0)
    before = resident_bytes()
    for number in range(1, 20):  # 120 MB in all
        make_many(number)
    assert resident_bytes() - before < 40 << 20
