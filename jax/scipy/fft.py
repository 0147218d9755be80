"""Discrete cosine transforms."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.scipy.cosine_transforms import (
    dct as dct,
    dctn as dctn,
    idct as idct,
    idctn as idctn,
)

_doc_examples.attach(__name__)
