"""Complex numbers and their parts."""

import numpy as np

from jax._src.base import traceback_filter
from jax._src.core.avals import get_aval
from jax._src.core.primitive import Sample, declare
from jax._src.interpreters import ad
from jax._src.lax.ops import emit, splitting
from jax._src.lax.ops.arithmetic import neg
from jax._src.lax.ops.builders import binary_op, unary_op, unbroadcast_to
from jax._src.lax.ops.checks import COMPLEX, FLOATING, check_kind, is_complex
from jax._src.lax.ops.creation import full_like
from jax._src.lax.ops.messages import type_error


def real_dtype(dtype):
    """The dtype of the parts of a complex dtype; others stay."""
    return np.zeros((), dtype).real.dtype if is_complex(dtype) else dtype


def complex_dtype(dtype):
    """The complex dtype whose parts have the given dtype."""
    return np.result_type(dtype, np.complex64)


real_p, real = unary_op(
    "real",
    accepts=COMPLEX,
    lower="real",
    linear_transpose=lambda ct, x: complex(ct, full_like(ct, 0)),
    result=real_dtype,
    reference=np.real,
    doc="The real parts of complex numbers.",
)
imag_p, imag = unary_op(
    "imag",
    accepts=COMPLEX,
    lower="imag",
    linear_transpose=lambda ct, x: complex(full_like(ct, 0), neg(ct)),
    result=real_dtype,
    reference=np.imag,
    doc="The imaginary parts of complex numbers.",
)


def _imaginary(part):
    return complex(full_like(part, 0), part)


def _check_parts(name, *avals):
    for aval, operand in zip(avals, "xy", strict=False):
        if aval.dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
            raise type_error(
                f"lax.{name}: this dtype is not supported.",
                [(operand, aval.str_short())],
                "The parts of complex numbers are float32 or float64.",
                "Convert first: lax.convert_element_type(x, dtype).",
            )


def _complex_result(x, y):
    return complex_dtype(x)


complex_p, complex = binary_op(
    "complex",
    accepts=FLOATING,
    lower="complex",
    jvp=(
        lambda t, x, y: complex(t, full_like(t, 0)),
        lambda t, x, y: _imaginary(t),
    ),
    transpose=lambda ct, x, y: [
        unbroadcast_to(x, real(ct)) if ad.is_undefined_primal(x) else None,
        unbroadcast_to(y, imag(neg(ct))) if ad.is_undefined_primal(y) else None,
    ],
    result=_complex_result,
    also_check=_check_parts,
    reference=lambda x, y: x + 1j * y,
    doc="Complex numbers from their real and imaginary parts.",
)


@declare("conj")
class conj_p:
    """The complex conjugate."""

    def types(x, *, input_dtype):
        check_kind("conj", x, FLOATING | COMPLEX, "x")
        if not is_complex(x.dtype):
            _check_parts("conj", x)
        return x.update(dtype=complex_dtype(x.dtype))

    sharding = splitting.like_first

    jvp = (lambda t, x, *, input_dtype: conj_p.bind(t, input_dtype=input_dtype),)

    def transpose(ct, x, *, input_dtype):
        back = conj_p.bind(ct, input_dtype=input_dtype)
        return [back if is_complex(input_dtype) else real(back)]

    def lower(ctx, x, *, input_dtype):
        if not is_complex(ctx.avals_in[0].dtype):
            return emit.operation("complex")(x, emit.zeros(ctx.avals_in[0]))
        parts = emit.unary("real", x), emit.unary("imag", x)
        return emit.operation("complex")(parts[0], emit.unary("negate", parts[1]))

    def batch(axis, args, dims, **params):
        return conj_p.bind(*args, **params), dims[0]

    def show(*, input_dtype):
        return {"input_dtype": input_dtype}

    def reference(x, *, input_dtype):
        return np.conj(x).astype(complex_dtype(x.dtype))

    samples = [
        Sample(
            (np.complex64([1 + 2j, -3j, 0.5]),), {"input_dtype": np.dtype(np.complex64)}
        ),
        Sample((np.float32([1, -3, 0.5]),), {"input_dtype": np.dtype(np.float32)}),
    ]


def conj(x):
    """The complex conjugate; floats become complex.

    Args:
        x: array of complex, float32 or float64 dtype.

    Returns:
        Complex array of the same shape.

    Raises:
        TypeError: `x` is of another dtype.
    """
    return conj_p.bind(x, input_dtype=get_aval(x).dtype)


traceback_filter.hide_frames(globals())
