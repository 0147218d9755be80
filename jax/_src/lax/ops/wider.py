"""Computing with operands in a wider floating-point type than their own."""

import numpy as np

from jax._src.base import options
from jax._src.core.avals import get_aval
from jax._src.lax.ops.broadcast_and_reduce_sum import broadcast_to
from jax._src.lax.ops.builders import broadcast_operands
from jax._src.lax.ops.conversion import convert


def together(*xs):
    """The operands, repeated to their common shape."""
    shape = broadcast_operands("special", [get_aval(x) for x in xs])
    return [broadcast_to(x, shape) for x in xs]


def in_single_precision(fun):
    """Computes with operands of 8 and 16 bits in float32."""
    return _in_type_of_at_least(np.dtype(np.float32), fun)


def in_double_precision(fun):
    """Computes with narrower operands in float64, and rounds the results once.

    What series, fractions and exponentials of large logarithms lose is then less than a
    unit of the operands' own precision.
    """
    return _in_type_of_at_least(np.dtype(np.float64), fun)


def _in_type_of_at_least(least, fun):
    def compute(*args):
        dtype = np.dtype(get_aval(args[0]).dtype)
        args = together(*args)
        wide = least if dtype.itemsize < least.itemsize else dtype
        # Without the setting, the constants of float64 would be of float32.
        with options.enable_x64(options.enable_x64.value or wide.itemsize > 4):
            out = fun(*(convert(x, wide) for x in args))
        return convert(out, dtype)

    return compute
