"""Arrays of 64 bits, made where `jax_enable_x64` is on and used where it is off."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax

V = np.array([0.5, 1.5, 2.0])
M = np.array([[2.0, 0.5, 0.25], [0.5, 3.0, 0.125], [0.25, 0.125, 4.0]])
N = np.array([2, 0, 1])

VECTORS = {
    "pow": lambda x: x**2,
    "softmax": jax.nn.softmax,
    "relu": jax.nn.relu,
    "gelu": jax.nn.gelu,
    "max": jnp.max,
    "abs": jnp.abs,
    "prod": jnp.prod,
    "cumsum": lambda x: jnp.cumsum(x) ** 2,
    "cumprod": jnp.cumprod,
    "ends": lambda x: x[0] * x[-1],
    "gather": lambda x: x[jnp.array([0, 0, 2])],
    "set": lambda x: x.at[0].set(5.0) * x,
    "add": lambda x: x.at[1].add(x[0]),
    "sort": jnp.sort,
    "norm": jnp.linalg.norm,
    "logsumexp": jax.nn.logsumexp,
    "sinc": jnp.sinc,
    "log2": jnp.log2,
    "std": jnp.std,
    "median": jnp.median,
    "interp": lambda x: jnp.interp(x, x, x * x),
    "where": lambda x: jnp.where(x > 1, x, 2 * x),
    "fft": lambda x: jnp.abs(jnp.fft.fft(x)),
    "gammaln": jax.scipy.special.gammaln,
    "erf": jax.scipy.special.erf,
    "clip": lambda x: jnp.clip(x, 0.75, 1.75) * x,
    "concatenate": lambda x: jnp.concatenate([x, 2 * x]) ** 2,
    "with 32 bits": lambda x: x * jnp.float32(2) + jnp.ones(3, "float32") * x,
    "scan": lambda x: lax.scan(lambda c, v: (c + v, c * v), x[0], x)[1],
    "scan from a number": lambda x: lax.scan(lambda c, v: (c + v, c * v), 0.0, x)[1],
    "fori_loop": lambda x: lax.fori_loop(0, 3, lambda i, c: c + x[i] * c, 1.0),
    "cond": lambda x: lax.cond(x[0] > 0, lambda x: x, lambda x: 2 * x, x) ** 2,
    "switch": lambda x: lax.switch(1, [jnp.sin, lambda x: x * 3], x) ** 2,
    "map": lambda x: lax.map(lambda v: jnp.sin(v) * v, x),
    "associative_scan": lambda x: lax.associative_scan(jnp.multiply, x),
    "checkpoint": jax.checkpoint(lambda x: jnp.sin(x**2)),
}
MATRICES = {
    "inv": jnp.linalg.inv,
    "det": jnp.linalg.det,
    "solve": lambda a: jnp.linalg.solve(a, a[0]),
    "cholesky": jnp.linalg.cholesky,
    "eigh": lambda a: jnp.linalg.eigh(a)[0],
    "svd": lambda a: jnp.linalg.svd(a)[1],
    "slogdet": lambda a: jnp.linalg.slogdet(a)[1],
    "expm": jax.scipy.linalg.expm,
    "matmul": lambda a: a @ a,
    "trace": jnp.trace,
    "take": lambda a: jnp.take(a, jnp.array([0, 2]), axis=1),
}
CASES = [(name, f, V) for name, f in VECTORS.items()]
CASES += [(name, f, M) for name, f in MATRICES.items()]


def _uses(f, x):
    loss = lambda x: (f(x) ** 2).sum()  # noqa: E731
    yield f(x)
    yield jax.jvp(f, (x,), (jnp.ones_like(x),))
    yield jax.jit(jax.grad(loss))(x)
    yield jax.vmap(f)(jnp.stack([x, x]))


@pytest.mark.parametrize("f, value", [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_functions_and_derivatives_of_64_bits_work_outside_of_their_context(f, value):
    with jax.enable_x64(True):
        x = jnp.array(value)
        wanted = list(_uses(f, x))
    assert x.dtype == np.float64
    for one, other in zip(_uses(f, x), wanted, strict=True):
        jax.tree.map(
            lambda a, b: np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-6),
            one,
            other,
        )


def test_integers_of_64_bits_index_and_count_outside_of_their_context():
    with jax.enable_x64(True):
        n, x = jnp.array(N), jnp.array(V)
    assert jnp.arange(5)[n].tolist() == N.tolist()
    assert jnp.zeros(3).at[n].add(x).tolist() == [1.5, 2.0, 0.5]
    assert lax.fori_loop(0, n[0], lambda i, c: c + i, 0) == 1
    assert lax.dynamic_slice(x, (n[2],), (1,)).tolist() == [1.5]
    assert (n % 2).tolist() == [0, 0, 1] and (n + 1).tolist() == [3, 1, 2]
    assert jnp.argsort(x).dtype == np.int32


def test_arrays_of_64_bits_keep_them_among_themselves_and_beside_numbers():
    with jax.enable_x64(True):
        x = jnp.array(V)
    for y in (x + x, -x, jnp.sin(x), x + 1, 2.0 * x, jnp.ones_like(x), x[0], x.sum()):
        assert y.dtype == np.float64
    # As the default says where dtypes differ, and where one is given.
    assert (x + jnp.ones(3)).dtype == np.float32
    assert jnp.ones(3).dtype == np.float32


def test_programs_mean_the_same_whatever_the_setting_when_they_run():
    f = lambda x: (jnp.sin(x) * 2.0 + x * 3).sum()  # noqa: E731
    narrow = jnp.array(V, "float32")
    pull, linear = jax.vjp(f, narrow)[1], jax.linearize(f, narrow)[1]
    with jax.enable_x64(True):
        (slope,) = pull(jnp.float32(1))
        assert slope.dtype == np.float32 and linear(narrow).dtype == np.float32
        x = jnp.array(V)
        pull, linear = jax.vjp(f, x)[1], jax.linearize(f, x)[1]
        program, one = jax.make_jaxpr(f)(x), jnp.float64(1)
    wanted = 2 * np.cos(V) + 3
    np.testing.assert_allclose(slope, wanted, rtol=1e-5)
    np.testing.assert_allclose(pull(one)[0], wanted, rtol=1e-12)
    np.testing.assert_allclose(linear(x), (wanted * V).sum(), rtol=1e-12)
    (out,) = jax.core.eval_jaxpr(program.jaxpr, program.consts, x)
    np.testing.assert_allclose(out, (2 * np.sin(V) + 3 * V).sum(), rtol=1e-12)


def test_a_number_keeps_its_dtype_where_a_function_turns_64_bits_on():
    def f(x):
        with jax.enable_x64(True):
            return jnp.sin(x)

    assert jax.grad(f)(0.5).dtype == np.float32
    assert jax.jit(jax.grad(f))(0.5).dtype == np.float32


def test_rules_of_users_run_under_the_setting_that_users_have():
    seen = []

    @jax.custom_vjp
    def f(x):
        return x * 2

    def fwd(x):
        seen.append(jax.config.jax_enable_x64)
        return x * 2, None

    def bwd(_, ct):
        seen.append(jax.config.jax_enable_x64)
        return (ct * 2,)

    f.defvjp(fwd, bwd)

    @jax.custom_jvp
    def g(x):
        return x * 2

    @g.defjvp
    def g_jvp(primals, tangents):
        seen.append(jax.config.jax_enable_x64)
        return g(*primals), tangents[0] * 2

    with jax.enable_x64(True):
        x = jnp.array(V)
    for h in (f, g, jax.jit(f), jax.jit(g)):
        loop = lambda x, h=h: lax.scan(lambda c, v: (c, h(v)), x, x)[1].sum()  # noqa: E731
        assert jax.grad(lambda x, h=h: h(x).sum())(x).tolist() == [2.0] * 3
        assert jax.grad(loop)(x).tolist() == [2.0] * 3
    assert seen and not any(seen)


def _rule_with_a_constant(kind):
    """A function of two arguments with a rule, that notes the dtypes that the rule is given."""
    seen = []

    def note(*values):
        seen.extend(jnp.asarray(v).dtype.name for v in values)

    if kind == "jvp":
        f = jax.custom_jvp(lambda x, y: x * y)

        @f.defjvp
        def rule(primals, tangents):
            note(*primals, *tangents)
            (x, y), (dx, dy) = primals, tangents
            return lax.mul(x, y), lax.add(lax.mul(dx, y), lax.mul(x, dy))

    else:
        f = jax.custom_vjp(lambda x, y: (x * y, y))

        def fwd(x, y):
            note(x, y)
            return (x * y, y), (x, y)

        def bwd(residuals, cts):
            note(*residuals, *cts)
            x, y = residuals
            return lax.mul(cts[0], y), lax.add(lax.mul(cts[0], x), cts[1])

        f.defvjp(fwd, bwd)
    return f, seen


@pytest.mark.parametrize("kind", ["jvp", "vjp"])
def test_rules_of_users_get_zeros_as_wide_as_their_values(kind):
    f, seen = _rule_with_a_constant(kind)
    with jax.enable_x64(True):
        x = jnp.array(V)
    g = lambda x: jax.tree.leaves(f(x, jnp.zeros_like(x) + 2))[0]  # noqa: E731
    ways = (
        lambda x: jax.grad(lambda x: g(x).sum())(x),
        lambda x: jax.vmap(jax.grad(g))(x),
        lambda x: jax.grad(lambda x: jax.vmap(g)(x).sum())(x),
        lambda x: jax.grad(lambda x: jax.jit(jax.vmap(g))(x).sum())(x),
        jax.jit(jax.grad(lambda x: g(x).sum())),
        lambda x: jax.grad(lambda x: lax.map(g, x).sum())(x),
        lambda x: jax.jvp(jax.jit(jax.vmap(g)), (x,), (jnp.ones_like(x),))[1],
    )
    for way in ways if kind == "jvp" else ways[:-1]:
        found = way(x)
        assert found.dtype == "float64"
        assert found.tolist() == [2.0] * 3
    assert set(seen) == {"float64"}


@pytest.mark.parametrize("numbers", [np.eye(3), np.eye(3, dtype=int), np.eye(3) * 1j])
def test_constants_of_an_inner_program_are_as_wide_as_they_were_traced(numbers):
    with jax.enable_x64(True):
        x = jnp.array(V)
    narrow = {"float64": "float32", "int64": "int32", "complex128": "complex64"}
    inner = jax.jit(lambda x: jnp.asarray(numbers) + x.astype("float32"))
    for f in (inner, lambda x: inner(x) * 2, lambda x: lax.cond(True, inner, inner, x)):
        found = jax.jit(f).lower(x).compile()(x)
        wanted = jnp.result_type(narrow[numbers.dtype.name], "float32")
        assert found.dtype == wanted
        np.testing.assert_array_equal(found, f(x))


def test_numbers_of_a_program_keep_their_dtype_beside_wide_values():
    with jax.enable_x64(True):
        x = jnp.array(V)
    step = lambda c: (c[0] * 2, c[1] + 1)  # noqa: E731
    f = lambda x: lax.while_loop(lambda c: c[1] < 3, step, (x, 0))  # noqa: E731
    program = jax.make_jaxpr(f)(x)
    wide, count = jax.core.eval_jaxpr(program.jaxpr, program.consts, x)
    assert (wide.dtype, count.dtype) == ("float64", "int32")
    assert wide.tolist() == [4.0, 12.0, 16.0]


def test_powers_of_two_scale_wide_floats_by_integers_of_numpy():
    with jax.enable_x64(True):
        x = jnp.array(V)
    f = lambda x: jnp.ldexp(x, np.array([2, 0, -1]))  # noqa: E731
    for found in (
        f(x),
        jax.jit(f)(x),
        jax.jvp(f, (x,), (x,))[1],
        jax.vjp(f, x)[1](x)[0],
    ):
        assert found.dtype == "float64"
        np.testing.assert_array_equal(found, np.ldexp(V, [2, 0, -1]))
