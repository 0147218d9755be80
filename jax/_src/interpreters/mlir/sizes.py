"""Symbolic dimensions in modules: as types, and as values that are computed.

While a module is being built, a symbolic dimension stands in its types as a number that
no array has, so that rules meet it again in the types of their operands. When the module
is whole, `finish` makes unknown sizes of them. Every function takes the symbols that the
program has as leading scalars, from which sizes are computed where they are needed.
"""

import contextlib
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from jax._src.base import options
from jax._src.core.symbols import expressions, terms
from jax._src.interpreters.mlir import portable
from jax._src.lib.mlir import ir

# Odd sizes from here on are dimensions, in the order of a list. Odd, since MLIR multiplies sizes modulo 2^64: of an even
# one and others it may make zero, an array without elements.
_FIRST = (1 << 61) + 1


class Symbols(threading.local):
    """The symbols of the module that this thread is building."""

    def __init__(self) -> None:
        self.names: tuple[str, ...] = ()
        self.dimensions: list[Any] = []
        self.numbers: dict[Any, int] = {}
        self.values: dict[str, Any] = {}


_state = Symbols()


@contextlib.contextmanager
def module_with(names: Sequence[str]) -> Iterator[None]:
    """A block in which a module is built whose functions take these symbols."""
    before = dict(vars(_state))
    _state.names, _state.values = tuple(names), {}
    _state.dimensions, _state.numbers = [], {}
    try:
        yield
    finally:
        vars(_state).update(before)


@contextlib.contextmanager
def function_with(arguments: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """A block that builds a function with these arguments; gives those after the symbols."""
    count = len(_state.names)
    before, _state.values = (
        _state.values,
        dict(zip(_state.names, arguments, strict=False)),
    )
    try:
        yield list(arguments)[count:]
    finally:
        _state.values = before


def symbol_types() -> list[Any]:
    """The types of the arguments for symbols."""
    return [_scalar_type()] * len(_state.names) if _state.names else []


def symbol_values() -> list[Any]:
    """The values of the symbols in the function that is being built."""
    return [_state.values[name] for name in _state.names]


def symbol_names() -> tuple[str, ...]:
    """The symbols that functions of the module take."""
    return _state.names


def names_in(avals: Sequence[Any]) -> tuple[str, ...]:
    """The symbols in some types, in alphabetic order."""
    found: set[str] = set()
    for aval in avals:
        for size in getattr(aval, "shape", ()):
            if expressions.is_dimension(size):
                found |= size.sum.symbols()
    return tuple(sorted(found))


def in_type(size: Any) -> int:
    """A size as it stands in types."""
    if type(size) is int or not expressions.is_dimension(size):
        return size
    number = _state.numbers.get(size)
    if number is None:
        number = _state.numbers[size] = _FIRST + 2 * len(_state.dimensions)
        _state.dimensions.append(size)
    return number


def shape_in_type(shape: Sequence[Any]) -> list[int]:
    """A shape as it stands in types."""
    return [in_type(size) for size in shape]


def shape_of_type(shape: Sequence[int]) -> tuple[Any, ...]:
    """The shape that a type means."""
    if not _state.dimensions:
        return tuple(shape)
    known = _state.dimensions
    return tuple(known[(n - _FIRST) // 2] if n >= _FIRST else n for n in shape)


def shape_of(kind: Any) -> tuple[Any, ...]:
    """The shape of an array's type; empty for tokens and such."""
    if not _state.dimensions or not ir.RankedTensorType.isinstance(kind):
        return ()
    return shape_of_type(ir.RankedTensorType(kind).shape)


def _is_wide():
    return bool(options.enable_x64.value)


def _element_type():
    return ir.IntegerType.get_signless(64 if _is_wide() else 32)


def _scalar_type():
    return ir.RankedTensorType.get([], _element_type())


def _hlo(name, type_, *operands, **attributes):
    made = ir.Operation.create(
        f"stablehlo.{name}", results=[type_], operands=operands, attributes=attributes
    )
    return made.result


def number(n: int) -> Any:
    """A number, as sizes are."""
    attribute = ir.DenseElementsAttr.get_splat(
        _scalar_type(), ir.IntegerAttr.get(_element_type(), int(n))
    )
    return _hlo("constant", attribute.type, value=attribute)


class Scalar:
    """A whole number of the program, with Python's operators."""

    __slots__ = ("value",)

    def __init__(self, value: Any):
        self.value = value

    def _with(self, name, other, is_reversed=False):
        value = other.value if isinstance(other, Scalar) else number(other)
        pair = (value, self.value) if is_reversed else (self.value, value)
        return Scalar(_hlo(name, self.value.type, *pair))

    def __add__(self, other):
        return self._with("add", other)

    def __radd__(self, other):
        return self._with("add", other, True)

    def __mul__(self, other):
        return self._with("multiply", other)

    def __rmul__(self, other):
        return self._with("multiply", other, True)

    def __sub__(self, other):
        return self._with("subtract", other)


def _compare(direction, a, b):
    kind = ir.Attribute.parse(f"#stablehlo<comparison_direction {direction}>")
    signed = ir.Attribute.parse("#stablehlo<comparison_type SIGNED>")
    flag = ir.RankedTensorType.get([], ir.IntegerType.get_signless(1))
    return _hlo("compare", flag, a, b, comparison_direction=kind, compare_type=signed)


def combined(name: str, a: Any, b: Any) -> Scalar:
    """An operation of two sizes; division rounds down, as Python's."""
    a, b = (x if isinstance(x, Scalar) else Scalar(number(x)) for x in (a, b))
    if name in ("max", "min"):
        return a._with({"max": "maximum", "min": "minimum"}[name], b)
    kind = a.value.type
    rest = _hlo("remainder", kind, a.value, b.value)
    sign_of_rest, sign_of_b = (_hlo("sign", kind, x) for x in (rest, b.value))
    flag = ir.RankedTensorType.get([], ir.IntegerType.get_signless(1))
    is_off = _hlo(
        "and",
        flag,
        _compare("NE", sign_of_rest, sign_of_b),
        _compare("NE", rest, number(0)),
    )
    if name == "mod":
        moved = _hlo("add", kind, rest, b.value)
        return Scalar(_hlo("select", kind, is_off, moved, rest))
    quotient = _hlo("divide", kind, a.value, b.value)
    lower = _hlo("subtract", kind, quotient, number(1))
    return Scalar(_hlo("select", kind, is_off, lower, quotient))


def scalar(size: Any) -> Any:
    """The value of a size, as a scalar of 32 bits; of 64 under ``jax_enable_x64``."""
    if not expressions.is_dimension(size):
        return number(size)
    values = {name: Scalar(value) for name, value in _state.values.items()}
    found = terms.evaluate(size.sum, values.__getitem__, combined)
    return found.value if isinstance(found, Scalar) else number(found)


def of_sum(expression: terms.Sum) -> Any:
    """The value of a sum of symbols."""
    values = {name: Scalar(value) for name, value in _state.values.items()}
    found = terms.evaluate(expression, values.__getitem__, combined)
    return found.value if isinstance(found, Scalar) else number(found)


def vector(sizes: Sequence[Any]) -> Any:
    """The values of some sizes, as a vector."""
    element = _element_type()
    if not any(expressions.is_dimension(size) for size in sizes):
        numbers = np.array(sizes, np.int64 if _is_wide() else np.int32)
        shaped = ir.RankedTensorType.get([len(sizes)], element)
        attribute = ir.DenseElementsAttr.get(numbers, type=element, shape=shaped.shape)
        return _hlo("constant", shaped, value=attribute)
    one = ir.RankedTensorType.get([1], element)
    parts = [_hlo("reshape", one, scalar(size)) for size in sizes]
    whole = ir.RankedTensorType.get([len(parts)], element)
    axis = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 0)
    return _hlo("concatenate", whole, *parts, dimension=axis)


@contextlib.contextmanager
def binding(values: dict[str, Any]) -> Iterator[None]:
    """A block in which the symbols have these values."""
    before, _state.values = _state.values, values
    try:
        yield
    finally:
        _state.values = before


def dimension_size(array: Any, axis: int) -> Any:
    """The size of an array along an axis, as sizes are."""
    narrow = ir.RankedTensorType.get([], ir.IntegerType.get_signless(32))
    dimension = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), axis)
    found = _hlo("get_dimension_size", narrow, array, dimension=dimension)
    return _hlo("convert", _scalar_type(), found) if _is_wide() else found


def assert_(
    direction: str, left: Any, right: Any, message: str, operands: Sequence[Any]
) -> None:
    """A check that whoever loads the program makes; ``{i}`` stands for an operand."""
    ir.Operation.create(
        "stablehlo.custom_call",
        results=[],
        operands=[_compare(direction, left, right), *operands],
        attributes={
            "call_target_name": ir.StringAttr.get("shape_assertion"),
            "api_version": ir.IntegerAttr.get(ir.IntegerType.get_signless(32), 2),
            "has_side_effect": ir.BoolAttr.get(True),
            "error_message": ir.StringAttr.get(message),
        },
    )


def has_symbols(shape: Sequence[Any]) -> bool:
    """Whether a shape has sizes that are not known."""
    return not expressions.is_static(shape)


def finish(module: Any) -> Any:
    """Makes unknown sizes of all symbolic ones in the types of a whole module.

    Returns:
        The module, which is another one where it had operations of CHLO: what they are
        made of has sizes for attributes, so that it is put in before.
    """
    if not _state.dimensions:
        return module
    has_chlo = portable.has_chlo(module.operation)
    if has_chlo:
        portable.expand_elementwise_chlo(module.operation)
        module = portable.without_chlo(module)
        _compute_sizes(module)
    known: dict[Any, Any] = {}

    def plain(kind):
        found = known.get(kind)
        if found is None:
            found = known[kind] = _plain_type(kind)
        return found

    def visit(operation):
        if operation.name == "func.func":
            kind = operation.attributes["function_type"].value
            types = [[plain(t) for t in part] for part in (kind.inputs, kind.results)]
            operation.attributes["function_type"] = ir.TypeAttr.get(
                ir.FunctionType.get(*types)
            )
        for value in operation.results:
            value.set_type(plain(value.type))
        for region in operation.regions:
            for block in region.blocks:
                for argument in block.arguments:
                    argument.set_type(plain(argument.type))
                for inner in block.operations:
                    visit(inner.operation)

    visit(module.operation)
    return module


def _compute_sizes(module):
    """Makes operations whose attributes have symbolic sizes compute them."""
    for function in module.body.operations:
        function = function.operation
        if function.name == "func.func":
            with function_with(list(function.regions[0].blocks[0].arguments)):
                _compute_sizes_in(function)


def _compute_sizes_in(operation):
    for region in operation.regions:
        for block in region.blocks:
            for inner in list(block.operations):
                inner = inner.operation
                _compute_sizes_in(inner)
                if inner.name in _WITH_SIZES and _is_symbolic(inner.results[0].type):
                    with ir.InsertionPoint(inner), inner.location:
                        made = _WITH_SIZES[inner.name](inner)
                    inner.results[0].replace_all_uses_with(made)
                    inner.erase()


def _is_symbolic(kind):
    return ir.RankedTensorType.isinstance(kind) and any(
        size >= _FIRST for size in ir.RankedTensorType(kind).shape
    )


def _sizes_of_result(operation):
    return vector(shape_of_type(ir.RankedTensorType(operation.results[0].type).shape))


def _repeated_constant(operation):
    kind = operation.results[0].type
    scalar = ir.RankedTensorType.get([], ir.RankedTensorType(kind).element_type)
    value = operation.attributes["value"].get_splat_value()
    one = ir.DenseElementsAttr.get_splat(scalar, value)
    return _hlo(
        "dynamic_broadcast_in_dim",
        kind,
        _hlo("constant", scalar, value=one),
        _sizes_of_result(operation),
        broadcast_dimensions=ir.DenseI64ArrayAttr.get([]),
    )


def _broadcast(operation):
    return _hlo(
        "dynamic_broadcast_in_dim",
        operation.results[0].type,
        operation.operands[0],
        _sizes_of_result(operation),
        broadcast_dimensions=operation.attributes["broadcast_dimensions"],
    )


def _reshape(operation):
    return _hlo(
        "dynamic_reshape",
        operation.results[0].type,
        operation.operands[0],
        _sizes_of_result(operation),
    )


_WITH_SIZES = {
    "stablehlo.constant": _repeated_constant,
    "stablehlo.broadcast_in_dim": _broadcast,
    "stablehlo.reshape": _reshape,
}


def _plain_type(kind):
    if not ir.RankedTensorType.isinstance(kind):
        return kind
    tensor = ir.RankedTensorType(kind)
    if not any(size >= _FIRST for size in tensor.shape):
        return kind
    unknown = ir.ShapedType.get_dynamic_size()
    sizes = [unknown if size >= _FIRST else size for size in tensor.shape]
    return ir.RankedTensorType.get(sizes, tensor.element_type)
