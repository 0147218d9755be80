"""Convolutions, trends and spectra agree with SciPy's in float64."""

import numpy as np
import pytest
import scipy.signal

import jax
import jax.numpy as jnp
import jax.scipy.signal as jss
from jax._src.scipy import signal_windows

RANDOM = np.random.default_rng(0)
LONG, SHORT = RANDOM.normal(size=11), RANDOM.normal(size=4)
IMAGE, KERNEL = RANDOM.normal(size=(6, 7)), RANDOM.normal(size=(3, 2))


@pytest.fixture(autouse=True)
def wide():
    with jax.enable_x64(True):
        yield


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("name", ["convolve", "correlate", "fftconvolve"])
def test_signals_agree(name, mode):
    for x, y in [(LONG, SHORT), (IMAGE, KERNEL), (LONG * 1j, SHORT + 2j)]:
        expected = getattr(scipy.signal, name)(x, y, mode)
        found = getattr(jss, name)(x, y, mode)
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("name", ["convolve2d", "correlate2d"])
def test_matrices_agree(name, mode):
    expected = getattr(scipy.signal, name)(IMAGE, KERNEL, mode)
    found = getattr(jss, name)(IMAGE, KERNEL, mode)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


def test_misfits_are_explained():
    for call in (
        lambda: jss.convolve(LONG, IMAGE),
        lambda: jss.convolve(LONG, SHORT, "other"),
        lambda: jss.convolve(LONG, SHORT[:0]),
        lambda: jss.convolve2d(LONG, SHORT),
    ):
        with pytest.raises(ValueError, match="jax.scipy.signal"):
            call()
    with pytest.raises(NotImplementedError, match="only zeros"):
        jss.convolve2d(IMAGE, KERNEL, boundary="wrap")


PAIR = RANDOM.normal(size=(2, 2, 37))


def agree(found, expected):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("window", [*signal_windows._COSINES, *signal_windows._OTHERS])
@pytest.mark.parametrize("size", [1, 2, 8, 9])
def test_windows_agree(window, size):
    parameters = {
        "kaiser": (8.0,),
        "gaussian": (2.0,),
        "general_gaussian": (1.5, 2.0),
        "general_hamming": (0.6,),
        "general_cosine": ([0.4, 0.3, 0.3],),
        "tukey": (0.3,),
    }
    given = (window, *parameters[window]) if window in parameters else window
    found = signal_windows.periodic_window("test", given, size)
    expected = scipy.signal.get_window(given, size)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "options",
    [{}, {"type": "constant"}, {"bp": [10, 20]}, {"bp": 36, "axis": -1}],
)
def test_trends_agree(options):
    for x in (PAIR, PAIR * 1j):
        expected = scipy.signal.detrend(x, **options)
        np.testing.assert_allclose(jss.detrend(x, **options), expected, atol=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        {"nperseg": 8},
        {"nperseg": 7, "noverlap": 2, "fs": 3.0},
        {"nperseg": 8, "nfft": 11, "window": ("tukey", 0.3)},
        {"nperseg": 9, "boundary": "odd", "detrend": "linear"},
        {"nperseg": 8, "boundary": "even", "return_onesided": False},
        {"nperseg": 8, "boundary": "constant", "window": np.hamming(8)},
        {"nperseg": 8, "noverlap": 1, "boundary": None, "padded": False},
        {"nperseg": 8, "noverlap": 1, "boundary": None},
    ],
)
@pytest.mark.parametrize("axis", [-1, 1])
def test_transforms_of_segments_agree(options, axis):
    x = np.moveaxis(PAIR[0], -1, axis % 2)
    agree(jss.stft(x, axis=-1, **options), scipy.signal.stft(x, axis=-1, **options))
    y = np.moveaxis(PAIR, -1, axis)
    agree(jss.stft(y, axis=axis, **options), scipy.signal.stft(y, axis=axis, **options))


@pytest.mark.parametrize(
    "options",
    [
        {"nperseg": 8},
        {"nperseg": 7, "noverlap": 2, "fs": 3.0},
        {"nperseg": 8, "nfft": 11, "scaling": "spectrum"},
        {"nperseg": 9, "average": "median", "detrend": "linear"},
        {"nperseg": 8, "return_onesided": False, "detrend": False},
    ],
)
def test_densities_agree(options):
    x, y = PAIR
    agree(jss.welch(x, **options), scipy.signal.welch(x, **options))
    agree(jss.csd(x, y, **options), scipy.signal.csd(x, y, **options))
    agree(jss.csd(x, None, **options), scipy.signal.welch(x, **options))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"nperseg": 9},
        {"nperseg": 7, "noverlap": 3},
        {"nfft": 9},
        {"boundary": False, "window": np.hamming(8), "fs": 2.0},
    ],
)
def test_signals_come_back(options):
    z = scipy.signal.stft(PAIR, nperseg=8)[2]
    agree(jss.istft(z, **options), scipy.signal.istft(z, **options))
    z, axes = np.moveaxis(z, -1, 0), {"time_axis": 0, "freq_axis": -1}
    agree(jss.istft(z, **options, **axes), scipy.signal.istft(z, **options, **axes))


def test_a_signal_is_traced_there_and_back():
    def return_trip(x):
        return jss.istft(jss.stft(x, nperseg=8)[2], nperseg=8)[1][..., :37]

    found, pushed = jax.jvp(jax.jit(jax.vmap(return_trip)), (PAIR,), (PAIR,))
    np.testing.assert_allclose(found, PAIR, atol=1e-12)
    np.testing.assert_allclose(pushed, PAIR, atol=1e-12)


@pytest.mark.parametrize(
    "call",
    [
        lambda: jss.detrend(LONG, type="other"),
        lambda: jss.detrend(LONG, bp=[12]),
        lambda: jss.stft(LONG, nperseg=0),
        lambda: jss.stft(LONG, nperseg=8, noverlap=8),
        lambda: jss.stft(LONG, nperseg=8, nfft=7),
        lambda: jss.stft(LONG, nperseg=8, boundary="other"),
        lambda: jss.stft(LONG, nperseg=8, window="other"),
        lambda: jss.stft(LONG, nperseg=8, window="kaiser"),
        lambda: jss.stft(LONG, nperseg=8, window=np.ones(7)),
        lambda: jss.csd(LONG, IMAGE, nperseg=8),
        lambda: jss.csd(LONG, LONG, nperseg=8, scaling="other"),
        lambda: jss.welch(LONG, nperseg=8, average="other"),
        lambda: jss.istft(LONG),
        lambda: jss.istft(IMAGE, time_axis=0, freq_axis=0),
        lambda: jss.istft(IMAGE, nperseg=20),
    ],
)
def test_misfits_of_spectra_are_explained(call):
    with pytest.raises(ValueError, match=r"jax\.scipy\.signal\."):
        call()


def test_what_is_changed_is_said():
    with pytest.warns(UserWarning, match="nperseg = 256"):
        jss.welch(LONG)
    with pytest.warns(UserWarning, match="complex"):
        assert jss.stft(LONG * 1j, nperseg=8)[2].shape[0] == 8
    with pytest.raises(NotImplementedError, match="overwrite_data"):
        jss.detrend(LONG, overwrite_data=True)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize(
    ("first", "second", "axes"),
    [((3, 5), (3, 2), 1), ((4, 3), (2, 3), (0,)), ((2, 5, 4), (2, 3, 4), -2)],
)
def test_some_axes_are_convolved(first, second, axes, mode):
    x = np.sin(np.arange(np.prod(first), dtype="f4")).reshape(first)
    y = np.cos(np.arange(np.prod(second), dtype="f4")).reshape(second)
    found = jax.scipy.signal.fftconvolve(x, y, mode, axes=axes)
    wanted = scipy.signal.fftconvolve(x, y, mode, axes=axes)
    np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_axes_that_are_not_convolved_have_one_size():
    with pytest.raises(ValueError, match="differ along an axis"):
        jax.scipy.signal.fftconvolve(np.ones((3, 4)), np.ones((1, 2)), axes=1)


def test_times_and_frequencies_have_the_precision_of_the_signal():
    x = np.ones(8, "f4")
    with jax.enable_x64(True):
        found = [
            *jax.scipy.signal.welch(x, nperseg=4),
            *jax.scipy.signal.stft(x, nperseg=4)[:2],
            *jax.scipy.signal.istft(np.ones((3, 4), "c8")),
        ]
    assert {part.dtype for part in found} == {np.dtype("f4")}


def test_lines_and_densities_broadcast_by_themselves():
    x = jnp.arange(60.0).reshape(3, 20) ** 2
    plain = (jss.welch(x, nperseg=8)[1], jss.detrend(x), jss.detrend(x, axis=0, bp=[1]))
    with jax.numpy_rank_promotion("raise"):
        found = (
            jss.welch(x, nperseg=8)[1],
            jss.detrend(x),
            jss.detrend(x, axis=0, bp=[1]),
        )
        jss.csd(x, 2 * x, nperseg=8, detrend="linear")
    for one, other in zip(found, plain, strict=True):
        assert (one == other).all()
