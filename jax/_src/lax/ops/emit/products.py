"""Products of matrices, convolutions, random bits."""

from collections.abc import Sequence

import numpy as np

from jax._src.interpreters import mlir
from jax._src.interpreters.mlir import sizes
from jax._src.lax.ops.checks import COMPLEX, FLOATING, kind_of
from jax._src.lax.ops.emit.elementwise import convert
from jax._src.lax.ops.emit.moving import reshape
from jax._src.lax.ops.emit.values import (
    attribute,
    hlo,
    int32_attribute,
    int_array,
    int_attribute,
    int_matrix,
    size_matrix,
)
from jax._src.lax.ops.precision import algorithm_of

ir = mlir.ir


def precision_config(precision):
    """The attribute for a pair of precisions."""
    names = [p.name for p in precision] if isinstance(precision, tuple) else []
    names = names or ["DEFAULT", "DEFAULT"]
    return attribute(
        "[" + ", ".join(f"#stablehlo<precision {name}>" for name in names) + "]"
    )


def dot_general(ctx, lhs, rhs, dimension_numbers, precision):
    """Sums products over contracted axes."""
    (lhs_sum, rhs_sum), (lhs_batch, rhs_batch) = dimension_numbers
    left, right = ctx.avals_in
    out = ctx.avals_out[0]
    if kind_of(out.dtype) & (FLOATING | COMPLEX):
        # Whole numbers become what the other operand has, or the sums where it is whole as well.
        lhs, rhs = (
            convert(x, aval, aval.update(dtype=_inexact(other.dtype, out.dtype)))
            if _rank(aval.dtype) == 0
            else x
            for x, aval, other in ((lhs, left, right), (rhs, right, left))
        )
    fields = {
        "lhs_batching_dimensions": lhs_batch,
        "rhs_batching_dimensions": rhs_batch,
        "lhs_contracting_dimensions": lhs_sum,
        "rhs_contracting_dimensions": rhs_sum,
    }
    text = ", ".join(
        f"{name} = [{', '.join(map(str, axes))}]" for name, axes in fields.items()
    )
    attributes = {"dot_dimension_numbers": attribute(f"#stablehlo.dot<{text}>")}
    algorithm = algorithm_of(precision)
    if algorithm is not None:
        attributes["algorithm"] = attribute(algorithm)
    else:
        attributes["precision_config"] = precision_config(precision)
    # Sums are made where no part of the operands is lost, and then converted.
    summed = out
    dtype = max(left.dtype, right.dtype, key=_reach)
    if _rank(dtype) > _rank(out.dtype):
        is_short = np.dtype(dtype).itemsize < 4
        summed = out.update(dtype=np.dtype(np.float32) if is_short else dtype)
    result = mlir.aval_to_ir_type(summed)
    product = hlo("dot_general", [result], [lhs, rhs], attributes).result
    return product if summed is out else convert(product, summed, out)


def _inexact(dtype, otherwise):
    """The dtype for a whole operand; floats of 8 bits hold too few, and some have no zero."""
    found = np.dtype(dtype if _rank(dtype) else otherwise)
    return found if found.itemsize > 1 else np.dtype(np.float32)


def _reach(dtype):
    """What sums are made in: complex before real numbers, real ones before whole ones, then the longer ones."""
    return _rank(dtype), np.dtype(dtype).itemsize


def _rank(dtype):
    """Whole, real or complex: what a conversion to a lower rank would cut off."""
    kind = kind_of(dtype)
    return 2 if kind is COMPLEX else 1 if kind is FLOATING else 0


def _layout(spec: Sequence[int], batch: str, feature: str) -> str:
    letters = [""] * len(spec)
    letters[spec[0]], letters[spec[1]] = batch, feature
    for i, axis in enumerate(spec[2:]):
        letters[axis] = str(i)
    return "[" + ", ".join(letters) + "]"


def convolution(
    ctx,
    lhs,
    rhs,
    *,
    window_strides,
    padding,
    lhs_dilation,
    rhs_dilation,
    dimension_numbers,
    feature_group_count,
    batch_group_count,
    precision,
    **params,
):
    """Slides a kernel over space and sums products."""
    layouts = (
        _layout(dimension_numbers.lhs_spec, "b", "f"),
        _layout(dimension_numbers.rhs_spec, "o", "i"),
        _layout(dimension_numbers.out_spec, "b", "f"),
    )
    numbers = "#stablehlo.conv<{}x{}->{}>".format(*layouts)
    attributes = {
        "window_strides": int_array(window_strides),
        "lhs_dilation": int_array(lhs_dilation),
        "rhs_dilation": int_array(rhs_dilation),
        "dimension_numbers": attribute(numbers),
        "feature_group_count": int_attribute(feature_group_count),
        "batch_group_count": int_attribute(batch_group_count),
        "precision_config": precision_config(precision),
    }
    types = [mlir.aval_to_ir_type(ctx.avals_out[0])]
    if sizes.has_symbols([n for pair in padding for n in pair]):
        operands = [lhs, rhs, size_matrix(padding)]
        return hlo("dynamic_conv", types, operands, attributes).result
    attributes["padding"] = int_matrix(padding, 2)
    return hlo("convolution", types, [lhs, rhs], attributes).result


def rng_bit_generator(ctx, key, algorithm: str):
    """Random bits; keys of 32-bit words are read as 64-bit ones."""
    key_aval, bits = ctx.avals_in[0], ctx.avals_out[1]
    name = {"RNG_DEFAULT": "DEFAULT", "RNG_THREE_FRY": "THREE_FRY"}.get(
        algorithm, "PHILOX"
    )
    is_narrow = key_aval.dtype == np.uint32
    state = key
    if is_narrow:
        half = key_aval.shape[0] // 2
        state = reshape(key, (half, 2))
        wide = ir.RankedTensorType.get([half], ir.IntegerType.get_unsigned(64))
        state = hlo("bitcast_convert", [wide], [state]).result
    types = [state.type, mlir.aval_to_ir_type(bits)]
    attributes = {"rng_algorithm": attribute(f"#stablehlo<rng_algorithm {name}>")}
    if sizes.has_symbols(bits.shape):
        op = hlo(
            "custom_call",
            types,
            [state, sizes.vector(bits.shape)],
            {
                "call_target_name": ir.StringAttr.get(
                    "stablehlo.dynamic_rng_bit_generator"
                ),
                "api_version": int32_attribute(1),
                **attributes,
            },
        )
    else:
        op = hlo("rng_bit_generator", types, [state], attributes)
    new, found = list(op.results)
    if is_narrow:
        pairs = ir.RankedTensorType.get([half, 2], ir.IntegerType.get_unsigned(32))
        new = reshape(hlo("bitcast_convert", [pairs], [new]).result, key_aval.shape)
    return [new, found]


def rng_uniform(ctx, low, high, shape: Sequence[int]):
    """Uniform random numbers of an unknown seed."""
    return hlo(
        "rng",
        [mlir.aval_to_ir_type(ctx.avals_out[0])],
        [low, high, sizes.vector(shape)],
        {"rng_distribution": attribute("#stablehlo<rng_distribution UNIFORM>")},
    ).result


def fft(ctx, x, kind: str, lengths: Sequence[int]):
    """The Fourier transform along the last axes."""
    return hlo(
        "fft",
        [mlir.aval_to_ir_type(ctx.avals_out[0])],
        [x],
        {
            "fft_type": attribute(f"#stablehlo<fft_type {kind}>"),
            "fft_length": int_array(lengths),
        },
    ).result
