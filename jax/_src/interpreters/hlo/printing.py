"""The text form of HLO programs, from their protocol buffers.

The form is the one that XLA's tools print and parse: a header, then computations, those
that are called before those that call them, one instruction per line.
"""

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from jax._src.core import hlo_sharding
from jax._src.interpreters.hlo import literals
from jax._src.interpreters.hlo.messages import Message


@dataclasses.dataclass(frozen=True, slots=True)
class PrintOptions:
    """What the text of a program shows.

    Attributes:
        has_percent: names are marked ``%`` and computations show their signatures.
        has_metadata: instructions name the operation and source line that they come from.
        has_whole_constants: constants of more than ten elements are written out.
    """

    has_percent: bool = False
    has_metadata: bool = False
    has_whole_constants: bool = False


def module_text(
    module: Message, options: PrintOptions, partition_count: int = 1
) -> str:
    """The text of a whole program.

    Args:
        module: an `HloModuleProto`.
        options: what the text shows.
        partition_count: the number of devices that the program is partitioned for.
    """
    return _Printer(module, options).text(partition_count)


def braces(numbers: Iterable[Any]) -> str:
    """Numbers as HLO writes a list of them: ``{0,1}``."""
    return "{" + ",".join(str(n) for n in numbers) + "}"


class _Printer:
    """Prints the computations of one module."""

    def __init__(self, module: Message, options: PrintOptions):
        self.module = module
        self.options = options
        self.mark = "%" if options.has_percent else ""
        computations = module.get("computations", [])
        self.computations = {c.get("id", 0): c.get("name", "") for c in computations}
        self.schedule = {
            entry.get("key", 0): entry.get("value", {}).get("instruction_ids", [])
            for entry in module.get("schedule", {}).get("sequences", [])
        }

    def text(self, partition_count: int) -> str:
        """The header and all computations."""
        parts = [self.header(partition_count)]
        if self.options.has_metadata:
            parts += _frame_tables(self.module.get("stack_frame_index", {}))
        entry = self.module.get("entry_computation_id")
        for computation in self.module.get("computations", []):
            is_entry = computation.get("id", 0) == entry
            parts.append(self.computation(computation, is_entry))
        return "\n\n".join(parts) + "\n"

    def header(self, partition_count: int) -> str:
        """The line of the module itself."""
        module = self.module
        parts = [f"HloModule {module.get('name', '')}"]
        if module.get("schedule"):
            parts.append("is_scheduled=true")
        aliases = module.get("input_output_alias", {}).get("entries", [])
        if aliases:
            parts.append(f"input_output_alias={{ {', '.join(map(_alias, aliases))} }}")
        shape = module.get("host_program_shape", {})
        parts.append(f"entry_computation_layout={{{_signature(shape)}}}")
        if partition_count > 1:
            parts.append(f"num_partitions={partition_count}")
        parts += _frontend_attributes(module)
        return ", ".join(parts)

    def computation(self, computation: Message, is_entry: bool) -> str:
        """One computation with its instructions."""
        label = ("ENTRY " if is_entry else "") + self.mark + computation.get("name", "")
        if self.options.has_percent:
            label += " " + named_signature(computation.get("program_shape", {}))
        instructions = computation.get("instructions", [])
        order = self.schedule.get(computation.get("id", 0), [])
        by_id = {i.get("id", 0): i for i in instructions}
        if len(order) == len(by_id) and all(i in by_id for i in order):
            instructions = [by_id[i] for i in order]
        names = {i.get("id", 0): i.get("name", "") for i in instructions}
        root = computation.get("root_id", 0)
        lines = [f"{label} {{"]
        for instruction in instructions:
            start = "  ROOT " if instruction.get("id", 0) == root else "  "
            lines.append(start + self.instruction(instruction, names))
        return "\n".join([*lines, "}"])

    def instruction(self, instruction: Message, names: dict[int, str]) -> str:
        """The line of one instruction, without its mark as root."""
        opcode = instruction.get("opcode", "")
        if opcode == "parameter":
            operands = str(instruction.get("parameter_number", 0))
        elif opcode == "constant":
            operands = self.constant(instruction)
        else:
            operands = ", ".join(
                self.mark + names.get(i, str(i))
                for i in instruction.get("operand_ids", [])
            )
        shape = literals.shape_text(instruction.get("shape", {}))
        name = self.mark + instruction.get("name", "")
        parts = [f"{name} = {shape} {opcode}({operands})"]
        if opcode in _ATTRIBUTES:
            parts += _ATTRIBUTES[opcode](instruction)
        parts += self.called(instruction, opcode)
        if "sharding" in instruction:
            parts.append(f"sharding={_sharding(instruction['sharding'])}")
        parts += _frontend_attributes(instruction)
        if before := instruction.get("control_predecessor_ids"):
            listed = ", ".join(self.mark + names.get(i, str(i)) for i in before)
            parts.append(f"control-predecessors={{{listed}}}")
        if self.options.has_metadata:
            parts += _metadata(instruction.get("metadata", {}))
        parts += _backend_config(instruction)
        return ", ".join(parts)

    def constant(self, instruction: Message) -> str:
        """The value of a constant."""
        literal = instruction.get("literal")
        values = None if literal is None else literals.values_of(literal)
        return literals.literal_text(values, self.options.has_whole_constants)

    def called(self, instruction: Message, opcode: str) -> list[str]:
        """The computations that an instruction calls, by their roles."""
        ids = instruction.get("called_computation_ids", [])
        names = [self.mark + self.computations.get(i, str(i)) for i in ids]
        if not names:
            return []
        if opcode == "conditional":
            return self._branches(names, instruction)
        if opcode == "while" and len(names) == 2:
            return [f"condition={names[1]}", f"body={names[0]}"]
        if opcode == "select-and-scatter" and len(names) == 2:
            return [f"select={names[0]}", f"scatter={names[1]}"]
        if len(names) > 1 or opcode == "custom-call":
            return [f"called_computations={{{', '.join(names)}}}"]
        return [f"{'calls' if opcode in _CALLS else 'to_apply'}={names[0]}"]

    def _branches(self, names, instruction):
        if instruction.get("is_predicated"):
            return [f"true_computation={names[0]}", f"false_computation={names[1]}"]
        return [f"branch_computations={{{', '.join(names)}}}"]


_CALLS = ("fusion", "async-start", "async-update", "async-done")


def _alias(entry):
    output = braces(entry.get("output_shape_index", []))
    index = braces(entry.get("parameter_shape_index", []))
    kind = "must-alias" if entry.get("kind") == 2 else "may-alias"
    return f"{output}: ({entry.get('parameter_number', 0)}, {index}, {kind})"


def _signature(shape):
    parameters = ", ".join(map(literals.shape_text, shape.get("parameters", [])))
    return f"({parameters})->{literals.shape_text(shape.get('result', {}))}"


def named_signature(shape):
    pairs = zip(
        shape.get("parameter_names", []), shape.get("parameters", []), strict=False
    )
    parameters = ", ".join(
        f"{name}: {literals.shape_text(part, False)}" for name, part in pairs
    )
    return f"({parameters}) -> {literals.shape_text(shape.get('result', {}), False)}"


def _frame_tables(index):
    """The tables of source lines that instructions refer to by number."""
    if not index:
        return []
    locations = [
        f"{{file_name_id={f.get('file_name_id', 0)} function_name_id={f.get('function_name_id', 0)}"
        f" line={f.get('line', 0)} end_line={f.get('end_line', 0)}"
        f" column={f.get('column', 0)} end_column={f.get('end_column', 0)}}}"
        for f in index.get("file_locations", [])
    ]
    frames = [
        f"{{file_location_id={f.get('file_location_id', 0)}"
        f" parent_frame_id={f.get('parent_frame_id', 0) + 1}}}"
        for f in index.get("stack_frames", [])
    ]
    tables = (
        ("FileNames", [f'"{name}"' for name in index.get("file_names", [])]),
        ("FunctionNames", [f'"{name}"' for name in index.get("function_names", [])]),
        ("FileLocations", locations),
        ("StackFrames", frames),
    )
    return [
        "\n".join([head, *(f"{i} {line}" for i, line in enumerate(lines, 1))])
        for head, lines in tables
    ] + [""]


def _escaped(text):
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _frontend_attributes(message):
    entries = message.get("frontend_attributes", {}).get("map", [])
    if not entries:
        return []
    pairs = []
    for entry in sorted(entries, key=lambda e: e.get("key", "")):
        value = entry.get("value", "")
        # A dictionary is written as it is, everything else as a text.
        shown = value if value[:1] == "{" else f'"{_escaped(value)}"'
        pairs.append(f"{entry.get('key', '')}={shown}")
    return [f"frontend_attributes={{{','.join(pairs)}}}"]


def _sharding(data):
    return str(hlo_sharding.from_bytes(data))


def _metadata(metadata):
    parts = [
        f'{name}="{_escaped(metadata[field])}"'
        for name, field in (("op_type", "op_type"), ("op_name", "op_name"))
        if metadata.get(field)
    ]
    if metadata.get("source_file"):
        parts.append(f'source_file="{_escaped(metadata["source_file"])}"')
    parts += [
        f"{field}={metadata[field]}"
        for field in (
            "source_line",
            "source_end_line",
            "source_column",
            "source_end_column",
            "stack_frame_id",
        )
        if metadata.get(field)
    ]
    return [f"metadata={{{' '.join(parts)}}}"] if parts else []


def _backend_config(instruction):
    text = instruction.get("backend_config", b"").decode("utf-8", "replace")
    if not text:
        return []
    shown = text if text.startswith("{") else f'"{_escaped(text)}"'
    return [f"backend_config={shown}"]


# What follows the operands of an instruction, by opcode.

Attributes = Callable[[Message], list[str]]


def _listed(*names: str) -> Attributes:
    """Lists of numbers that are written where they have elements."""

    def write(instruction):
        return [f"{n}={braces(instruction[n])}" for n in names if instruction.get(n)]

    return write


def _flags(*names: str) -> Attributes:
    """Truth values that are written where they hold."""
    return lambda instruction: [f"{n}=true" for n in names if instruction.get(n)]


def _numbered(*names: str) -> Attributes:
    """Numbers that are always written."""
    return lambda instruction: [f"{n}={instruction.get(n, 0)}" for n in names]


def _joined(*parts: Attributes) -> Attributes:
    return lambda instruction: [text for part in parts for text in part(instruction)]


def _dimensions(instruction):
    return [f"dimensions={braces(instruction.get('dimensions', []))}"]


def _iota(instruction):
    (dimension,) = instruction.get("dimensions", [0])
    return [f"iota_dimension={dimension}"]


def _slice(instruction):
    parts = []
    for d in instruction.get("slice_dimensions", []):
        step = d.get("stride", 1)
        end = f":{step}" if step != 1 else ""
        parts.append(f"[{d.get('start', 0)}:{d.get('limit', 0)}{end}]")
    return [f"slice={{{', '.join(parts)}}}"]


def _padding(instruction):
    parts = []
    for d in instruction.get("padding_config", {}).get("dimensions", []):
        inner = d.get("interior_padding", 0)
        ends = f"{d.get('edge_padding_low', 0)}_{d.get('edge_padding_high', 0)}"
        parts.append(ends + (f"_{inner}" if inner else ""))
    return [f"padding={'x'.join(parts)}"]


_DEFAULT_COMPARISONS = {"", "FLOAT", "SIGNED", "UNSIGNED"}


def _compare(instruction):
    parts = [f"direction={instruction.get('comparison_direction', '')}"]
    kind = instruction.get("comparison_type", "")
    return parts if kind in _DEFAULT_COMPARISONS else [*parts, f"type={kind}"]


_PRECISIONS = ("default", "high", "highest", "packed_nibble")
_ALGORITHMS = (
    "unset any_f8_any_f8_f32 any_f8_any_f8_f32_fast_accum f16_f16_f16 f16_f16_f32 "
    "bf16_bf16_bf16 bf16_bf16_f32 bf16_bf16_f32_x3 bf16_bf16_f32_x6 tf32_tf32_f32 "
    "tf32_tf32_f32_x3 f32_f32_f32 f64_f64_f64 bf16_bf16_f32_x9 any_any_any"
).split()


def _precision(instruction):
    config = instruction.get("precision_config", {})
    names = [_PRECISIONS[p] for p in config.get("operand_precision", [])]
    parts = []
    if any(name != "default" for name in names):
        parts.append(f"operand_precision={braces(names)}")
    if algorithm := config.get("algorithm", 0):
        known = algorithm < len(_ALGORITHMS)
        name = _ALGORITHMS[algorithm] if known else str(algorithm)
        parts.append(f"algorithm=dot_{name}")
    return parts


def _dot(instruction):
    dims = instruction.get("dot_dimension_numbers", {})
    parts = [
        f"{label}={braces(dims[field])}"
        for label, field in (
            ("lhs_batch_dims", "lhs_batch_dimensions"),
            ("lhs_contracting_dims", "lhs_contracting_dimensions"),
            ("rhs_batch_dims", "rhs_batch_dimensions"),
            ("rhs_contracting_dims", "rhs_contracting_dimensions"),
        )
        if dims.get(field)
    ]
    return parts + _precision(instruction)


def _window(instruction):
    dims = instruction.get("window", {}).get("dimensions", [])
    if not dims:
        return []

    def row(field, default):
        return [d.get(field, default) for d in dims]

    def joined(values):
        return "x".join(str(int(v)) for v in values)

    parts = [f"size={joined(row('size', 0))}"]
    if any(n != 1 for n in row("stride", 1)):
        parts.append(f"stride={joined(row('stride', 1))}")
    pads = list(zip(row("padding_low", 0), row("padding_high", 0), strict=True))
    if np.any(pads):
        parts.append("pad=" + "x".join(f"{low}_{high}" for low, high in pads))
    for field, label in (
        ("base_dilation", "lhs_dilate"),
        ("window_dilation", "rhs_dilate"),
    ):
        if any(n != 1 for n in row(field, 1)):
            parts.append(f"{label}={joined(row(field, 1))}")
    if any(row("window_reversal", False)):
        parts.append(f"rhs_reversal={joined(row('window_reversal', False))}")
    return [f"window={{{' '.join(parts)}}}"]


def _labels(first: int, second: int, spatial: Sequence[int], letters: str) -> str:
    found = {first: letters[0], second: letters[1]}
    found |= {axis: str(number) for number, axis in enumerate(spatial)}
    return "".join(found[axis] for axis in sorted(found))


def _dimension_labels(instruction):
    d = instruction.get("convolution_dimension_numbers")
    if d is None:
        return []
    lhs = _labels(
        d.get("input_batch_dimension", 0),
        d.get("input_feature_dimension", 0),
        d.get("input_spatial_dimensions", []),
        "bf",
    )
    rhs = _labels(
        d.get("kernel_input_feature_dimension", 0),
        d.get("kernel_output_feature_dimension", 0),
        d.get("kernel_spatial_dimensions", []),
        "io",
    )
    out = _labels(
        d.get("output_batch_dimension", 0),
        d.get("output_feature_dimension", 0),
        d.get("output_spatial_dimensions", []),
        "bf",
    )
    return [f"dim_labels={lhs}_{rhs}->{out}"]


def _groups(instruction):
    return [
        f"{name}={instruction[name]}"
        for name in ("feature_group_count", "batch_group_count")
        if instruction.get(name, 1) != 1
    ]


def _of_gather(instruction):
    d = instruction.get("gather_dimension_numbers", {})
    parts = _always(d, "offset_dims", "collapsed_slice_dims", "start_index_map")
    parts += _listed("operand_batching_dims", "start_indices_batching_dims")(d)
    parts.append(f"index_vector_dim={d.get('index_vector_dim', 0)}")
    parts.append(f"slice_sizes={braces(instruction.get('gather_slice_sizes', []))}")
    return parts + _flags("indices_are_sorted")(instruction)


def _of_scatter(instruction):
    d = instruction.get("scatter_dimension_numbers", {})
    parts = _always(
        d, "update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims"
    )
    parts += _listed("input_batching_dims", "scatter_indices_batching_dims")(d)
    parts.append(f"index_vector_dim={d.get('index_vector_dim', 0)}")
    return parts + _flags("indices_are_sorted", "unique_indices")(instruction)


def _always(message, *names):
    return [f"{name}={braces(message.get(name, []))}" for name in names]


def _channel(instruction):
    channel = instruction.get("channel_id", 0)
    return [f"channel_id={channel}"] if channel else []


def _replica_groups(instruction):
    devices = instruction.get("collective_device_list", {})
    iota = devices.get("iota_replica_group_list")
    if iota is not None:
        tiles = f"{iota.get('num_replica_groups', 0)},{iota.get('num_devices_per_group', 0)}"
        order = iota.get("iota_transpose_perm", [])
        turned = f"T({','.join(map(str, order))})" if len(order) > 1 else ""
        reshaped = ",".join(map(str, iota.get("iota_reshape_dims", [])))
        return [f"replica_groups=[{tiles}]<=[{reshaped}]{turned}"]
    groups = devices.get("replica_groups") or instruction.get("replica_groups", [])
    listed = ",".join(braces(group.get("replica_ids", [])) for group in groups)
    return [f"replica_groups={{{listed}}}"]


def _collective(*more: Attributes) -> Attributes:
    return _joined(_channel, _replica_groups, _flags("constrain_layout"), *more)


def _pairs(instruction):
    pairs = instruction.get("source_target_pairs", [])
    listed = ",".join(braces((p.get("source", 0), p.get("target", 0))) for p in pairs)
    return [f"source_target_pairs={{{listed}}}"]


_FFT_TYPES = ("FFT", "IFFT", "RFFT", "IRFFT")
_TRANSPOSES = ("TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT")
_RNG_ALGORITHMS = ("rng_default", "rng_three_fry", "rng_philox")
_API_VERSIONS = (
    "API_VERSION_UNSPECIFIED API_VERSION_ORIGINAL API_VERSION_STATUS_RETURNING "
    "API_VERSION_STATUS_RETURNING_UNIFIED API_VERSION_TYPED_FFI"
).split()


def _fft(instruction):
    kind = _FFT_TYPES[instruction.get("fft_type", 0)]
    return [
        f"fft_type={kind}",
        f"fft_length={braces(instruction.get('fft_length', []))}",
    ]


def _triangular_solve(instruction):
    options = instruction.get("triangular_solve_options", {})
    parts = _flags("left_side", "lower", "unit_diagonal")(options)
    return [*parts, f"transpose_a={_TRANSPOSES[options.get('transpose_a', 0)]}"]


def _cholesky(instruction):
    return _flags("lower")(instruction.get("cholesky_options", {}))


def _rng_bit_generator(instruction):
    return [f"algorithm={_RNG_ALGORITHMS[instruction.get('rng_algorithm', 0)]}"]


def _custom_call(instruction):
    parts = [
        f'custom_call_target="{_escaped(instruction.get("custom_call_target", ""))}"'
    ]
    parts += (
        _window(instruction) + _dimension_labels(instruction) + _groups(instruction)
    )
    if instruction.get("constrain_layout"):
        shapes = map(
            literals.shape_text, instruction.get("operand_shapes_with_layout", [])
        )
        parts.append(f"operand_layout_constraints={{{', '.join(shapes)}}}")
    parts += _flags("custom_call_has_side_effect")(instruction)
    if aliases := instruction.get("output_operand_aliasing"):
        listed = ", ".join(
            f"{braces(a.get('output_shape_index', []))}: "
            f"({a.get('operand_index', 0)}, {braces(a.get('operand_shape_index', []))})"
            for a in aliases
        )
        parts.append(f"output_to_operand_aliasing={{{listed}}}")
    version = instruction.get("custom_call_api_version", 0)
    if version > 1 and version < len(_API_VERSIONS):
        parts.append(f"api_version={_API_VERSIONS[version]}")
    return parts


def _fusion(instruction):
    kind = instruction.get("fusion_kind", "")
    return [f"kind={kind}"] if kind else []


def _index(instruction):
    return [f"index={instruction.get('tuple_index', 0)}"]


def _infeed(instruction):
    config = instruction.get("infeed_config") or instruction.get("outfeed_config", b"")
    if not config:
        return []
    name = instruction["opcode"] + "_config"
    return [f'{name}="{_escaped(config.decode("utf-8", "replace"))}"']


def _topk(instruction):
    largest = "true" if instruction.get("largest") else "false"
    return [f"k={instruction.get('k', 0)}", f"largest={largest}"]


_TRANSFER = _joined(_channel, _flags("is_host_transfer"))

_ATTRIBUTES: dict[str, Attributes] = {
    "all-gather": _collective(_dimensions, _flags("use_global_device_ids")),
    "all-reduce": _collective(_flags("use_global_device_ids")),
    "all-to-all": _collective(_listed("dimensions")),
    "broadcast": _dimensions,
    "call": _flags("is_composite"),
    "cholesky": _cholesky,
    "collective-broadcast": _collective(),
    "collective-permute": _joined(_channel, _pairs),
    "compare": _compare,
    "concatenate": _dimensions,
    "convolution": _joined(_window, _dimension_labels, _groups, _precision),
    "custom-call": _custom_call,
    "dot": _dot,
    "dynamic-slice": _listed("dynamic_slice_sizes"),
    "fft": _fft,
    "fusion": _fusion,
    "gather": _of_gather,
    "get-dimension-size": _dimensions,
    "get-tuple-element": _index,
    "infeed": _infeed,
    "iota": _iota,
    "map": _dimensions,
    "outfeed": _infeed,
    "pad": _padding,
    "ragged-all-to-all": _collective(),
    "recv": _TRANSFER,
    "recv-done": _TRANSFER,
    "reduce": _dimensions,
    "reduce-precision": _numbered("exponent_bits", "mantissa_bits"),
    "reduce-scatter": _collective(_flags("use_global_device_ids"), _dimensions),
    "reduce-window": _window,
    "reverse": _dimensions,
    "rng-bit-generator": _rng_bit_generator,
    "scatter": _of_scatter,
    "select-and-scatter": _window,
    "send": _TRANSFER,
    "send-done": _TRANSFER,
    "set-dimension-size": _dimensions,
    "slice": _slice,
    "sort": _joined(_dimensions, _flags("is_stable")),
    "topk": _topk,
    "transpose": _dimensions,
    "triangular-solve": _triangular_solve,
}
