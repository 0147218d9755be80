"""Changes of element type: by value, by bits, by precision."""

import operator

import ml_dtypes
import numpy as np

from jax._src import dtypes
from jax._src.base import scalars, traceback_filter
from jax._src.core import avals, slots, unreduced
from jax._src.core.primitive import Sample, Trait, declare
from jax._src.interpreters import ad
from jax._src.lax.ops import emit, representations, splitting
from jax._src.lax.ops.checks import (
    BOOL,
    COMPLEX,
    FLOATING,
    INTEGER,
    check_kind,
    is_array,
    is_complex,
    is_inexact,
    kind_of,
)
from jax._src.lax.ops.messages import type_error, value_error
from jax._src.lax.ops.reshaping import counting


@declare("convert_element_type", traits=Trait.ELEMENTWISE)
class convert_element_type_p:
    """Converts values to another dtype."""

    def types(x, *, new_dtype, weak_type, sharding):
        return x.update(dtype=new_dtype, weak_type=weak_type)

    sharding = splitting.or_given(splitting.like_first)

    def sums(x, *, new_dtype, **params):
        is_cut = is_inexact(x.aval.dtype) and not is_inexact(new_dtype)
        if x.is_seen and is_cut:  # A sum of truncated parts is not the truncated sum.
            return unreduced.default_rule("convert_element_type", (x,))
        return x.sums

    def lower(ctx, x, *, new_dtype, weak_type, sharding):
        return emit.convert(x, ctx.avals_in[0], ctx.avals_out[0])

    def jvp_all(primals, tangents, *, new_dtype, weak_type, sharding):
        (x,), (tangent,) = primals, tangents
        out = convert(x, new_dtype, weak_type)
        differentiable = is_inexact(new_dtype) and is_inexact(avals.get_aval(x).dtype)
        if type(tangent) is ad.Zero or not differentiable:
            return out, ad.Zero(avals.get_aval(out).to_tangent_aval())
        return out, convert(tangent, new_dtype, weak_type)

    def transpose(ct, x, *, new_dtype, weak_type, sharding):
        return [convert(ct, x.aval.dtype, x.aval.weak_type)]

    def batch(axis, args, dims, **params):
        return convert_element_type_p.bind(*args, **params), dims[0]

    def show(*, new_dtype, weak_type, sharding):
        return {"new_dtype": new_dtype, "weak_type": weak_type}

    def fold(x, *, new_dtype, weak_type, sharding):
        return _convert_constant(x, new_dtype, weak_type)

    def reference(x, *, new_dtype, weak_type, sharding):
        return _convert_values(x, np.dtype(new_dtype))

    samples = [
        Sample((x,), {"new_dtype": np.dtype(to), "weak_type": False, "sharding": None})
        for x, to in [
            (counting(2, 3), np.int32),
            (np.array([-1.7, 1.7, 300.0, -300.0, np.nan], np.float32), np.int8),
            (np.array([-5, 0, 300], np.int32), np.int8),
            (np.array([-5, 0, 300], np.int32), np.float32),
            (np.array([0.0, -0.0, 0.5, np.nan], np.float32), np.bool_),
            (np.array([False, True]), np.float32),
            (counting(3), np.complex64),
            (np.array([1 + 2j, 3 - 4j], np.complex64), np.float32),
            (np.array([1.0, 1.00390625, 3e38], np.float32), ml_dtypes.bfloat16),
            (np.array([1.0, 65520.0, 1e-7], np.float32), np.float16),
        ]
    ]


def _convert_constant(x, to, weak_type):
    """Converts a scalar of Python or NumPy to another dtype; None if the program has to do it."""
    if not isinstance(x, (*scalars.PYTHON_SCALARS, np.generic, np.ndarray)):
        return None
    own_dtype = avals.get_aval(x).dtype
    if isinstance(to, scalars.ExtendedDType):
        return None
    # Rounded once: a Python float may have more digits than its dtype in a program.
    value = np.asarray(x) if is_inexact(to) else np.asarray(x, own_dtype)
    if not (is_inexact(to) or (value.dtype.kind in "biu" and kind_of(to) & INTEGER)):
        return None
    if is_complex(value.dtype) and not is_complex(to):
        return None
    if not is_inexact(to) and not (
        ml_dtypes.iinfo(to).min <= value <= ml_dtypes.iinfo(to).max
    ):
        return None
    with np.errstate(all="ignore"):
        converted = scalars.converted(value, np.dtype(to))[()]
    if not weak_type:
        return converted
    number = converted.item()
    # Only Python's numbers are weak, and they have one dtype per class.
    return number if avals.get_aval(number).dtype == to else None


def _convert_values(x, to):
    """Truncates floats to integers, and saturates; NaN becomes 0."""
    if is_complex(x.dtype) and not is_complex(to):
        x = x.real
    if kind_of(to) is BOOL:
        return x != 0
    if not (kind_of(x.dtype) & FLOATING) or kind_of(to) & (FLOATING | COMPLEX):
        with np.errstate(all="ignore"):
            return scalars.converted(x, to)
    info = ml_dtypes.iinfo(to)
    bounded = [
        0 if value != value else int(min(max(value, info.min), info.max))
        for value in x.astype(np.float64).ravel().tolist()
    ]
    return np.array(bounded, object).astype(to).reshape(x.shape)


@slots.convert.fill
def convert(operand, new_dtype, weak_type: bool = False):
    """`operand` in another dtype, with the given weak type."""
    aval = avals.get_aval(operand)
    if aval.dtype == new_dtype and aval.weak_type == weak_type and is_array(operand):
        return operand
    if dtypes.is_extended(new_dtype) or dtypes.is_extended(aval.dtype):
        return representations.converted(operand, new_dtype)
    new_dtype = np.dtype(new_dtype)
    return convert_element_type_p.bind(
        operand, new_dtype=new_dtype, weak_type=bool(weak_type), sharding=None
    )


def convert_element_type(operand, new_dtype):
    """Converts values to another dtype.

    Floats become integers by dropping the fraction; values out of range become the
    nearest one in range, and NaN becomes 0. Complex numbers lose their imaginary part.

    Args:
        operand: array of any shape and dtype.
        new_dtype: the dtype of the result, 64-bit ones only with `jax_enable_x64`.

    Raises:
        TypeError: `new_dtype` is not a dtype. ValueError: it is missing.
    """
    if new_dtype is None:
        raise value_error(
            "lax.convert_element_type: no dtype was given.",
            [("new_dtype", None)],
            "The dtype of the result is required.",
            "To keep it as it is: lax.asarray or jnp.asarray.",
        )
    new_dtype = dtypes.check_and_canonicalize_user_dtype(
        new_dtype, "convert_element_type"
    )
    is_extended = dtypes.is_extended(new_dtype)
    # A Python number may be of any size before it has the new dtype.
    is_number = isinstance(operand, bool | int | float | complex) and not is_extended
    value = np.asarray(operand) if is_number else avals.get_aval(operand)
    if is_complex(value.dtype) and not is_extended:
        dtypes.refuse_complex(operand, new_dtype)
        if not is_complex(new_dtype):
            traceback_filter.warn(
                "Casting complex values to real discards the imaginary part in "
                "lax.convert_element_type.",
                np.exceptions.ComplexWarning,
            )
    if is_number:
        operand = scalars.converted(value, new_dtype)
    return convert(operand, new_dtype, False)


@declare("bitcast_convert_type", traits=Trait.NOT_DIFFERENTIABLE)
class bitcast_convert_type_p:
    """Reads the same bits as another dtype."""

    def types(x, *, new_dtype):
        if x.dtype == new_dtype:
            return x.update(weak_type=False)
        facts = [
            ("operand", x.str_short()),
            ("new_dtype", dtypes.jax_dtype(new_dtype).name),
        ]
        for dtype in (x.dtype, new_dtype):
            if dtypes.is_extended(dtype):
                raise type_error(
                    "lax.bitcast_convert_type: extended dtypes have no bits to share.",
                    facts,
                    "Only integers and floats are reinterpreted.",
                )
            if not kind_of(dtype) & (INTEGER | FLOATING):
                raise type_error(
                    "lax.bitcast_convert_type: lax.bitcast_convert_type does not support bool or complex values "
                    "unless the operand and destination types match.",
                    facts,
                    "Only integers and floats are reinterpreted.",
                    "To convert values: lax.convert_element_type. "
                    "As NumPy does it: x.view(dtype).",
                )
        old, new = _bits(x.dtype), _bits(new_dtype)
        if old == new:
            shape = x.shape
        elif old > new:
            shape = (*x.shape, old // new)
        elif x.shape and x.shape[-1] * old == new:
            shape = x.shape[:-1]
        else:
            raise value_error(
                f"lax.bitcast_convert_type: Attempting to convert array of shape {x.shape} from {x.dtype} of size "
                f"{old} bits to {dtypes.jax_dtype(new_dtype).name} of size {new} bits.",
                [*facts, ("widths", f"{old} bits to {new} bits")],
                f"The last axis has size {new // old}, and disappears.",
            )
        return x.update(shape=shape, dtype=new_dtype, weak_type=False)

    def sharding(x, *, new_dtype, out):
        # The last axis is the pieces of an element: new, or all of them in one.
        if out.ndim >= x.ndim:
            return (*splitting.entries(x), *(None,) * (out.ndim - x.ndim))
        splitting.whole_along("bitcast_convert_type", x, [x.ndim - 1])
        return splitting.entries(x)[:-1]

    def lower(ctx, x, *, new_dtype):
        return emit.bitcast(x, ctx.avals_out[0])

    def batch(axis, args, dims, *, new_dtype):
        (x,), (dim,) = args, dims
        x = slots.move_axis(x, dim, 0)
        return bitcast_convert_type_p.bind(x, new_dtype=new_dtype), 0

    def reference(x, *, new_dtype):
        old, new = x.dtype.itemsize, np.dtype(new_dtype).itemsize
        x = np.ascontiguousarray(x)
        if old > new:
            return x[..., None].view(new_dtype)
        return x.view(new_dtype)[..., 0] if old < new else x.view(new_dtype)

    samples = [
        Sample((counting(2, 3),), {"new_dtype": np.dtype(np.int32)}),
        Sample((counting(2, 3),), {"new_dtype": np.dtype(np.uint8)}),
        Sample((counting(3, 2, dtype=np.int16),), {"new_dtype": np.dtype(np.int32)}),
    ]


def _bits(dtype) -> int:
    kind = kind_of(dtype)
    if kind & (FLOATING | COMPLEX):
        return dtypes.finfo(dtype).bits
    return 8 if kind is BOOL else dtypes.iinfo(dtype).bits


def bitcast_convert_type(operand, new_dtype):
    """Reads the bits of an array as another dtype.

    A narrower dtype adds a last axis, lowest part first; a wider one takes it away.

    Args:
        operand: array of integers or floats.
        new_dtype: dtype of integers or floats.

    Raises:
        TypeError: a dtype is boolean, complex or extended. ValueError: the last axis does
            not fill an element of the wider dtype, or no dtype is given.
    """
    if new_dtype is None:
        raise value_error(
            "lax.bitcast_convert_type: no dtype is given.",
            [("operand", avals.get_aval(operand).str_short()), ("new_dtype", None)],
            "Bits are read as those of one dtype.",
        )
    new_dtype = dtypes.check_and_canonicalize_user_dtype(
        new_dtype, "bitcast_convert_type"
    )
    return bitcast_convert_type_p.bind(operand, new_dtype=new_dtype)


@declare("reduce_precision")
class reduce_precision_p:
    """Rounds to a smaller floating-point format, and keeps the dtype."""

    def types(x, *, exponent_bits, mantissa_bits):
        check_kind("reduce_precision", x, FLOATING)
        facts = [("exponent_bits", exponent_bits), ("mantissa_bits", mantissa_bits)]
        if exponent_bits < 1 or mantissa_bits < 0:
            raise value_error(
                "lax.reduce_precision: reduce_precision: "
                + (
                    f"exponent_bits must be positive; got {exponent_bits}"
                    if exponent_bits < 1
                    else f"mantissa_bits must be non-negative; got {mantissa_bits}"
                ),
                facts,
                "A format has at least 1 exponent bit and at least 0 mantissa bits.",
            )
        return x

    sharding = splitting.like_first
    sums = splitting.keeps_sums

    def lower(ctx, x, *, exponent_bits, mantissa_bits):
        return emit.reduce_precision(x, exponent_bits, mantissa_bits)

    # Rounding is a step function; its derivative is that of the identity, rounded alike.
    jvp = (lambda tangent, x, **params: reduce_precision(tangent, **params),)
    exempt = {
        "jvp": "differences show the rounding, not the slope",
        "transpose": "rounds tangents and cotangents",
    }

    def transpose(ct, x, **params):
        return [reduce_precision(ct, **params)]

    def batch(axis, args, dims, **params):
        return reduce_precision(*args, **params), dims[0]

    def reference(x, *, exponent_bits, mantissa_bits):
        return _round_to_format(
            x.astype(np.float64), exponent_bits, mantissa_bits
        ).astype(x.dtype)

    samples = [
        Sample((x,), {"exponent_bits": e, "mantissa_bits": m})
        for x, e, m in [
            (np.array([1.0, 1.0004883, -2.5, 0.1], np.float32), 5, 10),
            (np.array([65504.0, 65520.0, 6e-5, -0.0, np.inf], np.float32), 5, 10),
            (np.array([1.1, -3.3, 248.0], np.float32), 4, 3),
        ]
    ]


def _round_to_format(x, exponent_bits, mantissa_bits):
    bias = 2 ** (exponent_bits - 1) - 1
    mantissa, exponent = np.frexp(x)
    scale = 2.0 ** (mantissa_bits + 1)
    with np.errstate(all="ignore"):
        rounded = np.ldexp(np.round(mantissa * scale) / scale, exponent)
        largest = 2.0**bias * (2.0 - 2.0**-mantissa_bits)
        rounded = np.where(np.abs(rounded) > largest, np.copysign(np.inf, x), rounded)
        tiny = np.abs(rounded) < 2.0 ** (1 - bias)
    return np.where(tiny, np.copysign(0.0, x), np.where(np.isfinite(x), rounded, x))


def reduce_precision(operand, exponent_bits: int, mantissa_bits: int):
    """Rounds to a floating-point format of fewer bits, and keeps the dtype.

    Values too large become infinite, values below the smallest normal one become 0.

    Args:
        operand: array of floating-point dtype.
        exponent_bits: at least 1.
        mantissa_bits: at least 0.

    Raises:
        ValueError: a number of bits is too small.
        TypeError: `operand` is no array or number.
        TypeError: `operand` is not of floats.
    """
    return reduce_precision_p.bind(
        operand,
        exponent_bits=operator.index(exponent_bits),
        mantissa_bits=operator.index(mantissa_bits),
    )


def dtype(x):
    """The dtype of a value, as JAX sees it.

    Args:
        x: array of any shape, a Python number, whose dtype is the default of its kind,
            or what stands for a dtype.

    Raises:
        TypeError: `x` is nothing of these. ValueError: it is None.
    """
    if x is None:
        raise ValueError("lax.dtype: None has no dtype.")
    return dtypes.result_type(x)


traceback_filter.hide_frames(globals())
