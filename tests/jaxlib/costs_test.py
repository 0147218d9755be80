"""What the stages say of a program's cost, against counts by hand."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax


def _f32(*shape):
    return jax.ShapeDtypeStruct(shape, np.float32)


def _conv(padding, **options):
    return lambda x, w: lax.conv_general_dilated(x, w, (1, 1), padding, **options)


def _counted(limit):
    return lambda x: lax.fori_loop(0, limit, lambda i, x: jnp.sin(x) * 2.0, x)


def _nested(x):
    def outer(i, x):
        return lax.fori_loop(2, 5, lambda j, x: x * 3.0, x) + 1.0

    return lax.fori_loop(0, 4, outer, x)


def _downwards(x):
    return lax.while_loop(
        lambda c: c[0] > 3, lambda c: (c[0] - 2, c[1] * 2.0), (10, x)
    )[1]


def _summed_squares(x, rows):
    return lax.scan(lambda c, row: (c + row * row, None), x, rows)


# Name: function, arguments, flops, transcendentals.
COUNTED = {
    "sum of two": (lambda x, y: x + y, [_f32(64), _f32(64)], 64, 0),
    "axpy": (lambda x, y: 2 * x + y, [_f32(64), _f32(64)], 128, 0),
    "function": (jnp.exp, [_f32(5, 7)], 0, 35),
    "integers": (lambda x: x + 1, [jax.ShapeDtypeStruct((8,), np.int32)], 8, 0),
    "complex": (
        lambda x, y: x * y,
        [jax.ShapeDtypeStruct((8,), np.complex64)] * 2,
        8,
        0,
    ),
    "product": (jnp.matmul, [_f32(16, 32), _f32(32, 8)], 2 * 16 * 32 * 8, 0),
    "products": (
        lambda a, b: jnp.einsum("bij,bjk->bik", a, b),
        [_f32(4, 3, 5), _f32(4, 5, 2)],
        2 * 4 * 3 * 5 * 2,
        0,
    ),
    "layer": (
        lambda x, w, b: jnp.tanh(x @ w + b),
        [_f32(16, 32), _f32(32, 8), _f32(8)],
        2 * 16 * 32 * 8 + 16 * 8,
        16 * 8,
    ),
    "convolution": (
        _conv("VALID"),
        [_f32(2, 3, 16, 16), _f32(4, 3, 3, 3)],
        2 * (2 * 4 * 14 * 14) * (3 * 3 * 3),
        0,
    ),
    # Along a side of 16 with one zero on each end, 3 * 16 - 2 elements are real.
    "padded convolution": (
        _conv("SAME"),
        [_f32(2, 3, 16, 16), _f32(4, 3, 3, 3)],
        2 * (2 * 4 * 3) * 46 * 46,
        0,
    ),
    # Seen as a share of 3 * 28 elements, 82 is no number of few binary digits.
    "wide padded convolution": (
        _conv("SAME"),
        [_f32(4, 32, 28, 28), _f32(32, 32, 3, 3)],
        2 * (4 * 32 * 32) * 82 * 82,
        0,
    ),
    "convolution by groups": (
        _conv("VALID", feature_group_count=3),
        [_f32(1, 3, 8, 8), _f32(3, 1, 3, 3)],
        2 * (3 * 6 * 6) * 9,
        0,
    ),
    # A window of 2 meets each of the 8 elements of a spread side twice, but the two at
    # the ends once.
    "spread convolution": (
        _conv([(0, 0), (0, 0)], lhs_dilation=(2, 1)),
        [_f32(1, 1, 8, 8), _f32(1, 1, 2, 1)],
        2 * 14 * 8,
        0,
    ),
    "reduction": (jnp.sum, [_f32(10, 20)], 199, 0),
    "columns": (lambda x: x.sum(0), [_f32(10, 20)], 180, 0),
    "windows": (
        lambda x: lax.reduce_window(x, 0.0, lax.add, (2, 2), (2, 2), "VALID"),
        [_f32(8, 8)],
        16 * 3,
        0,
    ),
    # What counts the turns and compares the count is computed too.
    "counted loop": (_counted(10), [_f32(100)], 10 * 100 + 10 + 11, 10 * 100),
    "no iteration": (_counted(0), [_f32(100)], 0, 0),
    "loops in loops": (
        _nested,
        [_f32(7)],
        4 * (3 * 7 + 7) + (4 + 5) + 4 * (3 + 4),
        0,
    ),
    "loop downwards": (_downwards, [_f32(7)], 4 * 7 + 4 + 5, 0),
    "scan": (_summed_squares, [_f32(8), _f32(5, 8)], 5 * 2 * 8 + 5 + 6, 0),
    "dearest branch": (
        lambda p, x: lax.cond(p > 0, jnp.sin, lambda x: x, x),
        [jax.ShapeDtypeStruct((), np.int32), _f32(8)],
        2,  # a comparison, and its conversion to the number of a branch
        8,
    ),
}


@pytest.mark.parametrize("name", COUNTED)
def test_operations(name):
    function, arguments, flops, transcendentals = COUNTED[name]
    lowered = jax.jit(function).lower(*arguments)
    for stage in (lowered, lowered.compile()):
        costs = stage.cost_analysis()
        assert costs["flops"] == flops
        assert costs["transcendentals"] == transcendentals


def test_a_loop_of_unknown_length_counts_once():
    lowered = jax.jit(
        lambda x: lax.while_loop(lambda x: x[0] < 9, lambda x: x * 2, x)
    ).lower(_f32(100))
    for stage in (lowered, lowered.compile()):
        assert stage.cost_analysis()["flops"] == 101


ANY = "? i1 i4 u4 f2 f4 c8".split()
NUMBERS, WHOLE, REAL = ANY[1:], "i1 i4 u4".split(), "f2 f4".split()
# Name: function of x and y, the dtypes that it takes, flops and transcendentals of an
# element of the result.
ELEMENTWISE = {
    "add": (lax.add, NUMBERS, 1, 0),
    "mul": (lax.mul, NUMBERS, 1, 0),
    "div": (lax.div, NUMBERS, 1, 0),
    "rem": (lax.rem, REAL + WHOLE, 1, 0),
    "neg": (lambda x, y: -x, NUMBERS, 1, 0),
    "max": (lax.max, REAL + WHOLE, 1, 0),
    "floor": (lambda x, y: lax.floor(x), REAL, 1, 0),
    "round": (lambda x, y: lax.round(x), REAL, 1, 0),
    "is_finite": (lambda x, y: lax.is_finite(x), REAL, 1, 0),
    "eq": (lax.eq, ANY, 1, 0),
    "lt": (lax.lt, REAL + WHOLE, 1, 0),
    "select": (lambda x, y: lax.select(np.arange(12) > 5, x, y), ANY, 1, 0),
    "clamp": (lambda x, y: lax.clamp(x, y, x), REAL + WHOLE, 1, 0),
    "convert": (lambda x, y: x.astype("f8" if x.dtype == "f4" else "f4"), NUMBERS[:-1], 1, 0),
    "and": (lax.bitwise_and, WHOLE, 1, 0),
    "not": (lambda x, y: lax.bitwise_not(x), ["?", *WHOLE], 1, 0),
    "shift_left": (lax.shift_left, WHOLE, 1, 0),
    "clz": (lambda x, y: lax.clz(x), WHOLE, 1, 0),
    "complex": (lax.complex, ["f4"], 1, 0),
    "real": (lambda x, y: lax.real(x), ["c8"], 1, 0),
    "bits": (lambda x, y: lax.bitcast_convert_type(x, "i4"), ["f4"], 1, 0),
    "reduce_precision": (lambda x, y: lax.reduce_precision(x, 5, 7), REAL, 1, 0),
    "sin": (lambda x, y: lax.sin(x), REAL, 0, 1),
    "sqrt": (lambda x, y: lax.sqrt(x), REAL, 0, 1),
    "pow": (lax.pow, REAL, 0, 1),
    # With e = exp(-|x|), 1, or e below 0, divided by 1 + e.
    "logistic": (lambda x, y: lax.logistic(x), REAL, 6, 1),
    "broadcast": (lambda x, y: lax.broadcast(x, (3,)), ANY, 0, 0),
    "rev": (lambda x, y: lax.rev(x, (0,)), ANY, 0, 0),
    "concatenate": (lambda x, y: lax.concatenate([x, y], 0), ANY, 0, 0),
}  # fmt: skip


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_each_element_of_a_result_counts_once_whatever_it_is(name):
    function, dtypes, flops, transcendentals = ELEMENTWISE[name]
    with jax.enable_x64(True):
        for dtype in dtypes:
            x = jax.ShapeDtypeStruct((12,), dtype)
            costs = jax.jit(function).lower(x, x).cost_analysis()
            assert costs["flops"] == 12 * flops, dtype
            assert costs["transcendentals"] == 12 * transcendentals, dtype


def test_sums_products_and_sorts_count_by_elements():
    for dtype in NUMBERS:
        x, y = (jax.ShapeDtypeStruct(s, dtype) for s in ((8, 16), (16, 4)))

        def flops(function, *args):
            return jax.jit(function).lower(*args).cost_analysis()["flops"]

        assert flops(lambda x: lax.reduce(x, x[0, 0], lax.add, (0,)), x) == 7 * 16
        assert flops(lax.dot, x, y) == 2 * 8 * 16 * 4
        assert flops(lambda x: lax.sort(x, dimension=1), x) == 8 * 16 * 4


def test_what_is_transposed_is_free_and_what_is_reshaped_a_copy():
    def moved(function):
        lowered = jax.jit(function).lower(_f32(8, 16))
        return lowered.cost_analysis()["bytes accessed"]

    assert moved(lambda x: x.T) == 0
    assert moved(lambda x: x.reshape(-1)) == 2 * 512
    assert moved(lambda x: lax.rev(x, (0,))) == 2 * 512


# Name: function, arguments, bytes of operations that stand alone, and of steps.
MOVED = {
    "sum of two": (lambda x, y: x + y, [_f32(64)] * 2, 3 * 256, 3 * 256),
    # A product and a sum; together, they read two arrays and write one.
    "joined": (lambda x, y: x * x + y, [_f32(64)] * 2, 6 * 256, 3 * 256),
    "product": (
        jnp.matmul,
        [_f32(16, 32), _f32(32, 8)],
        4 * (16 * 32 + 32 * 8 + 16 * 8),
        4 * (16 * 32 + 32 * 8 + 16 * 8),
    ),
    "rows of a table": (
        lambda table: lax.dynamic_slice(table, (5, 0), (2, 8)),
        [_f32(1000, 8)],
        2 * 64 + 8,
        2 * 64,
    ),
    "row of a table": (
        lambda table, row: lax.dynamic_update_slice(table, row, (3, 0)),
        [_f32(1000, 8), _f32(1, 8)],
        2 * 32 + 8,
        2 * 32 + 8,
    ),
}


@pytest.mark.parametrize("name", MOVED)
def test_bytes(name):
    function, arguments, alone, joined = MOVED[name]
    donated = (0,) if name == "row of a table" else ()
    lowered = jax.jit(function, donate_argnums=donated).lower(*arguments)
    assert lowered.cost_analysis()["bytes accessed"] == alone
    assert lowered.compile().cost_analysis()["bytes accessed"] == joined


def test_bytes_decide_between_branches_without_arithmetic():
    def moved(function, *arguments):
        return jax.jit(function).lower(*arguments).cost_analysis()["bytes accessed"]

    def chosen(*branches):
        return moved(lambda p, x, y: lax.cond(p, *branches, x, y), flag, x, x)

    def same(x, y):
        return x

    def other(x, y):
        return y

    def next_one(x, y=None):
        return x + 1

    flag, x = jax.ShapeDtypeStruct((), bool), jax.ShapeDtypeStruct((1000,), np.int32)
    assert moved(next_one, x) >= 8000
    for branches in ((same, next_one), (next_one, same)):
        assert chosen(*branches) - chosen(same, other) == moved(next_one, x)
    # What both hand on is no choice.
    assert chosen(same, same) == 0


def test_bytes_of_a_loop_grow_with_its_iterations():
    def moved(limit):
        compiled = jax.jit(_counted(limit)).lower(_f32(1000)).compile()
        return compiled.cost_analysis()["bytes accessed"]

    assert 7990 <= (moved(30) - moved(10)) / 20 <= 8100


def test_texts_of_the_stages():
    lowered = jax.jit(lambda x: x @ x).lower(_f32(2, 2))
    assert lowered.as_text("stablehlo") == lowered.as_text()
    assert " dot(%" in lowered.compile().as_text()
    assert lowered.as_text("hlo") == lowered.compiler_ir("hlo").as_hlo_text()
    with pytest.raises(ValueError, match="unknown dialect: mhlo"):
        lowered.as_text("mhlo")
