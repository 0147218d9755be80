"""Dialects beside StableHLO: operations and enumerations generated from MLIR's definitions."""

import importlib

import pytest

from jaxlib.mlir import ir

# Names that programs use, by dialect.
NAMES = {
    "arith": "AddFOp addf constant mulf ori sitofp CmpFPredicate FastMathFlags",
    "llvm": "ExtractValueOp extractvalue inline_asm mlir_undef AtomicOrdering",
    "math": "exp fma tanh",
    "memref": "alloc load store subview",
    "nvvm": "ProxyKind SharedSpace fence_proxy vote_sync",
    "scf": "ForOp IfOp for_ yield_",
    "vector": "bitcast extract extract_strided_slice CombiningKind",
}


@pytest.mark.parametrize("dialect", NAMES)
def test_names(dialect):
    module = importlib.import_module(f"jaxlib.mlir.dialects.{dialect}")
    assert [name for name in NAMES[dialect].split() if not hasattr(module, name)] == []


def test_members_of_enumerations():
    arith = importlib.import_module("jaxlib.mlir.dialects.arith")
    nvvm = importlib.import_module("jaxlib.mlir.dialects.nvvm")
    assert int(arith.FastMathFlags.fast) == 127
    assert str(nvvm.ProxyKind.async_shared) == "async.shared"
    assert str(nvvm.SharedSpace.shared_cta) == "cta"


def test_vectors():
    with ir.Context(), ir.Location.unknown():
        f32 = ir.F32Type.get()
        vector = ir.VectorType.get([2, 4], f32)
        assert str(vector) == "vector<2x4xf32>"
        assert vector.shape == [2, 4] and not vector.scalable
        assert str(ir.VectorType.get([4], f32, scalable=[True])) == "vector<[4]xf32>"
        dims = ir.VectorType.get([2, 4], f32, scalable_dims=[1])
        assert str(dims) == "vector<2x[4]xf32>"
        assert dims.scalable_dims == [False, True]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scalable": [True]}, "Expected len"),
        ({"scalable_dims": [2]}, "out of bounds"),
        ({"scalable_dims": [-1]}, "out of bounds"),
        ({"scalable": [True, False], "scalable_dims": [0]}, "mutually exclusive"),
    ],
)
def test_vectors_that_cannot_be(options, message):
    with ir.Context():
        with pytest.raises(ValueError, match=message):
            ir.VectorType.get([2, 4], ir.F32Type.get(), **options)


def test_sizes_of_vectors_are_positive():
    with ir.Context(), ir.Location.unknown():
        with pytest.raises(ir.MLIRError):
            ir.VectorType.get([0], ir.F32Type.get())


def test_memrefs():
    with ir.Context(), ir.Location.unknown():
        f32 = ir.F32Type.get()
        plain = ir.MemRefType.get([2, 4], f32)
        assert str(plain) == "memref<2x4xf32>" and plain.memory_space is None
        layout = ir.Attribute.parse("affine_map<(d0, d1) -> (d1, d0)>")
        space = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 3)
        turned = ir.MemRefType.get([2, 4], f32, layout, space)
        assert turned.layout == layout and turned.memory_space == space
        with pytest.raises(ValueError, match="no layout"):
            ir.MemRefType.get([2], f32, layout=space)


def test_an_operation_of_a_dialect_that_is_not_loaded_is_an_error():
    arith = importlib.import_module("jaxlib.mlir.dialects.arith")
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body), pytest.raises(ValueError, match="arith"):
            arith.constant(ir.F32Type.get(), 1.5)
