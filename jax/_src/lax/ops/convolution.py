"""The public functions of convolution: layouts, padding, patches, transposition."""

import math
import operator
from collections.abc import Sequence

import numpy as np

from jax._src import dtypes
from jax._src.base import options, traceback_filter
from jax._src.core.avals import get_aval
from jax._src.lax.ops import convolution_primitive, splitting
from jax._src.lax.ops.checks import (
    BOOL,
    FLOATING,
    INTEGER,
    SIGNED,
    UNSIGNED,
    ceil_div,
    int_tuple,
    kind_of,
)
from jax._src.lax.ops.convolution_primitive import (
    ConvDimensionNumbers,
    result_shape,
    sizes_at,
)
from jax._src.lax.ops.dot import dot_general
from jax._src.lax.ops.messages import explain, type_error, value_error
from jax._src.lax.ops.precision import canonical_precision
from jax._src.lax.ops.reshaping import rev, transpose
from jax._src.lax.ops.windows import dilated_size, padding_of


def conv_dimension_numbers(lhs_shape, rhs_shape, dimension_numbers):
    """The axes of batch, features and space.

    Args:
        lhs_shape: the shape of the operand.
        rhs_shape: the shape of the kernel.
        dimension_numbers: ``None``: batch or output features first, then features, then
            space; or three strings such as ``("NHWC", "HWIO", "NHWC")``; or axes.

    Raises:
        TypeError: shapes and layouts do not fit.
    """
    if isinstance(dimension_numbers, ConvDimensionNumbers):
        return dimension_numbers
    if len(lhs_shape) != len(rhs_shape):
        raise type_error(
            "Convolution: convolution requires lhs and rhs ndim to be equal, got "
            f"{len(lhs_shape)} and {len(rhs_shape)}.",
            [
                ("lhs", f"shape {tuple(lhs_shape)}"),
                ("rhs", f"shape {tuple(rhs_shape)}"),
            ],
            "Both have two axes besides those of space.",
        )
    if dimension_numbers is None:
        axes = tuple(range(len(lhs_shape)))
        return ConvDimensionNumbers(axes, axes, axes)
    if isinstance(dimension_numbers, list | tuple) and len(dimension_numbers) == 3:
        if any(len(spec) != len(lhs_shape) for spec in dimension_numbers):
            raise type_error(
                "Convolution: convolution dimension_numbers must have len equal to the ndim of lhs and rhs.",
                [
                    ("dimension_numbers", dimension_numbers),
                    ("lhs", tuple(lhs_shape)),
                ],
                f"Each has a letter for each of the {len(lhs_shape)} axes.",
            )
        return ConvDimensionNumbers(*conv_general_permutations(dimension_numbers))
    raise type_error(
        "Convolution: convolution dimension_numbers must be tuple/list or None, and must be length 3.",
        [("dimension_numbers", repr(dimension_numbers))],
        'They are None, three strings such as ("NHWC", "HWIO", "NHWC"), or a '
        "lax.ConvDimensionNumbers.",
    )


def conv_general_permutations(dimension_numbers):
    """The axes of operand, kernel and result that three layouts name.

    Args:
        dimension_numbers: three strings; in the first and last ``N`` stands for the
            batch and ``C`` for features, in the second ``O`` and ``I`` for output and
            input features; other letters stand for space, in the order of the second.

    Raises:
        TypeError: the strings do not fit together.
    """
    try:
        lhs, rhs, out = map(str, dimension_numbers)
    except (TypeError, ValueError):
        raise type_error(
            "Convolution: these are not layouts.",
            [("dimension_numbers", repr(dimension_numbers))],
            'They are three strings, such as ("NHWC", "HWIO", "NHWC").',
        ) from None
    for text, letters in ((lhs, "NC"), (rhs, "OI"), (out, "NC")):
        if any(text.count(letter) != 1 for letter in letters) or len(set(text)) != len(
            text
        ):
            raise type_error(
                f"Convolution: convolution dimension_numbers cannot have duplicate characters, got {text}.",
                [("layout", text), ("dimension_numbers", tuple(dimension_numbers))],
                f"Each letter occurs once, {letters[0]} and {letters[1]} among them.",
            )
    spaces = [
        set(lhs) - set("NC"),
        set(rhs) - set("OI"),
        set(out) - set("NC"),
    ]
    if spaces[0] != spaces[1] or spaces[1] != spaces[2]:
        raise type_error(
            "Convolution: convolution dimension_numbers elements must each have the same set of "
            f"spatial characters, got {tuple(dimension_numbers)}.",
            [("dimension_numbers", tuple(dimension_numbers))],
            "The letters for space are the same in all three.",
        )
    order = [letter for letter in rhs if letter not in "OI"]
    return tuple(
        tuple(text.index(letter) for letter in (*letters, *order))
        for text, letters in ((lhs, "NC"), (rhs, "OI"), (out, "NC"))
    )


def conv_general_dilated(
    lhs,
    rhs,
    window_strides: Sequence[int],
    padding,
    lhs_dilation=None,
    rhs_dilation=None,
    dimension_numbers=None,
    feature_group_count: int = 1,
    batch_group_count: int = 1,
    precision=None,
    preferred_element_type=None,
    out_sharding=None,
):
    """Slides a kernel over space and sums products (a correlation: it is not flipped).

    Args:
        lhs: array with axes for batch, features and space.
        rhs: kernel with axes for output features, input features and space.
        window_strides: the step on each axis of space.
        padding: ``"VALID"``, ``"SAME"``, ``"SAME_LOWER"``, or a pair for each axis.
        lhs_dilation: gaps between the elements of `lhs`; default: 1, none.
        rhs_dilation: gaps between the elements of `rhs`; default: 1, none.
        dimension_numbers: see `conv_dimension_numbers`.
        feature_group_count: into how many groups features are cut, each with its part
            of the kernel.
        batch_group_count: the same for the batch.
        precision: see `dot_general`.
        preferred_element_type: the dtype of sums and result.
        out_sharding: the sharding of the result over Explicit mesh axes.

    Returns:
        Array with axes for batch, output features and space.

    Raises:
        TypeError: dtypes or layouts do not fit. ValueError: shapes do not.
        RuntimeError: the name of a padding is unknown.

    Examples:
        >>> x, kernel = jnp.ones((1, 1, 5)), jnp.ones((1, 1, 3))
        >>> jax.lax.conv_general_dilated(x, kernel, (1,), "SAME")
        Array([[[2., 3., 3., 3., 2.]]], dtype=float32)
    """
    sharding = splitting.given_sharding("convolution", out_sharding, np.ndim(lhs))
    left, right = get_aval(lhs), get_aval(rhs)
    numbers = conv_dimension_numbers(left.shape, right.shape, dimension_numbers)
    ones = (1,) * (left.ndim - 2)
    strides = int_tuple(window_strides)
    lhs_dilation = ones if lhs_dilation is None else int_tuple(lhs_dilation)
    rhs_dilation = ones if rhs_dilation is None else int_tuple(rhs_dilation)
    if isinstance(padding, str):
        if any(d != 1 for d in lhs_dilation):
            raise value_error(
                "lax.conv_general_dilated: String padding is not implemented for transposed convolution using "
                "this op.",
                [("padding", repr(padding)), ("lhs_dilation", lhs_dilation)],
                "A transposed convolution can be padded in more than one way.",
                "Give a pair for each axis, or call lax.conv_transpose.",
            )
        for what, values in (
            ("window_strides", strides),
            ("rhs_dilation", rhs_dilation),
        ):
            _check_one_per_axis(
                "conv_general_dilated", what, values, len(ones), ValueError
            )
        space = sizes_at(left.shape, numbers.lhs_spec[2:])
        padding = padding_of(
            padding,
            space,
            _wide_kernel(right.shape, numbers.rhs_spec, rhs_dilation),
            strides,
        )
    try:
        pads = tuple((low, high) for low, high in map(int_tuple, padding))
    except (TypeError, ValueError):
        raise value_error(
            "lax.conv_general_dilated: padding argument to conv_general_dilated should be a string or a sequence of "
            f"(low, high) pairs, got {padding}.",
            [("padding", repr(padding))],
            "Padding is 'VALID', 'SAME', 'SAME_LOWER' or a pair for each axis.",
        ) from None
    if preferred_element_type is not None:
        preferred_element_type = np.dtype(
            dtypes.check_and_canonicalize_user_dtype(
                preferred_element_type, "conv_general_dilated"
            )
        )
        _check_preferred(left.dtype, preferred_element_type)
    return convolution_primitive.conv_general_dilated_p.bind(
        lhs,
        rhs,
        window_strides=strides,
        padding=pads,
        lhs_dilation=lhs_dilation,
        rhs_dilation=rhs_dilation,
        dimension_numbers=numbers,
        feature_group_count=operator.index(feature_group_count),
        batch_group_count=operator.index(batch_group_count),
        precision=canonical_precision(
            precision, options.default_matmul_precision.value
        ),
        preferred_element_type=preferred_element_type,
        out_sharding=sharding,
    )


def _check_preferred(dtype, preferred) -> None:
    """Refuses to sum in a narrower type, or in one of another kind."""
    kind = kind_of(dtype)
    goes_to = {SIGNED: SIGNED | FLOATING, UNSIGNED: INTEGER | FLOATING}.get(kind, kind)
    fits = kind_of(preferred) in goes_to and preferred.itemsize >= dtype.itemsize
    if fits or kind is BOOL:
        return
    raise type_error(
        "lax.conv_general_dilated: preferred_element_type does not hold the sums.",
        [("operands", dtype.name), ("preferred_element_type", preferred.name)],
        "It is no narrower; integers go to integers and floats, floats to floats, "
        "complex numbers to complex numbers.",
        "Convert the result instead: lax.convert_element_type(out, dtype).",
    )


def _check_one_per_axis(
    name: str, what: str, values: Sequence, axes: int, kind: type[Exception] = TypeError
) -> None:
    """Raises an error of that kind unless there is one value for each axis of space."""
    if len(values) != axes:
        raise kind(
            explain(
                f"lax.{name}: {name} window and {what} must have the same number of dimensions, but "
                f"got {axes} and {len(values)}."
                if what == "window_strides"
                else f"lax.{name}: {what} has the wrong length.",
                [(what, tuple(values)), ("axes of space", axes)],
                "There is one for each axis of space.",
            )
        )


def _wide_kernel(shape, spec, dilation):
    space = sizes_at(shape, spec[2:])
    return [dilated_size(n, d) for n, d in zip(space, dilation, strict=True)]


def conv(
    lhs, rhs, window_strides, padding: str, precision=None, preferred_element_type=None
):
    """Convolution with batch and features first, named padding, and no dilation.

    Args:
        lhs: array of shape ``(batch, features, *space)``.
        rhs: kernel of shape ``(output features, features, *space)``.
        window_strides: the step on each axis of space.
        padding: ``"VALID"``, ``"SAME"`` or ``"SAME_LOWER"``.
        precision: see `dot_general`.
        preferred_element_type: the dtype of sums and result.

    Raises:
        TypeError: the operands differ in dtype or in their number of axes. ValueError:
            features or strides do not fit. RuntimeError: the padding is unknown.
    """
    return conv_general_dilated(
        lhs,
        rhs,
        window_strides,
        padding,
        precision=precision,
        preferred_element_type=preferred_element_type,
    )


def conv_with_general_padding(
    lhs,
    rhs,
    window_strides,
    padding,
    lhs_dilation,
    rhs_dilation,
    precision=None,
    preferred_element_type=None,
):
    """Convolution with batch and features first.

    Args:
        lhs: array of shape ``(batch, features, *space)``.
        rhs: kernel of shape ``(output features, features, *space)``, of the same dtype.
        window_strides, padding, lhs_dilation, rhs_dilation, precision,
            preferred_element_type: as for `jax.lax.conv_general_dilated`; so are
            errors.

    Raises:
        TypeError: dtypes or lengths differ. ValueError: features do not fit.
    """
    return conv_general_dilated(
        lhs,
        rhs,
        window_strides,
        padding,
        lhs_dilation=lhs_dilation,
        rhs_dilation=rhs_dilation,
        precision=precision,
        preferred_element_type=preferred_element_type,
    )


def conv_shape_tuple(lhs_shape, rhs_shape, strides, pads, batch_group_count=1):
    """The shape of a convolution with batch and features first.

    Args:
        lhs_shape: the shape of the operand.
        rhs_shape: the shape of the kernel.
        strides: the step on each axis of space.
        pads: a name, or a pair for each axis of space.
        batch_group_count: into how many groups the batch is cut.

    Returns:
        A tuple of integers; the sizes in space are NumPy's.

    Raises:
        RuntimeError: the padding is unknown. ValueError: the axes of space differ in
            number.
    """
    axes = tuple(range(len(lhs_shape)))
    numbers = ConvDimensionNumbers(axes, axes, axes)
    if isinstance(pads, str):
        pads = padding_of(pads, lhs_shape[2:], rhs_shape[2:], strides)
    ones = (1,) * (len(lhs_shape) - 2)
    params = {
        "window_strides": strides,
        "padding": pads,
        "lhs_dilation": ones,
        "rhs_dilation": ones,
        "batch_group_count": batch_group_count,
    }
    batch, features, *space = result_shape(lhs_shape, rhs_shape, numbers, params)
    return batch, features, *np.array(space, np.int64)


def conv_general_shape_tuple(
    lhs_shape, rhs_shape, window_strides, padding, dimension_numbers
):
    """The shape of a convolution with layouts, a tuple of NumPy's integers.

    Args:
        lhs_shape, rhs_shape: the shapes of operand and kernel.
        window_strides: the step on each axis of space.
        padding: a name, or a pair for each axis of space.
        dimension_numbers: the layouts, see `conv_general_permutations`.

    Raises:
        RuntimeError: the padding is unknown.
    """
    lhs, rhs, out = conv_general_permutations(dimension_numbers)
    shape = conv_shape_tuple(
        sizes_at(lhs_shape, lhs), sizes_at(rhs_shape, rhs), window_strides, padding
    )
    return tuple(np.array(sizes_at(shape, np.argsort(out)), np.int64))


def conv_transpose_shape_tuple(
    lhs_shape, rhs_shape, window_strides, padding, dimension_numbers
):
    """The shape of a transposed convolution with layouts, a tuple of NumPy's integers.

    Args:
        lhs_shape, rhs_shape: the shapes of operand and kernel.
        window_strides: the step on each axis of space.
        padding: a name, or a pair for each axis of space.
        dimension_numbers: the layouts, see `conv_general_permutations`.

    Raises:
        ValueError: the padding is unknown. TypeError: the lengths of arguments differ.
    """
    lhs, rhs, out = conv_general_permutations(dimension_numbers)
    left, right = sizes_at(lhs_shape, lhs), sizes_at(rhs_shape, rhs)
    axes = len(right) - 2
    name = "conv_transpose_shape_tuple"
    _check_one_per_axis(name, "window_strides", window_strides, axes)
    if not isinstance(padding, str):
        _check_one_per_axis(name, "padding", padding, axes)
    if isinstance(padding, str):
        padding = [
            _transposed_pads(k, s, padding)
            for k, s in zip(right[2:], window_strides, strict=True)
        ]
    space = [
        dilated_size(n, stride) + low + high - k + 1
        for n, stride, (low, high), k in zip(
            left[2:], window_strides, padding, right[2:], strict=True
        )
    ]
    shape = [left[0], right[0], *space]
    return tuple(np.array(sizes_at(shape, np.argsort(out)), np.int64))


def _transposed_pads(kernel: int, stride: int, padding: str) -> tuple[int, int]:
    """Padding with which a transposed convolution undoes the shape of a plain one."""
    if padding == "SAME":
        total = kernel + stride - 2
        low = kernel - 1 if stride > kernel - 1 else ceil_div(total, 2)
    elif padding == "VALID":
        total = kernel + stride - 2 + max(kernel - stride, 0)
        low = kernel - 1
    else:
        raise value_error(
            "lax.conv_transpose: this is not a kind of padding.",
            [("padding", repr(padding))],
            "Padding is 'SAME', 'VALID' or a pair for each axis of space.",
        )
    return low, total - low


def conv_transpose(
    lhs,
    rhs,
    strides: Sequence[int],
    padding,
    rhs_dilation=None,
    dimension_numbers=None,
    transpose_kernel: bool = False,
    precision=None,
    preferred_element_type=None,
    use_consistent_padding: bool = False,
):
    """A convolution that enlarges: the transpose of one with strides.

    Args:
        lhs: array with axes for batch, features and space.
        rhs: kernel with axes for output features, input features and space.
        strides: the enlargement on each axis of space.
        padding: ``"SAME"``, ``"VALID"``, or a pair for each axis.
        rhs_dilation: gaps between the elements of `rhs`; default: 1, none.
        dimension_numbers: see `conv_dimension_numbers`; default: features last.
        transpose_kernel: whether to flip the kernel and exchange its features, which
            makes this the derivative of `conv_general_dilated`.
        precision: see `dot_general`.
        preferred_element_type: the dtype of sums and result.
        use_consistent_padding: whether pairs mean the padding of the convolution of
            which this is the transpose.

    Raises:
        ValueError: the padding is unknown. TypeError: the lengths of arguments differ.
    """
    ndim = np.ndim(lhs)
    if dimension_numbers is None:
        letters = "DHW"[-(ndim - 2) :] if 2 < ndim <= 5 else None
        if letters is None:
            raise ValueError(
                "lax.conv_transpose: give dimension_numbers for this rank."
            )
        dimension_numbers = (f"N{letters}C", f"{letters}IO", f"N{letters}C")
    numbers = conv_dimension_numbers(np.shape(lhs), np.shape(rhs), dimension_numbers)
    space = sizes_at(np.shape(rhs), numbers.rhs_spec[2:])
    dilation = (1,) * len(space) if rhs_dilation is None else tuple(rhs_dilation)
    _check_one_per_axis("conv_transpose", "strides", strides, len(space))
    _check_one_per_axis("conv_transpose", "rhs_dilation", dilation, len(space))
    wide = [dilated_size(k, d) for k, d in zip(space, dilation, strict=True)]
    if isinstance(padding, str):
        pads = [
            _transposed_pads(k, s, padding) for k, s in zip(wide, strides, strict=True)
        ]
    elif use_consistent_padding:
        _check_one_per_axis("conv_transpose", "padding", padding, len(space))
        pads = [
            (k - 1 - low, k - 1 - high)
            for k, (low, high) in zip(wide, padding, strict=True)
        ]
    else:
        pads = padding
    if transpose_kernel:
        rhs = rev(rhs, numbers.rhs_spec[2:])
        out_axis, in_axis = numbers.rhs_spec[:2]
        numbers = numbers._replace(rhs_spec=(in_axis, out_axis, *numbers.rhs_spec[2:]))
    return conv_general_dilated(
        lhs,
        rhs,
        (1,) * len(space),
        pads,
        lhs_dilation=strides,
        rhs_dilation=dilation,
        dimension_numbers=numbers,
        precision=precision,
        preferred_element_type=preferred_element_type,
    )


def conv_general_dilated_patches(
    lhs,
    filter_shape: Sequence[int],
    window_strides: Sequence[int],
    padding,
    lhs_dilation=None,
    rhs_dilation=None,
    dimension_numbers=None,
    precision=None,
    preferred_element_type=None,
):
    """The elements that a kernel would see at each position, as features.

    Args:
        lhs: array with axes for batch, features and space.
        filter_shape: the shape of the kernel in space.
        window_strides: the step on each axis of space.
        padding: see `conv_general_dilated`.
        lhs_dilation: gaps between the elements of `lhs`.
        rhs_dilation: gaps between the elements of the kernel.
        dimension_numbers: see `conv_dimension_numbers`.
        precision: see `dot_general`.
        preferred_element_type: the dtype of the result.

    Returns:
        Array whose features are those of `lhs`, and for each the elements of the kernel.

    Raises:
        TypeError: the numbers of axes differ. RuntimeError: the padding is unknown.
    """
    filter_shape = int_tuple(filter_shape)
    shape = np.shape(lhs)
    numbers = conv_dimension_numbers(shape, (1, 1, *filter_shape), dimension_numbers)
    features = shape[numbers.lhs_spec[1]]
    size = math.prod(filter_shape)
    dtype = get_aval(lhs).dtype
    picks = np.eye(size, dtype=dtype).reshape(size, 1, *filter_shape)
    kernel = np.tile(picks, (features, *[1] * (len(filter_shape) + 1)))
    kernel = np.transpose(kernel, np.argsort(numbers.rhs_spec))
    return conv_general_dilated(
        lhs,
        kernel,
        window_strides,
        padding,
        lhs_dilation=lhs_dilation,
        rhs_dilation=rhs_dilation,
        dimension_numbers=numbers,
        feature_group_count=features,
        precision=precision,
        preferred_element_type=preferred_element_type,
    )


def conv_general_dilated_local(
    lhs,
    rhs,
    window_strides: Sequence[int],
    padding,
    filter_shape: Sequence[int],
    lhs_dilation=None,
    rhs_dilation=None,
    dimension_numbers=None,
    precision=None,
):
    """A convolution with a kernel of its own at each position.

    Args:
        lhs: array with axes for batch, features and space.
        rhs: array with axes for output features, for input features times elements of
            a kernel, and for the space of the result.
        window_strides: the step on each axis of space.
        padding: see `conv_general_dilated`.
        filter_shape: the shape of a kernel in space.
        lhs_dilation: gaps between the elements of `lhs`.
        rhs_dilation: gaps between the elements of a kernel.
        dimension_numbers: see `conv_dimension_numbers`.
        precision: see `dot_general`.

    Raises:
        TypeError: the shapes do not fit. RuntimeError: the padding is unknown.
    """
    pair = canonical_precision(precision)
    patches = conv_general_dilated_patches(
        lhs,
        filter_shape,
        window_strides,
        padding,
        lhs_dilation=lhs_dilation,
        rhs_dilation=rhs_dilation,
        dimension_numbers=dimension_numbers,
        precision=None if pair is None else pair[0],
    )
    numbers = conv_dimension_numbers(np.shape(lhs), np.shape(rhs), dimension_numbers)
    _, rhs_spec, out_spec = numbers
    contract = ((out_spec[1],), (rhs_spec[1],))
    batch = (out_spec[2:], rhs_spec[2:])
    # Axes: space, batch, output features.
    out = dot_general(patches, rhs, (contract, batch), precision=precision)
    order = (*out_spec[2:], out_spec[0], out_spec[1])
    return transpose(out, np.argsort(order))


traceback_filter.hide_frames(globals())
