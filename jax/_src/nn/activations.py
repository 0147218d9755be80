"""Activation functions: they act on each element."""

from __future__ import annotations

import functools as ft
import math
import warnings
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import errors, traceback_filter, util
from jax._src.core.symbols import expressions
from jax._src.lax import mesh_modes
from jax._src.lax.collectives import axis_index
from jax._src.numpy import (
    arithmetic,
    creation,
    elementwise,
    joining_splitting,
    lax_api as lax,
    means_and_variances,
    methods as _methods,  # noqa: F401  (installs the operators used here)
    operands,
    reductions,
    selection,
)
from jax._src.numpy.jit_wrapper import jit, jit_of_floats
from jax._src.numpy.pointwise_docs import of_one
from jax._src.transforms.custom_jvp import custom_jvp

Array = Any
ArrayLike = Any

_FLOATING = "the floating dtype to which its own promotes"
_WHOLE = "`{x}` is of whole numbers, or no array or number"


def _float(name, x):
    """The operand as a float, whose operators promote Python numbers to its dtype."""
    return operands.promote_args_inexact(f"jax.nn.{name}", x)[0]


def _numbers(name, x):
    """The operand, whose elements are numbers."""
    return operands.ensure_numbers(f"jax.nn.{name}", x)


def _logistic_operand(name, x):
    """The operand, whose elements are floating-point or complex numbers."""
    x = _numbers(name, x)
    if operands.kind_of(x) not in "fc":
        raise operands.type_error(
            f"jax.nn.{name}",
            "whole numbers are not accepted.",
            [("x", operands.type_name(x))],
            ways="Convert them: x.astype(float).",
        )
    return x


@custom_jvp
@jit
def relu(x: ArrayLike) -> Array:
    """max(x, 0); its derivative at 0 is 0.

    Args:
        x: array of numbers of any shape.

    Returns:
        Array of the shape and dtype of `x`.

    Raises:
        TypeError: `x` is no array or number.

    Examples:
        >>> jax.nn.relu(jnp.array([-1.0, 2.0]))
        Array([0., 2.], dtype=float32)
    """
    return arithmetic.maximum(_numbers("relu", x), 0)


@relu.defjvp
def _relu_jvp(primals, tangents):
    (x,), (tangent,) = primals, tangents
    return relu(x), selection.where(x > 0, tangent, lax.full_like(tangent, 0))


@jit
def squareplus(x: ArrayLike, b: ArrayLike = 4) -> Array:
    """``(x + sqrt(x² + b)) / 2``: a smooth relu without exponentials.

    Args:
        x: array of numbers; integers become floats.
        b: how wide the bend is: scalar or array that broadcasts with `x`.

    Returns:
        Array of floats of the common shape.

    Raises:
        TypeError: `x` is no array or number.

    Reference: Barron, Squareplus (2021).
    """
    name = "jax.nn.squareplus"
    x, b = (operands.ensure_numbers(name, v) for v in (x, b))
    x, b = operands.promote_args_inexact(
        name, *(operands.promote_args_numeric(name, v)[0] for v in (x, b))
    )
    return (x + elementwise.sqrt(elementwise.square(x) + b)) / 2


@jit
@of_one("numbers", _FLOATING)
def softplus(x: ArrayLike) -> Array:
    """log(1 + exp(x))."""
    return arithmetic.logaddexp(_numbers("softplus", x), 0)


@jit
@of_one("numbers", _FLOATING)
def sparse_plus(x: ArrayLike) -> Array:
    """0 up to -1, (x + 1)² / 4 up to 1, then x."""
    x = _numbers("sparse_plus", x)
    middle = (x + 1.0) ** 2 / 4
    # Whole numbers are compared as floats: unsigned ones have no -1.
    return selection.where(x <= -1.0, 0, selection.where(x >= 1.0, x, middle))


@jit
@of_one("numbers", _FLOATING)
def soft_sign(x: ArrayLike) -> Array:
    """x / (|x| + 1)."""
    x = _numbers("soft_sign", x)
    return x / (elementwise.absolute(x) + 1)


@jit
@of_one("floating-point or complex numbers", "the same dtype", _WHOLE)
def sigmoid(x: ArrayLike) -> Array:
    """1 / (1 + exp(-x))."""
    return lax.logistic(_logistic_operand("sigmoid", x))


@jit
@of_one("numbers", _FLOATING)
def sparse_sigmoid(x: ArrayLike) -> Array:
    """(x + 1) / 2 kept between 0 and 1."""
    return selection.clip((_numbers("sparse_sigmoid", x) + 1.0) / 2, 0, 1)


@jit
@of_one("floating-point or complex numbers", "the same dtype", _WHOLE)
def silu(x: ArrayLike) -> Array:
    """x times its sigmoid."""
    x = _logistic_operand("silu", x)
    return x * lax.logistic(x)


@jit
def swish(x: ArrayLike) -> Array:
    """Alias of `jax.nn.silu`, with the same shapes, dtypes and errors."""
    return silu(_logistic_operand("swish", x))


@jit
@of_one("numbers", _FLOATING)
def mish(x: ArrayLike) -> Array:
    """x * tanh(softplus(x))."""
    x = _numbers("mish", x)
    return arithmetic.multiply(x, elementwise.tanh(softplus(x)))


@jit
@of_one("numbers", _FLOATING)
def log_sigmoid(x: ArrayLike) -> Array:
    """The logarithm of the sigmoid."""
    return elementwise.negative(
        softplus(elementwise.negative(_float("log_sigmoid", x)))
    )


@jit
def log1mexp(x: ArrayLike) -> Array:
    """``log(1 - exp(-x))`` for positive `x`.

    Args:
        x: array of numbers; integers become floats.

    Returns:
        Array of floats of the shape of `x`; NaN for negative `x`.

    Raises:
        TypeError: `x` is no array or number.

    Reference: Mächler, Accurately computing log(1 - exp(-|a|)) (2012).
    """
    return _log1mexp(_float("log1mexp", x))


@custom_jvp
def _log1mexp(x):
    is_small = x < math.log(2)
    small = selection.where(is_small, x, 1)
    large = selection.where(is_small, 1, x)
    return selection.where(
        is_small,
        elementwise.log(-elementwise.expm1(-small)),
        elementwise.log1p(-elementwise.exp(-large)),
    )


@_log1mexp.defjvp
def _log1mexp_jvp(primals, tangents):
    (x,), (tangent,) = primals, tangents
    return _log1mexp(x), tangent / elementwise.expm1(x)


@jit
def elu(x: ArrayLike, alpha: ArrayLike = 1.0) -> Array:
    """`x` above 0, ``alpha * (exp(x) - 1)`` below.

    Args:
        x: array of numbers; integers become floats.
        alpha: scalar or array that broadcasts with `x`.

    Returns:
        Array of floats of the common shape.

    Raises:
        TypeError: `x` is no array or number.

    Reference: Clevert, Unterthiner and Hochreiter, Exponential linear units (2015).
    """
    x = _numbers("elu", x)
    # The branch that is not taken sees 0, so that its derivative stays finite.
    below = selection.where(x > 0, 0.0, x)
    return selection.where(x > 0, x, alpha * elementwise.expm1(below))


@jit
def leaky_relu(x: ArrayLike, negative_slope: ArrayLike = 1e-2) -> Array:
    """`x` above 0, a multiple of it below.

    Args:
        x: array of numbers; integers become floats.
        negative_slope: the factor: scalar or array that broadcasts with `x`.

    Returns:
        Array of floats of the common shape.

    Raises:
        TypeError: `x` is no array or number.
    """
    x = _numbers("leaky_relu", x)
    return selection.where(x >= 0, x, negative_slope * x)


@jit
@of_one("numbers", "the same dtype")
def hard_tanh(x: ArrayLike) -> Array:
    """x kept between -1 and 1."""
    x = _numbers("hard_tanh", x)
    return selection.where(x > 1, 1, selection.where(x < -1, -1, x))


@jit
def celu(x: ArrayLike, alpha: ArrayLike = 1.0) -> Array:
    """``max(x, 0) + alpha * (exp(min(x, 0) / alpha) - 1)``: `elu` with a smooth slope.

    Args:
        x: array of numbers; integers become floats.
        alpha: scalar or array that broadcasts with `x`.

    Returns:
        Array of floats of the common shape.

    Raises:
        TypeError: `x` is no array or number.

    Reference: Barron, Continuously differentiable exponential linear units (2017).
    """
    x = _numbers("celu", x)
    below = arithmetic.minimum(x, 0.0)
    return arithmetic.maximum(x, 0.0) + alpha * elementwise.expm1(below / alpha)


@jit
@of_one("numbers", _FLOATING)
def selu(x: ArrayLike) -> Array:
    """A scaled `elu` that keeps mean 0 and variance 1.

    Reference: Klambauer et al., Self-normalizing neural networks (2017).
    """
    alpha = 1.6732632423543772848170429916717
    scale = 1.0507009873554804934193349852946
    return scale * elu(_numbers("selu", x), alpha)


@ft.partial(jit_of_floats, static_argnames=("approximate",))
def gelu(x: ArrayLike, approximate: bool = True) -> Array:
    """x times the normal distribution function.

    Args:
        x: array of numbers; integers become floats.
        approximate: whether to use the form with tanh, instead of erfc.

    Returns:
        Array of floats of the shape of `x`.

    Raises:
        TypeError: `x` is no array or number.

    Reference: Hendrycks and Gimpel, Gaussian error linear units (2016).
    """
    x = _float("gelu", x)
    if approximate:
        root = np.sqrt(2 / np.pi).astype(operands.dtype_of(x))
        inner = root * (x + 0.044715 * (x**3))
        return x * (0.5 * (1.0 + elementwise.tanh(inner)))
    root = np.sqrt(0.5).astype(operands.dtype_of(x))
    return operands.convert(0.5 * x * lax.erfc(-x * root), operands.dtype_of(x))


@ft.partial(jit, static_argnames=("axis",))
def glu(x: ArrayLike, axis: int = -1) -> Array:
    """One half of an axis times the sigmoid of the other.

    Args:
        x: array of floats.
        axis: the axis, of even size.

    Returns:
        Array of the dtype of `x`, with half the size along the axis.

    Raises:
        ValueError: the axis is out of bounds or cannot be halved. TypeError: `x` is not
            of floats.

    Reference: Dauphin et al., Language modeling with gated convolutional networks
    (2016).
    """
    x = _numbers("glu", x)
    size = operands.shape(x)[
        operands.canonical_axis("jax.nn.glu", axis, operands.ndim(x))
    ]
    if size % 2:
        raise errors.value_error(
            "jax.nn.glu: the axis cannot be halved.",
            [("x", operands.type_name(x)), ("axis", str(axis))],
            "Its size is even.",
        )
    first, second = joining_splitting.split(x, 2, axis)
    return first * sigmoid(second)


@custom_jvp
@jit
@of_one("numbers", _FLOATING)
def relu6(x: ArrayLike) -> Array:
    """x kept between 0 and 6; its derivative at both ends is 0."""
    x = _numbers("relu6", x)
    return arithmetic.minimum(arithmetic.maximum(x, 0), 6.0)


@relu6.defjvp
def _relu6_jvp(primals, tangents):
    (x,), (tangent,) = primals, tangents
    is_inside = (x > 0) & (x < 6)
    return relu6(x), selection.where(is_inside, tangent, lax.full_like(tangent, 0))


@jit
@of_one("numbers", _FLOATING)
def hard_sigmoid(x: ArrayLike) -> Array:
    """relu6(x + 3) / 6."""
    return relu6(_numbers("hard_sigmoid", x) + 3.0) / 6.0


@jit
@of_one("numbers", _FLOATING)
def hard_silu(x: ArrayLike) -> Array:
    """x times its `hard_sigmoid`."""
    x = _numbers("hard_silu", x)
    return x * hard_sigmoid(x)


@jit
def hard_swish(x: ArrayLike) -> Array:
    """Alias of `jax.nn.hard_silu`, with the same shapes, dtypes and errors."""
    return hard_silu(_numbers("hard_swish", x))


def identity(x: ArrayLike) -> Array:
    """The array itself, of any dtype.

    Args:
        x: array of any shape.

    Raises:
        TypeError: `x` is no array or number.
    """
    return operands.strong_like(operands.ensure_arraylike("jax.nn.identity", x))


# ---------------------------------------------------------------- along an axis


def _shifted(name, x, axis, where):
    """The array less its maximum along the axis, through which no derivative flows."""
    if operands.kind_of(x) == "b" and where is not None:
        x = operands.convert(x, dtypes.default_float_dtype())
    if operands.kind_of(x) == "b":
        raise errors.type_error(
            f"jax.nn.{name}: booleans have no differences.",
            [("x", operands.type_name(x))],
            ways="Convert them: x.astype(float).",
        )
    reductions.check_options(f"jax.nn.{name}", x, axis, where)
    largest = reductions.max(x, axis, keepdims=True, where=where, initial=-np.inf)
    # A masked element may be larger: it must not overflow before it is masked.
    if where is not None:
        x = selection.where(where, x, -np.inf)
    return x - lax.stop_gradient(largest)


@ft.partial(jit, static_argnames=("axis",))
def softmax(x: ArrayLike, axis: Any = -1, where: ArrayLike | None = None) -> Array:
    """exp(x) / sum(exp(x)) along axes: positive numbers with sum 1.

    Args:
        x: array.
        axis: axis or axes; None means all.
        where: mask of the elements to include; the others give 0.

    Returns:
        Array of floats of the shape of `x`.

    Raises:
        ValueError: an axis is out of bounds. TypeError: `x` is no array or number.

    Examples:
        >>> jax.nn.softmax(jnp.array([0.0, 0.0]))
        Array([0.5, 0.5], dtype=float32)
    """
    x = _numbers("softmax", x)
    axis = util.reusable(axis)
    terms = elementwise.exp(_shifted("softmax", x, axis, where))
    result = terms / reductions.sum(terms, axis, where=where, keepdims=True)
    return result if where is None else selection.where(where, result, 0)


@ft.partial(jit, static_argnames=("axis",))
def log_softmax(x: ArrayLike, axis: Any = -1, where: ArrayLike | None = None) -> Array:
    """The logarithm of the softmax.

    Args:
        x: array.
        axis: axis or axes; None means all.
        where: mask of the elements to include; the others give minus infinity.

    Returns:
        Array of floats of the shape of `x`.

    Raises:
        ValueError: an axis is out of bounds. TypeError: `x` is no array or number.
    """
    x = _numbers("log_softmax", x)
    axis = util.reusable(axis)
    shifted = _shifted("log_softmax", x, axis, where)
    total = reductions.sum(elementwise.exp(shifted), axis, keepdims=True, where=where)
    result = shifted - elementwise.log(total)
    return result if where is None else selection.where(where, result, -np.inf)


@ft.partial(jit, static_argnames=("axis", "algorithm"))
def standardize(
    x: ArrayLike,
    axis: Any = -1,
    mean: ArrayLike | None = None,
    variance: ArrayLike | None = None,
    epsilon: ArrayLike = 1e-5,
    where: ArrayLike | None = None,
    *,
    algorithm: str = "fast",
) -> Array:
    """The array with mean 0 and variance 1 along axes.

    Args:
        x: array.
        axis: axis or axes; None means all.
        mean: the mean, if it is known.
        variance: the variance, if it is known.
        epsilon: added to the variance.
        where: mask of the elements to include in mean and variance.
        algorithm: ``"fast"``: the mean of squares less the square of the mean;
            ``"accurate"``: the mean of squared distances.

    Returns:
        Array of floats of the shape of `x`.

    Raises:
        ValueError: `algorithm` is unknown, or an axis out of bounds. TypeError: `x` is
            no array or number.
    """
    if algorithm not in ("fast", "accurate"):
        raise ValueError(f"jax.nn.standardize: algorithm={algorithm!r} is unknown.")
    x, axis = _float("standardize", x), util.reusable(axis)
    reductions.check_options("jax.nn.standardize", x, axis, where)
    if mean is None:
        mean = means_and_variances.mean(x, axis, keepdims=True, where=where)
    if variance is None:
        if algorithm == "accurate":
            variance = means_and_variances.var(x, axis, keepdims=True, where=where)
        else:
            squares = means_and_variances.mean(
                elementwise.square(x), axis, keepdims=True, where=where
            )
            # Rounding may leave a little less than 0.
            variance = arithmetic.maximum(squares - elementwise.square(mean), 0)
    return (x - mean) * lax.rsqrt(_float("standardize", variance + epsilon))


@ft.partial(jit, static_argnames=("num_classes", "dtype", "axis", "out_sharding"))
def one_hot(
    x: ArrayLike,
    num_classes: int,
    *,
    dtype: Any = None,
    axis: int | str = -1,
    out_sharding: Any = None,
) -> Array:
    """Vectors with a one at the index that each element names and zeros at every other.

    Args:
        x: array of class numbers; those out of range give zeros. Floats are deprecated.
        num_classes: the size of the new axis.
        dtype: the dtype of the result, float by default.
        axis: where the new axis goes; or the name of a mapped axis of that size, along
            which each row gets its own element of the vectors.
        out_sharding: of the result, over Explicit mesh axes.

    Raises:
        TypeError: `x` holds booleans, or `num_classes` is no size.
        ValueError: the axis is out of bounds, or the named one has another size.
        NameError: no axis of that name is bound.

    Examples:
        >>> jax.nn.one_hot(jnp.array([1, 0]), 3)
        Array([[0., 1., 0.],
               [1., 0., 0.]], dtype=float32)
    """
    wanted = dtypes.check_and_canonicalize_user_dtype(
        float if dtype is None else dtype, "one_hot"
    )
    x = creation.asarray(x)
    found = operands.dtype_of(x)
    if not dtypes.issubdtype(found, np.integer):
        _warn_of_classes(x, found)
    classes = _class_count(num_classes)
    if isinstance(axis, str):
        return operands.convert(lax.eq(x, _own_class(axis, classes, x)), wanted)
    axis = operands.canonical_axis("jax.nn.one_hot", axis, operands.ndim(x) + 1)
    shape = (*operands.shape(x)[:axis], classes, *operands.shape(x)[axis:])
    kept = tuple(i for i in range(len(shape)) if i != axis)
    indices = lax.broadcasted_iota(found, shape, axis)
    found = operands.convert(
        lax.eq(lax.broadcast_in_dim(x, shape, kept), indices), wanted
    )
    return found if out_sharding is None else mesh_modes.reshard(found, out_sharding)


def _warn_of_classes(x, dtype):
    if not dtypes.issubdtype(dtype, np.number):
        raise errors.type_error(
            "jax.nn.one_hot: these are no class numbers.",
            [("x", operands.type_name(x))],
            "Elements of `x` are whole numbers.",
            "Convert booleans first: x.astype(int).",
        )
    warnings.warn(
        f"jax.nn.one_hot: `x` holds {dtype}; class numbers are whole numbers, and others "
        "will be refused.",
        DeprecationWarning,
        stacklevel=3,
    )


def _class_count(num_classes):
    try:
        return expressions.size_index(num_classes)
    except errors.ConcretizationTypeError:
        raise
    except TypeError as error:
        raise errors.type_error(
            "jax.nn.one_hot: num_classes is no whole number.",
            [("num_classes", operands.type_name(num_classes))],
            "It is the size of an axis of the result.",
            "Under jit, pass it as a static argument.",
        ) from error


def _own_class(axis, classes, x):
    size = axis_index.axis_size(axis)
    if size != classes:
        raise errors.value_error(
            "jax.nn.one_hot: the named axis has another size.",
            [("num_classes", str(classes)), (f"axis {axis!r}", str(size))],
            "Each row holds one class.",
        )
    return lax.full_like(
        x, operands.convert(axis_index.axis_index(axis), operands.dtype_of(x))
    )


traceback_filter.hide_frames(globals())
