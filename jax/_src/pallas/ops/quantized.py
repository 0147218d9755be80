"""Arrays of 8-bit integers with a factor per row, as keys and values in pages may be."""

from typing import Any, NamedTuple

import numpy as np

from jax._src import dtypes
from jax._src.core import partition_spec
from jax._src.numpy import numpy_api as jnp

P = partition_spec.PartitionSpec
MAX_INT8 = 127.5


class QuantizedTensor(NamedTuple):
    """Integers of 8 bits, and the largest magnitude of each row.

    Args:
        weight: integers; `MAX_INT8` stands for the largest magnitude.
        scales: largest magnitudes along the last axis, which has size 1.
    """

    weight: Any
    scales: Any


def to_int8(x: Any, h: Any) -> Any:
    """Numbers as integers of 8 bits.

    Args:
        x: array of floats.
        h: the magnitude that `MAX_INT8` stands for; it broadcasts.
    """
    return jnp.round(x * (MAX_INT8 / h)).astype(np.int8)


def from_int8(x: Any, h: Any, dtype: Any = dtypes.bfloat16) -> Any:
    """The numbers that integers of 8 bits stand for.

    Args:
        x: array of integers.
        h: the magnitude that `MAX_INT8` stands for; it broadcasts.
        dtype: what the integers are converted to.
    """
    return x.astype(dtype) * h / MAX_INT8


def get_quantization_scales(x: Any) -> Any:
    """The largest magnitudes along the last axis, which is kept.

    Args:
        x: array of floats.
    """
    return jnp.abs(x).max(-1, keepdims=True)


def quantize_to_int8(x: Any) -> QuantizedTensor:
    """Rows as integers of 8 bits, with the largest magnitude of each.

    Args:
        x: array of floats.
    """
    scales = get_quantization_scales(x)
    return QuantizedTensor(to_int8(x, scales), scales)


def unquantize_from_int8(x: QuantizedTensor, dtype: Any = dtypes.bfloat16) -> Any:
    """The numbers that rows of integers of 8 bits stand for.

    Args:
        x: integers and largest magnitudes.
        dtype: what the integers are converted to.
    """
    return from_int8(x.weight, x.scales, dtype)
