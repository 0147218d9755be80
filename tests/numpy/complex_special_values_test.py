"""Functions of complex numbers at zeros, infinities and NaN: C99's Annex G, as NumPy has it.

Ours differ on purpose in these: of `expm1`, the imaginary part stays a zero that it was,
also where the real part is infinite or NaN; `log1p` and `expm1` keep small numbers and
do not overflow on the way; `sign` of what has a large modulus is its direction and keeps
signs of zeros; 1 / 0 has an infinite real part, and 1 over an infinity is 0 whatever the
other part; where Annex G leaves a sign open, it may be the other one. Products are the
textbook's, as in NumPy and other compilers: Annex G's recovery of infinities is for
quotients only.
"""

import itertools

import numpy as np
import pytest

import jax
import jax.numpy as jnp

INF, NAN = np.inf, np.nan
SAME_AS_NUMPY = """abs sqrt exp log sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh
arccosh arctanh square conj negative exp2 log2 log10 angle isfinite isnan isinf""".split()
# The sign of an infinity or zero that Annex G leaves open.
FREE_SIGN = {"sin", "sinh", "cosh", "tan", "tanh", "exp", "cos", "arccosh", "exp2"}


def grid(dtype):
    """All pairs of special values, as an array of one axis."""
    part = np.zeros((), dtype).real.dtype
    large = float(np.finfo(part).max)
    sizes = [0.0, 0.5, 1.0, 2.0, float(np.finfo(part).tiny), large, INF]
    sizes = [*sizes, *(-x for x in sizes), NAN]
    z = np.zeros(len(sizes) ** 2, dtype)
    for i, (re, im) in enumerate(itertools.product(sizes, repeat=2)):
        z.real[i], z.imag[i] = re, im
    return z


def parts(x):
    return (x.real, x.imag) if np.iscomplexobj(x) else (x,)


def agree(found, wanted, free_sign=False):
    """Whether each part of each number is the same, finite ones up to rounding."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    eps = np.finfo(found.dtype).eps if found.dtype.kind in "fc" else 0
    same = np.ones(found.shape, bool)
    with np.errstate(all="ignore"):
        size = np.abs(wanted).astype(np.float64)
        size = np.where(np.isfinite(size), size, 0)
        for x, y in zip(parts(found), parts(wanted), strict=True):
            x, y = x.astype(np.float64), y.astype(np.float64)
            close = abs(x - y) <= 16 * eps * np.maximum(size, abs(y))
            open_sign = free_sign & np.isinf(y) & (abs(x) == abs(y))
            same &= (x == y) | (np.isnan(x) & np.isnan(y)) | close | open_sign
    return same


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("name", SAME_AS_NUMPY)
def test_special_values_are_those_of_annex_g(name, dtype):
    with jax.enable_x64(dtype == np.complex128):
        z = grid(dtype)
        function = getattr(jnp, name)
        found = np.asarray(function(jnp.asarray(z)))
        with np.errstate(all="ignore"):
            wanted = getattr(np, name)(z)
        same = agree(found, wanted, name in FREE_SIGN)
        differing = list(zip(z[~same], found[~same], wanted[~same], strict=True))
        assert not differing
        for other in (jax.jit(function)(z), jax.jit(lambda: function(z))()):
            np.testing.assert_array_equal(other, found)


def as_complex(*pairs):
    return np.array([complex(re, im) for re, im in pairs])


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("function", [jnp.sign, jax.jit(jnp.sign)])
def test_signs_along_an_axis_at_infinity_are_its_direction(function, dtype):
    with jax.enable_x64(dtype == np.complex128):
        z = as_complex(
            (INF, 0), (-INF, 0), (0, INF), (0, -INF), (INF, 1), (3, -INF), (-INF, NAN),
            (NAN, INF), (3, 4), (0, 0),
        )  # fmt: skip
        wanted = [1, -1, 1j, -1j, 1, -1j, -1, 1j, 0.6 + 0.8j, 0]
        found = np.asarray(function(jnp.asarray(z, dtype)))
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
        for undirected in ((INF, INF), (INF, -INF), (-INF, INF), (NAN, 1), (0, NAN)):
            assert np.isnan(function(jnp.asarray(complex(*undirected), dtype)))


def kind_of(z):
    """What Annex G calls a complex number."""
    if np.isinf(z.real) or np.isinf(z.imag):
        return "infinite"
    if np.isnan(z.real) or np.isnan(z.imag):
        return "nan"
    return "finite" if z else "zero"


def kind_of_quotient(x, y):
    kinds = kind_of(x), kind_of(y)
    if kinds in {("finite", "infinite"), ("zero", "infinite"), ("zero", "finite")}:
        return "zero"
    if kinds in {("infinite", "finite"), ("infinite", "zero"), ("finite", "zero")}:
        return "infinite"
    return "finite" if kinds == ("finite", "finite") else "nan"


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_quotients_of_zeros_and_infinities_are_of_the_kind_of_annex_g(dtype):
    with jax.enable_x64(dtype == np.complex128):
        numbers = [0.0, -0.0, 1.0, -2.0, INF, -INF, NAN]
        z = np.zeros(len(numbers) ** 2, dtype)
        for i, (re, im) in enumerate(itertools.product(numbers, repeat=2)):
            z.real[i], z.imag[i] = re, im
        x, y = (part.ravel() for part in np.meshgrid(z, z))
        for divide in (jnp.divide, jax.jit(jnp.divide)):
            found = np.asarray(divide(jnp.asarray(x), jnp.asarray(y)))
            for a, b, c in zip(x, y, found, strict=True):
                wanted = kind_of_quotient(a, b)
                # A NaN beside a number divided by zero may be either.
                if kind_of(a) == "nan" and kind_of(b) == "zero":
                    continue
                assert kind_of(c) == wanted, (a, b, c)


def test_powers_of_two_have_no_product_of_infinity_and_zero():
    assert complex(jnp.exp2(jnp.asarray(complex(INF, 0)))) == complex(INF, 0)
