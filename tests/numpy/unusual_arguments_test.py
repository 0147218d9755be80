"""Calls at the edge of what functions take: what comes of them, and which errors.

The rows were found by random calls that were run on JAX 0.10.2 too; classes of errors are
those that programs catch.
"""

import collections

import numpy as np
import pytest

import jax
import jax.numpy as jnp
import jax.scipy.special
import jax.scipy.stats
from jax import lax
from jax.errors import ConcretizationTypeError
from tests.testing import programs

special, stats = jax.scipy.special, jax.scipy.stats
x = jnp.arange(3.0)
z = jnp.array([1 + 2j, 1 + 3j, 2])
key = jax.random.key(0)
keys = jax.random.split(key, 3)
eight = jnp.array([1, 2], jnp.int8)

TAKEN = {
    "select by numbers": (lambda: jnp.select([x - 1, x], [x, x * 2], -1), [0.0, 2.0, 2.0]),
    "take by truth values": (lambda: jnp.take(x, jnp.array([True, False])), [1.0, 0.0]),
    "take nothing": (lambda: jnp.take(x, jnp.array([])), []),
    "no quantiles of nothing": (lambda: jnp.percentile(x[:0], x[:0]), []),
    "roots of a constant": (lambda: jax.jit(jnp.roots)(x[:1]), []),
    "a traced shape": (lambda: jax.jit(lambda s: jnp.stack(jnp.unravel_index(5, s)))(jnp.array([3, 4])), [1, 1]),
    "a traced shape, from the end": (lambda: jax.jit(lambda s: jnp.stack(jnp.unravel_index(-1, s)))(jnp.array([3, 4])), [2, 3]),
    "keys that are near": (lambda: jnp.isclose(keys, keys), [True] * 3),
    "boxcox of complex numbers": (lambda: special.boxcox(z, 2.0), ((np.asarray(z) ** 2 - 1) / 2).tolist()),
    "boxcox at 0": (lambda: special.boxcox(z, 0.0), np.log(np.asarray(z)).tolist()),
    "boxcox1p of complex numbers": (lambda: special.boxcox1p(z, 2.0), (((1 + np.asarray(z)) ** 2 - 1) / 2).tolist()),
    "erfcx of complex numbers": (lambda: special.erfcx(z), [0.1402395 - 0.2222134j, 0.0653178 - 0.1739183j, 0.2553957 + 0j]),
    "a binomial beyond 1": (lambda: special.hyp2f1(jnp.array([2.0, 1.0, 3.0]), 2.0, 2.0, jnp.array([2.0, 2.0, -3.0])), [1.0, -1.0, 0.015625]),
    "the other binomial beyond 1": (lambda: special.hyp2f1(2.0, 1.0, 2.0, 3.0), -0.5),
    "lists of numbers": (lambda: special.expn([1, 2], [1, 2]), [0.2193839, 0.0375343]),
    "a list": (lambda: special.ndtr([0.0, 0.5]), [0.5, 0.6914625]),
    "a list as a matrix": (lambda: jax.scipy.linalg.cholesky([[4.0, 2.0], [2.0, 5.0]]), [[2.0, 1.0], [0.0, 2.0]]),
    "a slope along one axis": (lambda: jnp.gradient(jnp.array([[0.0, 1.0, 4.0]]), axis=(1,)), [[1.0, 2.0, 3.0]]),
    "a switch that is a number": (lambda: lax.dynamic_update_index_in_dim(x, 9.0, -1, 0, allow_negative_indices=1), [0.0, 1.0, 9.0]),
    "complex weights, traced": (lambda: jax.jit(lambda: jax.nn.initializers.lecun_normal()(key, (4, 6), complex).shape[0])(), 4),
    "a complex spacing": (lambda: jnp.trapezoid(x, dx=1j), 2j),
    "NumPy's numbers in a list": (lambda: jnp.array([np.float32(1), 2, np.int8(3)]), [1.0, 2.0, 3.0]),
    "NumPy's arrays in a list": (lambda: jnp.array([[np.arange(2), (3, 4)]], float), [[[0.0, 1.0], [3.0, 4.0]]]),
    "integers beyond 32 bits among floats": (lambda: jnp.array([[1, 2**40], [0.5, -(2**40)]]), [[1.0, 2.0**40], [0.5, -(2.0**40)]]),
    "floats beyond integers in a list": (lambda: jnp.array([np.array([3e9, np.nan])], "int32"), [[2**31 - 1, 0]]),
    "a deque in a list": (lambda: jnp.array([collections.deque([1, 2]), (3, 4)]), [[1, 2], [3, 4]]),
    "ranges in a list": (lambda: jnp.array([range(2), (True, 2)]), [[0, 1], [1, 2]]),
    "a small number of bins": (lambda: jnp.histogram(x, np.int8(2))[0], [1, 2]),
    "an array as number of bins": (lambda: jnp.histogram(x, jnp.int32(2))[0], [1, 2]),
    "axes as an array": (lambda: jax.nn.initializers.he_normal(in_axis=np.array([0]))(key, (4, 6)).shape, [4, 6]),
    "a size as a shape": (lambda: jnp.unravel_index(5, 6), [5]),
    "a size as a shape, from the end": (lambda: jnp.unravel_index(jnp.array([-1, 0]), np.int64(6)), [[5, 0]]),
    "another list": (lambda: special.log_ndtr([0.0]), [-0.6931472]),
}  # fmt: skip


@pytest.mark.parametrize("name", TAKEN)
def test_a_call_is_taken(name):
    call, expected = TAKEN[name]
    np.testing.assert_allclose(np.asarray(call()), expected, rtol=2e-5)


TYPES = {
    "products of small integers": (lambda: jnp.cumulative_prod(eight), "int8", False),
    "sums of small integers": (lambda: jnp.cumulative_sum(eight), "int32", False),
    "a number as diagonal": (lambda: jnp.diagflat(2.0), "float32", False),
    "hyp2f1 of numbers": (lambda: special.hyp2f1(1.0, 2.0, 3.0, 0.5), "float32", False),
    "roots of a number": (lambda: jnp.roots(2.0), "complex64", False),
    "a density at a number": (lambda: stats.norm.pdf(1.0), "float32", True),
    "half-precision coordinates": (
        lambda: jnp.trapezoid(x.astype("float16"), dx=0.5),
        "float16",
        False,
    ),
    "half-precision values at strong coordinates": (
        lambda: jnp.trapezoid(x.astype("float16"), dx=x[1]),
        "float32",
        False,
    ),
    "small numbers in a list": (
        lambda: jnp.array([np.int8(1), 2, True]),
        "int8",
        False,
    ),
    "small and half-precision numbers in a list": (
        lambda: jnp.array([[np.int8(1)], [np.float16(2)]]),
        "float16",
        False,
    ),
    "bfloat16 in a list": (
        lambda: jnp.array([jnp.bfloat16(1), jnp.bfloat16(2)]),
        "bfloat16",
        False,
    ),
    "complex numbers in a list": (
        lambda: jnp.array([np.float32(1), 2j]),
        "complex64",
        False,
    ),
    "a density at an array": (lambda: stats.norm.pdf(x), "float32", False),
}


@pytest.mark.parametrize("name", TYPES)
def test_a_result_has_the_type(name):
    call, dtype, is_weak = TYPES[name]
    out = call()
    assert (out.dtype.name, out.weak_type) == (dtype, is_weak)


def under_jit(f, *args):
    return lambda: jax.jit(f)(*args)


REFUSED = {
    "softmax of a scalar": (lambda: jax.nn.softmax(2.0), ValueError),
    "log_softmax of a scalar": (lambda: jax.nn.log_softmax(2.0, axis=0), ValueError),
    "standardize a scalar": (lambda: jax.nn.standardize(2.0), ValueError),
    "shapes of three operands": (lambda: stats.norm.pdf(x, jnp.ones(2)), TypeError),
    "shapes of special functions": (lambda: stats.expon.cdf(x, scale=jnp.ones(2)), TypeError),
    "shapes of copysign": (lambda: jnp.copysign(x, jnp.ones(2)), ValueError),
    "shapes of gcd": (lambda: jnp.gcd(jnp.arange(2), jnp.arange(3)), ValueError),
    "complex of beta": (lambda: special.beta(z, z), ValueError),
    "complex of entr": (lambda: special.entr(z), ValueError),
    "complex of erf": (lambda: special.erf(z), TypeError),
    "complex of fresnel": (lambda: special.fresnel(z), NotImplementedError),
    "complex of a distribution": (lambda: stats.norm.cdf(z), TypeError),
    "an order that is no integer": (lambda: special.polygamma(1.0, x), ValueError),
    "the truth of keys": (lambda: jnp.logical_not(keys), TypeError),
    "whether any key": (lambda: jnp.any(keys), TypeError),
    "the mean of keys": (lambda: jnp.mean(keys), TypeError),
    "the median of keys": (lambda: jnp.median(keys), TypeError),
    "equal to nothing": (lambda: jnp.array_equal(x, None), ValueError),
    "equal to a text": (lambda: jnp.array_equal(x, "a"), TypeError),
    "an array in an array": (lambda: x[:2] in x, ValueError),
    "no axes to move": (lambda: jnp.moveaxis(x, None, None), TypeError),
    "no axes to permute": (lambda: jnp.permute_dims(x, None), TypeError),
    "dtypes of texts": (lambda: jnp.promote_types("S", "S"), ValueError),
    "dtypes of objects": (lambda: jnp.promote_types("O", "O"), ValueError),
    "a size that is a float": (lambda: jnp.diag_indices(2.0), TypeError),
    "a norm that is an array": (lambda: jnp.fft.fft(x, norm=x), ValueError),
    "nothing like nothing": (lambda: lax.broadcast_like(None, None), TypeError),
    "a matrix of starts": (lambda: lax.dynamic_slice(x, jnp.zeros((1, 1), int), (1,)), ValueError),
    "a padding of no kind": (lambda: lax.padtype_to_pads((2,), (1,), (1,), None), TypeError),
    "a padding of no name": (lambda: lax.padtype_to_pads((2,), (1,), (1,), "a"), RuntimeError),
    "interpolation of nothing": (lambda: jnp.interp(x, None, None), TypeError),
    "a start that is a tuple": (lambda: jnp.arange((1, 2)), TypeError),
    "a start that is a vector": (lambda: jnp.arange(jnp.arange(2)), ValueError),
    "a traced tensor of another library": (under_jit(jnp.from_dlpack, x), TypeError),
    "a sharding of random numbers": (lambda: jax.random.normal(key, (2,), out_sharding=3), TypeError),
    "a sharding of repetitions": (lambda: jnp.repeat(x, 2, out_sharding=3), TypeError),
    "a sharding of made arrays": (lambda: jax.make_array_from_callback((2,), 3, lambda i: 0), TypeError),
    "integers beyond 32 bits in a list": (lambda: jnp.array([1, 2**40]), OverflowError),
    "integers below zero among unsigned ones": (lambda: jnp.array([np.uint8(1), -1]), OverflowError),
    "NumPy's arrays of two shapes": (lambda: jnp.array([np.ones(2), [1, 2, 3]]), ValueError),
    "texts among numbers": (lambda: jnp.array([1, 2, "a", 3]), TypeError),
    "nothing among numbers": (lambda: jnp.array([1, None, 3]), ValueError),
    "an array with a mask in a list": (lambda: jnp.array([np.ma.array([1, 2], mask=[0, 1])]), ValueError),
    "the sign of keys": (lambda: jnp.signbit(keys), ValueError),
    "bins that are a fraction": (lambda: jnp.histogram(x, bins=2.5), TypeError),
    "bins of two axes that are a fraction": (lambda: jnp.histogram2d(x, x, bins=2.5), TypeError),
    "an array of fractions as bins": (lambda: jnp.histogram(x, x[2]), TypeError),
    "a range that is a number": (lambda: jnp.histogram(x, range=2), ValueError),
    "a range of one number": (lambda: jnp.histogram(x, range=(1,)), ValueError),
    "an order that is a number": (lambda: jnp.array(x, order=1), NotImplementedError),
    "an order of no letter": (lambda: jnp.array(x, order=""), NotImplementedError),
    "a distance that is a list": (lambda: jnp.trapezoid(x, dx=[1.0]), TypeError),
    "a traced axis": (under_jit(lambda a: jnp.sum(x, axis=a), 0), ConcretizationTypeError),
    "a traced shape": (under_jit(lambda n: jnp.zeros(n), 2), ConcretizationTypeError),
    "a traced window": (under_jit(jnp.bartlett, 3), ConcretizationTypeError),
    "a traced vector as window": (under_jit(jnp.bartlett, x), ConcretizationTypeError),
    "traced indices of parts": (under_jit(lambda n: jnp.split(x, n), jnp.array([1])), ConcretizationTypeError),
    "a traced size": (under_jit(lambda n: jnp.unique(x, size=n), 2), ConcretizationTypeError),
    "traced widths": (under_jit(lambda n: jnp.pad(x, n), 1), ConcretizationTypeError),
    "a traced index": (under_jit(lambda n: [1, 2][n], 0), jax.errors.TracerIntegerConversionError),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_call_is_refused(name):
    call, kind = REFUSED[name]
    with pytest.raises(kind):
        call()


SETTINGS = {
    "no value": (lambda: jax.legacy_prng_key(), TypeError),
    "no member": (lambda: jax.legacy_prng_key(3), TypeError),
    "no level": (lambda: jax.numpy_rank_promotion(), TypeError),
    "no device": (lambda: jax.default_device(), TypeError),
    "no precision": (lambda: jax.default_matmul_precision(), TypeError),
    "another level": (lambda: jax.numpy_rank_promotion("bogus"), ValueError),
    "another precision": (lambda: jax.default_matmul_precision("bogus"), ValueError),
    "another device": (lambda: jax.default_device(3), ValueError),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_is_refused_where_it_is_made(name):
    call, kind = SETTINGS[name]
    with pytest.raises(kind):
        call()


def test_a_setting_that_is_true_or_false_is_true_without_a_value():
    with jax.enable_x64():
        assert jax.config.jax_enable_x64
    with jax.debug_nans(False):
        assert not jax.config.jax_debug_nans


m = jnp.ones((2, 3))
UNCHANGED = {
    "reshape": lambda: jnp.reshape(m, (2, 3)),
    "transpose": lambda: jnp.transpose(m, (0, 1)),
    "the transpose of a vector": lambda: x.T,
    "stop_gradient": lambda: lax.stop_gradient(m),
    "astype": lambda: m.astype(m.dtype),
    "an index": lambda: m[:],
}


@pytest.mark.parametrize("name", UNCHANGED)
def test_what_changes_nothing_needs_no_program(name):
    assert programs.count_compiled(UNCHANGED[name]) == 0
    assert UNCHANGED[name]() is (x if "vector" in name else m)


ONE_PROGRAM = {
    "eye": lambda: jnp.eye(5, k=1),
    "tri": lambda: jnp.tri(5, 4, -1),
    "polyfit": lambda: jnp.polyfit(x, x, 1),
    "weighted polyfit": lambda: jnp.polyfit(x, x, 1, w=x),
}


@pytest.mark.parametrize("name", ONE_PROGRAM)
def test_a_call_is_one_program(name):
    assert programs.count_compiled(ONE_PROGRAM[name]) == 1


def test_numbers_and_arrays_of_numpy_are_arrays_after_stop_gradient():
    assert isinstance(lax.stop_gradient(2.0), jax.Array)
    assert isinstance(lax.stop_gradient(np.ones(2)), jax.Array)
    assert lax.stop_gradient(key) == key


class Interface:
    """Holds elements as images of PIL do: NumPy reads them, no method makes an array."""

    def __init__(self, elements, name):
        setattr(self, name, getattr(elements, name))
        self.elements = elements


@pytest.mark.parametrize("name", ["__array_interface__", "__array_struct__"])
@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.float32, np.bool_])
def test_objects_with_an_interface_of_arrays_alone_become_arrays(name, dtype):
    elements = np.arange(6).reshape(2, 3).astype(dtype)
    holder = Interface(elements, name)
    for made in (
        jnp.asarray(holder),
        jnp.array(holder),
        jnp.asarray(holder, copy=True),
    ):
        assert made.dtype == dtype
        np.testing.assert_array_equal(made, elements)
    assert jnp.array([holder, holder]).shape == (2, 2, 3)
    assert jnp.asarray(holder, dtype=jnp.bfloat16).dtype == jnp.bfloat16


@pytest.mark.parametrize(
    "dtype", ["uint8", "uint16", "uint32", "int8", "int16", "int32"]
)
def test_numbers_of_python_that_do_not_fit_an_integer_dtype_are_refused(dtype):
    bounds = np.iinfo(dtype)
    for number in (bounds.min, bounds.max):
        assert int(jnp.array(number, dtype)) == number
    for number in (bounds.min - 1, bounds.max + 1):
        for given in (number, [number]):
            with pytest.raises(OverflowError, match=f"out of bounds for {dtype}"):
                jnp.array(given, dtype)
        with pytest.raises(OverflowError, match=f"out of bounds for {dtype}"):
            jnp.asarray(number, dtype)
        with pytest.raises(OverflowError, match=f"out of bounds for {dtype}"):
            getattr(jnp, dtype)(number)
        # NumPy's numbers wrap around.
        wide = np.int64(number)
        assert jnp.asarray(wide, dtype) == wide.astype(dtype)


ONES = np.ones((4, 3), np.float32)
# Lists and NumPy's arrays where a static argument is expected.
STATIC_SEQUENCES = {
    "split at a list": lambda x: jnp.split(x, [1, 2]),
    "split at an array": lambda x: jnp.split(x, np.array([1, 2])),
    "array_split": lambda x: jnp.array_split(x, [1, 3], axis=0),
    "tensordot of lists": lambda x: jnp.tensordot(x, x, axes=([0], [0])),
    "moveaxis": lambda x: jnp.moveaxis(x, [0, 1], [1, 0]),
    "pad by lists": lambda x: jnp.pad(x, [[1, 0], [0, 2]]),
    "roll by lists": lambda x: jnp.roll(x, [1, 2], axis=[0, 1]),
    "tile by a list": lambda x: jnp.tile(x, [2, 1]),
    "transpose by a list": lambda x: jnp.transpose(x, [1, 0]),
    "flip over a tuple": lambda x: jnp.flip(x, axis=(0, 1)),
    "reshape by a list": lambda x: jnp.reshape(x, [2, 6]),
    "expand_dims by a list": lambda x: jnp.expand_dims(x, [0, 2]),
    "rot90": lambda x: jnp.rot90(x, axes=[1, 0]),
}
CHECKS = {
    "debug_nans": lambda: jax.debug_nans(True),
    "debug_infs": lambda: jax.debug_infs(True),
    "a guard that logs": lambda: jax.transfer_guard("log"),
    "a guard that refuses": lambda: jax.transfer_guard_device_to_device("disallow"),
    "tracer leaks": lambda: jax.checking_leaks(),
}


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("name", STATIC_SEQUENCES)
def test_a_static_argument_may_be_a_list_under_every_check(name, check):
    """What has no hash is a static argument of our own functions, looked at or not."""
    x = jnp.asarray(ONES)
    expected = STATIC_SEQUENCES[name](x)
    for form in (lambda f: f, jax.jit, jax.vmap):
        f = form(STATIC_SEQUENCES[name])
        given = x[None] if form is jax.vmap else x
        with CHECKS[check]():
            found = f(given)
        jax.tree.map(
            lambda a, b: np.testing.assert_array_equal(a.reshape(b.shape), b),
            found,
            expected,
        )


def test_a_list_of_numbers_and_one_of_floats_are_two_static_arguments():
    """Equal lists whose parts differ in class share no program."""
    with jax.debug_nans(True):
        assert len(jnp.split(jnp.asarray(ONES), [1])) == 2
        with pytest.raises(TypeError):
            jnp.split(jnp.asarray(ONES), [1.0])


def test_a_users_function_still_refuses_a_list_as_a_static_argument():
    """A jitted function of a user's needs a hash, as upstream's."""
    f = jax.jit(lambda x, n: x, static_argnums=1)
    with pytest.raises(ValueError, match="Non-hashable static arguments"):
        f(1.0, [1, 2])
