"""Programs of thousands of operations are compiled in parts: with the same results, in time in proportion."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.base import errors
from jax._src.runtime.compilation import compile
from jax._src.runtime.devices import backends
from tests.testing import patience

COUNT = 600


def numbers(count=COUNT):
    return [jnp.float32(i % 7 + 1) for i in range(count)]


def test_scalars_of_one_part_are_found_by_others():
    @jax.jit
    def f(*xs):
        made = list(xs)
        for i in range(COUNT):
            made.append(made[i] * 0.5 + made[-1])
        return made[COUNT::7] + [jnp.sin(x) for x in made[::5]]

    xs = numbers()
    made = [np.float32(x) for x in xs]
    for i in range(COUNT):
        made.append(np.float32(made[i] * np.float32(0.5) + made[-1]))
    expected = made[COUNT::7] + [np.sin(x) for x in made[::5]]
    np.testing.assert_allclose(f(*xs), expected, rtol=1e-4, atol=1e-3)


def test_carries_beyond_the_registers_are_swapped():
    @jax.jit
    def f(*xs):
        def body(i, xs):
            return [
                xs[1],
                xs[0],
                *(a + b for a, b in zip(xs[2:], xs[1:], strict=False)),
            ]

        return lax.fori_loop(0, 3, body, list(xs))

    xs = [jnp.int32(i) for i in range(COUNT)]
    expected = list(range(COUNT))
    for _ in range(3):
        expected = [
            expected[1],
            expected[0],
            *(a + b for a, b in zip(expected[2:], expected[1:], strict=False)),
        ]
    assert [int(x) for x in f(*xs)] == expected


@pytest.mark.parametrize("shape", [(), (3,)])
def test_many_arrays_go_round_a_loop(shape):
    @jax.jit
    def f(xs):
        return lax.fori_loop(0, 2, lambda i, xs: [*xs[1:], xs[0] + i], xs)

    xs = [jnp.full(shape, i, jnp.int32) for i in range(COUNT)]
    expected = [*range(2, COUNT), 0, 2]
    for result, number in zip(f(xs), expected, strict=True):
        np.testing.assert_array_equal(result, np.full(shape, number))


def test_loops_and_branches_hand_scalars_on():
    @jax.jit
    def f(x, n):
        total = x
        for i in range(150):
            part = lax.fori_loop(0, n, lambda j, y, i=i: y + i + j, total % 5)
            total = lax.cond(
                part % 2 == 0,
                lambda t, p: t + p,
                lambda t, p: lax.fori_loop(0, 2, lambda j, y: y + p, t),
                total,
                part,
            )
        return total

    total = 3
    for i in range(150):
        part = total % 5 + sum(i + j for j in range(4))
        total += part if part % 2 == 0 else 2 * part
    assert int(f(jnp.int32(3), 4)) == total


def test_loops_in_a_long_loop_hold_parts():
    @jax.jit
    def f(x):
        def body(i, x):
            for k in range(COUNT):
                x = (x * 3 + k) % 1009
                if k % 50 == 0:
                    x = lax.fori_loop(0, 2, lambda j, y: y + i, x)
            return x

        return lax.fori_loop(0, 3, body, x)

    x = 5
    for i in range(3):
        for k in range(COUNT):
            x = (x * 3 + k) % 1009
            x += 2 * i if k % 50 == 0 else 0
    assert int(f(jnp.int32(5))) == x


def test_arguments_given_away_are_read_before_results_take_their_place():
    for shape in [(), (2,)]:
        f = jax.jit(lambda *xs: xs[::-1], donate_argnums=range(COUNT))
        xs = [jnp.full(shape, i, jnp.float32) for i in range(COUNT)]
        for i, result in enumerate(f(*xs)):
            np.testing.assert_array_equal(result, np.full(shape, COUNT - 1 - i))


def test_handlers_are_called_from_parts():
    @jax.jit
    def f(x):
        for i in range(COUNT):
            x = (x * 3 + i) % 1009
            if i % 100 == 0:
                x = lax.cond(
                    x % 2 == 0,
                    lambda x: jax.pure_callback(
                        lambda x: np.int32(x + 1), jax.ShapeDtypeStruct((), x.dtype), x
                    ),
                    lambda x: x,
                    x,
                )
        return x

    x = 1
    for i in range(COUNT):
        x = (x * 3 + i) % 1009
        x += x % 2 == 0 and i % 100 == 0
    assert int(f(jnp.int32(1))) == x


@pytest.mark.parametrize(
    ("count", "dtype"),
    [
        (13, np.float32),
        (13, np.complex64),
        (13, np.bool_),
        (13, jnp.bfloat16),
        (600, np.complex64),
    ],
)
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_many_pieces_are_put_together(count, dtype, axis):
    x = (np.arange(24).reshape(2, 3, 4) % 5).astype(dtype)
    if dtype == np.complex64:
        x = x + 2j * x
    pieces = [
        lambda x, i=i: (x if i % 3 else x[::-1])[:, : 1 + i % 2] for i in range(count)
    ]
    if axis != 1:
        pieces = [lambda x, i=i: x if i % 3 else x[::-1] for i in range(count)]
    f = jax.jit(lambda x: jnp.concatenate([piece(x) for piece in pieces], axis))
    expected = np.concatenate([piece(x) for piece in pieces], axis)
    np.testing.assert_array_equal(f(x), expected)


def test_carries_that_only_feed_each_other_end():
    def body(c):
        i, a, b, d = c
        return i + 1, a, a, b

    result = jax.jit(
        lambda x, y: lax.while_loop(lambda c: c[0] < 1, body, (0, x, y, y))
    )
    assert [int(x) for x in result(7, 9)] == [1, 7, 7, 9]


# How long it takes


def module(arguments, result, lines):
    listed = ", ".join(f"%{name}: {type_}" for name, type_ in arguments.items())
    body = "\n".join(lines)
    return (
        f"module @m {{ func.func public @main({listed}) -> {result} {{\n{body}\n}} }}"
    )


VECTOR = "tensor<16xf32>"


def branches(count):
    """Branches in a row on one condition."""
    lines, x = [], "%x"
    for i in range(count):
        lines.append(
            f'%y{i} = "stablehlo.if"(%p) ({{ %a = stablehlo.sine {x} : {VECTOR}\n'
            f"stablehlo.return %a : {VECTOR} }}, {{ stablehlo.return {x} : {VECTOR} }})"
            f" : (tensor<i1>) -> {VECTOR}"
        )
        x = f"%y{i}"
    return module(
        {"p": "tensor<i1>", "x": VECTOR}, VECTOR, [*lines, f"return {x} : {VECTOR}"]
    )


def loops(count):
    lines, x = ["%z = stablehlo.constant dense<0> : tensor<i32>"], "%x"
    for i in range(count):
        lines.append(
            f"%w{i}:2 = stablehlo.while(%i = %z, %v = {x}) : tensor<i32>, {VECTOR} cond {{"
            "%c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
            "stablehlo.return %c : tensor<i1> } do { %j = stablehlo.add %i, %n : tensor<i32>\n"
            f"%s = stablehlo.sine %v : {VECTOR}\n"
            f"stablehlo.return %j, %s : tensor<i32>, {VECTOR} }}"
        )
        x = f"%w{i}#1"
    return module(
        {"n": "tensor<i32>", "x": VECTOR}, VECTOR, [*lines, f"return {x} : {VECTOR}"]
    )


def scalars(count):
    """Scalars in a loop."""
    lines = [
        "%w:2 = stablehlo.while(%i = %n, %v = %x) : tensor<i32>, tensor<f32> cond {",
        "%c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>",
        "stablehlo.return %c : tensor<i1> } do {",
    ]
    x = "%v"
    for i in range(count):
        lines.append(
            f"%s{i} = stablehlo.{'add' if i % 2 else 'multiply'} {x}, %x : tensor<f32>"
        )
        x = f"%s{i}"
    lines.append(f"stablehlo.return %i, {x} : tensor<i32>, tensor<f32> }}")
    return module(
        {"n": "tensor<i32>", "x": "tensor<f32>"},
        "tensor<f32>",
        [*lines, "return %w#1 : tensor<f32>"],
    )


def vectors(count):
    """Vectors, each of two before it."""
    operations = ("add", "multiply", "maximum", "subtract")
    lines, made = [], ["%x", "%x"]
    for i in range(count):
        operands = f"{made[-1]}, {made[-1 - i % 2]}"
        lines.append(f"%v{i} = stablehlo.{operations[i % 4]} {operands} : {VECTOR}")
        made.append(f"%v{i}")
    return module({"x": VECTOR}, VECTOR, [*lines, f"return {made[-1]} : {VECTOR}"])


def arguments(count):
    """A program with as many results as arguments, in another order."""
    types = ", ".join([VECTOR] * count)
    given = ", ".join(f"%x{(i + 1) % count}" for i in range(count))
    names = {f"x{i}": VECTOR for i in range(count)}
    return module(names, f"({types})", [f"return {given} : {types}"])


def pieces(count):
    """One array of many."""
    names = {f"x{i}": VECTOR for i in range(count)}
    listed, types = ", ".join(f"%{name}" for name in names), ", ".join([VECTOR] * count)
    whole = f"tensor<{16 * count}xf32>"
    return module(
        names,
        whole,
        [
            f"%r = stablehlo.concatenate {listed}, dim = 0 : ({types}) -> {whole}",
            f"return %r : {whole}",
        ],
    )


def calls(count):
    """Functions that each call the next."""
    lines = [
        f"%r = func.call @f0(%x) : ({VECTOR}) -> {VECTOR}",
        f"return %r : {VECTOR}",
    ]
    functions = [
        f"func.func private @f{i}(%x: {VECTOR}) -> {VECTOR} {{\n%a = stablehlo.sine %x : {VECTOR}\n"
        + (
            f"%r = func.call @f{i + 1}(%a) : ({VECTOR}) -> {VECTOR}\n"
            if i + 1 < count
            else ""
        )
        + f"return %{'r' if i + 1 < count else 'a'} : {VECTOR} }}"
        for i in range(count)
    ]
    return (
        module({"x": VECTOR}, VECTOR, lines).removesuffix("}")
        + "\n".join(functions)
        + "}"
    )


def seconds(text, repeats=2):
    """The processor time of a compilation, which other processes do not change much."""
    compiled = lambda: compile.compile_module(text, devices=backends.devices()[:1])  # noqa: E731
    return patience.least_seconds(compiled, repeats=repeats)


@pytest.mark.parametrize("make", [arguments, branches, calls, loops, pieces, scalars])
def test_time_is_in_proportion_to_length(make):
    # Linear is 6, quadratic 36.
    assert seconds(make(6 * COUNT)) < 18 * seconds(make(COUNT)) + 0.5


@pytest.mark.parametrize("make", [scalars, vectors])
def test_twenty_thousand_operations_take_time_in_proportion(make):
    # Linear is 10, quadratic 100.
    assert seconds(make(20_000), repeats=1) < 30 * seconds(make(2_000)) + 0.5


def test_deep_calls_are_no_large_program():
    compile.compile_module(calls(5000), devices=backends.devices()[:1])


def test_what_nests_too_deeply_to_be_read_is_refused():
    depth = 20_000
    lines = ['%y = "stablehlo.if"(%p) ({'] * depth
    lines += ["}, {}) : (tensor<i1>) -> tensor<f32>"] * depth
    text = module({"p": "tensor<i1>"}, "tensor<f32>", lines)
    with pytest.raises(errors.JaxRuntimeError, match="more than 512 regions"):
        compile.compile_module(text, devices=backends.devices()[:1])
    text = f"module {{ func.func private @f({'tuple<' * depth}) }}"
    with pytest.raises(errors.JaxRuntimeError, match="more than 4096 brackets"):
        compile.compile_module(text, devices=backends.devices()[:1])
