"""Layers of neural networks as pairs of functions, for examples.

A layer is ``(init, apply)``: ``init(key, input_shape)`` gives the shape of the output and the
parameters, ``apply(params, inputs, rng=None)`` the output. Sizes in shapes may be -1, for
axes that no parameter knows.
"""

import functools as ft
import itertools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from jax._src.base import errors, traceback_filter
from jax._src.lax.ops import arithmetic, convolution, reduce_window, windows
from jax._src.nn import activations, initializers
from jax._src.numpy import numpy_api as jnp
from jax._src.random import discrete, keys

Array = Any
Layer = tuple[Callable, Callable]

glorot = initializers.glorot_normal
randn = initializers.normal
logsoftmax = activations.log_softmax
ones = initializers.ones
zeros = initializers.zeros

_FEW = randn(1e-2)
_TINY = randn(1e-6)


def Dense(out_dim: int, W_init: Any = None, b_init: Any = _FEW) -> Layer:
    """A matrix and a bias.

    Args:
        out_dim: the size of the output's last axis.
        W_init: how the matrix begins; default: Glorot's normal distribution.
        b_init: how the bias begins.
    """
    W_init = W_init or glorot()

    def init(key, input_shape):
        of_matrix, of_bias = keys.split(key)
        matrix = W_init(of_matrix, (input_shape[-1], out_dim))
        return (*input_shape[:-1], out_dim), (matrix, b_init(of_bias, (out_dim,)))

    def apply(params, inputs, **kwargs):
        matrix, bias = params
        product = jnp.dot(inputs, matrix)
        return product + jnp.expand_dims(bias, range(product.ndim - 1))

    return init, apply


def _kernel(spec, filter_shape, inputs, outputs):
    sizes = iter(filter_shape)
    return tuple(
        outputs if c == "O" else inputs if c == "I" else next(sizes) for c in spec
    )


def _convolution(numbers, out_chan, filter_shape, W_init, b_init, shape_of, convolve):
    """What convolutions share: a kernel and a bias."""
    lhs_spec, rhs_spec, out_spec = numbers
    if W_init is None:
        W_init = glorot(rhs_spec.index("I"), rhs_spec.index("O"))

    def init(key, input_shape):
        kernel = _kernel(
            rhs_spec, filter_shape, input_shape[lhs_spec.index("C")], out_chan
        )
        bias = tuple(out_chan if c == "C" else 1 for c in out_spec)
        of_kernel, of_bias = keys.split(key)
        params = (W_init(of_kernel, kernel), b_init(of_bias, bias))
        return shape_of(input_shape, kernel), params

    def apply(params, inputs, **kwargs):
        kernel, bias = params
        return convolve(inputs, kernel) + bias

    return init, apply


def GeneralConv(
    dimension_numbers: Any,
    out_chan: int,
    filter_shape: Sequence[int],
    strides: Sequence[int] | None = None,
    padding: Any = "VALID",
    W_init: Any = None,
    b_init: Any = _TINY,
) -> Layer:
    """A convolution and a bias.

    Args:
        dimension_numbers: the axes of input, kernel and output, such as
            ``("NHWC", "HWIO", "NHWC")``.
        out_chan: the number of output channels.
        filter_shape: the kernel's size along the spatial axes.
        strides: steps along them; default: 1.
        padding: ``"VALID"``, ``"SAME"``, or pairs of sizes.
        W_init: how the kernel begins; default: Glorot's normal distribution.
        b_init: how the bias begins.
    """
    steps = tuple(strides or (1,) * len(filter_shape))

    def shape_of(input_shape, kernel):
        return convolution.conv_general_shape_tuple(
            input_shape, kernel, steps, padding, dimension_numbers
        )

    def convolve(inputs, kernel):
        ones = (1,) * len(filter_shape)
        return convolution.conv_general_dilated(
            inputs, kernel, steps, padding, ones, ones, dimension_numbers
        )

    return _convolution(
        dimension_numbers, out_chan, filter_shape, W_init, b_init, shape_of, convolve
    )


def GeneralConvTranspose(
    dimension_numbers: Any,
    out_chan: int,
    filter_shape: Sequence[int],
    strides: Sequence[int] | None = None,
    padding: Any = "VALID",
    W_init: Any = None,
    b_init: Any = _TINY,
) -> Layer:
    """The transpose of a convolution, and a bias; the arguments of `GeneralConv`."""
    steps = tuple(strides or (1,) * len(filter_shape))

    def shape_of(input_shape, kernel):
        return convolution.conv_transpose_shape_tuple(
            input_shape, kernel, steps, padding, dimension_numbers
        )

    def convolve(inputs, kernel):
        return convolution.conv_transpose(
            inputs, kernel, steps, padding, dimension_numbers=dimension_numbers
        )

    return _convolution(
        dimension_numbers, out_chan, filter_shape, W_init, b_init, shape_of, convolve
    )


Conv = ft.partial(GeneralConv, ("NHWC", "HWIO", "NHWC"))
ConvTranspose = ft.partial(GeneralConvTranspose, ("NHWC", "HWIO", "NHWC"))
Conv1DTranspose = ft.partial(GeneralConvTranspose, ("NHC", "HIO", "NHC"))


def BatchNorm(
    axis: int | tuple[int, ...] = (0, 1, 2),
    epsilon: float = 1e-5,
    center: bool = True,
    scale: bool = True,
    beta_init: Any = initializers.zeros,
    gamma_init: Any = initializers.ones,
) -> Layer:
    """Inputs with mean 0 and variance 1 over axes, then scaled and moved.

    Args:
        axis: the axes whose elements are taken together.
        epsilon: added to the variance.
        center: whether to add a parameter.
        scale: whether to multiply by a parameter.
        beta_init: how what is added begins.
        gamma_init: how the factor begins.
    """
    axes = (axis,) if isinstance(axis, int) else tuple(axis)

    def init(key, input_shape):
        shape = tuple(n for i, n in enumerate(input_shape) if i not in axes)
        of_beta, of_gamma = keys.split(key)
        beta = beta_init(of_beta, shape) if center else ()
        gamma = gamma_init(of_gamma, shape) if scale else ()
        return input_shape, (beta, gamma)

    def apply(params, x, **kwargs):
        indices = tuple(None if i in axes else slice(None) for i in range(jnp.ndim(x)))
        beta, gamma = params
        found = activations.standardize(x, axes, epsilon=epsilon)
        found = gamma[indices] * found if scale else found
        return found + beta[indices] if center else found

    return init, apply


def elementwise(fun: Callable, **fun_kwargs: Any) -> Layer:
    """A layer without parameters that applies ``fun(inputs, **fun_kwargs)``."""
    return (
        lambda key, input_shape: (input_shape, ()),
        lambda params, inputs, **kwargs: fun(inputs, **fun_kwargs),
    )


Tanh = elementwise(jnp.tanh)
Relu = elementwise(activations.relu)
Exp = elementwise(jnp.exp)
LogSoftmax = elementwise(activations.log_softmax, axis=-1)
Softmax = elementwise(activations.softmax, axis=-1)
Softplus = elementwise(activations.softplus)
Sigmoid = elementwise(activations.sigmoid)
Elu = elementwise(activations.elu)
LeakyRelu = elementwise(activations.leaky_relu)
Selu = elementwise(activations.selu)
Gelu = elementwise(activations.gelu)
Identity = elementwise(lambda x: x)


def _pooling(reducer, start, finish=None):
    def pool(
        window_shape: Sequence[int],
        strides: Sequence[int] | None = None,
        padding: Any = "VALID",
        spec: str | None = None,
    ) -> Layer:
        """Elements of each window of an image, joined into one.

        Args:
            window_shape: the window's size along the spatial axes.
            strides: steps along them; default: 1.
            padding: ``"VALID"``, ``"SAME"``, or pairs of sizes for all axes.
            spec: the axes, such as ``"NHWC"``, which is the default.
        """
        steps = tuple(strides or (1,) * len(window_shape))
        window = tuple(window_shape)
        if spec is None:
            window, steps = (1, *window, 1), (1, *steps, 1)
        else:
            for i in sorted((spec.index("N"), spec.index("C"))):
                window = (*window[:i], 1, *window[i:])
                steps = (*steps[:i], 1, *steps[i:])

        def init(key, input_shape):
            dilations = (1,) * len(window)
            pads = windows.padtype_to_pads(input_shape, window, steps, padding)
            shape = windows.reduce_window_shape_tuple(
                input_shape, window, steps, pads, dilations, dilations
            )
            return shape, ()

        def apply(params, inputs, **kwargs):
            found = reduce_window.reduce_window(
                inputs, start, reducer, window, steps, padding
            )
            return finish(found, inputs, window, steps, padding) if finish else found

        return init, apply

    return pool


def _mean(sums, inputs, window, steps, padding):
    counts = reduce_window.reduce_window(
        jnp.ones_like(inputs), 0.0, arithmetic.add, window, steps, padding
    )
    return sums / counts


MaxPool = _pooling(arithmetic.max, -math.inf)
SumPool = _pooling(arithmetic.add, 0.0)
AvgPool = _pooling(arithmetic.add, 0.0, _mean)


def _flattened(key, input_shape):
    return (input_shape[0], ft.reduce(operator.mul, input_shape[1:], 1)), ()


def _flatten(params, inputs, **kwargs):
    return jnp.reshape(inputs, (inputs.shape[0], -1))


Flatten = (_flattened, _flatten)


def FanOut(num: int) -> Layer:
    """Returns a layer that passes its input on `num` times."""
    return (
        lambda key, input_shape: ([input_shape] * num, ()),
        lambda params, inputs, **kwargs: [inputs] * num,
    )


FanInSum: Layer = (
    lambda key, input_shape: (input_shape[0], ()),
    lambda params, inputs, **kwargs: sum(inputs),
)


def FanInConcat(axis: int = -1) -> Layer:
    """Several inputs, one after the other along an axis."""

    def init(key, input_shape):
        along = axis % len(input_shape[0])
        size = sum(shape[along] for shape in input_shape)
        return (*input_shape[0][:along], size, *input_shape[0][along + 1 :]), ()

    return init, lambda params, inputs, **kwargs: jnp.concatenate(inputs, axis)


def Dropout(rate: float, mode: str = "train") -> Layer:
    """Zeros at random indices.

    Args:
        rate: the probability that an element is **kept**; what is kept is divided by it.
        mode: ``"train"``, or else nothing is dropped.
    """

    def apply(params, inputs, **kwargs):
        key = kwargs.get("rng")
        if key is None:
            raise errors.value_error(
                "stax.Dropout: there is no random key.",
                [("mode", mode)],
                ways="apply(params, inputs, rng=key), also where layers are not "
                "trained.",
            )
        if mode != "train":
            return inputs
        kept = discrete.bernoulli(key, rate, inputs.shape)
        return jnp.where(kept, inputs / rate, 0)

    return lambda key, input_shape: (input_shape, ()), apply


def _keys(key, count):
    return keys.split(key, count) if key is not None else (None,) * count


def serial(*layers: Layer) -> Layer:
    """Layers one after the other."""
    inits, applies = zip(*layers, strict=True) if layers else ((), ())

    def init(key, input_shape):
        params = []
        for one in inits:
            key, own = keys.split(key)
            input_shape, found = one(own, input_shape)
            params.append(found)
        return input_shape, params

    def apply(params, inputs, **kwargs):
        rngs = _keys(kwargs.pop("rng", None), len(applies))
        for one, own, key in zip(applies, params, rngs, strict=False):
            inputs = one(own, inputs, rng=key, **kwargs)
        return inputs

    return init, apply


def parallel(*layers: Layer) -> Layer:
    """Layers side by side, each with its own input."""
    inits, applies = zip(*layers, strict=True) if layers else ((), ())

    def init(key, input_shape):
        rows = zip(inits, keys.split(key, len(inits)), input_shape, strict=True)
        found = [one(own, shape) for one, own, shape in rows]
        shapes, params = zip(*found, strict=True) if found else ((), ())
        return list(shapes), params

    def apply(params, inputs, **kwargs):
        rngs = _keys(kwargs.pop("rng", None), len(applies))
        rows = itertools.zip_longest(applies, params, inputs, rngs)
        return [one(own, x, rng=key, **kwargs) for one, own, x, key in rows]

    return init, apply


def shape_dependent(make_layer: Callable[[Any], Layer]) -> Layer:
    """The layer that ``make_layer(input_shape)`` makes when the shape is known."""

    def init(key, input_shape):
        return make_layer(input_shape)[0](key, input_shape)

    def apply(params, inputs, **kwargs):
        return make_layer(inputs.shape)[1](params, inputs, **kwargs)

    return init, apply


traceback_filter.hide_frames(globals())
