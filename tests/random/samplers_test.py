"""Keys, bits and samples agree with JAX 0.10.2: exactly, or within rounding after logarithms and their like."""

import pathlib

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import random
from jax._src.base import options
from tests.random import cases
from tests.testing import programs, refusals

EXPECTED = np.load(pathlib.Path(__file__).parent / "expected.npz")


def check(name, found):
    expected = EXPECTED[name]
    found = cases.raw(found)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    if expected.dtype.kind in "fc":
        tolerance = 3e-3 if expected.dtype == np.float16 else 3e-5
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=1e-6)
    else:
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", cases.OF_KEYS)
@pytest.mark.parametrize("generator", cases.GENERATORS)
def test_keys_and_bits_are_those_of_upstream(generator, name):
    key = random.key(42, impl=generator)
    check(f"{generator}|{name}", cases.OF_KEYS[name](key))


@pytest.mark.parametrize("name", cases.OF_KEYS)
def test_the_older_order_of_bits_is_kept(name):
    with options.threefry_partitionable(False):
        key = random.key(42)
        check(f"threefry2x32, older order|{name}", cases.OF_KEYS[name](key))


@pytest.mark.parametrize("name", cases.SAMPLERS)
def test_samples_are_those_of_upstream(name):
    check(f"threefry2x32|{name}", cases.SAMPLERS[name](random.key(42)))


def test_raw_keys_give_raw_keys():
    keys = random.split(random.PRNGKey(0))
    assert keys.dtype == np.uint32 and keys.shape == (2, 2)


def test_keys_are_indexed_and_iterated():
    keys = random.split(random.key(0), 5)
    words = cases.raw(keys)
    np.testing.assert_array_equal(cases.raw(keys[2]), words[2])
    np.testing.assert_array_equal(cases.raw(keys[1:3]), words[1:3])
    assert [cases.raw(k).tolist() for k in keys] == words.tolist()


test_mistakes_are_explained = refusals.each(
    [
        (lambda: random.uniform(random.split(random.key(0))), ValueError, "single key"),
        (lambda: random.uniform(3), TypeError, "this is no key"),
        (
            lambda: random.split(random.key(0), -1),
            TypeError,
            "jax.random.split: a size",
        ),
        (lambda: random.split(random.key(0), 1.5), TypeError, "(1.5,)"),
        (lambda: random.uniform(np.zeros(3, np.uint32)), TypeError, "end with"),
        (lambda: random.key(0, impl="nothing"), ValueError, "threefry2x32"),
        (lambda: random.key(1.5), TypeError, "must be an integer"),
        (lambda: random.key(None), ValueError, "no seed"),
        (lambda: random.key(2**70), OverflowError, "too large"),
        (lambda: random.fold_in(random.key(0), -1), OverflowError, "out of bounds"),
        (
            lambda: random.uniform(random.key(0), (3,), "int32"),
            ValueError,
            "float dtype",
        ),
        (
            lambda: random.randint(random.key(0), (3,), 0, 9, float),
            TypeError,
            "integer",
        ),
        (
            lambda: random.choice(random.key(0), 3, (4,), False),
            ValueError,
            "Cannot take a larger sample",
        ),
        (
            lambda: random.permutation(random.key(0), 2.5),
            TypeError,
            "must be an integer",
        ),
    ]
)


@pytest.mark.parametrize("dtype", [int, bool, "uint8", complex, "float16"])
def test_multinomial_counts_have_the_dtype_requested(dtype):
    p = np.float32([0.3, 0.7])
    floats = random.multinomial(random.key(0), 5, p)
    assert floats.dtype == "float32"
    found = random.multinomial(random.key(0), 5, p, dtype=dtype)
    assert found.dtype == jax.dtypes.canonicalize_dtype(dtype)
    np.testing.assert_array_equal(found, floats.astype(found.dtype))
    assert random.multinomial(random.key(0), 5, p.astype("float16")).dtype == "float32"


def test_a_power_of_zero_overflows():
    found = random.generalized_normal(random.key(0), 0.0, (2,))
    assert not np.isfinite(found).any()


@pytest.mark.parametrize("mean", [50.0, 1e5, 1e7])
def test_large_means_give_poissons_moments(mean):
    drawn = np.asarray(random.poisson(random.key(3), mean, (4000,)), np.float64)
    assert abs(drawn.mean() - mean) < 5 * np.sqrt(mean / 4000)
    assert abs(drawn.var() / mean - 1) < 5 * np.sqrt(2 / 4000)


ONE_PROGRAM = {
    "ball": (2,),
    "bernoulli": (0.5, (3,)),
    "beta": (1.0, 2.0, (3,)),
    "binomial": (4, 0.5, (3,)),
    "chisquare": (2.0, (3,)),
    "double_sided_maxwell": (0.0, 1.0, (3,)),
    "f": (2.0, 3.0, (3,)),
    "gamma": (2.0, (3,)),
    "generalized_normal": (2.0, (3,)),
    "geometric": (0.5, (3,)),
    "lognormal": (1.0, (3,)),
    "multivariate_normal": (np.zeros(2, "f4"), np.eye(2, dtype="f4")),
    "rademacher": ((3,),),
    "randint": ((3,), 0, 9),
    "rayleigh": (1.0, (3,)),
    "t": (2.0, (3,)),
    "triangular": (0.0, 1.0, 2.0, (3,)),
    "truncated_normal": (-1.0, 1.0, (3,)),
    "weibull_min": (1.0, 2.0, (3,)),
}


@pytest.mark.parametrize("name", ONE_PROGRAM)
def test_a_sampler_is_one_program(name):
    key = jax.random.key(0)
    draw = lambda: getattr(random, name)(key, *ONE_PROGRAM[name])
    assert programs.count_compiled(draw) == 1


def test_a_power_that_is_traced_draws_what_a_known_one_does():
    key = jax.random.key(3)
    traced = jax.jit(lambda p: jax.random.ball(key, 3, p, (2,)))(3.0)
    np.testing.assert_allclose(traced, jax.random.ball(key, 3, 3.0, (2,)), rtol=1e-5)


def test_bounds_of_uniform_may_have_axes_of_size_one_in_front():
    key, one = jax.random.key(0), jnp.ones(1)
    scalar = jax.random.uniform(key)
    for bound, shape, found in (
        (one, (), (1,)),
        (one[None], (), (1, 1)),
        (one[None], (3,), (3,)),
        (one[None, None], (1,), (1,)),
    ):
        out = jax.random.uniform(key, shape, maxval=bound)
        assert out.shape == found
        assert np.array_equal(out.ravel(), jax.random.uniform(key, shape).ravel())
    draw = lambda key, low, high: jax.random.uniform(key, (), minval=low, maxval=high)  # noqa: E731
    mapped = jax.vmap(draw)(key[None], jnp.zeros((1, 1)), jnp.ones((1, 1)))
    assert mapped.shape == (1, 1) and mapped[0, 0] == jax.vmap(draw)(
        key[None], jnp.zeros(1), jnp.ones(1)
    )
    assert jax.jit(draw)(key, 0.0, one)[0] == scalar
    with pytest.raises(TypeError, match="more axes than the result"):
        jax.random.uniform(key, (3,), maxval=jnp.ones((2, 3)))


WIDE = {
    "bernoulli": lambda key, p: random.bernoulli(key, p, (64,)),
    "bernoulli of exact tails": lambda key, p: random.bernoulli(key, p, (64,), "high"),
    "binomial": lambda key, p: random.binomial(key, 3, p, (64,)),
    "categorical": lambda key, p: random.categorical(
        key, jnp.stack([p, 1 - p]), shape=(64,)
    ),
    "categorical, each once": lambda key, p: random.categorical(
        key, jnp.stack([p, 1 - p]), shape=(2,), replace=False
    ),
    "choice": lambda key, p: random.choice(key, 2, (64,), p=jnp.stack([p, 1 - p])),
    "choice, each once": lambda key, p: random.choice(
        key, 2, (2,), replace=False, p=jnp.stack([p, 1 - p])
    ),
    "geometric": lambda key, p: random.geometric(key, p, (64,)),
    "multinomial": lambda key, p: random.multinomial(key, 5, jnp.stack([p, 1 - p])),
}


@pytest.mark.parametrize("transform", [lambda f: f, jax.jit, jax.disable_jit])
@pytest.mark.parametrize("promotion", ["standard", "strict"])
@pytest.mark.parametrize("name", WIDE)
def test_64_bit_parameters_outside_their_setting_draw_what_narrow_ones_do(
    name, promotion, transform
):
    """A sampler draws in the setting's dtype, whatever its parameters were made with."""
    key = random.key(3)
    with jax.enable_x64(True):
        wide = jnp.asarray(np.float64(0.375))
    assert wide.dtype == np.float64

    def draw(p):
        return WIDE[name](key, p)

    expected = draw(np.float32(0.375))
    with jax.numpy_dtype_promotion(promotion):
        if transform is jax.disable_jit:
            with jax.disable_jit():
                found = draw(wide)
        else:
            found = transform(draw)(wide)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
