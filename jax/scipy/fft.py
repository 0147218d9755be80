"""Discrete cosine transforms."""

from jax._src.scipy.cosine_transforms import (
    dct as dct,
    dctn as dctn,
    idct as idct,
    idctn as idctn,
)
