"""Types and attributes of jaxlib.mlir."""

import ml_dtypes
import numpy as np
import pytest

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo


@pytest.fixture(autouse=True)
def context():
    with ir.Context() as context, ir.Location.unknown():
        yield context


def test_types_print_compare_and_know_their_parts():
    i32 = ir.IntegerType.get_signless(32)
    assert str(i32) == "i32" and i32.width == 32 and i32.is_signless
    assert str(ir.IntegerType.get_unsigned(8)) == "ui8"
    assert str(ir.IntegerType.get_signed(8)) == "si8"
    assert ir.F32Type.get() == ir.Type.parse("f32") and hash(i32) == hash(i32)
    tensor = ir.RankedTensorType.get([2, ir.ShapedType.get_dynamic_size()], i32)
    assert str(tensor) == "tensor<2x?xi32>" and tensor.rank == 2
    assert tensor.is_dynamic_dim(1) and not tensor.has_static_shape
    assert tensor.element_type == i32 and tensor.get_dim_size(0) == 2
    function = ir.FunctionType.get([i32], [tensor])
    assert function.inputs == [i32] and function.results == [tensor]
    assert ir.ComplexType.get(ir.F32Type.get()).element_type == ir.F32Type.get()
    assert ir.TupleType.get_tuple([i32, tensor]).num_types == 2
    assert str(stablehlo.TokenType.get()) == "!stablehlo.token"
    assert type(ir.Type.parse("!stablehlo.token")) is stablehlo.TokenType
    assert type(ir.Type.parse("tensor<f8E4M3FN>").element_type) is ir.Float8E4M3FNType
    assert ir.RankedTensorType.isinstance(tensor)
    with pytest.raises(ValueError, match="Cannot cast type to RankedTensorType"):
        ir.RankedTensorType(i32)
    with pytest.raises(ir.MLIRError, match="Invalid type"):
        ir.RankedTensorType.get([2], function)


def test_simple_attributes_hold_python_values():
    i64 = ir.IntegerType.get_signless(64)
    assert ir.IntegerAttr.get(i64, -3).value == -3
    assert ir.IntegerAttr.get(ir.IntegerType.get_unsigned(64), 2**64 - 1).value == (
        2**64 - 1
    )
    assert ir.FloatAttr.get(ir.F32Type.get(), 0.5).value == 0.5
    assert ir.StringAttr.get("a\n").value == "a\n"
    assert ir.BoolAttr.get(True).value is True
    assert ir.TypeAttr.get(i64).value == i64
    assert ir.FlatSymbolRefAttr.get("f").value == "f"
    assert ir.SymbolRefAttr.get(["a", "b"]).value == ["a", "b"]
    array = ir.ArrayAttr.get([ir.BoolAttr.get(False), ir.UnitAttr.get()])
    assert len(array) == 2 and list(array)[1] == ir.UnitAttr.get()
    table = ir.DictAttr.get({"b": array, "a": ir.StringAttr.get("x")})
    assert "a" in table and table["b"] == array
    assert [entry.name for entry in table] == ["a", "b"]
    assert list(ir.DenseI64ArrayAttr.get([1, -2])) == [1, -2]
    assert list(ir.DenseBoolArrayAttr.get([True, False])) == [True, False]
    assert str(ir.Attribute.parse("dense<1> : tensor<2xi32>")) == (
        "dense<1> : tensor<2xi32>"
    )
    with pytest.raises(ValueError, match="integer type"):
        ir.IntegerAttr.get(ir.F32Type.get(), 1)


BUILT = [
    ("BoolAttr", True, "true"),
    ("StrAttr", "a", '"a"'),
    ("I32Attr", -3, "-3 : i32"),
    ("SI8Attr", -3, "-3 : si8"),
    ("UI16Attr", 3, "3 : ui16"),
    ("IndexAttr", 2, "2 : index"),
    ("F32Attr", 0.5, "5.000000e-01 : f32"),
    ("F64Attr", 0.5, "5.000000e-01 : f64"),
    ("UnitAttr", True, "unit"),
    ("UnitAttr", False, "None"),
    ("FlatSymbolRefAttr", "a", "@a"),
    ("SymbolRefAttr", "a", "@a"),
    ("SymbolRefAttr", ["a", "b"], "@a::@b"),
    ("DenseBoolArrayAttr", [True, False], "array<i1: true, false>"),
    ("DenseI8ArrayAttr", [1, 2], "array<i8: 1, 2>"),
    ("DenseI16ArrayAttr", [1, 2], "array<i16: 1, 2>"),
    ("DenseI32ArrayAttr", [1, 2], "array<i32: 1, 2>"),
    ("DenseI64ArrayAttr", [1, 2], "array<i64: 1, 2>"),
    ("DenseF32ArrayAttr", [0.5], "array<f32: 5.000000e-01>"),
    ("DenseF64ArrayAttr", [0.5], "array<f64: 5.000000e-01>"),
    ("I64ElementsAttr", [1, 2], "dense<[1, 2]> : tensor<2xi64>"),
    ("BoolArrayAttr", [True, False], "[true, false]"),
    ("StrArrayAttr", ["a", "b"], '["a", "b"]'),
    ("FlatSymbolRefArrayAttr", ["a"], "[@a]"),
    ("SymbolRefArrayAttr", [["a", "b"]], "[@a::@b]"),
    ("I32ArrayAttr", [1, 2], "[1 : i32, 2 : i32]"),
    ("I64ArrayAttr", [1, 2], "[1, 2]"),
    ("F32ArrayAttr", [0.5], "[5.000000e-01 : f32]"),
    ("F64ArrayAttr", [0.5], "[5.000000e-01]"),
]


@pytest.mark.parametrize(("kind", "value", "text"), BUILT)
def test_builders_make_attributes_of_python_values(kind, value, text):
    built = ir.AttrBuilder.get(kind)(value)
    assert built is None if text == "None" else built == ir.Attribute.parse(text)


def test_a_kind_of_attributes_has_one_builder():
    with pytest.raises(RuntimeError, match="BoolAttr already"):
        ir.AttrBuilder.insert("BoolAttr", None)


DTYPES = [
    *(np.bool_, np.int8, np.int16, np.int32, np.int64),
    *(np.uint8, np.uint16, np.uint32, np.uint64),
    *(np.float16, np.float32, np.float64, np.complex64, np.complex128),
    *(ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2),
    *(ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.float4_e2m1fn),
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "shape", [(), (1,), (3,), (2, 9), (0,)], ids=lambda shape: str(len(shape))
)
def test_arrays_of_every_dtype_survive(dtype, shape):
    array = (np.arange(np.prod(shape, dtype=int)) % 3).reshape(shape).astype(dtype)
    attribute = ir.DenseElementsAttr.get(array, signless=False)
    assert attribute.type.shape == list(shape)
    found = np.asarray(attribute)
    assert found.shape == shape
    np.testing.assert_array_equal(found, array)
    if dtype not in (np.bool_,) and np.dtype(dtype).kind != "i":
        assert found.dtype == dtype or np.dtype(dtype) == ml_dtypes.int4


def test_splats_are_found_and_made():
    ones = ir.DenseElementsAttr.get(np.ones((), np.float32), shape=(5, 2))
    assert ones.is_splat and str(ones) == "dense<1.000000e+00> : tensor<5x2xf32>"
    assert np.asarray(ones).shape == (5, 2)
    true = ir.DenseElementsAttr.get(np.ones(9, bool))
    assert true.is_splat and str(true) == "dense<true> : tensor<9xi1>"
    made = ir.DenseElementsAttr.get_splat(
        ones.type, ir.FloatAttr.get(ir.F32Type.get(), 1)
    )
    assert made == ones and made.get_splat_value().value == 1.0
    with pytest.raises(ValueError):
        ir.DenseElementsAttr.get(np.arange(2.0)).get_splat_value()


def test_raw_bytes_and_packed_booleans_are_accepted_with_a_type():
    half = np.array([1, 2], ml_dtypes.bfloat16)
    attribute = ir.DenseElementsAttr.get(half.view(np.uint16), type=ir.BF16Type.get())
    np.testing.assert_array_equal(np.asarray(attribute), half)
    flags = np.array([1, 0, 1, 1, 0, 0, 0, 0, 1, 1], bool)
    packed = np.packbits(flags, bitorder="little")
    attribute = ir.DenseElementsAttr.get(
        packed, type=ir.IntegerType.get_signless(1), shape=(10,)
    )
    np.testing.assert_array_equal(np.asarray(attribute), flags)
    big_endian = np.array([1, 2], ">i4")
    assert list(ir.DenseIntElementsAttr.get(big_endian)) == [1, 2]


@pytest.mark.parametrize(
    "make",
    [
        lambda: ir.DenseElementsAttr.get(np.zeros(3, "f"), shape=(4,)),
        lambda: ir.DenseElementsAttr.get(np.zeros(3, "f"), type=ir.F64Type.get()),
        lambda: ir.DenseElementsAttr.get(np.zeros(3, "f"), shape=(-3,)),
        lambda: ir.DenseElementsAttr.get(np.zeros(3, object)),
        lambda: ir.DenseElementsAttr.get(np.zeros(3, bool), shape=(4,)),
    ],
)
def test_arrays_that_do_not_fit_are_refused(make):
    with pytest.raises(ValueError):
        make()


def test_stablehlo_attributes_print_and_read_back():
    dot = stablehlo.DotDimensionNumbers.get([0], [0], [2], [1])
    assert dot.lhs_contracting_dimensions == [2]
    conv = stablehlo.ConvDimensionNumbers.get(0, 3, [1, 2], 2, 3, [0, 1], 0, 3, [1, 2])
    attributes = [
        dot,
        conv,
        stablehlo.GatherDimensionNumbers.get([1], [0], [], [], [0], 1),
        stablehlo.ScatterDimensionNumbers.get([1], [0], [], [], [0], 1),
        stablehlo.ChannelHandle.get(1, 0),
        stablehlo.ComparisonDirectionAttr.get("LT"),
        stablehlo.ComparisonTypeAttr.get("TOTALORDER"),
        stablehlo.PrecisionAttr.get("HIGHEST"),
        stablehlo.RngAlgorithmAttr.get("THREE_FRY"),
        stablehlo.TransposeAttr.get("ADJOINT"),
        stablehlo.FftTypeAttr.get("IRFFT"),
        stablehlo.OutputOperandAlias.get([], 1, []),
        stablehlo.ResultAccuracyAttr.get(0.0, 1e-3, 2, "TOLERANCE"),
    ]
    for attribute in attributes:
        again = ir.Attribute.parse(str(attribute))
        assert again == attribute and type(again) is type(attribute)
    assert conv.kernel_spatial_dimensions == [0, 1]
    assert attributes[5].value == "LT"
    with pytest.raises(ValueError, match="'OOPS' is no value"):
        stablehlo.PrecisionAttr.get("OOPS")
