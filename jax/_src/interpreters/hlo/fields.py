"""StableHLO's operations as HLO instructions: opcodes, and the fields of their attributes.

Source: XLA's page on operation semantics, and the instructions that released compilers
make of StableHLO modules.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src.interpreters.hlo.messages import Message

Attributes = dict[str, Any]

_ELEMENT_NAMES = {
    "i1": "pred",
    "bf16": "bf16",
    "f16": "f16",
    "f32": "f32",
    "f64": "f64",
    "complex<f32>": "c64",
    "complex<f64>": "c128",
}


def element_name(element: Any) -> str:
    """HLO's name of an MLIR element type: ``s32`` of ``i32``, ``pred`` of ``i1``."""
    text = str(element)
    if text in _ELEMENT_NAMES:
        return _ELEMENT_NAMES[text]
    if text.startswith("ui"):
        return "u" + text[2:]
    if text.startswith("i"):
        return "s" + text[1:]
    return text.lower()


def numbers(attribute: Any) -> list[int]:
    """The elements of an array of integers."""
    return [int(n) for n in attribute]


def _flag(a: Attributes, name: str) -> bool:
    # A unit attribute holds by being there.
    return name in a and bool(getattr(a[name], "value", True))


def _flags(a: Attributes, *names: str) -> Message:
    return {name: True for name in names if _flag(a, name)}


def _int(a: Attributes, name: str) -> int:
    return int(a[name].value)


def _nothing(op: Any) -> Message:
    return {}


def _dimensions(key: str) -> Callable[[Any], Message]:
    return lambda op: {"dimensions": numbers(op.attributes[key])}


def _dimension(key: str) -> Callable[[Any], Message]:
    return lambda op: {"dimensions": [_int(op.attributes, key)]}


def _slice(op):
    a = op.attributes
    parts = zip(
        numbers(a["start_indices"]),
        numbers(a["limit_indices"]),
        numbers(a["strides"]),
        strict=True,
    )
    rows = [{"start": s, "limit": e, "stride": k} for s, e, k in parts]
    return {"slice_dimensions": rows}


def _pad(op):
    names = ("edge_padding_low", "edge_padding_high", "interior_padding")
    columns = (numbers(op.attributes[name]) for name in names)
    rows = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    return {"padding_config": {"dimensions": rows}}


def _compare(op):
    a = op.attributes
    found = {"comparison_direction": a["comparison_direction"].value}
    kind = a["compare_type"].value if "compare_type" in a else "NOTYPE"
    if kind == "NOTYPE":
        # HLO always names the order; its default follows from the element type.
        element = element_name(op.operands[0].type.element_type)
        kinds = {"s": "SIGNED", "u": "UNSIGNED", "p": "UNSIGNED"}
        kind = kinds.get(element[0], "FLOAT")
    return {**found, "comparison_type": kind}


_PRECISIONS = {"DEFAULT": 0, "HIGH": 1, "HIGHEST": 2}


def _precision(a):
    if "precision_config" not in a:
        return {}
    names = [_PRECISIONS[p.value] for p in a["precision_config"]]
    return {"precision_config": {"operand_precision": names}}


def _dot(op):
    dims = op.attributes["dot_dimension_numbers"]
    found = {
        "lhs_batch_dimensions": numbers(dims.lhs_batching_dimensions),
        "lhs_contracting_dimensions": numbers(dims.lhs_contracting_dimensions),
        "rhs_batch_dimensions": numbers(dims.rhs_batching_dimensions),
        "rhs_contracting_dimensions": numbers(dims.rhs_contracting_dimensions),
    }
    return {"dot_dimension_numbers": found, **_precision(op.attributes)}


def _gather(op):
    a = op.attributes
    dims = a["dimension_numbers"]
    found = {
        name: numbers(getattr(dims, name))
        for name in (
            "offset_dims",
            "collapsed_slice_dims",
            "start_index_map",
            "operand_batching_dims",
            "start_indices_batching_dims",
        )
    }
    found["index_vector_dim"] = int(dims.index_vector_dim)
    return {
        "gather_dimension_numbers": found,
        "gather_slice_sizes": numbers(a["slice_sizes"]),
        **_flags(a, "indices_are_sorted"),
    }


def _scatter(op):
    a = op.attributes
    dims = a["scatter_dimension_numbers"]
    found = {
        "update_window_dims": numbers(dims.update_window_dims),
        "inserted_window_dims": numbers(dims.inserted_window_dims),
        "scatter_dims_to_operand_dims": numbers(dims.scattered_dims_to_operand_dims),
        "input_batching_dims": numbers(dims.input_batching_dims),
        "scatter_indices_batching_dims": numbers(dims.scatter_indices_batching_dims),
        "index_vector_dim": int(dims.index_vector_dim),
    }
    return {
        "scatter_dimension_numbers": found,
        **_flags(a, "indices_are_sorted", "unique_indices"),
    }


def _window(
    sizes: Sequence[int],
    a: Attributes,
    strides: str,
    base_dilations: str,
    window_dilations: str,
) -> Message:
    """A `Window`.

    Args:
        sizes: of the window.
        a: the operation's attributes.
        strides: the attribute that holds the strides.
        base_dilations: the attribute of the operand's dilations.
        window_dilations: the attribute of the window's dilations.
    """
    count = len(sizes)

    def listed(name, default=1):
        return numbers(a[name]) if name in a else [default] * count

    pads = np.zeros((count, 2), int)
    if "padding" in a:
        pads = np.asarray(a["padding"]).reshape(count, 2)
    rows = zip(
        sizes,
        listed(strides),
        pads.tolist(),
        listed(window_dilations),
        listed(base_dilations),
        listed("window_reversal", 0),
        strict=True,
    )
    found = [
        {
            "size": int(size),
            "stride": stride,
            "padding_low": low,
            "padding_high": high,
            "window_dilation": wide,
            "base_dilation": base,
            "window_reversal": bool(is_reversed),
        }
        for size, stride, (low, high), wide, base, is_reversed in rows
    ]
    return {"dimensions": found}


def _convolution(op):
    a = op.attributes
    d = a["dimension_numbers"]
    names = {
        "input_batch_dimension": int(d.input_batch_dimension),
        "input_feature_dimension": int(d.input_feature_dimension),
        "input_spatial_dimensions": numbers(d.input_spatial_dimensions),
        "kernel_input_feature_dimension": int(d.kernel_input_feature_dimension),
        "kernel_output_feature_dimension": int(d.kernel_output_feature_dimension),
        "kernel_spatial_dimensions": numbers(d.kernel_spatial_dimensions),
        "output_batch_dimension": int(d.output_batch_dimension),
        "output_feature_dimension": int(d.output_feature_dimension),
        "output_spatial_dimensions": numbers(d.output_spatial_dimensions),
    }
    kernel = op.operands[1].type.shape
    sizes = [int(kernel[axis]) for axis in d.kernel_spatial_dimensions]
    return {
        "window": _window(sizes, a, "window_strides", "lhs_dilation", "rhs_dilation"),
        "convolution_dimension_numbers": names,
        "feature_group_count": _int(a, "feature_group_count"),
        "batch_group_count": _int(a, "batch_group_count"),
        **_precision(a),
    }


def _reduce_window(op):
    a = op.attributes
    sizes = numbers(a["window_dimensions"])
    window = _window(sizes, a, "window_strides", "base_dilations", "window_dilations")
    return {"window": window}


def _select_and_scatter(op):
    a = op.attributes
    sizes = numbers(a["window_dimensions"])
    return {"window": _window(sizes, a, "window_strides", "", "")}


def _sort(op):
    return {**_dimension("dimension")(op), **_flags(op.attributes, "is_stable")}


_FFT_TYPES = {"FFT": 0, "IFFT": 1, "RFFT": 2, "IRFFT": 3}


def _fft(op):
    a = op.attributes
    kind = _FFT_TYPES[a["fft_type"].value]
    return {"fft_type": kind, "fft_length": numbers(a["fft_length"])}


_TRANSPOSES = {"NO_TRANSPOSE": 1, "TRANSPOSE": 2, "ADJOINT": 3}


def _triangular_solve(op):
    a = op.attributes
    options = _flags(a, "left_side", "lower", "unit_diagonal")
    options["transpose_a"] = _TRANSPOSES[a["transpose_a"].value]
    return {"triangular_solve_options": options}


_RNG_ALGORITHMS = {"DEFAULT": 0, "THREE_FRY": 1, "PHILOX": 2}


def _rng_bit_generator(op):
    name = op.attributes["rng_algorithm"].value
    return {"rng_algorithm": _RNG_ALGORITHMS[name]}


def _custom_call(op):
    a = op.attributes
    found: Message = {
        "custom_call_target": a["call_target_name"].value,
        "custom_call_api_version": _int(a, "api_version") if "api_version" in a else 1,
    }
    if _flag(a, "has_side_effect"):
        found["custom_call_has_side_effect"] = True
    config = a.get("backend_config") if hasattr(a, "get") else None
    if config is None and "backend_config" in a:
        config = a["backend_config"]
    if config is not None:
        text = getattr(config, "value", None)
        text = text if isinstance(text, str) else str(config)
        found["backend_config"] = text.encode("utf-8", "surrogateescape")
    aliases = a["output_operand_aliases"] if "output_operand_aliases" in a else ()
    listed = [
        {
            "output_shape_index": numbers(alias.output_tuple_indices),
            "operand_index": int(alias.operand_index),
            "operand_shape_index": numbers(alias.operand_tuple_indices),
        }
        for alias in aliases
    ]
    return {**found, "output_operand_aliasing": listed} if listed else found


def _channel(a):
    return (
        {"channel_id": int(a["channel_handle"].handle)} if "channel_handle" in a else {}
    )


def _groups(a):
    # Groups of different sizes are filled up with -1.
    groups = np.asarray(a["replica_groups"]).tolist()
    rows = [{"replica_ids": [i for i in group if i >= 0]} for group in groups]
    return {"replica_groups": rows, **_channel(a)}


def _all_reduce(op):
    return {**_groups(op.attributes), **_flags(op.attributes, "use_global_device_ids")}


def _all_gather(op):
    return {**_all_reduce(op), **_dimension("all_gather_dim")(op)}


def _reduce_scatter(op):
    return {**_all_reduce(op), **_dimension("scatter_dimension")(op)}


def _collective_broadcast(op):
    return _groups(op.attributes)


def _collective_permute(op):
    pairs = np.asarray(op.attributes["source_target_pairs"]).tolist()
    rows = [{"source": s, "target": t} for s, t in pairs]
    return {"source_target_pairs": rows, **_channel(op.attributes)}


def _transfer(op):
    found = _channel(op.attributes)
    return (
        {**found, "is_host_transfer": True}
        if _flag(op.attributes, "is_host_transfer")
        else found
    )


def _batch_norm(op):
    a = op.attributes
    return {
        "epsilon": float(a["epsilon"].value),
        "feature_index": _int(a, "feature_index"),
    }


def _reduce_precision(op):
    a = op.attributes
    return {name: _int(a, name) for name in ("exponent_bits", "mantissa_bits")}


def _top_k(op):
    return {"k": _int(op.attributes, "k"), "largest": True}


# StableHLO's name -> HLO's opcode, and the fields of its attributes.
Row = tuple[str, Callable[[Any], Message]]

_SAME_NAME = """
    abs add and atan2 cbrt ceil clamp complex convert divide erf floor imag maximum minimum
    multiply negate not or popcnt power real remainder reshape rsqrt select sign sqrt
    subtract tan tanh xor acos acosh asin asinh atanh cosh sinh after_all cosine
    count_leading_zeros dynamic_update_slice exponential exponential_minus_one is_finite log
    log_plus_one logistic partition_id replica_id round_nearest_afz round_nearest_even
    shift_left shift_right_arithmetic shift_right_logical sine bitcast_convert tuple
""".split()

OPCODES: dict[str, Row] = {
    **{name: (name.replace("_", "-"), _nothing) for name in _SAME_NAME},
    "all_gather": ("all-gather", _all_gather),
    "all_reduce": ("all-reduce", _all_reduce),
    "batch_norm_grad": ("batch-norm-grad", _batch_norm),
    "batch_norm_inference": ("batch-norm-inference", _batch_norm),
    "batch_norm_training": ("batch-norm-training", _batch_norm),
    "cholesky": (
        "cholesky",
        lambda op: {"cholesky_options": _flags(op.attributes, "lower")},
    ),
    "collective_broadcast": ("collective-broadcast", _collective_broadcast),
    "collective_permute": ("collective-permute", _collective_permute),
    "compare": ("compare", _compare),
    "concatenate": ("concatenate", _dimension("dimension")),
    "convolution": ("convolution", _convolution),
    "create_token": ("after-all", _nothing),
    "custom_call": ("custom-call", _custom_call),
    "dot_general": ("dot", _dot),
    "dynamic_slice": (
        "dynamic-slice",
        lambda op: {"dynamic_slice_sizes": numbers(op.attributes["slice_sizes"])},
    ),
    "fft": ("fft", _fft),
    "gather": ("gather", _gather),
    "get_dimension_size": ("get-dimension-size", _dimension("dimension")),
    "get_tuple_element": (
        "get-tuple-element",
        lambda op: {"tuple_index": _int(op.attributes, "index")},
    ),
    "iota": ("iota", _dimension("iota_dimension")),
    "map": ("map", _dimensions("dimensions")),
    "pad": ("pad", _pad),
    "reduce": ("reduce", _dimensions("dimensions")),
    "reduce_precision": ("reduce-precision", _reduce_precision),
    "reduce_scatter": ("reduce-scatter", _reduce_scatter),
    "reduce_window": ("reduce-window", _reduce_window),
    "reverse": ("reverse", _dimensions("dimensions")),
    "rng_bit_generator": ("rng-bit-generator", _rng_bit_generator),
    "scatter": ("scatter", _scatter),
    "select_and_scatter": ("select-and-scatter", _select_and_scatter),
    "slice": ("slice", _slice),
    "sort": ("sort", _sort),
    "top_k": ("topk", _top_k),
    "transpose": ("transpose", _dimensions("permutation")),
    "triangular_solve": ("triangular-solve", _triangular_solve),
}


def all_to_all(op: Any) -> Message:
    """The fields of an all-to-all along one dimension."""
    a = op.attributes
    return {**_groups(a), "dimensions": [_int(a, "split_dimension")]}


def values_of(attribute: Any, element: Any) -> np.ndarray:
    """The elements of a dense attribute of this element type."""
    values = np.asarray(attribute)
    return values.astype(bool) if str(element) == "i1" else values
