"""Convolution, trends and spectra of signals."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.scipy.signal_convolution import (
    convolve as convolve,
    convolve2d as convolve2d,
    correlate as correlate,
    correlate2d as correlate2d,
    fftconvolve as fftconvolve,
)
from jax._src.scipy.signal_spectra import (
    csd as csd,
    istft as istft,
    stft as stft,
    welch as welch,
)
from jax._src.scipy.signal_trends import detrend as detrend

_doc_examples.attach(__name__)
