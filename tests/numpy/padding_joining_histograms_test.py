"""Padding, editing, joining, polynomials, histograms, bits: as NumPy has them."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from tests.testing import refusals

V = np.array([1.0, 2.0, 4.0, 8.0], "f4")
W = np.array([2.0, -1.0], "f4")
I = np.array([3, 1, 4, 1, 5], "i4")  # noqa: E741
M = np.arange(12.0, dtype="f4").reshape(3, 4)
C = (V[:3] + 1j * V[1:]).astype("c8")
BYTES = np.array([[3, 250], [128, 1]], "u1")


def agree(call, rtol=1e-5):
    expected, found = call(np), call(jnp)
    if not isinstance(expected, (tuple, list)):
        expected, found = (expected,), (found,)
    assert len(expected) == len(found)
    for want, got in zip(expected, found, strict=True):
        if isinstance(want, list):
            for a, b in zip(want, got, strict=True):
                np.testing.assert_allclose(b, a, rtol=rtol, atol=1e-5)
            continue
        assert np.shape(got) == np.shape(want)
        np.testing.assert_allclose(got, want, rtol=rtol, atol=1e-5)


@pytest.mark.parametrize(
    ("mode", "options"),
    [
        ("constant", {}),
        ("constant", {"constant_values": 7}),
        ("constant", {"constant_values": ((1, 2), (3, 4))}),
        ("edge", {}),
        ("linear_ramp", {}),
        ("linear_ramp", {"end_values": (-4, 9)}),
        ("maximum", {}),
        ("maximum", {"stat_length": 2}),
        ("minimum", {"stat_length": ((1, 2), (3, 1))}),
        ("mean", {}),
        ("median", {"stat_length": 3}),
        ("reflect", {}),
        ("reflect", {"reflect_type": "odd"}),
        ("symmetric", {}),
        ("symmetric", {"reflect_type": "odd"}),
        ("wrap", {}),
    ],
)
@pytest.mark.parametrize("widths", [1, (2, 0), ((1, 3), (0, 2)), 9, {1: (2, 5)}])
def test_pad_agrees(mode, options, widths):
    agree(lambda np: np.pad(M, widths, mode=mode, **options))
    if mode != "linear_ramp":  # a ramp of integers is cut after rounding to float32
        agree(lambda np: np.pad(M.astype("i4"), widths, mode=mode, **options))


def test_pad_of_a_vector_with_one_element_and_of_a_scalar():
    for mode in ("edge", "reflect", "symmetric", "wrap", "mean"):
        agree(lambda np, mode=mode: np.pad(V[:1], 3, mode=mode))
    agree(lambda np: np.pad(np.float32(3.0), 2))
    agree(lambda np: np.pad(V[:0], 2, constant_values=5.0))


def test_pad_by_a_function_that_returns_the_row():
    def fill(row, widths, axis, options):
        return row.at[: widths[0]].set(options["value"])

    found = jnp.pad(V, (2, 1), fill, value=9.0)
    np.testing.assert_array_equal(found, [9, 9, 1, 2, 4, 8, 0])


@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric", "wrap"])
def test_a_pad_of_many_periods_is_a_small_program(mode):
    agree(lambda np: np.pad(V, (3999, 4001), mode=mode))
    lowered = jax.jit(lambda x: jnp.pad(x, 4000, mode=mode)).lower(V)
    assert lowered.as_text().count("stablehlo.") < 30


@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric", "wrap"])
def test_a_pad_of_few_periods_looks_up_no_indices(mode):
    lowered = jax.jit(lambda x: jnp.pad(x, (4, 7), mode=mode)).lower(V)
    assert "stablehlo.gather" not in lowered.as_text()


@pytest.mark.parametrize("width", [2, 7, 400])
@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric", "wrap"])
def test_gradients_of_pads_count_the_copies(mode, width):
    indices = np.pad(np.arange(V.size), width, mode=mode)
    slope = jax.grad(lambda x: jnp.pad(x, width, mode=mode).sum())(V)
    np.testing.assert_array_equal(slope, np.bincount(indices, minlength=V.size))


def test_pad_is_differentiable():
    slope = jax.grad(lambda x: jnp.pad(x, 2, mode="reflect").sum())(V)
    np.testing.assert_array_equal(slope, [1, 3, 3, 1])


@pytest.mark.parametrize(
    "call",
    [
        lambda np: np.convolve(V, W),
        lambda np: np.convolve(W, V, "same"),
        lambda np: np.convolve(V, W, "valid"),
        lambda np: np.convolve(C, W),
        lambda np: np.correlate(V, W, "full"),
        lambda np: np.correlate(W, V, "full"),
        lambda np: np.correlate(C[:2], C, "same"),
        lambda np: np.correlate(V, W),
        lambda np: np.insert(V, 1, 9.0),
        lambda np: np.insert(V, -1, 9.0),
        lambda np: np.insert(V, np.array([0, 2, 2]), V[:3]),
        lambda np: np.insert(M, 1, V, axis=0),
        lambda np: np.insert(M, 2, 5.0, axis=1),
        lambda np: np.insert(M, np.array([0, 3]), M[:, :2], axis=1),
        lambda np: np.insert(M, slice(0, 3, 2), 5.0, axis=1),
        lambda np: np.insert(V, np.array([], int), 1.0),
        lambda np: np.delete(V, 1),
        lambda np: np.delete(V, -1),
        lambda np: np.delete(M, 1, axis=0),
        lambda np: np.delete(M, np.array([0, 2, 0]), axis=1),
        lambda np: np.delete(M, slice(1, None), axis=1),
        lambda np: np.delete(V, np.array([True, False, True, False])),
        lambda np: np.trim_zeros(np.array([0, 0, 1, 0, 2, 0])),
        lambda np: np.trim_zeros(np.array([0, 0, 1, 0, 2, 0]), "f"),
        lambda np: np.trim_zeros(np.array([0, 0, 1, 0, 2, 0]), "b"),
        lambda np: np.gradient(V),
        lambda np: np.gradient(V, 2.0),
        lambda np: np.gradient(V, np.array([0.0, 1.0, 4.0, 6.0])),
        lambda np: np.gradient(M),
        lambda np: np.gradient(M, 2.0, 0.5),
        lambda np: np.gradient(M, axis=1),
        lambda np: np.polymul(V, W),
        lambda np: np.polyint(V),
        lambda np: np.polyint(V, 3, k=np.array([1.0, 2.0, 3.0])),
        lambda np: np.poly(V),
        lambda np: np.apply_along_axis(lambda v: v.sum(), 1, M),
        lambda np: np.apply_along_axis(lambda v: v[::-1], 0, M),
        lambda np: np.apply_over_axes(np.sum, M, [0, 1]),
        lambda np: np.frombuffer(b"abcdefgh", np.uint16, 2, 2),
        lambda np: np.fromstring("1 2 3", int, sep=" "),
        lambda np: np.histogram2d(V, V, 3),
        lambda np: np.histogram2d(
            V, I[:4], [2, 3], [[0, 9], [0, 5]], weights=V, density=True
        ),
        lambda np: np.histogramdd(M[:, :3], 2),
        lambda np: np.packbits(I > 2),
        lambda np: np.packbits(M.astype("i4"), axis=0, bitorder="little"),
        lambda np: np.unpackbits(BYTES),
        lambda np: np.unpackbits(BYTES, axis=1, count=11),
        lambda np: np.unpackbits(BYTES, axis=0, count=-3, bitorder="little"),
        lambda np: np.ravel_multi_index((I[1:3] % 3, I[:2] % 4), (3, 4)),
        lambda np: np.ravel_multi_index((I, I), (3, 4), mode="clip"),
        lambda np: np.ravel_multi_index((I, I), (3, 4), mode="wrap", order="F"),
        lambda np: np.mgrid[0:3, 1:2:4j],
        lambda np: np.mgrid[2:5],
        lambda np: list(np.ogrid[0:3, 0:2]),
        lambda np: np.r_[1:4, 0, V],
        lambda np: np.r_["-1", M, M],
        lambda np: np.r_["0,2", V, V],
        lambda np: np.r_["0,2,0", V, V],
        lambda np: np.c_[V, V],
        lambda np: np.c_["1,3", M, M],
    ],
)
def test_functions_agree(call):
    agree(call)


def test_polydiv_leaves_a_remainder_of_the_dividends_size():
    quotient, rest = np.polydiv(V, W)
    found = jnp.polydiv(V, W)
    np.testing.assert_allclose(found[0], quotient)
    np.testing.assert_allclose(found[1], [0, 0, 0, *rest])
    np.testing.assert_allclose(jnp.polydiv(V, W, trim_leading_zeros=True)[1], rest)


def test_vectorize_maps_over_the_axes_in_front():
    dot = jnp.vectorize(jnp.vdot, signature="(n),(n)->()")
    assert dot(jnp.ones((5, 1, 3)), jnp.ones((4, 3))).shape == (5, 4)
    plus = jnp.vectorize(lambda x, y, z: x + y * z, excluded={2})
    np.testing.assert_array_equal(plus(V, V, 2.0), 3 * V)
    named = jnp.vectorize(jnp.sum, signature="(2)->()")
    assert named(jnp.ones((4, 3))).tolist() == [3.0] * 4
    twice = jnp.vectorize(lambda x: (x, 2 * x), signature="(n)->(n),(n)")
    assert [part.shape for part in twice(M)] == [(3, 4), (3, 4)]


def test_arrays_are_saved_and_loaded(tmp_path):
    jnp.save(tmp_path / "x.npy", jnp.arange(3))
    loaded = jnp.load(tmp_path / "x.npy")
    assert isinstance(loaded, jax.Array) and loaded.tolist() == [0, 1, 2]


def test_lists_of_numbers_have_strong_types():
    assert not jnp.array([1.0, 2]).weak_type and jnp.asarray(1.0).weak_type


def test_delete_of_traced_indices_needs_a_promise():
    drop = jax.jit(lambda i: jnp.delete(V, i, assume_unique_indices=True))
    np.testing.assert_array_equal(drop(jnp.array([0, -1])), [2, 4])
    with pytest.raises(jax.errors.ConcretizationTypeError, match="depends on `obj`"):
        jax.jit(lambda i: jnp.delete(V, i))(jnp.array([0]))


test_mistakes_are_explained = refusals.each(
    [
        (lambda: jnp.pad(V, -1), ValueError, "negative"),
        (lambda: jnp.pad(V, 1.5), TypeError, "integral"),
        (lambda: jnp.pad(V, (1, 2, 3)), ValueError, "pair"),
        (lambda: jnp.pad(V, 1, "mirror"), NotImplementedError, "'reflect'"),
        (lambda: jnp.pad(V, 1, "edge", end_values=1), ValueError, "end_values"),
        (lambda: jnp.pad(V[:0], 1, "edge"), ValueError, "empty"),
        (lambda: jnp.convolve(M, V), ValueError, "float32[3,4]"),
        (lambda: jnp.convolve(V, V[:0]), ValueError, "empty"),
        (lambda: jnp.correlate(V, V, "all"), ValueError, "'full'"),
        (lambda: jnp.insert(V, 1.5, 0.0), ValueError, "not integers"),
        (lambda: jnp.insert(V, [1], 0.0), TypeError, "list"),
        (lambda: jnp.delete(V, 7), ValueError, "out of bounds"),
        (lambda: jnp.delete(V, jnp.array([7])), IndexError, "out of bounds"),
        (lambda: jnp.gradient(V[:1]), ValueError, "two points"),
        (lambda: jnp.gradient(M, 1.0, 2.0, 3.0), TypeError, "one spacing per axis"),
        (lambda: jnp.polyint(V, -1), ValueError, "negative"),
        (lambda: jnp.packbits(V), TypeError, "integers nor booleans"),
        (lambda: jnp.unpackbits(I), TypeError, "uint8"),
        (lambda: jnp.ravel_multi_index((I, I), (3, 4)), ValueError, "out of bounds"),
        (lambda: jnp.histogramdd(V), ValueError, "no matrix"),
        (lambda: jnp.r_["x", 1], ValueError, "directive"),
        (lambda: jnp.vectorize(abs, signature="n->n")(V), ValueError, "signature"),
        (lambda: jnp.fromiter([1], int), NotImplementedError, "asarray"),
    ]
)


@pytest.mark.parametrize("wide", [False, True])
def test_the_namespace_describes_itself(wide):
    with jax.enable_x64(wide):
        info = jnp.__array_namespace_info__()
        assert info.default_device() is None
        assert info.devices() == [None, *jax.devices()]
        assert info.capabilities()["data-dependent shapes"] is False
        defaults = info.default_dtypes()
        assert defaults["real floating"] == jnp.ones(1).dtype
        assert defaults["integral"] == defaults["indexing"] == jnp.arange(1).dtype
        assert defaults["complex floating"] == (1j * jnp.ones(1)).dtype
        for name, dtype in info.dtypes().items():
            assert jnp.zeros(1, dtype).dtype == dtype == name
        assert len(info.dtypes()) == (13 if wide else 9)
        assert set(info.dtypes(kind=("bool", "unsigned integer"))) >= {"bool", "uint32"}
        with pytest.raises(ValueError, match="unknown"):
            info.dtypes(kind="number")
