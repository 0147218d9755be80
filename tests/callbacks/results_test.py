"""`pure_callback` and `io_callback`: what goes in, what comes out, what is refused."""

import threading

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import io_callback

SCALAR = jax.ShapeDtypeStruct((), jnp.float32)
OUTER = pytest.mark.parametrize("outer", [lambda f: f, jax.jit], ids=["eager", "jit"])


def double(x):
    return np.asarray(x) * 2


@OUTER
def test_values_go_out_and_come_back(outer):
    def call(x, scale):
        shape = {"a": SCALAR, "b": (jax.ShapeDtypeStruct((2,), jnp.int32),)}
        make = lambda x, *, scale: {"a": x * scale["s"], "b": (np.int32([1, 2]),)}
        return jax.pure_callback(make, shape, x, scale={"s": scale})

    found = outer(call)(1.5, 2.0)
    assert found["a"] == 3.0
    assert found["b"][0].tolist() == [1, 2]


@OUTER
@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint16", "int32", "float16", "bfloat16", "complex64"]
)
@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (2, 3)])
def test_every_dtype_and_shape_passes_through(outer, dtype, shape):
    seen = []

    def look(x):
        seen.append(x)
        return np.asarray(x)

    x = jnp.ones(shape, dtype)
    found = outer(lambda x: jax.pure_callback(look, x, x))(x)
    assert np.array_equal(np.asarray(found), np.asarray(x))
    assert found.dtype == x.dtype and found.shape == shape
    if x.size:  # a call whose result has no elements may be left out
        assert isinstance(seen[0], jax.Array)
        assert seen[0].dtype == x.dtype and seen[0].shape == shape


@OUTER
def test_large_operands_pass_through(outer):
    x = jnp.arange(3_000_000.0)
    found = outer(lambda x: jax.pure_callback(double, x, x).sum())(x)
    assert found == pytest.approx(2 * float(x.sum()), rel=1e-6)


@OUTER
def test_a_callback_may_call_jax(outer):
    def inner(x):
        return jax.jit(jnp.cos)(x) + lax.fori_loop(0, 3, lambda i, c: c + 1, 0)

    found = outer(lambda x: jax.pure_callback(inner, SCALAR, x))(0.0)
    assert found == 4.0


def test_callbacks_of_several_threads_do_not_wait_for_each_other():
    compiled = jax.jit(lambda x: jax.pure_callback(double, x, x) + 1)
    found = {}

    def work(n):
        found[n] = [float(compiled(float(n * i))) for i in range(20)]

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n: [2.0 * n * i + 1 for i in range(20)] for n in range(4)}


@OUTER
@pytest.mark.parametrize(
    ("callback", "named"),
    [
        (lambda x: 1 / 0, "ZeroDivisionError"),
        (lambda x: np.ones(3, np.float32), "promised"),
        (lambda x: np.int32(3), "promised"),
        (lambda x: (x, x), "another tree"),
        (lambda x: None, "another tree"),
    ],
)
def test_errors_of_callbacks_name_their_cause(outer, callback, named):
    with pytest.raises(jax.errors.JaxRuntimeError, match=named):
        outer(lambda x: jax.pure_callback(callback, SCALAR, x))(1.0).block_until_ready()
    # The next call works.
    assert outer(lambda x: jax.pure_callback(double, SCALAR, x))(1.0) == 2.0


def test_numpy_results_are_narrowed_as_arrays_are():
    assert jax.pure_callback(lambda: 2.5, SCALAR) == 2.5
    assert jax.pure_callback(lambda: np.float64(2.5), SCALAR) == 2.5


@OUTER
def test_with_64_bit_dtypes_nothing_is_narrowed(outer):
    with jax.enable_x64(True):
        call = outer(lambda: jax.pure_callback(lambda: np.float64(2.5), SCALAR))
        with pytest.raises(jax.errors.JaxRuntimeError, match="returned  *float64"):
            call().block_until_ready()


@pytest.mark.parametrize(
    ("method", "shapes"),
    [
        ("sequential", [((), ())] * 3),
        ("sequential_unrolled", [((), ())] * 3),
        ("expand_dims", [((3,), (1,))]),
        ("broadcast_all", [((3,), (3,))]),
        ("legacy_vectorized", [((3,), ())]),
    ],
)
def test_vmap_calls_as_its_method_says(method, shapes):
    seen = []

    def product(x, y):
        seen.append((x.shape, y.shape))
        return np.asarray(x) * np.asarray(y)

    def call(x, y):
        return jax.pure_callback(product, SCALAR, x, y, vmap_method=method)

    found = jax.vmap(call, (0, None))(jnp.arange(3.0), 2.0)
    assert found.tolist() == [0.0, 2.0, 4.0]
    assert seen == shapes


@pytest.mark.parametrize(
    ("use", "error"),
    [
        (
            lambda: jax.vmap(lambda x: jax.pure_callback(double, x, x))(jnp.ones(2)),
            NotImplementedError,
        ),
        (lambda: jax.pure_callback(double, SCALAR, 1.0, vmap_method="x"), ValueError),
        (lambda: jax.grad(lambda x: jax.pure_callback(double, x, x))(1.0), ValueError),
        (lambda: jax.grad(lambda x: io_callback(double, x, x))(1.0), ValueError),
        (
            lambda: jax.vmap(lambda x: io_callback(double, x, x, ordered=True))(
                jnp.ones(2)
            ),
            ValueError,
        ),
        (
            lambda: jax.pure_callback(
                double, jax.ShapeDtypeStruct((), np.float64), 1.0
            ),
            ValueError,
        ),
        (lambda: jax.pure_callback(double, 3, 1.0), TypeError),
        (lambda: jax.pure_callback(3, SCALAR, 1.0), TypeError),
        (lambda: jax.pure_callback(double, SCALAR, "a"), TypeError),
    ],
)
def test_misuse_is_refused(use, error):
    with pytest.raises(error):
        use()


def test_custom_rules_give_callbacks_derivatives():
    @jax.custom_jvp
    def sine(x):
        return jax.pure_callback(lambda v: np.sin(v), x, x, vmap_method="expand_dims")

    sine.defjvp(lambda p, t: (sine(*p), jnp.cos(p[0]) * t[0]))
    x = jnp.array([0.1, 0.7])
    found = jax.jit(jax.vmap(jax.grad(sine)))(x)
    np.testing.assert_allclose(found, np.cos(x), rtol=1e-6)


def test_an_executable_keeps_its_callbacks():
    def make():
        big = np.ones(3, np.float32)
        return jax.jit(lambda x: jax.pure_callback(lambda v: v + big, x, x))

    compiled = make().lower(jnp.zeros(3)).compile()
    assert compiled(jnp.zeros(3)).tolist() == [1.0, 1.0, 1.0]


def test_results_may_come_in_another_container():
    types = (jax.ShapeDtypeStruct((2,), "f4"), jax.ShapeDtypeStruct((2, 2), "f4"))
    found = jax.pure_callback(np.linalg.eigh, types, np.eye(2, dtype="f4"))
    assert type(found) is tuple
    np.testing.assert_array_equal(found[0], [1, 1])
    found = jax.pure_callback(lambda x: [x, x], (types[0], types[0]), np.ones(2, "f4"))
    assert type(found) is tuple
