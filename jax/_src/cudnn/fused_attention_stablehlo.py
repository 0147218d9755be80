"""Whether cuDNN can compute an attention: re-exports for third-party libraries, which import this path."""

from jax._src.nn.fused_attention import (
    AttentionLayout as AttentionLayout,
    check_compute_capability as check_compute_capability,
    check_cudnn_version as check_cudnn_version,
    check_is_flash_attention as check_is_flash_attention,
    check_layout as check_layout,
    normalize_layout as _normalize_layout,  # noqa: F401
)
