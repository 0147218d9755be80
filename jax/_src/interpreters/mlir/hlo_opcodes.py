"""StableHLO's operations as HLO's: opcodes, and how the text form writes attributes.

Source: the grammar of HLO text as XLA's page on operation semantics and its printed
programs show it.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

Attributes = dict[str, Any]

_ELEMENT_NAMES = {
    "i1": "pred",
    "bf16": "bf16",
    "f16": "f16",
    "f32": "f32",
    "f64": "f64",
}


def element_name(element: Any) -> str:
    """HLO's name of an MLIR element type: ``s32`` of ``i32``, ``pred`` of ``i1``."""
    text = str(element)
    if text in _ELEMENT_NAMES:
        return _ELEMENT_NAMES[text]
    if text == "complex<f32>":
        return "c64"
    if text == "complex<f64>":
        return "c128"
    if text.startswith("ui"):
        return "u" + text[2:]
    if text.startswith("i"):
        return "s" + text[1:]
    return text.lower()


def shape_text(mlir_type: Any) -> str:
    """HLO's text of a tensor type, with the layout: ``f32[2,3]{1,0}``."""
    if str(mlir_type) == "!stablehlo.token":
        return "token[]"
    sizes = [int(n) for n in mlir_type.shape]
    layout = ",".join(str(d) for d in reversed(range(len(sizes))))
    text = f"{element_name(mlir_type.element_type)}[{','.join(map(str, sizes))}]"
    return f"{text}{{{layout}}}" if sizes else text


def braces(numbers: Iterable[Any]) -> str:
    """``{0,1}``."""
    return "{" + ",".join(str(n) for n in numbers) + "}"


def _numbers(attribute) -> list[int]:
    return [int(n) for n in attribute]


def _dimensions(key):
    return lambda a: [f"dimensions={braces(_numbers(a[key]))}"]


def _slices(a):
    rows = zip(
        _numbers(a["start_indices"]),
        _numbers(a["limit_indices"]),
        _numbers(a["strides"]),
        strict=True,
    )
    return ["slice={" + ", ".join(f"[{s}:{e}:{k}]" for s, e, k in rows) + "}"]


def _padding(a):
    names = ("edge_padding_low", "edge_padding_high", "interior_padding")
    low, high, inner = (_numbers(a[name]) for name in names)
    parts = []
    for before, after, between in zip(low, high, inner, strict=True):
        parts.append(f"{before}_{after}" + (f"_{between}" if between else ""))
    return ["padding=" + "x".join(parts)]


def _compare(a):
    parts = [f"direction={a['comparison_direction'].value}"]
    if "compare_type" in a and a["compare_type"].value == "TOTALORDER":
        parts.append("type=TOTALORDER")
    return parts


def _named(pairs: Iterable[tuple[str, Sequence[int]]]) -> list[str]:
    return [f"{name}={braces(numbers)}" for name, numbers in pairs if len(numbers)]


def _precision(a):
    if "precision_config" not in a:
        return []
    names = [p.value.lower() for p in a["precision_config"]]
    if all(name == "default" for name in names):
        return []
    return [f"operand_precision={braces(names)}"]


def _dot(a):
    dims = a["dot_dimension_numbers"]
    pairs = [
        ("lhs_batch_dims", dims.lhs_batching_dimensions),
        ("lhs_contracting_dims", dims.lhs_contracting_dimensions),
        ("rhs_batch_dims", dims.rhs_batching_dimensions),
        ("rhs_contracting_dims", dims.rhs_contracting_dimensions),
    ]
    return _named(pairs) + _precision(a)


def _gather(a):
    dims = a["dimension_numbers"]
    parts = [
        f"offset_dims={braces(dims.offset_dims)}",
        f"collapsed_slice_dims={braces(dims.collapsed_slice_dims)}",
        f"start_index_map={braces(dims.start_index_map)}",
    ]
    parts += _named(
        [
            ("operand_batching_dims", dims.operand_batching_dims),
            ("start_indices_batching_dims", dims.start_indices_batching_dims),
        ]
    )
    parts += [
        f"index_vector_dim={dims.index_vector_dim}",
        f"slice_sizes={braces(_numbers(a['slice_sizes']))}",
    ]
    return parts + _flag(a, "indices_are_sorted")


def _scatter(a):
    dims = a["scatter_dimension_numbers"]
    parts = [
        f"update_window_dims={braces(dims.update_window_dims)}",
        f"inserted_window_dims={braces(dims.inserted_window_dims)}",
        f"scatter_dims_to_operand_dims={braces(dims.scattered_dims_to_operand_dims)}",
    ]
    parts += _named(
        [
            ("input_batching_dims", dims.input_batching_dims),
            ("scatter_indices_batching_dims", dims.scatter_indices_batching_dims),
        ]
    )
    parts.append(f"index_vector_dim={dims.index_vector_dim}")
    return parts + _flag(a, "indices_are_sorted") + _flag(a, "unique_indices")


def _flag(a, name):
    return [f"{name}=true"] if name in a and bool(a[name].value) else []


def window(
    sizes: Sequence[int],
    a: Attributes,
    strides: str,
    base_dilations: str,
    window_dilations: str,
) -> list[str]:
    """``window={size=2x2 stride=2x2 pad=0_1x0_1}``: what differs from the default.

    Args:
        sizes: of the window.
        a: the operation's attributes.
        strides: the attribute that holds the strides.
        base_dilations: the attribute of the operand's dilations.
        window_dilations: the attribute of the window's dilations.
    """
    if not len(sizes):
        return []

    def listed(name, default=1):
        return _numbers(a[name]) if name in a else [default] * len(sizes)

    parts = ["size=" + "x".join(str(n) for n in sizes)]
    if any(n != 1 for n in listed(strides)):
        parts.append("stride=" + "x".join(map(str, listed(strides))))
    if "padding" in a:
        pads = np.asarray(a["padding"]).reshape(len(sizes), 2)
        if np.any(pads):
            parts.append("pad=" + "x".join(f"{low}_{high}" for low, high in pads))
    for name, label in (
        (base_dilations, "lhs_dilate"),
        (window_dilations, "rhs_dilate"),
    ):
        if any(n != 1 for n in listed(name)):
            parts.append(f"{label}=" + "x".join(map(str, listed(name))))
    if "window_reversal" in a:
        turned = [int(bool(n)) for n in a["window_reversal"]]
        if any(turned):
            parts.append("rhs_reversal=" + "x".join(map(str, turned)))
    return ["window={" + " ".join(parts) + "}"]


def _labels(rank, first, second, spatial, letters):
    found = [""] * rank
    found[first], found[second] = letters
    for number, axis in enumerate(spatial):
        found[axis] = str(number)
    return "".join(found)


def convolution(a: Attributes, kernel_shape: Sequence[int]) -> list[str]:
    """The attributes of a convolution with a kernel of this shape."""
    d = a["dimension_numbers"]
    rank = len(kernel_shape)
    labels = (
        _labels(
            rank,
            d.input_batch_dimension,
            d.input_feature_dimension,
            d.input_spatial_dimensions,
            "bf",
        ),
        _labels(
            rank,
            d.kernel_input_feature_dimension,
            d.kernel_output_feature_dimension,
            d.kernel_spatial_dimensions,
            "io",
        ),
        _labels(
            rank,
            d.output_batch_dimension,
            d.output_feature_dimension,
            d.output_spatial_dimensions,
            "bf",
        ),
    )
    sizes = [int(kernel_shape[axis]) for axis in d.kernel_spatial_dimensions]
    parts = window(sizes, a, "window_strides", "lhs_dilation", "rhs_dilation")
    parts.append(f"dim_labels={labels[0]}_{labels[1]}->{labels[2]}")
    for name in ("feature_group_count", "batch_group_count"):
        if name in a and int(a[name].value) != 1:
            parts.append(f"{name}={int(a[name].value)}")
    return parts + _precision(a)


def _reduce_window(a):
    sizes = _numbers(a["window_dimensions"])
    return window(sizes, a, "window_strides", "base_dilations", "window_dilations")


def _select_and_scatter(a):
    sizes = _numbers(a["window_dimensions"])
    return window(sizes, a, "window_strides", "", "")


def _sort(a):
    return [f"dimensions={braces([int(a['dimension'].value)])}", *_flag(a, "is_stable")]


def _fft(a):
    return [
        f"fft_type={a['fft_type'].value}",
        f"fft_length={braces(_numbers(a['fft_length']))}",
    ]


def _triangular_solve(a):
    parts = [
        f"{name}=true"
        for name in ("left_side", "lower", "unit_diagonal")
        if bool(a[name].value)
    ]
    return [*parts, f"transpose_a={a['transpose_a'].value}"]


def _custom_call(a):
    parts = [f'custom_call_target="{a["call_target_name"].value}"']
    version = int(a["api_version"].value) if "api_version" in a else 1
    if version == 4:
        parts.append("api_version=API_VERSION_TYPED_FFI")
    elif version == 2:
        parts.append("api_version=API_VERSION_STATUS_RETURNING")
    return parts + (
        ["custom_call_has_side_effect=true"] if _flag(a, "has_side_effect") else []
    )


def _nothing(a):
    return []


# StableHLO's name -> HLO's opcode, and what follows the operands.
Row = tuple[str, Callable[[Attributes], list[str]]]

_SAME_NAME = """
    abs add and atan2 cbrt ceil clamp complex convert divide erf floor imag maximum minimum
    multiply negate not or popcnt power real remainder reshape rsqrt select sign sqrt
    subtract tan tanh xor acos acosh asin asinh atanh cosh sinh after_all
""".split()

OPCODES: dict[str, Row] = {
    **{name: (name.replace("_", "-"), _nothing) for name in _SAME_NAME},
    "bitcast_convert": ("bitcast-convert", _nothing),
    "cholesky": ("cholesky", lambda a: _flag(a, "lower")),
    "compare": ("compare", _compare),
    "concatenate": (
        "concatenate",
        lambda a: [f"dimensions={braces([int(a['dimension'].value)])}"],
    ),
    "cosine": ("cosine", _nothing),
    "count_leading_zeros": ("count-leading-zeros", _nothing),
    "custom_call": ("custom-call", _custom_call),
    "dot_general": ("dot", _dot),
    "dynamic_slice": (
        "dynamic-slice",
        lambda a: [f"dynamic_slice_sizes={braces(_numbers(a['slice_sizes']))}"],
    ),
    "dynamic_update_slice": ("dynamic-update-slice", _nothing),
    "exponential": ("exponential", _nothing),
    "exponential_minus_one": ("exponential-minus-one", _nothing),
    "fft": ("fft", _fft),
    "gather": ("gather", _gather),
    "iota": ("iota", lambda a: [f"iota_dimension={int(a['iota_dimension'].value)}"]),
    "is_finite": ("is-finite", _nothing),
    "log": ("log", _nothing),
    "log_plus_one": ("log-plus-one", _nothing),
    "logistic": ("logistic", _nothing),
    "optimization_barrier": ("opt-barrier", _nothing),
    "pad": ("pad", _padding),
    "partition_id": ("partition-id", _nothing),
    "reduce": ("reduce", _dimensions("dimensions")),
    "reduce_precision": (
        "reduce-precision",
        lambda a: [
            f"{n}={int(a[n].value)}" for n in ("exponent_bits", "mantissa_bits")
        ],
    ),
    "reduce_window": ("reduce-window", _reduce_window),
    "replica_id": ("replica-id", _nothing),
    "reverse": ("reverse", _dimensions("dimensions")),
    "rng_bit_generator": (
        "rng-bit-generator",
        lambda a: [f"algorithm=rng_{a['rng_algorithm'].value.lower()}"],
    ),
    "round_nearest_afz": ("round-nearest-afz", _nothing),
    "round_nearest_even": ("round-nearest-even", _nothing),
    "scatter": ("scatter", _scatter),
    "select_and_scatter": ("select-and-scatter", _select_and_scatter),
    "shift_left": ("shift-left", _nothing),
    "shift_right_arithmetic": ("shift-right-arithmetic", _nothing),
    "shift_right_logical": ("shift-right-logical", _nothing),
    "sine": ("sine", _nothing),
    "slice": ("slice", _slices),
    "sort": ("sort", _sort),
    "top_k": ("topk", lambda a: [f"k={int(a['k'].value)}", "largest=true"]),
    "transpose": ("transpose", _dimensions("permutation")),
    "triangular_solve": ("triangular-solve", _triangular_solve),
}

# Constants of more elements are written `{...}`, as XLA writes them.
_LARGEST_CONSTANT = 10


def literal(values: np.ndarray) -> str:
    """The text of a constant: ``2``, ``{1, 2}``, ``{ {1, 2}, {3, 4} }``."""
    if values.size > _LARGEST_CONSTANT:
        return "{...}"
    if values.ndim == 0:
        return _scalar(values[()])
    return "{" + ", ".join(literal(row) for row in values) + "}"


def _scalar(value):
    if isinstance(value, np.bool_):
        return "true" if value else "false"
    if isinstance(value, np.complexfloating):
        return f"({_scalar(value.real)}, {_scalar(value.imag)})"
    if isinstance(value, np.integer):
        return str(int(value))
    digits = 17 if isinstance(value, np.float64) else 9
    return f"{float(value):.{digits}g}"


def values_of(attribute: Any, element: Any) -> np.ndarray:
    """The elements of a dense attribute of this element type."""
    values = np.asarray(attribute)
    return values.astype(bool) if str(element) == "i1" else values
