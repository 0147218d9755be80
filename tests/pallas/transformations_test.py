"""Kernels under vmap, jvp, jit, loops, and with rules of users."""

import concurrent.futures

import numpy as np
import pytest

import jax
import jax.export
import jax.numpy as jnp
from jax import lax
from jax._src.base.errors import ShardingTypeError
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def struct(*shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


HALF = pl.BlockSpec((2,), lambda i: (i,))
X = np.arange(12, dtype=np.float32).reshape(3, 4) / 4 - 1


def call(kernel, out=struct(4), *, interpret=True, **options):
    return pl.pallas_call(kernel, out, interpret=interpret, **options)


def running_sums(x, out, total):
    """Sums over blocks, and where the kernel is."""

    @pl.when(pl.program_id(0) == 0)
    def _():
        total[0] = 0.0

    total[0] += x[...].sum()
    out[...] = jnp.sin(x[...]) * total[0] + pl.num_programs(0)


SUMS = call(
    running_sums,
    grid=2,
    in_specs=[HALF],
    out_specs=HALF,
    scratch_shapes=[pltpu.SMEM((1,), jnp.float32)],
)


def sums(x):
    """Computes what the kernel computes, without a kernel."""
    total = jnp.repeat(jnp.cumsum(x.reshape(2, 2).sum(1)), 2)
    return jnp.sin(x) * total + 2


def test_the_kernel_and_what_it_is_compared_with_agree():
    np.testing.assert_allclose(SUMS(X[0]), sums(X[0]), rtol=1e-6)


@pytest.mark.parametrize("axis", [0, 1])
def test_rows(axis):
    found = jax.vmap(SUMS, axis, axis)(X if axis == 0 else X.T)
    wanted = np.stack([sums(row) for row in X], axis)
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_rows_of_rows_and_a_single_row():
    x = np.stack([X, X + 1])
    found = jax.vmap(jax.jit(jax.vmap(SUMS)))(x)
    wanted = [[sums(row) for row in rows] for rows in x]
    np.testing.assert_allclose(found, np.array(wanted), rtol=1e-6)
    np.testing.assert_allclose(jax.vmap(SUMS)(X[:1]), [sums(X[0])], rtol=1e-6)


def test_no_rows():
    found = jax.vmap(SUMS)(X[:0])
    assert (found.shape, found.dtype) == ((0, 4), jnp.float32)
    _, tangents = jax.jvp(jax.vmap(SUMS), (X[:0],), (X[:0],))
    assert tangents.shape == (0, 4)


def test_rows_of_one_of_two_arguments():
    def product(x, y, out):
        out[...] = x[...] * y[...]

    f = call(product, grid=2, in_specs=[HALF, HALF], out_specs=HALF)
    np.testing.assert_array_equal(jax.vmap(f, (0, None))(X, X[1]), X * X[1])
    np.testing.assert_array_equal(jax.vmap(f, (None, 1))(X[1], X.T), X * X[1])


def test_rows_of_arguments_that_results_start_as():
    def first(x, y, out):
        out[0] = y[0]

    f = call(first, input_output_aliases={0: 0})
    for rows, dims in [(X, (0, 0)), (X[1], (None, 0))]:
        wanted = np.broadcast_to(rows, X.shape).copy()
        wanted[:, 0] = X[:, 0]
        np.testing.assert_array_equal(jax.vmap(f, dims)(rows, X), wanted)


def test_rows_do_not_see_what_others_write_to_arguments():
    def count(shared, x, out):
        shared[0] += 1.0
        out[...] = x[...] + shared[0]

    found = jax.vmap(call(count), (None, 0))(jnp.zeros(1), X)
    np.testing.assert_array_equal(found, X + 1)

    def first(scalars, x, out):
        out[0] = x[0]

    spec = pltpu.PrefetchScalarGridSpec(1, ())
    f = call(first, grid_spec=spec, input_output_aliases={0: 0})
    wanted = np.stack([[row[0], *X[0, 1:]] for row in X])
    np.testing.assert_array_equal(jax.vmap(f, (None, 0))(X[0], X), wanted)


def test_rows_with_grids_and_scalars_of_their_own():
    def negate(x, out):
        out[pl.program_id(0)] = -x[pl.program_id(0)]

    def steps(n, x):
        return call(negate, grid=(n,), input_output_aliases={0: 0})(x)

    found = jax.vmap(steps)(jnp.arange(3), jnp.ones((3, 4)))
    assert found.tolist() == [[1, 1, 1, 1], [-1, 1, 1, 1], [-1, -1, 1, 1]]

    def copy(order, x, out):
        out[...] = x[...] + order[0]

    spec = pltpu.PrefetchScalarGridSpec(
        1,
        2,
        [pl.BlockSpec((2,), lambda i, order: order[i])],
        pl.BlockSpec((2,), lambda i, order: i),
    )
    order = np.array([[0, 1], [1, 0], [1, 1]])
    found = jax.vmap(call(copy, grid_spec=spec))(order, X)
    blocks = X.reshape(3, 2, 2)
    wanted = [b[o].reshape(4) + o[0] for b, o in zip(blocks, order, strict=True)]
    np.testing.assert_array_equal(found, np.array(wanted))


def test_derivatives_forwards():
    for x, t in [(X[0], X[1]), (X[2], X[0])]:
        found = jax.jvp(SUMS, (x,), (t,))
        np.testing.assert_allclose(found, jax.jvp(sums, (x,), (t,)), rtol=1e-5)
    np.testing.assert_allclose(jax.jacfwd(SUMS)(X[1]), jax.jacfwd(sums)(X[1]), 1e-5)
    out, linear = jax.linearize(SUMS, X[1])
    np.testing.assert_allclose(out, sums(X[1]), rtol=1e-6)
    np.testing.assert_allclose(
        linear(X[2]), jax.jvp(sums, (X[1],), (X[2],))[1], rtol=1e-5
    )

    def second(f):
        return jax.jvp(lambda x: jax.jvp(f, (x,), (X[0],))[1], (X[1],), (X[2],))

    np.testing.assert_allclose(second(SUMS), second(sums), rtol=1e-5)


def test_derivatives_beside_integers_aliases_and_scalars():
    def scaled(which, x, n, out, count):
        out[0] = x[which[0]] * n[1]
        count[...] = n[...]

    spec = pltpu.PrefetchScalarGridSpec(1, (), scratch_shapes=[])
    f = call(
        scaled,
        (struct(4), struct(2, dtype=jnp.int32)),
        grid_spec=spec,
        input_output_aliases={1: 0},
    )
    n = jnp.array([2, 3])
    (out, count), (moved, none) = jax.jvp(
        lambda x: f(jnp.array([2]), x, n), (X[1],), (X[2],)
    )
    assert out.tolist() == [X[1, 2] * 3, *X[1, 1:]]
    assert moved.tolist() == [X[2, 2] * 3, *X[2, 1:]]
    assert count.tolist() == [2, 3] and none.dtype == jax.dtypes.float0


def test_rules_of_users_make_derivatives_backwards():
    def forward(x, w, y):
        y[...] = jnp.tanh(x[...] * w[...])

    def backward(y, x, w, ct, dx, dw):
        t = ct[...] * (1 - y[...] ** 2)
        dx[...], dw[...] = t * w[...], t * x[...]

    @jax.custom_vjp
    def f(x, w):
        return call(forward, grid=2, in_specs=[HALF] * 2, out_specs=HALF)(x, w)

    def rule(residuals, ct):
        specs = {"in_specs": [HALF] * 4, "out_specs": (HALF, HALF)}
        return call(backward, (struct(4), struct(4)), grid=2, **specs)(*residuals, ct)

    f.defvjp(lambda x, w: ((y := f(x, w)), (y, x, w)), rule)

    def loss(f):
        return jax.vmap(jax.grad(lambda x, w: (f(x, w) ** 2).sum(), (0, 1)), (0, None))

    found, wanted = loss(f)(X, X[1]), loss(lambda x, w: jnp.tanh(x * w))(X, X[1])
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_a_kernel_in_loops_branches_and_kernels():
    def double(x, out):
        out[...] = x[...] * 2

    f = call(double)

    def outer(x, out):
        out[...] = f(x[...]) + 1

    def step(x, _):
        return jax.lax.cond(x[0] > 2, lambda x: x, call(outer), x), x[0]

    last, seen = jax.jit(lambda x: jax.lax.scan(step, x, None, length=4))(jnp.ones(4))
    assert last.tolist() == [3.0] * 4 and seen.tolist() == [1.0, 3.0, 3.0, 3.0]


@pytest.mark.parametrize("wrap", [jax.jit, jax.vmap, jax.checkpoint])
def test_functions_in_kernels_ask_where_they_are(wrap):
    """The jitted function is compiled once, and knows the source location of each kernel."""
    f = wrap(lambda x: x + pl.program_id(0))

    for factor in (1, 2):

        def kernel(x, out):
            @pl.when(pl.program_id(0) >= 0)
            def _():
                add = jax.lax.fori_loop(0, 2, lambda i, t: t + f(x[...]), jnp.zeros(2))
                out[...] = add * factor  # noqa: B023 (called at once)

        found = call(kernel, grid=2, in_specs=[HALF], out_specs=HALF)(X[0] * 0)
        assert found.tolist() == [0.0, 0.0, 2.0 * factor, 2.0 * factor]


def test_what_a_kernel_prints(capfd):
    def kernel(x, out):
        pl.debug_print("step {}: {}", pl.program_id(0), x[0])
        out[...] = x[...]

    call(kernel, grid=2, in_specs=[HALF], out_specs=HALF)(jnp.arange(4.0))
    jax.effects_barrier()
    assert capfd.readouterr().out == "step 0: 0.0\nstep 1: 2.0\n"


def for_tpus(f):
    return jax.jit(f).trace(X[0]).lower(lowering_platforms=("tpu",))


def test_a_mode_can_be_forced():
    def double(x, out):
        out[...] = x[...] * 2

    with pytest.raises(ValueError, match="on platform: tpu"):
        for_tpus(call(double, interpret=False))
    for_tpus(call(double))
    with pltpu.force_tpu_interpret_mode():
        np.testing.assert_array_equal(call(double, interpret=False)(X[0]), X[0] * 2)


def test_a_forced_mode_is_part_of_what_is_compiled():
    zero = pltpu.InterpretParams(uninitialized_memory="zero")
    nothing = jax.jit(lambda x: call(lambda x, out: None)(x))
    idle = jax.jit(lambda x: call(lambda x, out: None, interpret=False)(x))
    assert np.isnan(nothing(X[0])).all()
    with pltpu.force_tpu_interpret_mode(zero):
        assert (nothing(X[0]) == 0).all() and (idle(X[0]) == 0).all()
        assert "xla.uninitialized" not in idle.lower(X[0]).as_text()
    assert np.isnan(nothing(X[0])).all()
    assert "xla.uninitialized" in idle.lower(X[0]).as_text()


def test_a_mode_can_be_set_for_all_threads():
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        again = call(lambda x, out: None)
        pltpu.set_tpu_interpret_mode(pltpu.InterpretParams(uninitialized_memory="zero"))
        try:
            made = pool.submit(lambda: call(lambda x, out: None, interpret=False)(X[0]))
            assert (made.result() == 0).all()
        finally:
            pltpu.set_tpu_interpret_mode(None)
        assert np.isnan(pool.submit(again, X[0]).result()).all()


def test_programs_show_kernels():
    text = str(jax.make_jaxpr(SUMS)(X[0]))
    assert "pallas_call[" in text and "name=running_sums" in text
    exported = jax.export.export(jax.jit(SUMS))(struct(4))
    np.testing.assert_array_equal(exported.call(X[0]), SUMS(X[0]))


def test_a_grid_may_have_a_symbolic_size():
    def add(x, out):
        out[pl.program_id(0)] = x[pl.program_id(0)] + 1

    def f(x):
        zeros = jnp.zeros(4)
        return call(add, grid=x.shape, input_output_aliases={0: 0})(zeros)

    (n,) = jax.export.symbolic_shape("n")
    exported = jax.export.export(jax.jit(f))(struct(n))
    assert exported.call(jnp.zeros(3)).tolist() == [1.0, 1.0, 1.0, 0.0]


def test_kernels_over_explicit_meshes_take_whole_arrays():
    from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

    mesh = jax.make_mesh((1,), ("d",), axis_types=(AxisType.Explicit,))
    whole = jax.device_put(X[0], NamedSharding(mesh, P()))
    np.testing.assert_allclose(jax.jit(SUMS)(whole), sums(X[0]), rtol=1e-6)
    parts = jax.device_put(X[0], NamedSharding(mesh, P("d")))
    with pytest.raises(ShardingTypeError, match="takes whole arrays"):
        jax.jit(SUMS)(parts)
    with jax.set_mesh(mesh):
        f = jax.shard_map(SUMS, in_specs=P("d"), out_specs=P("d"))
        np.testing.assert_allclose(f(parts), sums(X[0]), rtol=1e-6)


@pytest.mark.parametrize("checks", [False, True])
def test_axes_of_a_grid_have_names(checks):
    """Index and size by name: in the kernel, its branches, its loops, and under transformations."""

    def kernel(x, out):
        here = lax.axis_index("i") * 10 + lax.axis_index("j")

        @pl.when(lax.axis_index("j") == 1)
        def _():
            out[...] = x[...] + here

        @pl.when(pl.program_id(1) != 1)
        def _():
            step = lambda _, c: c + lax.axis_index("i")  # noqa: E731
            out[...] = lax.fori_loop(0, 2, step, x[...]) * lax.axis_size("j")

    block = pl.BlockSpec((1,), lambda i, j: (2 * i + j,))
    f = pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct((4,), jnp.int32),
        grid=(("i", 2), ("j", 2)),
        in_specs=[block],
        out_specs=block,
        interpret=True,
    )
    x, wanted = jnp.arange(4, dtype="int32"), [0, 2, 8, 14]
    with jax.enable_checks(checks):
        assert f(x).tolist() == wanted
        assert jax.jit(f)(x).tolist() == wanted
        assert jax.vmap(f)(jnp.stack([x, x])).tolist() == [wanted] * 2
        named = jax.vmap(f, axis_name="i")(jnp.stack([x, x]))
        assert named.tolist() == [wanted] * 2


@pytest.mark.parametrize("level", ["allow", "log_explicit"])
def test_a_kernel_that_writes_an_empty_slice_captures_nothing(level):
    def kernel(x, out):
        out[...] = x[...].at[-1:-1:3].add(0.5)

    x = jnp.ones(3)
    with jax.transfer_guard(level):
        found = pl.pallas_call(kernel, x, interpret=True)(x)
    np.testing.assert_array_equal(found, np.ones(3))
