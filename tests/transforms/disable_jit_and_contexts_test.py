"""Blocks in which tracing behaves otherwise."""

import warnings

import numpy as np
import pytest

import jax
import jax.numpy as jnp


def test_compile_time_evaluation_leaves_traced_operands_to_the_trace():
    @jax.jit
    def f(x):
        with jax.ensure_compile_time_eval():
            count = int(jnp.ceil(jnp.log2(10.0)))
            y = x + count
        return y * 2

    assert f(1.0) == 10.0
    assert jax.grad(f)(1.0) == 2.0


@pytest.mark.parametrize(
    ("context", "call", "kind", "text"),
    [
        (
            jax.numpy_rank_promotion("raise"),
            lambda: jnp.ones(2) + jnp.ones((3, 2)),
            ValueError,
            "rank",
        ),
        (
            jax.debug_infs(True),
            lambda: jax.jit(lambda x: 1 / x)(jnp.zeros(2)),
            FloatingPointError,
            "inf",
        ),
        (
            jax.debug_nans(True),
            lambda: jax.jit(lambda x: x / x)(jnp.zeros(2)),
            FloatingPointError,
            "nan",
        ),
        (
            jax.no_tracing(True),
            lambda: jax.jit(lambda x: x + 1)(1.0),
            RuntimeError,
            "no_tracing",
        ),
    ],
)
def test_what_a_context_refuses(context, call, kind, text):
    call()
    jax.clear_caches()
    with context, pytest.raises(kind, match=text):
        call()


def test_ranks_may_be_warned_about():
    with jax.numpy_rank_promotion("warn"), pytest.warns(UserWarning, match="rank"):
        jnp.ones(2) + jnp.ones((3, 2))


def test_products_take_the_precision_of_the_context():
    x = jnp.ones((2, 2))
    with jax.default_matmul_precision("float32"):
        (eqn,) = jax.make_jaxpr(jnp.dot)(x, x).eqns
    assert eqn.params["precision"] == (jax.lax.Precision.HIGHEST,) * 2


def test_there_is_one_process():
    assert (jax.process_index(), jax.process_count()) == (0, 1)
    assert jax.process_indices() == [0]
    assert jax.local_device_count() == len(jax.local_devices())


def test_nothing_is_executed_where_that_is_refused():
    x, add = jnp.ones(3), jax.jit(lambda x: x + 1)
    compiled = add.lower(x).compile()
    add(x), add(x)
    with jax.no_execution():
        assert jax.make_jaxpr(add)(x).in_avals and add.lower(x).compile()
        for call in (add, compiled, jnp.negative, lambda x: x * 2):
            with pytest.raises(RuntimeError, match="jax_no_execution"):
                call(x)
    assert add(x).tolist() == [2, 2, 2]


@pytest.mark.parametrize(("limit", "count"), [(-1, 0), (4001, 0), (4000, 1), (0, 1)])
def test_large_constants_are_warned_about(limit, count):
    constant, usual = jnp.ones(1000), jax.config.jax_captured_constants_warn_bytes
    jax.config.update("jax_captured_constants_warn_bytes", limit)
    try:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            jax.jit(lambda x: x + constant).lower(constant)
            jax.jit(lambda x: x + 1).lower(constant)
    finally:
        jax.config.update("jax_captured_constants_warn_bytes", usual)
    assert len(seen) == count
    assert all("4000" in str(w.message) for w in seen)


@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit])
def test_mapped_functions_run_without_jit(wrap):
    def double(x):
        return 2 * x

    mesh = jax.make_mesh((1,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))
    spec = jax.sharding.PartitionSpec("i")
    x = jnp.ones((1, 2))
    with jax.disable_jit():
        assert jax.pmap(wrap(double))(x).tolist() == [[2, 2]]
        total = jax.pmap(lambda x: jax.lax.psum(x, "i"), axis_name="i")
        assert total(x).tolist() == [[1, 1]]
        mapped = jax.shard_map(wrap(double), mesh=mesh, in_specs=spec, out_specs=spec)
        assert mapped(x).tolist() == [[2, 2]]


def test_the_name_of_a_scope_is_looked_at_where_it_is_given():
    with pytest.raises(TypeError, match="name argument must be a string"):
        jax.named_scope(3)
    named = jax.named_scope("part")(jnp.sin)
    assert "part" in jax.jit(named).lower(1.0).as_text(debug_info=True)


def _open():
    return jnp.asarray([0.2, 0.5, 0.7])


@pytest.mark.parametrize(
    "f",
    [
        lambda x: jnp.where(x > 2, np.nan, x),
        lambda x: jnp.where(x > 2, np.float16(np.nan), x),
        lambda x: jnp.select([x < 2], [x], np.nan),
        lambda x: jnp.interp(x, x, x, left=np.nan),
        lambda x: x.at[jnp.array([0, 1])].get(mode="fill", fill_value=np.nan),
        jnp.median,
        jnp.nanmedian,
        lambda x: jnp.percentile(x, 30),
        lambda x: jax.scipy.stats.binom.logpmf(jnp.round(x), 3, x),
        lambda x: jax.random.binomial(jax.random.key(0), 5, x),
        lambda x: jax.random.binomial(jax.random.key(0), 5, 0.25, (1, 0)),
        lambda x: jax.random.poisson(jax.random.key(0), x),
        lambda x: jax.scipy.special.betainc(x, x, x),
        lambda x: jax.scipy.special.zeta(x + 1, x),
    ],
)
def test_constants_that_are_not_chosen_are_no_bad_values(f):
    expected = jax.jit(f)(_open())
    with jax.debug_nans(True), jax.disable_jit():
        assert np.allclose(f(_open()), expected, equal_nan=False)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: jnp.log(x - 3),
        lambda x: jnp.maximum(x, np.nan),
        lambda x: jnp.where(x < 2, np.nan, x),
        lambda x: x * jnp.full(3, np.nan),
        lambda x: jnp.float32(np.nan) + x,
    ],
)
def test_what_takes_a_constant_that_is_nan_is_found_without_jit(f):
    with jax.debug_nans(True), jax.disable_jit():
        with pytest.raises(FloatingPointError, match="invalid value"):
            f(_open())
