"""Masks of attention."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.pallas.splash.masks import (
    CausalMask as CausalMask,
    ChunkedCausalMask as ChunkedCausalMask,
    FullMask as FullMask,
    LocalMask as LocalMask,
    LogicalAnd as LogicalAnd,
    LogicalOr as LogicalOr,
    Mask as Mask,
    MultiHeadMask as MultiHeadMask,
    NumpyMask as NumpyMask,
    make_causal_mask as make_causal_mask,
    make_chunk_attention_mask as make_chunk_attention_mask,
    make_local_attention_mask as make_local_attention_mask,
    make_random_mask as make_random_mask,
)

_doc_examples.attach(__name__)
