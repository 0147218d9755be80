"""Operations on each element."""

import functools as ft
from collections.abc import Callable, Sequence

from jax._src.interpreters import mlir
from jax._src.lax.ops.accuracy import AccuracyMode, Tolerance
from jax._src.lax.ops.checks import BOOL, COMPLEX, FLOATING, SIGNED, is_complex, kind_of
from jax._src.lax.ops.emit.values import (
    attribute,
    broadcast_in_dim,
    build,
    element_type,
    full,
    hlo,
    int32_attribute,
    scalar_type,
    shape_of,
)

ir = mlir.ir


def _like(x, element):
    """The type of tensors of the shape of `x`, with other elements."""
    return ir.RankedTensorType.get(list(ir.RankedTensorType(x.type).shape), element)


def unary(name: str, x, accuracy=None):
    """An operation on each element whose result type follows from the operand's."""
    attributes = {}
    if accuracy is not None:
        attributes["result_accuracy"] = _accuracy(accuracy)
    return hlo(name, [_unary_type(name, x)], [x], attributes).result


def _unary_type(name, x):
    if name == "is_finite":
        return _like(x, ir.IntegerType.get_signless(1))
    if name in ("abs", "real", "imag") and ir.ComplexType.isinstance(element_type(x)):
        part = ir.ComplexType(element_type(x)).element_type
        return _like(x, part)
    return x.type


def _accuracy(accuracy):
    if isinstance(accuracy, Tolerance):
        atol, rtol, ulps, mode = *accuracy._key(), "TOLERANCE"
    elif accuracy is AccuracyMode.HIGHEST:
        atol, rtol, ulps, mode = 0.0, 0.0, 0, "HIGHEST"
    else:
        atol, rtol, ulps, mode = 0.0, 0.0, 0, "DEFAULT"
    return attribute(
        f"#stablehlo.result_accuracy<atol = {float(atol):e}, rtol = {float(rtol):e}, "
        f"ulps = {int(ulps)}, mode = #stablehlo.result_accuracy_mode<{mode}>>"
    )


@ft.cache
def operation(name: str) -> Callable:
    """An elementwise operation on operands of one type, as a function of values."""

    def apply(*operands):
        if name == "complex":
            part = ir.ComplexType.get(element_type(operands[0]))
            result = _like(operands[0], part)
        elif name in ("real", "imag"):
            whole = ir.ComplexType(element_type(operands[0]))
            result = _like(operands[0], whole.element_type)
        else:
            result = operands[0].type
        return hlo(name, [result], operands).result

    return apply


def chlo(name: str, *operands):
    """An operation of the dialect of client operations, on operands of one type."""
    return build(f"chlo.{name}", [operands[0].type], operands).result


def compare(x, y, direction: str, total_order: bool = False):
    """Compares elements; the kind of comparison follows from their type."""
    element = element_type(x)
    if ir.IntegerType.isinstance(element):
        integer = ir.IntegerType(element)
        is_signed = integer.is_signless and integer.width > 1
        kind = "SIGNED" if is_signed else "UNSIGNED"
    else:
        kind = "TOTALORDER" if total_order else "FLOAT"
    result = _like(x, ir.IntegerType.get_signless(1))
    return hlo(
        "compare",
        [result],
        [x, y],
        {
            "comparison_direction": attribute(
                f"#stablehlo<comparison_direction {direction}>"
            ),
            "compare_type": attribute(f"#stablehlo<comparison_type {kind}>"),
        },
    ).result


def extreme(name: str, direction: str, x, y):
    """The larger or smaller of each pair; complex numbers in lexicographic order."""
    if not ir.ComplexType.isinstance(element_type(x)):
        return operation(name)(x, y)
    (real_x, imag_x), (real_y, imag_y) = (
        (unary("real", v), unary("imag", v)) for v in (x, y)
    )
    takes_x = select(
        compare(real_x, real_y, "EQ"),
        compare(imag_x, imag_y, direction),
        compare(real_x, real_y, direction),
    )
    is_nan = compare(x, x, "NE")
    return select(operation("or")(takes_x, is_nan), x, y)


def convert(x, aval_in, aval_out):
    """Converts values; complex numbers become real by dropping the imaginary part."""
    if is_complex(aval_in.dtype) and not is_complex(aval_out.dtype):
        x = unary("real", x)
        if (
            element_type(x)
            == ir.RankedTensorType(mlir.aval_to_ir_type(aval_out)).element_type
        ):
            return x
    return hlo("convert", [mlir.aval_to_ir_type(aval_out)], [x]).result


def bitcast(x, aval_out):
    """Reads the bits as another type."""
    return hlo("bitcast_convert", [mlir.aval_to_ir_type(aval_out)], [x]).result


def reduce_precision(x, exponent_bits: int, mantissa_bits: int):
    """Rounds to a smaller format."""
    return hlo(
        "reduce_precision",
        [x.type],
        [x],
        {
            "exponent_bits": int32_attribute(exponent_bits),
            "mantissa_bits": int32_attribute(mantissa_bits),
        },
    ).result


def select(pred, on_true, on_false):
    """Chooses by a truth value per element, or one for all."""
    return hlo("select", [on_true.type], [pred, on_true, on_false]).result


def select_n(which_aval, which, cases: Sequence, case_aval):
    """Chooses among several cases by number."""
    if kind_of(which_aval.dtype) is BOOL:
        return cases[0] if len(cases) == 1 else select(which, cases[1], cases[0])
    result = cases[-1]
    for i in reversed(range(len(cases) - 1)):
        is_before = compare(which, full(i + 1, which_aval), "LT")
        result = select(is_before, cases[i], result)
    return result


def clamp(low, x, high):
    """Limits elements to an interval."""
    return hlo("clamp", [x.type], [low, x, high]).result


def sign(x, aval):
    """-1, 0 or 1; unsigned integers have no sign operation of their own."""
    if kind_of(aval.dtype) & (SIGNED | FLOATING | COMPLEX):
        return unary("sign", x)
    zero = full(0, aval)
    return select(compare(x, zero, "EQ"), zero, full(1, aval))


def integer_pow(x, exponent: int, aval):
    """Repeated multiplication; the reciprocal of it for negative exponents."""
    multiply = operation("multiply")
    result, power, rest = None, x, abs(exponent)
    while rest:
        if rest & 1:
            result = power if result is None else multiply(result, power)
        rest >>= 1
        if rest:
            power = multiply(power, power)
    if result is None:
        return full(1, aval)
    if exponent > 0:
        return result
    return operation("divide")(full(1, aval), result)


def _splat(x, value: int):
    """An integer constant of the type of `x`."""
    scalar = scalar_type(x)
    attribute_ = ir.DenseElementsAttr.get_splat(
        scalar, ir.IntegerAttr.get(element_type(x), value)
    )
    made = hlo("constant", [scalar], [], {"value": attribute_}).result
    return broadcast_in_dim(made, shape_of(x), ())


def high_product(x, y):
    """The upper half of the full product of integers."""
    integer = ir.IntegerType(element_type(x))
    if integer.width == 64:
        return _high_product_of_words(x, y, integer.is_signless)
    make = ir.IntegerType.get_signless
    if not integer.is_signless:
        make = ir.IntegerType.get_unsigned
    wide = _like(x, make(64))
    left, right = (hlo("convert", [wide], [v]).result for v in (x, y))
    product = operation("multiply")(left, right)
    upper = operation("shift_right_logical")(product, _splat(product, integer.width))
    return hlo("convert", [x.type], [upper]).result


def _high_product_of_words(x, y, is_signed: bool):
    """Returns the high half of a 64-bit product, from products of 32-bit halves."""
    multiply, add_, and_ = map(operation, ("multiply", "add", "and"))
    mask, half = _splat(x, 2**32 - 1), _splat(x, 32)

    def upper(v):
        return operation("shift_right_logical")(v, half)

    x_low, x_high, y_low, y_high = and_(x, mask), upper(x), and_(y, mask), upper(y)
    first, second = multiply(x_low, y_high), multiply(x_high, y_low)
    middle = add_(upper(multiply(x_low, y_low)), and_(first, mask))
    middle = add_(middle, and_(second, mask))
    result = add_(multiply(x_high, y_high), add_(upper(first), upper(second)))
    result = add_(result, upper(middle))
    if not is_signed:
        return result
    zero = _splat(x, 0)
    for factor, other in ((x, y), (y, x)):
        excess = select(compare(factor, zero, "LT"), other, zero)
        result = operation("subtract")(result, excess)
    return result
