"""Contexts, types, attributes, operations: MLIR's core, from native code. Re-exports.

What follows the re-exports serves the classes that TableGen generates: how they turn
Python values into attributes.
"""

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jaxlib._native.ir import (
    AffineMapAttr as AffineMapAttr,
    ArrayAttr as ArrayAttr,
    Attribute as Attribute,
    BF16Type as BF16Type,
    Block as Block,
    BlockArgument as BlockArgument,
    BlockList as BlockList,
    BoolAttr as BoolAttr,
    CallSiteLoc as CallSiteLoc,
    ComplexType as ComplexType,
    Context as Context,
    DenseBoolArrayAttr as DenseBoolArrayAttr,
    DenseElementsAttr as DenseElementsAttr,
    DenseF32ArrayAttr as DenseF32ArrayAttr,
    DenseF64ArrayAttr as DenseF64ArrayAttr,
    DenseFPElementsAttr as DenseFPElementsAttr,
    DenseI8ArrayAttr as DenseI8ArrayAttr,
    DenseI16ArrayAttr as DenseI16ArrayAttr,
    DenseI32ArrayAttr as DenseI32ArrayAttr,
    DenseI64ArrayAttr as DenseI64ArrayAttr,
    DenseIntElementsAttr as DenseIntElementsAttr,
    DenseResourceElementsAttr as DenseResourceElementsAttr,
    Diagnostic as Diagnostic,
    DiagnosticHandler as DiagnosticHandler,
    DiagnosticInfo as DiagnosticInfo,
    DiagnosticSeverity as DiagnosticSeverity,
    DictAttr as DictAttr,
    F16Type as F16Type,
    F32Type as F32Type,
    F64Type as F64Type,
    FileLineColLoc as FileLineColLoc,
    FlatSymbolRefAttr as FlatSymbolRefAttr,
    Float4E2M1FNType as Float4E2M1FNType,
    Float6E2M3FNType as Float6E2M3FNType,
    Float6E3M2FNType as Float6E3M2FNType,
    Float8E3M4Type as Float8E3M4Type,
    Float8E4M3B11FNUZType as Float8E4M3B11FNUZType,
    Float8E4M3FNType as Float8E4M3FNType,
    Float8E4M3FNUZType as Float8E4M3FNUZType,
    Float8E4M3Type as Float8E4M3Type,
    Float8E5M2FNUZType as Float8E5M2FNUZType,
    Float8E5M2Type as Float8E5M2Type,
    Float8E8M0FNUType as Float8E8M0FNUType,
    FloatAttr as FloatAttr,
    FloatTF32Type as FloatTF32Type,
    FloatType as FloatType,
    FunctionType as FunctionType,
    FusedLoc as FusedLoc,
    IndexType as IndexType,
    InsertionPoint as InsertionPoint,
    IntegerAttr as IntegerAttr,
    IntegerType as IntegerType,
    Location as Location,
    MemRefType as MemRefType,
    MLIRError as MLIRError,
    Module as Module,
    NamedAttribute as NamedAttribute,
    NameLoc as NameLoc,
    NoneType as NoneType,
    OpaqueAttr as OpaqueAttr,
    OpaqueType as OpaqueType,
    OpAttributeMap as OpAttributeMap,
    Operation as Operation,
    OperationList as OperationList,
    OpOperand as OpOperand,
    OpOperandList as OpOperandList,
    OpResult as OpResult,
    OpResultList as OpResultList,
    OpView as OpView,
    RankedTensorType as RankedTensorType,
    Region as Region,
    ShapedType as ShapedType,
    StringAttr as StringAttr,
    SymbolRefAttr as SymbolRefAttr,
    SymbolTable as SymbolTable,
    TupleType as TupleType,
    Type as Type,
    TypeAttr as TypeAttr,
    UnitAttr as UnitAttr,
    UnknownLoc as UnknownLoc,
    UnrankedTensorType as UnrankedTensorType,
    Value as Value,
    VectorType as VectorType,
    WalkOrder as WalkOrder,
    WalkResult as WalkResult,
    _OperationBase as _OperationBase,
    _register_operation as _register_operation,
    _set_dialect_importer as _set_dialect_importer,
    build as build,
)

# What operations and blocks give as lists of regions and arguments.
RegionSequence = list
BlockArgumentList = list

_attribute_builders: dict[str, Callable[..., Attribute]] = {}


class AttrBuilder:
    """The functions that make attributes of Python values, by TableGen's names."""

    @staticmethod
    def contains(attribute_kind: str) -> bool:
        """Whether there is a function for a kind of attributes."""
        return attribute_kind in _attribute_builders

    @staticmethod
    def get(attribute_kind: str) -> Callable[..., Attribute]:
        """The function for a kind of attributes: ``(value, context=None)``."""
        return _attribute_builders[attribute_kind]

    @staticmethod
    def insert(
        attribute_kind: str,
        attr_builder: Callable[..., Attribute],
        replace: bool = False,
    ) -> None:
        """Adds the function for a kind of attributes."""
        if not replace and attribute_kind in _attribute_builders:
            raise RuntimeError(
                f"there is a builder for {attribute_kind} already; pass replace=True"
            )
        _attribute_builders[attribute_kind] = attr_builder


def register_attribute_builder(kind: str, replace: bool = False) -> Callable:
    """Makes a function the builder of a kind of attributes; a decorator."""

    def register(builder):
        AttrBuilder.insert(kind, builder, replace)
        return builder

    return register


class Dialect:
    """A dialect: the base of the class that its generated module defines."""

    DIALECT_NAMESPACE = ""


def get_ops_of_type(block: Block, op_class: type) -> list[Any]:
    """The operations of a block that are of one class."""
    return [op for op in block.operations if isinstance(op, op_class)]


def _integer(make_type: Callable[..., Type]) -> Callable[..., Attribute]:
    return lambda value, context=None: IntegerAttr.get(make_type(context), value)


def _float(make_type: Callable[..., Type]) -> Callable[..., Attribute]:
    return lambda value, context=None: FloatAttr.get(make_type(context), value)


def _array(element: Callable[..., Attribute]) -> Callable[..., Attribute]:
    return lambda values, context=None: ArrayAttr.get(
        [
            value if isinstance(value, Attribute) else element(value, context=context)
            for value in values
        ],
        context=context,
    )


def _elements(make_type: Callable[..., Type]) -> Callable[..., Attribute]:
    return lambda values, context=None: DenseElementsAttr.get(
        np.asarray(values, np.int64), type=make_type(context), context=context
    )


def _symbol(value: str | Sequence[str], context: Context | None = None) -> Attribute:
    names = [value] if isinstance(value, str) else list(value)
    if len(names) == 1:
        return FlatSymbolRefAttr.get(names[0], context=context)
    return SymbolRefAttr.get(names, context=context)


def _unit(value: bool, context: Context | None = None) -> Attribute | None:
    return UnitAttr.get(context=context) if value else None


def _register_builders() -> None:
    plain = lambda kind: lambda value, context=None: kind.get(value, context=context)
    builders = {
        "BoolAttr": plain(BoolAttr),
        "UnitAttr": _unit,
        "StrAttr": plain(StringAttr),
        "SymbolNameAttr": plain(StringAttr),
        "SymbolRefAttr": _symbol,
        "FlatSymbolRefAttr": plain(FlatSymbolRefAttr),
        "TypeAttr": lambda value, context=None: TypeAttr.get(value),
        "ArrayAttr": plain(ArrayAttr),
        "DictAttr": plain(DictAttr),
        "IndexAttr": _integer(IndexType.get),
        "F32Attr": _float(F32Type.get),
        "F64Attr": _float(F64Type.get),
        "DenseBoolArrayAttr": plain(DenseBoolArrayAttr),
        "DenseI8ArrayAttr": plain(DenseI8ArrayAttr),
        "DenseI16ArrayAttr": plain(DenseI16ArrayAttr),
        "DenseI32ArrayAttr": plain(DenseI32ArrayAttr),
        "DenseI64ArrayAttr": plain(DenseI64ArrayAttr),
        "DenseF32ArrayAttr": plain(DenseF32ArrayAttr),
        "DenseF64ArrayAttr": plain(DenseF64ArrayAttr),
        "I64ElementsAttr": _elements(
            lambda context: IntegerType.get(64, context=context)
        ),
    }
    for bits in (1, 8, 16, 32, 64):
        for prefix, signedness in (
            ("I", IntegerType.SIGNLESS),
            ("SI", IntegerType.SIGNED),
            ("UI", IntegerType.UNSIGNED),
        ):
            builders[f"{prefix}{bits}Attr"] = _integer(
                lambda context, bits=bits, signedness=signedness: IntegerType.get(
                    bits, signedness, context=context
                )
            )
    for array, element in (
        ("BoolArrayAttr", "BoolAttr"),
        ("StrArrayAttr", "StrAttr"),
        ("TypeArrayAttr", "TypeAttr"),
        ("DictArrayAttr", "DictAttr"),
        ("FlatSymbolRefArrayAttr", "FlatSymbolRefAttr"),
        ("SymbolRefArrayAttr", "SymbolRefAttr"),
        ("I32ArrayAttr", "I32Attr"),
        ("I64ArrayAttr", "I64Attr"),
        ("F32ArrayAttr", "F32Attr"),
        ("F64ArrayAttr", "F64Attr"),
    ):
        builders[array] = _array(builders[element])
    for kind, builder in builders.items():
        AttrBuilder.insert(kind, builder)


def _import_dialect(namespace: str) -> None:
    """Imports the Python module of a dialect, if there is one."""
    try:
        importlib.import_module(f"jaxlib.mlir.dialects.{namespace}")
    except ModuleNotFoundError as error:
        if error.name != f"jaxlib.mlir.dialects.{namespace}":
            raise


_register_builders()
_set_dialect_importer(_import_dialect)
