"""Attention over a mask, as a kernel."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.pallas.splash.kernel import (
    make_splash_mha as make_splash_mha,
    make_splash_mha_single_device as make_splash_mha_single_device,
    make_splash_mqa as make_splash_mqa,
    make_splash_mqa_single_device as make_splash_mqa_single_device,
)
from jax._src.pallas.splash.masks import (
    CausalMask as CausalMask,
    FullMask as FullMask,
    LocalMask as LocalMask,
    Mask as Mask,
    MultiHeadMask as MultiHeadMask,
    NumpyMask as NumpyMask,
    make_causal_mask as make_causal_mask,
    make_local_attention_mask as make_local_attention_mask,
    make_random_mask as make_random_mask,
)
from jax._src.pallas.splash.reference import (
    SegmentIds as SegmentIds,
    make_masked_mha_reference as make_masked_mha_reference,
    make_masked_mqa_reference as make_masked_mqa_reference,
)
from jax._src.pallas.splash.sizes import (
    BlockSizes as BlockSizes,
    QKVLayout as QKVLayout,
)
from jax.experimental.pallas.ops.tpu.splash_attention import (
    splash_attention_kernel as splash_attention_kernel,
    splash_attention_mask as splash_attention_mask,
    splash_attention_mask_info as splash_attention_mask_info,
)

_doc_examples.attach(__name__)
