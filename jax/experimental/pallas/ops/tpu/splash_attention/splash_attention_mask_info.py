"""Masks of attention by blocks."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.pallas.splash.mask_info import (
    MaskInfo as MaskInfo,
    process_dynamic_mask as process_dynamic_mask,
    process_dynamic_mask_dkv as process_dynamic_mask_dkv,
    process_mask as process_mask,
    process_mask_dkv as process_mask_dkv,
)

_doc_examples.attach(__name__)
