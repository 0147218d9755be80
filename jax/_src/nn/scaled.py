"""Products of matrices whose blocks share scales."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import errors, traceback_filter
from jax._src.lax.ops.dot import dot_general
from jax._src.numpy import (
    creation,
    einsums,
    methods as _methods,  # noqa: F401  (installs the operators used here)
    operands,
    tiling,
)

Array = Any


@dataclasses.dataclass
class BlockScaleConfig:
    """How numbers are quantized in blocks that share a scale."""

    mode: str
    block_size: int
    data_type: Any
    scale_type: Any
    global_scale: Array | None
    infer_only: bool


def get_scaled_dot_general_config(
    mode: str, global_scale: Array | None = None
) -> BlockScaleConfig:
    """The settings of a known format of block scales.

    Args:
        mode: ``"mxfp8"``: blocks of 32 float8_e4m3fn with scales that are powers of 2;
            ``"nvfp4"``: blocks of 16 float4_e2m1fn with float8_e4m3fn scales.
        global_scale: a further scale of the whole array, for ``"nvfp4"``.

    Raises:
        ValueError: there is no such format.
    """
    if mode == "mxfp8":
        return BlockScaleConfig(
            mode, 32, dtypes.float8_e4m3fn, dtypes.float8_e8m0fnu, None, False
        )
    if mode == "nvfp4":
        if global_scale is None:
            global_scale = creation.ones(1, np.float32)
        return BlockScaleConfig(
            mode, 16, dtypes.float4_e2m1fn, dtypes.float8_e4m3fn, global_scale, False
        )
    raise ValueError(
        f"jax.nn.get_scaled_dot_general_config: mode={mode!r} is neither 'mxfp8' nor "
        "'nvfp4'."
    )


def scaled_matmul(
    lhs: Array,
    rhs: Array,
    lhs_scales: Array,
    rhs_scales: Array,
    preferred_element_type: Any = np.float32,
) -> Array:
    """The product of matrices in blocks with scales, lhs · rhsᵀ.

    Args:
        lhs: array of shape ``(B, M, K)``.
        rhs: array of shape ``(B, N, K)``.
        lhs_scales: array of shape ``(B, M, K / block)``.
        rhs_scales: array of shape ``(B, N, K / block)``.
        preferred_element_type: the dtype of the result.

    Returns:
        Array of shape ``(B, M, N)``; blocks are multiplied by their scales in float32.

    Raises:
        ValueError: the shapes do not fit.
    """
    arrays = {
        "lhs": lhs, "rhs": rhs, "lhs_scales": lhs_scales, "rhs_scales": rhs_scales
    }  # fmt: skip
    operands.check_arraylike("jax.nn.scaled_matmul", *arrays.values())

    def misfit(what):
        facts = [(name, operands.type_name(x)) for name, x in arrays.items()]
        return errors.value_error(f"jax.nn.scaled_matmul: {what}", facts)

    if any(operands.ndim(x) != 3 for x in arrays.values()):
        raise misfit("the operands have not three axes.")
    if operands.shape(lhs)[::2] != operands.shape(rhs)[::2]:
        raise misfit("lhs and rhs differ in batch or in the contracted axis.")
    blocks = operands.shape(lhs_scales)[2]
    for x, scales in ((lhs, lhs_scales), (rhs, rhs_scales)):
        fits = operands.shape(scales) == (*operands.shape(x)[:2], blocks)
        if not fits or not blocks or operands.shape(x)[2] % blocks:
            raise misfit("the scales do not fit the blocks of their operands.")
    left, right = (
        _dequantized(x, scales) for x, scales in ((lhs, lhs_scales), (rhs, rhs_scales))
    )
    return einsums.einsum(
        "bmk,bnk->bmn", left, right, preferred_element_type=preferred_element_type
    )


def _dequantized(x, scales):
    width = operands.shape(x)[2] // operands.shape(scales)[2]
    factors = tiling.repeat(operands.convert(scales, np.float32), width, axis=2)
    return operands.convert(x, np.float32) * factors


def scaled_dot_general(
    lhs: Array,
    rhs: Array,
    dimension_numbers: Any,
    preferred_element_type: Any = np.float32,
    configs: list[BlockScaleConfig] | None = None,
    implementation: str | None = None,
) -> Array:
    """A product of tensors, quantized in blocks where `configs` says how.

    Args:
        lhs: array.
        rhs: array.
        dimension_numbers: see `jax.lax.dot_general`.
        preferred_element_type: the dtype of the result.
        configs: not supported yet: three settings, for both operands and the gradient.
        implementation: not supported: ``"cudnn"``.

    Raises:
        NotImplementedError: `configs` or an implementation is given.
    """
    if configs is not None or implementation is not None:
        raise errors.not_implemented(
            "jax.nn.scaled_dot_general: quantizing is not supported yet.",
            [("implementation", str(implementation))],
            ways="Quantize first, then call jax.nn.scaled_matmul.",
        )
    return dot_general(
        lhs, rhs, dimension_numbers, preferred_element_type=preferred_element_type
    )


traceback_filter.hide_frames(globals())
