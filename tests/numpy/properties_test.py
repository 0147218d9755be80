"""Valid and invalid arguments, thrown at random, get NumPy's answer or NumPy's kind of error.

The random choices are the same in every run.
"""

import warnings

import hypothesis as hp
import numpy as np
import pytest
from hypothesis import strategies as st

import jax
import jax.numpy as jnp

RUNS = hp.settings(
    max_examples=25,
    suppress_health_check=list(hp.HealthCheck),
)

SIZES = st.sampled_from([0, 1, 2, 3])
SHAPES = st.lists(SIZES, max_size=3).map(tuple)
DTYPES = st.sampled_from(["bool", "int8", "int32", "uint8", "float32", "complex64"])
REAL = st.sampled_from(["bool", "int8", "int32", "uint8", "float32"])
AXIS = st.integers(-4, 4)
AXES = st.one_of(st.none(), AXIS, st.lists(AXIS, max_size=3).map(tuple))


@st.composite
def arrays(draw, shape=SHAPES, dtype=DTYPES):
    """Arrays of small numbers, zeros and repetitions included."""
    sizes, kind = draw(shape), np.dtype(draw(dtype))
    seed = draw(st.integers(0, 3))
    values = np.random.RandomState(seed).randint(-3, 4, sizes)
    if kind.kind == "c":
        return (values + 1j * np.roll(values, 1)).astype(kind)
    return np.abs(values).astype(kind) if kind.kind == "u" else values.astype(kind)


def outcome(call):
    """The result as one kind of number, or the error."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            found = call()
        except Exception as error:
            return error
    parts = found if isinstance(found, (tuple, list)) else [found]
    return [np.asarray(part) for part in parts]


# For each class that NumPy raises, those that mean the same to a user of ours. A misfit
# of shapes is a TypeError of the compiler's types, and a ValueError of NumPy's.
KINDS = {
    IndexError: (IndexError, ValueError, TypeError),
    ValueError: (ValueError, TypeError),
    TypeError: (TypeError, ValueError),
    OverflowError: (OverflowError, ValueError),
}


def agrees(name, *args, ours_only=False, rtol=2e-5, **kwargs):
    """Compares one function; with `ours_only`, we may answer where NumPy does not."""
    expected = outcome(lambda: getattr(np, name)(*args, **kwargs))
    found = outcome(lambda: getattr(jnp, name)(*args, **kwargs))
    shown = (
        name,
        *((a.dtype.name, a.shape) if hasattr(a, "shape") else a for a in args),
    )
    hp.note(f"{shown} {kwargs}\n  NumPy  {expected!r}\n  ours   {found!r}")
    if isinstance(expected, Exception):
        if isinstance(found, Exception):
            kind = next(k for k in type(expected).__mro__ if k in KINDS)
            assert isinstance(found, KINDS[kind])
        else:
            assert ours_only
        return
    if isinstance(found, Exception):
        raise found
    assert len(found) == len(expected)
    for want, got in zip(expected, found, strict=True):
        assert got.shape == want.shape
        assert (got.dtype.kind == "b") == (want.dtype.kind == "b")
        # NumPy computes with the half precision that holds all of the integers.
        bound = 2e-3 if want.dtype == np.float16 else rtol
        np.testing.assert_allclose(
            got.astype("c16"), want.astype("c16"), rtol=bound, atol=bound
        )


@pytest.mark.parametrize("name", ["sum", "prod", "any", "all", "max", "min", "mean"])
@RUNS
@hp.given(x=arrays(dtype=REAL), axis=AXES, keepdims=st.booleans())
def test_reductions(name, x, axis, keepdims):
    agrees(name, x, axis=axis, keepdims=keepdims)


@pytest.mark.parametrize("name", ["var", "std", "count_nonzero", "nansum", "average"])
@RUNS
@hp.given(x=arrays(dtype=REAL), axis=AXES)
def test_more_reductions(name, x, axis):
    agrees(name, x, axis=axis, ours_only=not x.ndim)


@pytest.mark.parametrize("name", ["argmax", "argmin", "argsort", "sort", "cumsum"])
@RUNS
@hp.given(x=arrays(dtype=REAL), axis=AXIS)
def test_along_an_axis(name, x, axis):
    hp.assume(x.ndim)  # NumPy takes a scalar for a vector here, and we do not.
    agrees(name, x, axis=axis, **({"stable": True} if name == "argsort" else {}))


@pytest.mark.parametrize(
    "name",
    [
        "add", "subtract", "multiply", "maximum", "minimum", "equal", "less",
        "greater_equal", "logical_and", "logical_xor", "arctan2", "hypot", "fmax",
        "true_divide", "copysign",
    ],
)  # fmt: skip
@RUNS
@hp.given(x=arrays(dtype=REAL), y=arrays(dtype=REAL))
def test_pairs(name, x, y):
    agrees(name, x, y)


@pytest.mark.parametrize("name", ["floor_divide", "remainder", "fmod"])
@RUNS
@hp.given(x=arrays(dtype=REAL), y=arrays(dtype=REAL))
def test_division(name, x, y):
    """But for division of integers by 0, whose result each compiler chooses."""
    hp.assume("f" in (x.dtype.kind, y.dtype.kind) or not (y == 0).any())
    agrees(name, x, y)


@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_or", "left_shift", "gcd"])
@RUNS
@hp.given(x=arrays(dtype=REAL), y=arrays(dtype=REAL))
def test_bits(name, x, y):
    hp.assume(name != "left_shift" or (y >= 0).all())
    agrees(name, x, y, ours_only=name == "left_shift")


@pytest.mark.parametrize(
    "name",
    [
        "abs", "negative", "sign", "square", "exp", "sin", "tanh", "isnan", "isfinite",
        "conj", "real", "imag", "angle", "logical_not", "ravel", "transpose", "isreal",
    ],
)  # fmt: skip
@RUNS
@hp.given(x=arrays())
def test_one_array(name, x):
    hp.assume(name != "conj" or x.dtype != bool)  # NumPy counts booleans as int8.
    agrees(name, x, ours_only=name in ("sign",))


@pytest.mark.parametrize("name", ["squeeze", "expand_dims", "flip"])
@RUNS
@hp.given(x=arrays(), axis=st.one_of(AXIS, st.lists(AXIS, max_size=2).map(tuple)))
def test_axes(name, x, axis):
    hp.assume(name != "squeeze" or x.ndim)
    agrees(name, x, axis=axis)


@RUNS
@hp.given(x=arrays(), shape=st.lists(st.integers(-1, 6), max_size=3).map(tuple))
def test_reshape(x, shape):
    agrees("reshape", x, shape)


@RUNS
@hp.given(x=arrays(), axes=st.lists(AXIS, max_size=3).map(tuple))
def test_transpose(x, axes):
    agrees("transpose", x, axes)


@pytest.mark.parametrize("name", ["swapaxes", "moveaxis"])
@RUNS
@hp.given(x=arrays(), a=AXIS, b=AXIS)
def test_two_axes(name, x, a, b):
    agrees(name, x, a, b)


@RUNS
@hp.given(x=arrays(), shift=st.integers(-5, 5), axis=st.one_of(st.none(), AXIS))
def test_roll(x, shift, axis):
    agrees("roll", x, shift, axis)


@RUNS
@hp.given(x=arrays(), count=st.integers(-1, 3), axis=st.one_of(st.none(), AXIS))
def test_repeat(x, count, axis):
    agrees("repeat", x, count, axis)


@RUNS
@hp.given(x=arrays(), n=st.integers(-1, 3), axis=AXIS)
def test_diff(x, n, axis):
    agrees("diff", x, n, axis, ours_only=x.dtype == bool)


@pytest.mark.parametrize("name", ["concatenate", "stack"])
@RUNS
@hp.given(x=arrays(), y=arrays(), axis=AXIS)
def test_joining(name, x, y, axis):
    agrees(name, (x, y), axis=axis)


@RUNS
@hp.given(x=arrays(), parts=st.integers(-1, 4), axis=AXIS)
def test_array_split(x, parts, axis):
    agrees("array_split", x, parts, axis)


@pytest.mark.parametrize("name", ["matmul", "dot", "outer", "vdot", "inner", "kron"])
@RUNS
@hp.given(x=arrays(), y=arrays())
def test_products(name, x, y):
    agrees(name, x, y)


@RUNS
@hp.given(x=arrays(dtype=REAL), y=arrays(dtype=REAL), axes=st.integers(-1, 3))
def test_tensordot(x, y, axes):
    agrees("tensordot", x, y, axes)


@RUNS
@hp.given(c=arrays(), x=arrays(dtype=REAL), y=arrays(dtype=REAL))
def test_where(c, x, y):
    agrees("where", c, x, y)


@RUNS
@hp.given(x=arrays(), shape=SHAPES)
def test_broadcast_to(x, shape):
    agrees("broadcast_to", x, shape)


INDEX = st.one_of(
    st.none(),
    st.just(Ellipsis),
    st.builds(
        slice,
        st.one_of(st.none(), st.integers(-4, 4)),
        st.one_of(st.none(), st.integers(-4, 4)),
        st.sampled_from([None, 1, 2, -1, 0]),
    ),
    st.just(0),
    st.just(-1),
    st.sampled_from([1.0, "a"]),
    st.just(np.array([0, -1, 0])),
    st.just(np.array([[0], [-1]])),
    st.just(np.zeros(0, int)),
)


@hp.settings(RUNS, max_examples=100)
@hp.given(x=arrays(), index=st.lists(INDEX, max_size=3).map(tuple))
def test_indexing(x, index):
    expected = outcome(lambda: x[index])
    found = outcome(lambda: jnp.asarray(x)[index])
    hp.note(f"{x.dtype}{x.shape}[{index}]\n  NumPy  {expected!r}\n  ours   {found!r}")
    if isinstance(expected, Exception):
        # Indices out of bounds count as the nearest: there is no error of values.
        if isinstance(found, Exception):
            assert isinstance(found, (IndexError, TypeError, ValueError))
        else:
            assert "out of bounds" in str(expected)
        return
    if isinstance(found, Exception):
        raise found
    np.testing.assert_array_equal(found[0], expected[0])


@RUNS
@hp.given(x=arrays(dtype=REAL), y=arrays(dtype=REAL))
def test_compiled_and_eager_calls_agree(x, y):
    def both(x, y):
        return jnp.maximum(x, y) + jnp.minimum(x, y), jnp.sum(x) * jnp.prod(y)

    eager, compiled = (outcome(lambda f=f: f(x, y)) for f in (both, jax.jit(both)))
    if isinstance(eager, Exception):
        assert type(compiled) is type(eager)
        return
    for a, b in zip(eager, compiled, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)
