"""Operations that run on the host instead of the device."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.transforms.metadata import (
    compute_on as compute_on,
    compute_on2 as compute_on2,
)

_doc_examples.attach(__name__)
