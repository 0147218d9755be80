"""Loops and choices: values, derivatives of both modes, batching, mistakes."""

import gc

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.core import concrete
from jax.extend.core import ClosedJaxpr
from tests.testing import refusals

XS = np.array([0.5, 1.5, -0.7], np.float32)
ROWS = np.random.default_rng(0).standard_normal((5, 2)).astype(np.float32)
MATRIX = np.array([[0.3, 0.2], [0.1, -0.5]], np.float32)


def products(xs):
    return lax.scan(
        lambda c, x: (lax.mul(c, x), lax.sin(c)), np.float32(2), xs, length=len(xs)
    )


def recurrent_loss(matrix, rows):
    last, states = lax.scan(
        lambda h, row: (lax.tanh(lax.add(lax.dot(matrix, h), row)), h),
        np.zeros(2, np.float32),
        rows,
    )
    return lax.add(
        lax.reduce_sum(lax.mul(states, states), (0, 1)), lax.reduce_sum(last, (0,))
    )


def difference_quotient(fun, x, step=1e-2):
    slopes = np.zeros(x.shape)
    for index in np.ndindex(*x.shape):
        ahead, behind = x.copy(), x.copy()
        ahead[index] += step
        behind[index] -= step
        slopes[index] = (float(fun(ahead)) - float(fun(behind))) / (2 * step)
    return slopes


def test_no_error_is_explained_for_a_bound_that_is_traced(monkeypatch):
    explained = []

    def index_error(tracer, kind=int):
        explained.append(tracer)
        return TypeError("no index")

    monkeypatch.setattr(concrete, "index_error", index_error)
    loop = jax.jit(lambda n: lax.fori_loop(0, n, lambda i, s: s + i, 0))
    assert loop(5) == 10 and not explained


def test_scan_carries_and_stacks():
    carry, stacked = products(XS)
    np.testing.assert_allclose(carry, 2 * np.prod(XS), rtol=1e-6)
    np.testing.assert_allclose(stacked, np.sin([2, 1, 1.5]), rtol=1e-6)


@pytest.mark.parametrize("unroll", [1, 2, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_scan_runs_in_order_however_it_is_unrolled(reverse, unroll):
    xs = np.arange(5, dtype=np.float32)
    carry, before = lax.scan(
        lambda c, x: (lax.add(c, x), c),
        np.float32(0),
        xs,
        reverse=reverse,
        unroll=unroll,
    )
    wanted = [10, 9, 7, 4, 0] if reverse else [0, 0, 1, 3, 6]
    assert float(carry) == 10
    np.testing.assert_array_equal(before, wanted)


def test_scan_over_nothing_returns_what_it_was_given():
    carry, ys = lax.scan(
        lambda c, x: (lax.add(c, x), x), np.float32(7), np.zeros(0, np.float32)
    )
    assert float(carry) == 7
    assert ys.shape == (0,)


@pytest.mark.parametrize("argument", [0, 1])
def test_reverse_derivatives_of_a_recurrence_are_slopes(argument):
    found = jax.grad(recurrent_loss, argument)(MATRIX, ROWS)
    operands = [MATRIX, ROWS]

    def along(x):
        return recurrent_loss(
            *(x if i == argument else o for i, o in enumerate(operands))
        )

    wanted = difference_quotient(along, operands[argument])
    np.testing.assert_allclose(found, wanted, atol=5e-3)


def test_batched_derivatives_are_those_of_the_rows():
    matrices = np.stack([MATRIX, 2 * MATRIX])
    found = jax.vmap(jax.grad(recurrent_loss), (0, None))(matrices, ROWS)
    wanted = [jax.grad(recurrent_loss)(m, ROWS) for m in matrices]
    np.testing.assert_allclose(found, np.stack(wanted), rtol=1e-4, atol=1e-5)


def power_by_while(x):
    return lax.while_loop(
        lambda c: lax.lt(c[0], np.int32(3)),
        lambda c: (lax.add(c[0], np.int32(1)), lax.mul(c[1], x)),
        (np.int32(0), x),
    )[1]


def test_while_loops_have_forward_derivatives():
    out, slope = jax.jvp(power_by_while, (np.float32(2),), (np.float32(1),))
    assert (float(out), float(slope)) == (16, 32)


def test_while_loops_have_no_reverse_derivatives():
    with pytest.raises(ValueError, match="lax.scan") as caught:
        jax.grad(power_by_while)(np.float32(2))
    assert "Forward mode works" in str(caught.value)


def test_each_row_of_a_while_loop_ends_for_itself():
    found = jax.vmap(
        lambda n: lax.while_loop(
            lambda c: lax.lt(c, n), lambda c: lax.add(c, np.float32(1)), np.float32(0)
        )
    )(np.float32([1, 2.5, 3]))
    np.testing.assert_array_equal(found, [1, 3, 3])


def test_programs_of_rows_ask_each_row_and_choose_where_they_are_lowered():
    def count(n, x):
        return lax.while_loop(
            lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] * x), (0, x)
        )

    mapped = jax.vmap(jax.vmap(count, (0, None)), (None, 0))
    bounds, factors = np.int32([0, 1, 3]), np.float32([2, 3])
    (eqn,) = [
        eqn
        for eqn in jax.make_jaxpr(mapped)(bounds, factors).eqns
        if eqn.primitive.name == "while"
    ]
    (answer,) = eqn.params["cond_jaxpr"].out_avals
    assert answer.shape == (2, 3)
    assert "select_n" not in str(eqn.params["body_jaxpr"])
    wanted = factors[:, None] ** (bounds + 1)
    np.testing.assert_array_equal(mapped(bounds, factors)[1], wanted)
    np.testing.assert_array_equal(jax.jit(mapped)(bounds, factors)[1], wanted)


def loop_of_loops(n, x, y):
    """A loop around another, both of which end where the data says."""

    def inner(n, x):
        return lax.while_loop(
            lambda c: (c[0] < n) & (c[1].sum() < 1000),
            lambda c: (c[0] + 1, c[1] * 2 + y, c[2]),
            (0, x, y),
        )[1]

    return lax.while_loop(
        lambda c: c[0] < n, lambda c: (c[0] + 1, inner(n - c[0], c[1])), (0, x)
    )[1]


@pytest.mark.parametrize("outer", [(0, 0, 0), (None, 0, None), (0, None, 0)])
@pytest.mark.parametrize("axes", [(0, 1, 0), (0, None, None), (None, 0, 0)])
def test_loops_in_loops_end_row_by_row(axes, outer):
    def grown(x, axis):
        return x if axis is None else np.stack([x, x + x.dtype.type(1)], axis)

    n, x, y = np.int32(2), np.float32([[0.5, 1, 2], [3, 4, 5]]), np.float32(0.25)
    args = [grown(v, axis) for v, axis in zip((n, x, y), axes, strict=True)]
    args = [grown(v, axis) for v, axis in zip(args, outer, strict=True)]

    def slope(n, x, y):
        return jax.jvp(lambda x, y: loop_of_loops(n, x, y), (x, y), (x, y))[1]

    def row(number, args, axes):
        pairs = zip(args, axes, strict=True)
        return [v if axis is None else np.take(v, number, axis) for v, axis in pairs]

    for function in (loop_of_loops, slope):
        found = jax.vmap(jax.vmap(function, axes), outer)(*args)
        for i, j in np.ndindex(2, 2):
            wanted = function(*row(j, row(i, args, outer), axes))
            np.testing.assert_allclose(found[i, j], wanted, rtol=1e-6)


def test_counted_loops_have_reverse_derivatives():
    def fun(x):
        return lax.fori_loop(0, 4, lambda i, c: lax.mul(c, lax.sin(x)), np.float32(1.5))

    found = jax.grad(fun)(np.float32(0.7))
    np.testing.assert_allclose(found, 6 * np.sin(0.7) ** 3 * np.cos(0.7), rtol=1e-5)


def choose(pred, x):
    return lax.cond(pred, lambda x: lax.mul(x, lax.sin(x)), lax.neg, x)


@pytest.mark.parametrize("shared", [np.float32(3), 3.0, jnp.float32(3)])
@pytest.mark.parametrize(
    "choose",
    [
        lambda s, x: lax.cond(x > 0, lambda s, x: (s, x), lambda s, x: (s, -x), s, x),
        lambda s, x: lax.cond(x > 0, lambda: (s, x), lambda: (s, -x)),
        lambda s, x: lax.switch(lax.sign(x).astype(int) + 1, [lambda s, x: (s, -x)] * 3, s, x),
        lambda s, x: jax.jit(lambda s, x: lax.cond(x > 0, lambda: (s, x), lambda: (s, -x)))(s, x),
        lambda s, x: lax.cond(
            x > 0,
            lambda s, x: lax.cond(x > 1, lambda s, x: (s, x), lambda s, x: (s, -x), s, x),
            lambda s, x: lax.while_loop(lambda c: c[1] < 2, lambda c: (c[0], c[1] + 1), (s, x)),
            s,
            x,
        ),
        lambda s, x: lax.while_loop(lambda c: c[1] < c[0], lambda c: (c[0], c[1] + 1), (s, x)),
        lambda s, x: lax.fori_loop(0, x.astype(int), lambda i, c: (c[0], c[1] + i), (s, x)),
        lambda s, x: lax.scan(lambda c, y: ((c[0], c[1] + 1), y), (s, x), None, 2)[0],
    ],
)  # fmt: skip
def test_what_no_branch_and_no_step_changes_is_one_for_all_rows(choose, shared):
    rows = jnp.asarray(XS)
    mapped = jax.vmap(choose, in_axes=(None, 0), out_axes=(None, 0))
    for run in (mapped, jax.jit(mapped)):
        same, own = run(shared, rows)
        assert np.shape(same) == ()
        assert float(same) == 3
        each = [choose(shared, row)[1] for row in rows]
        np.testing.assert_allclose(own, jnp.stack(each), rtol=1e-6)
    slope = jax.grad(lambda s: jnp.sum(mapped(s, rows)[0] * 2))(jnp.float32(shared))
    assert float(slope) == 2


def test_what_branches_change_or_exchange_is_one_per_row():
    def swapped(s, x):
        return lax.cond(x > 0, lambda a, b: (a, x), lambda a, b: (b, x), s, s + 1)

    with pytest.raises(ValueError, match=r"out_axes\[0\], got axis spec None"):
        jax.vmap(swapped, in_axes=(None, 0), out_axes=(None, 0))(np.float32(3), XS)
    found, _ = jax.vmap(swapped, in_axes=(None, 0))(np.float32(3), XS)
    np.testing.assert_array_equal(found, [3, 3, 4])


@pytest.mark.parametrize(
    "loop",
    [
        lambda x: lax.scan(lambda c, x: (c, x), x, None, 2)[0],
        lambda x: lax.while_loop(lambda c: c[1] < 2, lambda c: (c[0], c[1] + 1), (x, 0))[0],
        lambda x: lax.fori_loop(0, 2, lambda i, c: c, x),
    ],
)  # fmt: skip
def test_what_passes_a_loop_comes_out_as_it_went_in(loop):
    for x in (3, 0.5, True, np.float32(2), np.arange(3), jnp.arange(3)):
        assert loop(x) is x
    found = jax.jit(loop)(3)
    assert (found.dtype, found.weak_type, int(found)) == (np.int32, True, 3)


def test_what_passes_a_branch_comes_out_as_an_array():
    for x in (3, np.int32(3)):
        found = lax.cond(jnp.bool_(True), lambda x: x, lambda x: x, x)
        assert isinstance(found, jax.Array)
        assert (found.dtype, found.weak_type, int(found)) == (
            np.int32,
            isinstance(x, int),
            3,
        )


def test_cond_and_its_derivative_take_one_branch():
    two = np.float32(2)
    slope = np.sin(2) + 2 * np.cos(2)
    np.testing.assert_allclose(choose(True, two), 2 * np.sin(2), rtol=1e-6)
    np.testing.assert_allclose(choose(False, two), -2)
    np.testing.assert_allclose(jax.grad(choose, 1)(True, two), slope, rtol=1e-5)
    np.testing.assert_allclose(jax.grad(choose, 1)(False, two), -1)


def test_rows_that_do_not_take_a_branch_do_not_spoil_its_derivative():
    def fun(x):
        chosen = jax.vmap(lambda p, v: lax.cond(p, lax.sqrt, lambda v: v, v))
        return lax.reduce_sum(chosen(np.array([False, True]), x), (0,))

    np.testing.assert_allclose(jax.grad(fun)(np.float32([0, 4])), [1, 0.25])


@pytest.mark.parametrize(("index", "wanted"), [(-1, 3), (0, 3), (1, 9), (7, 9)])
def test_switch_moves_its_index_into_bounds(index, wanted):
    found = lax.switch(index, [lambda x: x, lambda x: lax.mul(x, x)], np.float32(3))
    assert float(found) == wanted


def test_associative_scans_agree_with_numpy():
    xs = np.arange(1, 8, dtype=np.float32)
    np.testing.assert_allclose(lax.associative_scan(lax.add, xs), np.cumsum(xs))
    np.testing.assert_allclose(
        lax.associative_scan(lax.mul, xs, reverse=True), np.cumprod(xs[::-1])[::-1]
    )


def test_map_in_batches_is_map():
    xs = np.arange(5, dtype=np.float32)
    found = lax.map(lambda x: lax.mul(x, x), xs, batch_size=2)
    np.testing.assert_array_equal(found, xs * xs)


def test_sums_over_a_named_axis_reach_every_row():
    xs = np.arange(4, dtype=np.float32)
    found = jax.vmap(lambda x: lax.psum(x, "i"), axis_name="i")(xs)
    np.testing.assert_array_equal(found, [6, 6, 6, 6])
    slopes = jax.vmap(jax.grad(lambda x: lax.psum(lax.mul(x, x), "i")), axis_name="i")
    np.testing.assert_array_equal(slopes(xs), 2 * xs * 4)


@pytest.mark.parametrize(
    ("apply", "wanted"),
    [
        (lambda x: lax.psum(x, 0), [3, 5, 7]),
        (lambda x: lax.psum(x, (0, -1)), 15),
        (lambda x: lax.pmax(x, 1), [2, 5]),
        (lambda x: lax.pmin(x, (1, 0)), 0),
        (
            lambda x: jax.vmap(lambda r: lax.psum(r, ("i", 0)), axis_name="i")(x),
            [15] * 2,
        ),
        (lambda x: jax.vmap(lambda r: lax.psum(r, 0), 1)(x), [3, 5, 7]),
        (lambda x: jax.grad(lambda x: lax.psum(x * x, (0, 1)))(x)[1], [6, 8, 10]),
    ],
)
def test_collectives_go_along_axes_by_position_too(apply, wanted):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(apply(jnp.asarray(x)), wanted)
    with pytest.raises(ValueError, match="out of bounds"):
        lax.psum(x, 2)


def test_a_number_is_summed_over_a_group_of_rows():
    groups = [[0, 1], [2, 3]]
    sums = jax.vmap(
        lambda x: lax.psum(3, "i", axis_index_groups=groups) + 0 * x, axis_name="i"
    )
    np.testing.assert_array_equal(sums(np.zeros(4, np.float32)), [6] * 4)


def test_a_linear_solve_is_differentiated_through_its_equation():
    def solve(a):
        ones = np.ones(2, np.float32)
        x = lax.custom_linear_solve(
            lambda v: lax.mul(a, v), ones, lambda f, b: lax.div(b, a), symmetric=True
        )
        return lax.reduce_sum(x, (0,))

    assert float(jax.grad(solve)(np.float32(2))) == -0.5


def ones(n):
    return np.ones(n, np.float32)


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        (lambda: lax.scan(lambda c, x: (c + float(x), int(x)), 0.0, XS), XS.sum()),
        (
            lambda: lax.scan(lambda c, x: (2 * c + float(x), x), 0.0, XS, reverse=True),
            XS[0] + 2 * XS[1] + 4 * XS[2],
        ),
        (lambda: lax.while_loop(lambda c: bool(c < 3), lambda c: c + 1, 0), 3),
        (lambda: lax.fori_loop(0, 3, lambda i, c: c + int(i), 0), 3),
        (lambda: lax.cond(True, lambda x: float(x), lambda x: -x, 2), 2.0),
        (lambda: lax.switch(7, [lambda x: -x, lambda x: float(x)], 2), 2.0),
        (lambda: lax.map(lambda x: float(x) + 1, XS), XS + 1),
        (
            lambda: jax.vmap(lambda p: lax.cond(p, lambda: 1, lambda: 2))(XS > 0),
            [1, 1, 2],
        ),
    ],
)
def test_without_jit_the_functions_see_values(call, wanted):
    with jax.disable_jit():
        found = call()
    np.testing.assert_allclose(
        found[0] if type(found) is tuple else found, wanted, 1e-6
    )


@pytest.mark.parametrize("weak_last", [False, True])
def test_the_first_branch_says_whether_the_result_is_weak(weak_last):
    weak, strong = lambda: jnp.array(5), lambda: jnp.int32(5)
    branches = [strong, weak] if weak_last else [weak, strong]
    for run in (lambda f: f(), lambda f: jax.jit(f)()):
        found = run(lambda: lax.switch(jnp.int32(1), [*branches, weak]))
        assert found.weak_type is not weak_last
        # The first of a `cond` is what runs where the predicate is false.
        found = run(lambda: lax.cond(jnp.bool_(True), branches[1], branches[0]))
        assert found.weak_type is not weak_last


def test_a_carry_that_widens_is_no_longer_weak():
    found = [
        lax.while_loop(lambda c: c < 3, lambda c: c + 1.0, 0),
        lax.fori_loop(0, 3, lambda i, c: c * 1.5, 1),
        lax.scan(lambda c, x: (c * 1.5, x), 1, XS)[0],
    ]
    assert [(x.dtype, x.weak_type) for x in found] == [(np.float32, False)] * 3


def test_bounds_of_numpy_count_as_python_integers():
    found = lax.fori_loop(np.int8(0), np.int64(3), lambda i, c: c + i, 0)
    assert (found, found.weak_type) == (3, True)


def test_an_index_beyond_32_bits_chooses_the_last_branch():
    assert lax.switch(2**40, [lambda: 1, lambda: 2]) == 2


def test_the_mean_of_integers_over_rows_is_no_integer():
    found = jax.vmap(lambda x: lax.pmean(x, "i"), axis_name="i")(np.arange(4))
    assert found.dtype == np.float32 and found.tolist() == [1.5] * 4


@pytest.mark.parametrize(
    ("exchange", "wanted"),
    [
        (lambda r: lax.pshuffle(r, "i", [2, 0, 1]), lambda x: x[[2, 0, 1]]),
        (lambda r: lax.pbroadcast(r, "i", 1), lambda x: x[[1, 1, 1]]),
        (lambda r: lax.pswapaxes(r, "i", 0), lambda x: x.T),
    ],
)
def test_rows_are_exchanged(exchange, wanted):
    x = np.arange(9.0).reshape(3, 3)
    found = jax.vmap(exchange, axis_name="i")(x)
    np.testing.assert_array_equal(found, wanted(x))


def test_an_axis_that_rows_cannot_share_is_not_exchanged():
    with pytest.raises(ValueError, match="int32.3."):
        jax.vmap(lambda x: lax.all_to_all(x, "i", 0, 0), axis_name="i")(
            np.arange(6).reshape(2, 3)
        )


test_mistakes_are_explained = refusals.each(
    [
        (
            lambda: lax.scan(lambda c, x: (np.int32(1), x), np.float32(0), ones(3)),
            TypeError,
            "has type int32[], so the dtypes do not match",
        ),
        (
            lambda: lax.scan(lambda c, x: ((c, c), x), np.float32(0), ones(3)),
            TypeError,
            "structure",
        ),
        (lambda: lax.scan(lambda c, x: c, np.float32(0), ones(3)), TypeError, "pair"),
        (
            lambda: lax.scan(lambda c, x: (c, x), 0.0, None),
            ValueError,
            "no values to scan over and `length` not provided",
        ),
        (
            lambda: lax.scan(lambda c, x: (c, x), 0.0, (ones(3), ones(4))),
            ValueError,
            "size 4  x[1]: float32[4]",
        ),
        (lambda: lax.map(lambda x: x, 1.0), ValueError, "no leading axis"),
        (
            lambda: lax.while_loop(lambda c: c, lambda c: c, 1.0),
            TypeError,
            "boolean scalar",
        ),
        (
            lambda: lax.cond(True, lambda: ones(2), lambda: ones(3)),
            TypeError,
            "float32[3]",
        ),
        (lambda: lax.cond("a", lambda: 1, lambda: 2), TypeError, "str"),
        (lambda: lax.cond(1j, lambda: 1, lambda: 2), TypeError, "complex64"),
        (
            lambda: lax.cond(True, 1, 2),
            TypeError,
            "true_fun argument should be callable",
        ),
        (
            lambda: lax.switch(0, [abs, 2]),
            TypeError,
            "should be a sequence of callables",
        ),
        (lambda: lax.switch(0, 3), TypeError, "should be a sequence of callables"),
        (
            lambda: lax.scan(3, 0.0, ones(3)),
            TypeError,
            "f argument should be a callable",
        ),
        (lambda: lax.while_loop(abs, 3, 0.0), TypeError, "argument should be callable"),
        (
            lambda: lax.fori_loop(0, 3, None, 0.0),
            TypeError,
            "argument should be callable",
        ),
        (
            lambda: lax.associative_scan(3, ones(3)),
            TypeError,
            "fn argument should be callable",
        ),
        (
            lambda: lax.associative_scan(max, (ones(3), ones(4))),
            ValueError,
            "must have the same first dimension",
        ),
        (lambda: lax.switch(0, []), ValueError, "Empty branch sequence"),
        (lambda: lax.switch(1.5, [lambda: 1, lambda: 2]), TypeError, "integer"),
        (lambda: lax.psum(1.0, "nope"), NameError, "nope"),
        (
            lambda: lax.fori_loop(0, 3, lambda i, c: ones(2), 0.0),
            TypeError,
            "has type float32[2], so the shapes do not match",
        ),
    ]
)


@pytest.mark.parametrize("way", [lambda f: f, jax.jit])
def test_slices_of_a_weakly_typed_array_give_way(way):
    xs = jnp.full(2, 0.5)
    half = jnp.ones((), jnp.bfloat16)
    _, ys = way(lambda xs: lax.scan(lambda c, x: (c, (x, c * x)), half, xs))(xs)
    assert [(y.dtype, y.weak_type) for y in ys] == [
        (jnp.float32, True),
        (jnp.bfloat16, False),
    ]
    assert lax.map(lambda x: x * 2.0, xs).weak_type


def test_results_come_in_the_containers_of_the_functions():
    assert isinstance(lax.scan(lambda c, x: [c, x], 0.0, jnp.ones(2)), list)
    assert isinstance(lax.scan(lambda c, x: (c, x), 0.0, jnp.ones(2)), tuple)
    solved = lax.custom_linear_solve(
        lambda x: x, jnp.ones(2), lambda f, b: [b, 1], has_aux=True
    )
    assert isinstance(solved, tuple)
    sums = lax.associative_scan(
        lambda a, b: [x + y for x, y in zip(a, b, strict=True)],
        (jnp.ones(3), jnp.ones(3)),
    )
    assert isinstance(sums, tuple)
    np.testing.assert_array_equal(sums[1], [1, 2, 3])
    with pytest.raises(TypeError, match="another structure"):
        lax.associative_scan(lambda a, b: a[0], (jnp.ones(3), jnp.ones(3)))


def test_initial_values_have_the_structure_of_the_operands():
    with pytest.raises(ValueError, match="same tree structure as init_values"):
        lax.reduce((jnp.ones(2),), [0.0], lambda a, b: a, (0,))
    total = lax.reduce((jnp.ones(2),), (0.0,), lambda a, b: [a[0] + b[0]], (0,))
    np.testing.assert_array_equal(jax.tree.leaves(total), [2])


@pytest.mark.parametrize("dtype", [np.int8, np.uint16])
def test_a_bound_of_python_takes_the_dtype_of_a_traced_one(dtype):
    count = jax.jit(lambda n: lax.fori_loop(0, n, lambda i, c: c + 2, 0))
    assert count(dtype(3)) == 6
    rest = jax.jit(lambda n: lax.fori_loop(n, 5, lambda i, c: c + 2, 0))
    assert rest(dtype(3)) == 4


def test_what_is_carried_may_become_a_constant():
    """What is carried depends on the argument at first, and not after the first step."""

    def f(x):
        step = lambda c, _: ((c[0] * c[1], 1.0), None)
        return jax.lax.scan(step, (x, x), None, length=3)[0][0]

    assert jax.grad(f)(2.0) == 4.0


@pytest.mark.parametrize(
    "program",
    [
        lambda: jax.jit(lambda: jax.lax.axis_index("i"))(),
        lambda: jax.lax.cond(True, lambda: jax.lax.axis_index("i"), lambda: 0),
        lambda: (
            jax.jit(lambda y: jax.lax.psum(y, "i"))(1) - 3 + jax.lax.axis_index("i")
        ),
    ],
)
def test_programs_speak_along_an_axis_without_batched_operands(program):
    found = jax.vmap(lambda x: x + program(), axis_name="i")(np.zeros(3, np.int32))
    np.testing.assert_array_equal(found, [0, 1, 2])


@pytest.mark.parametrize("start", [0, 0.5, np.float64(0), np.zeros(2)])
def test_without_jit_what_a_loop_carries_is_an_array(start):
    with jax.disable_jit():
        found = lax.while_loop(
            lambda c: c.max() < 3, lambda c: c.astype(c.dtype) + 1, start
        )
    assert isinstance(found, jax.Array)
    assert found.dtype == jnp.asarray(start).dtype


def test_a_condition_of_many_loops_holds_no_programs_of_their_bodies():
    def goes_on(carry):
        return carry[0] < carry[2]

    def by_rows(step):
        def loop(n):
            return lax.while_loop(
                goes_on, lambda c: (c[0] + 1, c[1] + step, c[2]), (0, 0, n)
            )[1]

        return jax.vmap(loop)

    def programs():
        gc.collect()
        return sum(isinstance(x, ClosedJaxpr) for x in gc.get_objects())

    rows = jnp.array([1, 2, 3])
    jax.make_jaxpr(by_rows(1))(rows)
    before = programs()
    for step in range(2, 6):
        jax.make_jaxpr(by_rows(step))(rows)
    assert programs() == before
    for step in (1, 2):
        assert by_rows(step)(rows).tolist() == [step, 2 * step, 3 * step]


def _solved_by_factors(a, b):
    """A root whose function, solver and solver of steps use the same traced factors."""
    lower = jnp.linalg.cholesky(a)

    def solve(_, b):
        half = lax.linalg.triangular_solve(lower, b, left_side=True, lower=True)
        return lax.linalg.triangular_solve(
            lower, half, left_side=True, lower=True, transpose_a=True
        )

    def solve_step(g, b):
        return lax.custom_linear_solve(g, b, solve, symmetric=True)

    return lax.custom_root(lambda x: a @ x - b, b, solve, solve_step)


@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit, jax.checkpoint])
def test_a_solver_of_steps_may_use_values_that_are_differentiated(wrap):
    x = np.array([[1.0, 0.3], [0.2, 2.0]], np.float32)
    b = np.array([[1.0], [2.0]], np.float32)
    root = wrap(lambda x, b: _solved_by_factors(x @ x.T, b).sum())
    direct = lambda x, b: jnp.linalg.solve(x @ x.T, b).sum()  # noqa: E731
    for found, wanted in zip(
        jax.grad(root, (0, 1))(x, b), jax.grad(direct, (0, 1))(x, b), strict=True
    ):
        np.testing.assert_allclose(found, wanted, rtol=2e-4)
    rows = jax.vmap(jax.grad(root), (None, 0))(x, np.stack([b, 2 * b]))
    np.testing.assert_allclose(rows[1], 2 * rows[0], rtol=1e-4)


def test_a_root_with_other_values_has_derivatives_of_every_order():
    def root(a):
        solve = lambda f, x: (jnp.sqrt(a), {"steps": 3})  # noqa: E731
        step = lambda g, y: y / g(1.0)  # noqa: E731
        return lax.custom_root(lambda x: x**2 - a, 1.0, solve, step, has_aux=True)[0]

    np.testing.assert_allclose(jax.grad(root)(4.0), 1 / 4, rtol=1e-6)
    np.testing.assert_allclose(jax.grad(jax.grad(root))(4.0), -1 / 32, rtol=1e-5)
