"""Types of 8, 4 and 2 bits: every value of them, and every rounding to them."""

import ml_dtypes
import numpy as np
import pytest

from tests.plugin.element_types import TYPES

FLOATS = [name for name in TYPES if name.startswith(("f8", "f4"))]
INTEGERS = ["i4", "ui4", "i2", "ui2"]

each_float = pytest.mark.parametrize("name", FLOATS)
each_integer = pytest.mark.parametrize("name", INTEGERS)


def all_values(name):
    """Every value of a small type, in the order of its bits."""
    bits = 8 if name.startswith("f8") else 2 if name.endswith("i2") else 4
    return np.arange(2**bits, dtype=np.uint8).view(TYPES[name][1])


def type_of(array):
    """The tensor type that StableHLO's text has for an array."""
    (name,) = [n for n, (_, dtype) in TYPES.items() if np.dtype(dtype) == array.dtype]
    return "tensor<" + "".join(f"{n}x" for n in array.shape) + name + ">"


def run(client, line, *arrays):
    """Results of a program whose body `line` computes %r from %0, %1, …"""
    arguments = ", ".join(f"%{i}: {type_of(a)}" for i, a in enumerate(arrays))
    result = line.rsplit("->", 1)[-1].rsplit(" : ", 1)[-1].rsplit(", ", 1)[-1].strip()
    program = f"func.func @main({arguments}) -> {result} {{\n  %r = {line}\n"
    program += f"  return %r : {result}\n}}"
    codes = {np.dtype(dtype): code for code, dtype in TYPES.values()}
    with client.device(0) as device:
        buffers = [
            client.buffer_from_host(
                bytearray(a.tobytes()), codes[a.dtype], list(a.shape), device
            )
            for a in arrays
        ]
    (out,) = client.compile(program)(*buffers)
    dtypes = dict(TYPES.values())
    return np.frombuffer(out.to_host(), dtypes[int(out.element_type)]).reshape(
        tuple(out.dimensions)
    )


def convert(client, array, name):
    """stablehlo.convert."""
    to = type_of(array.view()).rsplit("x", 1)[0] + f"x{name}>"
    return run(client, f"stablehlo.convert %0 : ({type_of(array)}) -> {to}", array)


def nearest(name, x):
    """The codes of the values next to the doubles `x`: the oracle of rounding."""
    codes = np.arange(len(all_values(name)) // (1 if name == "f8E8M0FNU" else 2))
    values = codes.astype(np.uint8).view(TYPES[name][1]).astype(np.float64)
    codes, values = codes[np.isfinite(values)], values[np.isfinite(values)]
    # What is beyond the last value is as far from it as from a next one.
    beyond = values[-1] + (values[-1] - values[-2])
    if name == "f8E8M0FNU":
        beyond = 2.0**128
    middles = (np.append(values[1:], beyond) + values) / 2
    magnitude = np.abs(x)
    up = np.searchsorted(middles, magnitude, side="left")
    is_tie = (up < len(middles)) & (
        magnitude == middles[np.minimum(up, len(codes) - 1)]
    )
    goes_up = is_tie & ((up % 2 == 1) | (name == "f8E8M0FNU"))
    position = up + goes_up
    infinity = {"f8E5M2": 0x7C, "f8E4M3": 0x78, "f8E3M4": 0x70, "f8E4M3FN": 0x7F}
    last = {"f4E2M1FN": 7, "f8E8M0FNU": 0xFF}
    overflow = (infinity | last).get(name, 0x80)
    code = np.where(position < len(codes), position, overflow)
    if name == "f8E8M0FNU":
        return np.where(x > 0, code, 0xFF).astype(np.uint8)
    sign = np.where(np.signbit(x), 8 if name == "f4E2M1FN" else 0x80, 0)
    if name.endswith("FNUZ"):
        sign = np.where(code == 0, 0, sign)
    return (code | sign).astype(np.uint8)


def hard_cases(name, dtype):
    """Values, the middles between them and what is just beside, both signs."""
    values = np.unique(all_values(name).astype(np.float64))
    values = values[np.isfinite(values)]
    middles = (values[1:] + values[:-1]) / 2
    far = values[-1] * np.array([1.03, 1.0625, 1.07, 1.124, 1.126, 1.249, 1.26, 2, 1e9])
    cases = np.concatenate([values, middles, far, [0.0, 1e-30, np.inf]])
    with np.errstate(over="ignore"):
        cases = np.concatenate([cases, -cases]).astype(dtype)
    cases = np.concatenate(
        [cases, np.nextafter(cases, dtype(np.inf)), np.nextafter(cases, dtype(-np.inf))]
    )
    return cases


@each_float
@pytest.mark.parametrize("source", ["f32", "f64"])
def test_conversion_rounds_once_to_nearest(client, name, source):
    x = hard_cases(name, TYPES[source][1])
    got = convert(client, x, name).view(np.uint8)
    wanted = nearest(name, x.astype(np.float64))
    different = np.flatnonzero(got != wanted)
    assert different.size == 0, (
        x[different[:5]],
        got[different[:5]],
        wanted[different[:5]],
    )


@each_float
@pytest.mark.parametrize("source", ["f16", "bf16"])
def test_conversion_from_every_half(client, name, source):
    x = np.arange(2**16, dtype=np.uint16).view(TYPES[source][1])
    with np.errstate(invalid="ignore"):
        x = x[~np.isnan(x)]
    got = convert(client, x, name).view(np.uint8)
    np.testing.assert_array_equal(got, nearest(name, x.astype(np.float64)))


@each_float
def test_conversion_of_nan(client, name):
    x = np.array([np.nan, -np.nan], np.float32)
    got = convert(client, x, name)
    if name == "f4E2M1FN":  # which has none: XLA gives -0
        np.testing.assert_array_equal(got.view(np.uint8), [8, 8])
    else:
        assert np.isnan(got).all()


@each_float
@pytest.mark.parametrize("target", ["f16", "bf16", "f32", "f64"])
def test_every_value_widens(client, name, target):
    x = all_values(name)
    got = convert(client, x, target)
    with np.errstate(over="ignore", invalid="ignore"):
        wanted = x.astype(np.float32).astype(TYPES[target][1]).astype(np.float64)
        np.testing.assert_array_equal(got.astype(np.float64), wanted)


@each_float
@pytest.mark.parametrize("target", ["i1", "i8", "ui8", "i32", "i4", "ui4", "i2", "ui2"])
def test_to_integers_truncates_and_saturates(client, name, target):
    x = all_values(name)
    wide = np.nan_to_num(x.astype(np.float64), nan=1.0 if target == "i1" else 0.0)
    if target == "i1":
        wanted = wide != 0
    else:
        bits = int(target.strip("ui"))
        low, high = (
            (0, 2**bits - 1)
            if target[0] == "u"
            else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        )
        wanted = np.clip(np.trunc(wide), low, high)
    got = convert(client, x, target)
    np.testing.assert_array_equal(got.astype(np.int64), wanted.astype(np.int64))


@each_float
@pytest.mark.parametrize("source", ["i1", "i8", "i32", "i64", "i4", "ui2"])
def test_from_integers(client, name, source):
    if source in INTEGERS:
        x = all_values(source)
    elif source == "i1":
        x = np.array([False, True])
    else:
        edges = [-(2**31), 2**31 - 1, 449, 463, 464, 465, 57344, 61439, 61440, 3 << 27]
        x = np.append(np.arange(-128, 128), [] if source == "i8" else edges)
        x = x.astype(TYPES[source][1])
    got = convert(client, x, name).view(np.uint8)
    np.testing.assert_array_equal(got, nearest(name, x.astype(np.float64)))


@each_float
@pytest.mark.parametrize(
    "op", ["add", "subtract", "multiply", "divide", "maximum", "minimum"]
)
def test_arithmetic_rounds_the_exact_result(client, name, op):
    values = all_values(name)
    values = values[np.isfinite(values.astype(np.float32))]
    x, y = (a.ravel() for a in np.meshgrid(values, values))
    got = run(client, f"stablehlo.{op} %0, %1 : {type_of(x)}", x, y).view(np.uint8)
    with np.errstate(all="ignore"):
        exact = getattr(np, op)(x.astype(np.float64), y.astype(np.float64))
    # Zeros have their own rules; below the range of f32 the product is one.
    defined = np.isfinite(exact) & (np.abs(exact) > 2.0**-140)
    np.testing.assert_array_equal(got[defined], nearest(name, exact)[defined])


@each_float
def test_comparison_and_choice(client, name):
    values = all_values(name)
    x, y = (a.ravel() for a in np.meshgrid(values, values))
    wide = [a.astype(np.float32) for a in (x, y)]
    result = f"tensor<{x.size}xi1>"
    for direction, compare in [("LT", np.less), ("EQ", np.equal), ("NE", np.not_equal)]:
        got = run(
            client,
            f"stablehlo.compare {direction}, %0, %1, FLOAT : "
            f"({type_of(x)}, {type_of(y)}) -> {result}",
            x,
            y,
        )
        np.testing.assert_array_equal(got, compare(*wide))
    got = run(
        client,
        f"stablehlo.select %2, %0, %1 : {result}, {type_of(x)}",
        x,
        y,
        wide[0] < 1,
    )
    np.testing.assert_array_equal(
        got.view(np.uint8), np.where(wide[0] < 1, x.view(np.uint8), y.view(np.uint8))
    )


@each_float
def test_functions_round_the_function(client, name):
    x = all_values(name)
    got = run(client, f"stablehlo.sqrt %0 : {type_of(x)}", x)
    with np.errstate(invalid="ignore"):
        exact = np.sqrt(x.astype(np.float64))
    defined = np.isfinite(exact) & (exact > 0)
    np.testing.assert_array_equal(
        got.view(np.uint8)[defined], nearest(name, exact)[defined]
    )


def wrap(name, number):
    """Whole numbers as an integer type holds them."""
    bits = int(name.strip("ui"))
    number = number.astype(np.int64) & (2**bits - 1)
    is_negative = (number >> (bits - 1) == 1) & (name[0] != "u")
    return np.where(is_negative, number - 2**bits, number)


@each_integer
@pytest.mark.parametrize("op", ["add", "subtract", "multiply", "and", "or", "xor"])
def test_integers_wrap_at_their_width(client, name, op):
    x, y = (a.ravel() for a in np.meshgrid(all_values(name), all_values(name)))
    got = run(client, f"stablehlo.{op} %0, %1 : {type_of(x)}", x, y)
    function = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
    function = function.get(op) or getattr(np, op)
    exact = function(x.astype(np.int64), y.astype(np.int64))
    np.testing.assert_array_equal(got.astype(np.int64), wrap(name, exact))
    assert got.view(np.uint8).max() < 2 ** int(name.strip("ui"))


@each_integer
def test_integer_functions_know_their_width(client, name):
    x = all_values(name)
    bits = int(name.strip("ui"))
    own = x.view(np.uint8)
    cases = {
        "popcnt": [bin(v).count("1") for v in own],
        "count_leading_zeros": [bits - int(v).bit_length() for v in own],
        "negate": -x.astype(np.int64),
        "not": ~x.astype(np.int64),
    }
    for op, wanted in cases.items():
        got = run(client, f"stablehlo.{op} %0 : {type_of(x)}", x)
        np.testing.assert_array_equal(
            got.astype(np.int64), wrap(name, np.asarray(wanted))
        )


@each_integer
def test_shifts_and_division(client, name):
    x, y = (a.ravel() for a in np.meshgrid(all_values(name), all_values(name)))
    a, amount = x.astype(np.int64), y.view(np.uint8).astype(np.int64)
    bits = int(name.strip("ui"))
    own = x.view(np.uint8).astype(np.int64)
    top = np.where(own >> (bits - 1) == 1, own - 2**bits, own)
    wanted = {
        "shift_left": np.where(amount < bits, a << amount, 0),
        "shift_right_logical": np.where(amount < bits, own >> amount, 0),
        "shift_right_arithmetic": top >> np.minimum(amount, bits - 1),
    }
    b = y.astype(np.int64)
    safe = np.where(b == 0, 1, b)
    wanted["divide"] = np.where(b == 0, -1, np.trunc(a / safe))
    wanted["remainder"] = np.where(b == 0, a, np.fmod(a, safe))
    wanted["maximum"] = np.maximum(a, b)
    for op, exact in wanted.items():
        got = run(client, f"stablehlo.{op} %0, %1 : {type_of(x)}", x, y)
        np.testing.assert_array_equal(
            got.astype(np.int64), wrap(name, exact), err_msg=op
        )


@each_integer
def test_integer_conversions_keep_the_low_bits(client, name):
    for source in ("i8", "ui8", "i32", "i4", "ui2"):
        if source in INTEGERS:
            x = all_values(source)
        else:
            x = np.arange(-128, 256).astype(TYPES[source][1])
        got = convert(client, x, name)
        np.testing.assert_array_equal(
            got.astype(np.int64), wrap(name, x.astype(np.int64))
        )
    x = all_values(name)
    np.testing.assert_array_equal(convert(client, x, "i32"), x.astype(np.int32))
    x = np.array([-9.5, -1.5, -0.5, 1.5, 2.5, 7.9, 99, np.nan], np.float32)
    info = ml_dtypes.iinfo(TYPES[name][1])
    wanted = np.trunc(np.clip(np.nan_to_num(x), info.min, info.max))
    np.testing.assert_array_equal(convert(client, x, name).astype(np.float32), wanted)


def test_bits_are_taken_apart_and_put_together(client):
    x = np.arange(256, dtype=np.uint8)
    nibbles = run(
        client,
        "stablehlo.bitcast_convert %0 : (tensor<256xui8>) -> tensor<256x2xui4>",
        x,
    )
    np.testing.assert_array_equal(
        nibbles.astype(np.uint8), np.stack([x & 15, x >> 4], axis=1)
    )
    for name in ("f4E2M1FN", "i4"):
        pair = f"tensor<256x2x{name}>"
        small = run(
            client, f"stablehlo.bitcast_convert %0 : (tensor<256xui8>) -> {pair}", x
        )
        again = run(
            client, f"stablehlo.bitcast_convert %0 : ({pair}) -> tensor<256xui8>", small
        )
        np.testing.assert_array_equal(again, x)
    for name in FLOATS:
        if name.startswith("f8"):
            same = run(
                client,
                f"stablehlo.bitcast_convert %0 : (tensor<256xui8>) -> tensor<256x{name}>",
                x,
            )
            np.testing.assert_array_equal(same.view(np.uint8), x)


@pytest.mark.parametrize("name", ["f8E4M3FN", "f8E5M2", "f4E2M1FN", "i4", "ui4", "i2"])
def test_products_are_exact_inside(client, name):
    values = all_values(name)
    values = values[np.isfinite(values.astype(np.float32))]
    random = np.random.default_rng(3)
    x, y = random.choice(values, (5, 7)), random.choice(values, (7, 3))
    wide = "f32" if name.startswith("f") else "i32"
    exact = x.astype(np.float64) @ y.astype(np.float64)
    product = "stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : "
    product += f"({type_of(x)}, {type_of(y)}) -> tensor<5x3x"
    got = run(client, product + wide + ">", x, y)
    np.testing.assert_allclose(got, exact, rtol=1e-6)
    got = run(client, product + name + ">", x, y)
    if wide == "f32":
        np.testing.assert_array_equal(got.view(np.uint8), nearest(name, exact))
    else:
        np.testing.assert_array_equal(got.astype(np.int64), wrap(name, exact))


@pytest.mark.parametrize("name", ["f8E4M3FN", "f8E5M2FNUZ", "i4", "ui2"])
def test_movements_and_constants(client, name):
    x = all_values(name)[:4].reshape(2, 2)
    to = f"tensor<3x2x2x{name}>"
    got = run(
        client,
        f"stablehlo.broadcast_in_dim %0, dims = [2, 1] : ({type_of(x)}) -> {to}",
        x,
    )
    np.testing.assert_array_equal(
        got.view(np.uint8), np.broadcast_to(x.T, (3, 2, 2)).view(np.uint8)
    )
    literal = "1.0" if name.startswith("f") else "1"
    got = run(client, f"stablehlo.constant dense<{literal}> : tensor<2x{name}>")
    np.testing.assert_array_equal(got.astype(np.float32), [1, 1])
    got = run(client, f"stablehlo.iota dim = 0 : tensor<4x{name}>")
    np.testing.assert_array_equal(got.astype(np.float32), [0, 1, 2, 3])


@pytest.mark.parametrize("name", ["f8E4M3FN", "f8E4M3", "i4", "ui4"])
def test_folds(client, name):
    values = all_values(name)
    values = values[np.isfinite(values.astype(np.float32))]
    x = np.random.default_rng(4).choice(values[:24], (3, 40))
    for op, function in [("add", np.sum), ("maximum", np.max), ("minimum", np.min)]:
        got = run(
            client,
            f"stablehlo.reduce(%0 init: %1) applies stablehlo.{op} across dimensions = "
            f"[1] : ({type_of(x)}, tensor<{name}>) -> tensor<3x{name}>",
            x,
            x[0, 0].reshape(()),
        )
        with_start = np.concatenate([x, np.full((3, 1), x[0, 0])], axis=1)
        exact = function(with_start.astype(np.float64), axis=1)
        if name.startswith("f"):
            np.testing.assert_array_equal(got.view(np.uint8), nearest(name, exact))
        else:
            np.testing.assert_array_equal(got.astype(np.int64), wrap(name, exact))
