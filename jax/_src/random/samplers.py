"""What the functions that draw numbers share: keys, shapes, dtypes and parameters."""

import functools as ft

import numpy as np

from jax._src import dtypes
from jax._src.numpy import lax_api as lax, operands
from jax._src.numpy.jit_wrapper import jit
from jax._src.random import keys, uniform_normal


def sampler(transform):
    """Compiles a function of (words, generator, shape, dtype, *parameters).

    The program brings the parameters, arrays or numbers, to the dtype and the shape.
    """

    @ft.wraps(transform)
    def sample(words, generator, shape, dtype, *parameters):
        values = [
            operands.broadcast_to(operands.convert(p, dtype), shape) for p in parameters
        ]
        return transform(words, generator, shape, dtype, *values)

    return jit(sample, static_argnums=(1, 2, 3))


def with_parameters(name, transform, key, shape, dtype, *parameters, safe=True):
    """Draws with parameters that broadcast to the shape.

    With `safe`, parameters of a wider dtype than the result are refused.
    """
    words, generator, _ = keys.taken(name, key)
    wanted = uniform_normal.float_dtype(name, dtype)
    parameters = [operands.ensure_arraylike(f"random.{name}", p) for p in parameters]
    shape = uniform_normal.shape_with(name, shape, *parameters)
    for p in parameters:
        if safe and not dtypes.safe_to_cast(p, wanted) and operands.kind_of(p) in "fc":
            raise dtypes.TypePromotionError(
                keys.explain(
                    name,
                    f"cannot safely cast a parameter to dtype {wanted}.",
                    [("parameter", operands.type_name(p))],
                    ways="Ask for a wider dtype=, or convert the parameter.",
                )
            )
    return transform(words, generator, shape, wanted, *parameters)


def constant_of(x, value):
    return lax.full_like(x, np.asarray(value, operands.dtype_of(x))[()])
