"""Attention over a mask, as a kernel."""

from functools import partial as partial

from jax._src.base import doc_examples as _doc_examples
from jax._src.pallas.splash.kernel import (
    SplashAttentionKernel as SplashAttentionKernel,
    get_kernel_name as get_kernel_name,
    make_splash_mha as make_splash_mha,
    make_splash_mha_single_device as make_splash_mha_single_device,
    make_splash_mqa as make_splash_mqa,
    make_splash_mqa_single_device as make_splash_mqa_single_device,
)
from jax._src.pallas.splash.reference import (
    DEFAULT_MASK_VALUE as DEFAULT_MASK_VALUE,
    SegmentIds as SegmentIds,
    attention_reference as attention_reference,
    attention_reference_custom as attention_reference_custom,
    make_attention_reference as make_attention_reference,
    make_masked_mha_reference as make_masked_mha_reference,
    make_masked_mqa_reference as make_masked_mqa_reference,
)
from jax._src.pallas.splash.sizes import (
    NN_DIM_NUMBERS as NN_DIM_NUMBERS,
    NT_DIM_NUMBERS as NT_DIM_NUMBERS,
    NUM_LANES as NUM_LANES,
    NUM_SUBLANES as NUM_SUBLANES,
    BlockSizes as BlockSizes,
    MaskFunctionType as MaskFunctionType,
    QKVLayout as QKVLayout,
    SplashCustomReturnType as SplashCustomReturnType,
    SplashResidualsType as SplashResidualsType,
    from_head_minor as from_head_minor,
)

_doc_examples.attach(__name__)
