"""What `jax.jit` and compiled functions say of arguments that they cannot take."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp


@pytest.mark.parametrize("number", [2**31, -(2**31) - 1, 2**70])
@pytest.mark.parametrize(
    ("call", "path"),
    [
        (lambda f, n: f(n), "x"),
        (lambda f, n: f(x=n), "x"),
        (lambda f, n: f({"a": [1, n]}), r"x\['a'\]\[1\]"),
    ],
)
def test_integers_that_overflow_are_named_by_their_path(number, call, path):
    f = jax.jit(lambda x: x)
    words = f"An overflow was encountered .* whose argument path is {path}. Got"
    for _ in range(2):
        with pytest.raises(OverflowError, match=words):
            call(f, number)
        # The second time a program for integers is there.
        call(f, 7)
    with jax.enable_x64(True):
        if abs(number) < 2**63:
            assert call(f, number) is not None


@pytest.mark.parametrize(
    ("options", "args"),
    [
        ({"static_argnums": 0}, ("s", 1, 2**40)),
        ({"static_argnums": (0, 1)}, ("s", "t", 2**40)),
        ({"static_argnums": -3}, ("s", 1, 2**40)),
        ({"static_argnames": "a"}, (1, 2, 2**40)),
    ],
)
def test_names_of_arguments_behind_static_ones(options, args):
    f = jax.jit(lambda a, b, c: c, **options)
    with pytest.raises(OverflowError, match="argument path is c. Got"):
        f(*args)
    if "static_argnums" in options:
        f = jax.jit(lambda *rest: rest[-1], **options)
        with pytest.raises(OverflowError, match=r"argument path is rest\[2\]. Got"):
            f(*args)


@pytest.mark.parametrize(
    "bounds, name", [((0, 2**40), "maxval"), ((-(2**40), 5), "minval")]
)
def test_bounds_of_random_integers_that_overflow_are_named(bounds, name):
    with pytest.raises(OverflowError, match=f"argument path is {name}"):
        jax.random.randint(jax.random.key(0), (3,), *bounds, "int32")


def test_compiled_functions_refuse_traced_values_in_words():
    compiled = jax.jit(lambda x: x + 1).lower(1.0).compile()
    words = "Cannot apply JAX transformations to a function lowered and compiled"
    for transform, argument in (
        (jax.vmap, jnp.ones(3)),
        (jax.grad, 1.0),
        (jax.jit, 1.0),
    ):
        with pytest.raises(TypeError, match=words):
            transform(compiled)(argument)


def test_buffers_that_were_given_away_are_named():
    x = jnp.ones(3)
    f = jax.jit(lambda a, b: a + b, donate_argnums=0)
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"f\(donate\(a\), a\)"):
        f(x, x)
    x.delete()
    with pytest.raises(
        RuntimeError, match=r"Array has been deleted with shape=float32\[3\]"
    ):
        np.asarray(x)


def test_unknown_compile_options_are_named():
    with pytest.raises(
        jax.errors.JaxRuntimeError, match="No such compile option: 'nope'"
    ):
        jax.jit(lambda x: x, compiler_options={"nope": 1})(1)


@pytest.mark.parametrize("value", [jnp.float32(1), jnp.arange(3)])
def test_traced_values_that_are_no_index_raise_as_known_ones_do(value):
    words = "Only integer scalar arrays can be converted to a scalar index"
    for use in (range, hex, [1, 2].__getitem__):
        with pytest.raises(TypeError, match=words):
            jax.jit(lambda x, use=use: use(x))(value)


def test_traced_values_have_no_digits_to_format():
    with pytest.raises(TypeError, match="unsupported format string"):
        jax.jit(lambda x: f"{x:.2f}")(1.0)


@pytest.mark.parametrize("value", ["abc", np.array(["a"]), np.array([None]), object()])
def test_values_that_are_no_numbers_are_refused_with_their_dtype(value):
    with pytest.raises(
        TypeError, match="Value .* with dtype .* is not a valid JAX array"
    ):
        jnp.asarray(value)


def test_devices_that_are_no_prefix_are_refused():
    words = "device_put device specification must be a tree prefix"
    with pytest.raises(ValueError, match=words):
        jax.device_put((1, 2), (jax.devices()[0],))
