"""Functions that make initial parameters: ``initializer(key, shape, dtype)``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from jax._src import dtypes
from jax._src.base import errors, traceback_filter
from jax._src.numpy import (
    creation,
    methods as _methods,  # noqa: F401  (installs the operators used here)
    operands,
    reshaping,
)
from jax._src.random import (
    keys,
    multivariate,
    truncated_normals,
    uniform_normal,
)

Array = Any


class Initializer(Protocol):
    """A function of a key, a shape and a dtype that makes an array."""

    def __call__(
        self, key: Array, shape: Any, dtype: Any = None, out_sharding: Any = None
    ) -> Array:
        """Makes the array."""
        raise NotImplementedError


def _dtype(dtype, default=None):
    chosen = default if dtype is None else dtype
    return dtypes.check_and_canonicalize_user_dtype(
        float if chosen is None else chosen, "initializer"
    )


def zeros(key: Array, shape: Any, dtype: Any = None, out_sharding: Any = None) -> Array:
    """An array of zeros.

    Args:
        key: not used.
        shape: a whole number or a sequence of them.
        dtype: the dtype; default: float.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Raises:
        TypeError: a size is negative, or `dtype` names none.
    """
    if out_sharding is not None:
        return operands.placed(zeros, out_sharding, key, shape, dtype)
    return creation.zeros(shape, _dtype(dtype))


def ones(key: Array, shape: Any, dtype: Any = None, out_sharding: Any = None) -> Array:
    """An array of ones.

    The arguments are those of `jax.nn.initializers.zeros`, and so are shape, dtype and
    errors.
    """
    if out_sharding is not None:
        return operands.placed(ones, out_sharding, key, shape, dtype)
    return creation.ones(shape, _dtype(dtype))


def constant(value: Any, dtype: Any = None) -> Initializer:
    """Makes an initializer that fills with one value.

    Args:
        value: a number, or an array that broadcasts to the shape.
        dtype: the default dtype; default: float.

    Returns:
        A function of a key, a shape and a dtype; it raises ValueError where `value`
        does not fit.
    """

    def init(key, shape, dtype=dtype, out_sharding=None):
        if out_sharding is not None:
            return operands.placed(init, out_sharding, key, shape, dtype)
        return creation.full(shape, value, dtype=_dtype(dtype))

    return init


def uniform(scale: Any = 1e-2, dtype: Any = None) -> Initializer:
    """Makes an initializer with uniform numbers from 0 to `scale`.

    Args:
        scale: the upper bound, a number.
        dtype: the default floating or complex dtype; default: float.

    Returns:
        A function of a key, a shape and a dtype; it raises ValueError for another
        dtype.
    """

    def init(key, shape, dtype=dtype, out_sharding=None):
        if out_sharding is not None:
            return operands.placed(init, out_sharding, key, shape, dtype)
        wanted = _dtype(dtype)
        return uniform_normal.uniform(key, shape, wanted) * creation.array(
            scale, wanted
        )

    return init


def normal(stddev: Any = 1e-2, dtype: Any = None) -> Initializer:
    """Makes an initializer with normal numbers of deviation `stddev`.

    Args:
        stddev: the deviation, a number.
        dtype: the default floating or complex dtype; default: float.

    Returns:
        A function of a key, a shape and a dtype; it raises ValueError for another
        dtype.
    """

    def init(key, shape, dtype=dtype, out_sharding=None):
        if out_sharding is not None:
            return operands.placed(init, out_sharding, key, shape, dtype)
        wanted = _dtype(dtype)
        return uniform_normal.normal(key, shape, wanted) * creation.array(
            stddev, wanted
        )

    return init


def truncated_normal(
    stddev: Any = 1e-2, dtype: Any = None, lower: Any = -2.0, upper: Any = 2.0
) -> Initializer:
    """Makes an initializer with normal numbers between bounds.

    Args:
        stddev: the deviation before cutting, a number.
        dtype: the default floating-point dtype; default: float.
        lower: the lower bound, in deviations.
        upper: the upper bound, in deviations.

    Returns:
        A function of a key, a shape and a dtype; it raises ValueError for another
        dtype.
    """

    def init(key, shape, dtype=dtype, out_sharding=None):
        if out_sharding is not None:
            return operands.placed(init, out_sharding, key, shape, dtype)
        wanted = _dtype(dtype)
        drawn = truncated_normals.truncated_normal(key, lower, upper, shape, wanted)
        return drawn * creation.array(stddev, wanted)

    return init


def _fans(shape, in_axis, out_axis, batch_axis):
    """How many inputs feed an output, and how many outputs an input feeds."""
    shape = tuple(shape)
    if len(shape) <= 1:
        raise ValueError(
            "Can't compute input and output sizes of a "
            f"{len(shape)}-dimensional weights tensor. Must be at least 2D."
        )

    def size(axes):
        axes = tuple(axes) if np.iterable(axes) else (axes,)
        if any(not -len(shape) <= axis < len(shape) for axis in axes):
            raise errors.index_error(
                "jax.nn.initializers: an axis is out of bounds.",
                [
                    ("shape", shape),
                    ("in_axis", in_axis),
                    ("out_axis", out_axis),
                    ("batch_axis", batch_axis),
                ],
                f"Axes are between {-len(shape)} and {len(shape) - 1}.",
                "Leave batch_axis out if no axis stands for several arrays.",
            )
        return math.prod(shape[axis] for axis in axes)

    into, out, batch = size(in_axis), size(out_axis), size(batch_axis)
    window = math.prod(shape) / into / out / batch
    return into * window, out * window


def variance_scaling(
    scale: Any,
    mode: str,
    distribution: str,
    in_axis: int | Sequence[int] = -2,
    out_axis: int | Sequence[int] = -1,
    batch_axis: int | Sequence[int] = (),
    dtype: Any = None,
) -> Initializer:
    """Makes an initializer whose variance follows from the number of connections.

    Args:
        scale: the variance times the number of connections.
        mode: which connections count: ``"fan_in"``, ``"fan_out"``, ``"fan_avg"`` or
            ``"fan_geo_avg"``.
        distribution: ``"truncated_normal"``, ``"normal"`` or ``"uniform"``.
        in_axis: the axis or axes of inputs.
        out_axis: the axis or axes of outputs.
        batch_axis: axes that count for neither.
        dtype: the default dtype.

    Raises:
        ValueError: `mode` or `distribution` is unknown, or the shape has one axis.
        IndexError: the shape lacks one of the axes.
    """

    def init(key, shape, dtype=dtype, out_sharding=None):
        if out_sharding is not None:
            return operands.placed(init, out_sharding, key, shape, dtype)
        shape = operands.canonical_shape("jax.nn.initializers.variance_scaling", shape)
        wanted = _dtype(dtype)
        fan_in, fan_out = _fans(shape, in_axis, out_axis, batch_axis)
        counts = {
            "fan_in": fan_in,
            "fan_out": fan_out,
            "fan_avg": (fan_in + fan_out) / 2,
            "fan_geo_avg": (fan_in * fan_out) ** 0.5,
        }
        if mode not in counts:
            raise ValueError(f"invalid mode for variance scaling initializer: {mode}")
        variance = creation.array(scale / counts[mode], wanted)
        return _draw(distribution, key, shape, wanted, variance)

    return init


# The deviation of a standard normal number kept between -2 and 2.
_TRUNCATED_DEVIATION = 0.87962566103423978


def _draw(distribution, key, shape, dtype, variance):
    part = dtypes.to_floating_dtype(dtype)
    if distribution == "truncated_normal":
        if operands.kind(dtype) == "c":
            root = operands.lax.sqrt(operands.lax.real(variance))
            deviation = root / creation.array(0.95311164380491208, part)
            return _complex_truncated(key, shape, dtype, 2) * operands.convert(
                deviation, dtype
            )
        deviation = variance**0.5 / creation.array(_TRUNCATED_DEVIATION, dtype)
        return truncated_normals.truncated_normal(key, -2, 2, shape, dtype) * deviation
    if distribution == "normal":
        return uniform_normal.normal(key, shape, dtype) * variance**0.5
    if distribution == "uniform":
        if operands.kind(dtype) == "c":
            # The mean square of the modulus over the unit disk is 1/2.
            return _complex_uniform(key, shape, dtype) * (2 * variance) ** 0.5
        return uniform_normal.uniform(key, shape, dtype, -1) * (3 * variance) ** 0.5
    raise ValueError(
        f"invalid distribution for variance scaling initializer: {distribution}"
    )


def _complex_uniform(key, shape, dtype):
    """Complex numbers spread evenly over the unit disk."""
    part = dtypes.to_floating_dtype(dtype)
    key_radius, key_angle = keys.split(key)
    radius = uniform_normal.uniform(key_radius, shape, part) ** 0.5
    angle = 2 * np.pi * uniform_normal.uniform(key_angle, shape, part)
    return operands.convert(radius, dtype) * _unit_circle(angle, dtype)


def _unit_circle(angle, dtype):
    turned = creation.array(1j, dtype) * operands.convert(angle, dtype)
    return operands.lax.exp(turned)


def _complex_truncated(key, shape, dtype, upper):
    """Complex normal numbers whose modulus stays below a bound."""
    part = dtypes.to_floating_dtype(dtype)
    key_radius, key_angle = keys.split(key)
    reach = (1 - np.exp(-(upper**2))).astype(part)
    drawn = reach * uniform_normal.uniform(key_radius, shape, part)
    radius = (-operands.lax.log(1 - drawn)) ** 0.5
    angle = 2 * np.pi * uniform_normal.uniform(key_angle, shape, part)
    return operands.convert(radius, dtype) * _unit_circle(angle, dtype)


def _scaled(scale, mode, distribution, name, doc):
    def make(
        in_axis: int | Sequence[int] = -2,
        out_axis: int | Sequence[int] = -1,
        batch_axis: int | Sequence[int] = (),
        dtype: Any = None,
    ) -> Initializer:
        return variance_scaling(
            scale, mode, distribution, in_axis, out_axis, batch_axis, dtype
        )

    make.__name__ = make.__qualname__ = name
    make.__doc__ = (
        f"{doc}\n\nThe arguments are those of `jax.nn.initializers.variance_scaling`; "
        "so are shapes, dtypes and errors."
    )
    return make


glorot_uniform = _scaled(
    1.0, "fan_avg", "uniform", "glorot_uniform", "Glorot and Bengio's, uniform."
)
glorot_normal = _scaled(
    1.0, "fan_avg", "truncated_normal", "glorot_normal", "Glorot and Bengio's, normal."
)
xavier_uniform = glorot_uniform
xavier_normal = glorot_normal
lecun_uniform = _scaled(1.0, "fan_in", "uniform", "lecun_uniform", "LeCun's, uniform.")
lecun_normal = _scaled(
    1.0, "fan_in", "truncated_normal", "lecun_normal", "LeCun's, normal."
)
he_uniform = _scaled(2.0, "fan_in", "uniform", "he_uniform", "He et al.'s, uniform.")
he_normal = _scaled(
    2.0, "fan_in", "truncated_normal", "he_normal", "He et al.'s, normal."
)
kaiming_uniform = he_uniform
kaiming_normal = he_normal


def orthogonal(
    scale: Any = 1.0, column_axis: int = -1, dtype: Any = None
) -> Initializer:
    """Makes an initializer with orthonormal rows or columns, whichever are fewer.

    Args:
        scale: a factor.
        column_axis: the axis of columns; the others together are the rows.
        dtype: the default dtype.

    Raises:
        ValueError: the shape has less than two axes.

    Reference: Saxe, McClelland and Ganguli, Exact solutions to the nonlinear dynamics of
    learning in deep linear neural networks (2013).
    """

    def init(key, shape, dtype=dtype, out_sharding=None):
        if out_sharding is not None:
            return operands.placed(init, out_sharding, key, shape, dtype)
        wanted = _dtype(dtype)
        shape = operands.canonical_shape("jax.nn.initializers.orthogonal", shape)
        if len(shape) < 2:
            raise ValueError(
                "orthogonal initializer requires at least a 2D shape.\n"
                f"  shape  {shape}"
            )
        axis = column_axis % len(shape)
        columns = shape[axis]
        rest = shape[:axis] + shape[axis + 1 :]
        matrix = multivariate.orthogonal(key, math.prod(rest), (), wanted, columns)
        matrix = reshaping.moveaxis(matrix.reshape((*rest, columns)), -1, axis)
        return creation.array(scale, wanted) * matrix

    return init


def delta_orthogonal(
    scale: Any = 1.0, column_axis: int = -1, dtype: Any = None
) -> Initializer:
    """Makes an initializer of convolutions that begin as an orthogonal map.

    The kernel is zero but in its middle, which is orthogonal.

    Args:
        scale: a factor.
        column_axis: see `orthogonal`.
        dtype: the default dtype.

    Raises:
        ValueError: the shape has not three to five axes, or there are more inputs than
            outputs.

    Reference: Xiao et al., Dynamical isometry and a mean field theory of CNNs (2018).
    """

    def init(key, shape, dtype=dtype, out_sharding=None):
        if out_sharding is not None:
            return operands.placed(init, out_sharding, key, shape, dtype)
        wanted = _dtype(dtype)
        shape = operands.canonical_shape("delta_orthogonal", shape)
        if not 3 <= len(shape) <= 5:
            raise ValueError(
                "Delta orthogonal initializer requires a 3D, 4D or 5D shape.\n"
                f"  shape  {shape}"
            )
        if shape[-1] < shape[-2]:
            raise ValueError(
                "`fan_in` must be less or equal than `fan_out`.\n"
                f"  fan_in   {shape[-2]}\n  fan_out  {shape[-1]}"
            )
        make = orthogonal(scale, column_axis, wanted)
        middle = tuple((n - 1) // 2 for n in shape[:-2])
        return creation.zeros(shape, wanted).at[middle].set(make(key, shape[-2:]))

    return init


traceback_filter.hide_frames(globals())
