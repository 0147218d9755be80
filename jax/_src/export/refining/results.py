"""The shapes of results that follow from those of operands."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from jax._src.interpreters import mlir

ir = mlir.ir

Shape = list[int]


def _field(text: str, name: str) -> list[int]:
    """A list of numbers in the text of an attribute."""
    found = re.search(rf"\b{name} = \[([^\]]*)\]", text)
    return [int(n) for n in found[1].split(",") if n.strip()] if found else []


def _numbers(op, name):
    return list(op.attributes[name])


def _transpose(op, x):
    return [x[axis] for axis in _numbers(op, "permutation")]


def _slice(op, x):
    parts = (_numbers(op, n) for n in ("start_indices", "limit_indices", "strides"))
    return [-(-(end - start) // step) for start, end, step in zip(*parts, strict=True)]


def _concatenate(op, *shapes):
    axis = op.attributes["dimension"].value
    out = list(shapes[0])
    out[axis] = sum(shape[axis] for shape in shapes)
    return out


def padded(
    x: Shape, low: Sequence[int], high: Sequence[int], interior: Sequence[int]
) -> Shape:
    """The shape of a padded array."""
    return [
        n + before + after + max(n - 1, 0) * between
        for n, before, after, between in zip(x, low, high, interior, strict=True)
    ]


def _pad(op, x, _):
    names = ("edge_padding_low", "edge_padding_high", "interior_padding")
    return padded(x, *(_numbers(op, name) for name in names))


def _reduce(op, *shapes):
    axes = _numbers(op, "dimensions")
    return [n for axis, n in enumerate(shapes[0]) if axis not in axes]


def _dot_general(op, x, y):
    text = str(op.attributes["dot_dimension_numbers"])
    get = lambda name: _field(text, name)  # noqa: E731
    batch = get("lhs_batching_dimensions")
    used_x = {*batch, *get("lhs_contracting_dimensions")}
    used_y = {*get("rhs_batching_dimensions"), *get("rhs_contracting_dimensions")}
    return [
        *(x[axis] for axis in batch),
        *(n for axis, n in enumerate(x) if axis not in used_x),
        *(n for axis, n in enumerate(y) if axis not in used_y),
    ]


def gathered(op: Any, indices: Shape, sizes: Sequence[int]) -> Shape:
    """The shape of a gather."""
    text = str(op.attributes["dimension_numbers"])
    offset = _field(text, "offset_dims")
    gone = {
        *_field(text, "collapsed_slice_dims"),
        *_field(text, "operand_batching_dims"),
    }
    found = re.search(r"index_vector_dim = (\d+)", text)
    vector = int(found[1]) if found else 0
    batch = iter([n for axis, n in enumerate(indices) if axis != vector])
    window = iter([n for axis, n in enumerate(sizes) if axis not in gone])
    rank = len(indices) - (vector < len(indices)) + len(offset)
    return [next(window) if axis in offset else next(batch) for axis in range(rank)]


def _gather(op, _, indices):
    return gathered(op, indices, _numbers(op, "slice_sizes"))


def windowed(
    n: int, size: int, step: int, low: int, high: int, base: int = 1, reach: int = 1
) -> int:
    """The number of windows along an axis."""
    n = (n - 1) * base + 1 if n else 0
    size = (size - 1) * reach + 1
    total = n + low + high
    return 0 if total < size else (total - size) // step + 1


def _convolution(op, x, kernel):
    padding = _matrix(op, "padding", len(x) - 2)
    return convolved(op, x, kernel, padding)


def convolved(
    op: Any, x: Shape, kernel: Shape, padding: Sequence[Sequence[int]]
) -> Shape:
    """The shape of a convolution."""
    text = str(op.attributes["dimension_numbers"])
    layouts = re.findall(r"\[([^\]]*)\]", text)
    lhs, rhs, out = ([part.strip() for part in t.split(",")] for t in layouts)
    count = len(x) - 2
    get = lambda name: _vector(op, name, count)  # noqa: E731
    groups = op.attributes["batch_group_count"].value
    shape = [0] * len(x)
    shape[out.index("b")] = x[lhs.index("b")] // groups
    shape[out.index("f")] = kernel[rhs.index("o")]
    steps = zip(
        get("window_strides"),
        padding,
        get("lhs_dilation"),
        get("rhs_dilation"),
        strict=True,
    )
    for axis, (step, (low, high), base, reach) in enumerate(steps):
        n, size = x[lhs.index(str(axis))], kernel[rhs.index(str(axis))]
        shape[out.index(str(axis))] = windowed(n, size, step, low, high, base, reach)
    return shape


def _vector(op, name, count, default=1):
    if name not in op.attributes:
        return [default] * count
    return list(op.attributes[name])


def _matrix(op, name, count):
    if name not in op.attributes:
        return [(0, 0)] * count
    flat = [int(n) for n in op.attributes[name]]
    if len(flat) != 2 * count:
        flat = flat * (2 * count)
    return [tuple(flat[2 * i : 2 * i + 2]) for i in range(count)]


def _reduce_window(op, x, *_):
    count = len(x)
    names = ("window_strides", "base_dilations", "window_dilations")
    steps, bases, reaches = (_vector(op, name, count) for name in names)
    sizes = _numbers(op, "window_dimensions")
    padding = _matrix(op, "padding", count)
    rows = zip(x, sizes, steps, padding, bases, reaches, strict=True)
    return [
        windowed(n, size, step, low, high, base, reach)
        for n, size, step, (low, high), base, reach in rows
    ]


def _bitcast(op, x):
    before = ir.RankedTensorType(op.operands[0].type).rank
    kind = ir.RankedTensorType(op.results[0].type)
    if kind.rank == before:
        return x
    return x[:-1] if kind.rank < before else [*x, kind.shape[-1]]


def _fft(op, x):
    kind = str(op.attributes["fft_type"])
    lengths = list(op.attributes["fft_length"])
    last = lengths[-1] if "IRFFT" in kind else lengths[-1] // 2 + 1
    return [*x[:-1], last] if "RFFT" in kind else x


def _second(op, _, x, *__):
    return x


def _first(op, x, *_):
    return x


_SHAPES: dict[str, Callable[..., Shape]] = {
    "bitcast_convert": _bitcast,
    "clamp": _second,
    "concatenate": _concatenate,
    "convolution": _convolution,
    "dot_general": _dot_general,
    "dynamic_slice": lambda op, *_: _numbers(op, "slice_sizes"),
    "dynamic_update_slice": _first,
    "fft": _fft,
    "gather": _gather,
    "pad": _pad,
    "reduce": _reduce,
    "reduce_window": _reduce_window,
    "reverse": _first,
    "select": _second,
    "select_and_scatter": _first,
    "slice": _slice,
    "transpose": _transpose,
    "triangular_solve": _second,
}

# Operations whose i-th result has the shape of the i-th operand.
_BY_OPERAND = ("optimization_barrier", "sort", "scatter", "all_reduce")

# What cannot be elementwise, so that its shape would be guessed.
_UNKNOWN = (
    "all_gather",
    "all_to_all",
    "batch_norm_grad",
    "batch_norm_inference",
    "batch_norm_training",
    "collective_broadcast",
    "custom_call",
    "dot",
    "einsum",
    "map",
    "reduce_scatter",
    "torch_index_select",
    "unary_einsum",
)


def shapes(op: Any, operands: Sequence[Shape]) -> list[Shape] | None:
    """The shapes of an operation's results for known shapes of operands, if they follow."""
    name = op.name.removeprefix("stablehlo.")
    if name in _UNKNOWN:
        return None
    if name in _BY_OPERAND:
        return [list(operands[i]) for i in range(len(op.results))]
    find = _SHAPES.get(name, _first)
    if not operands:
        return None
    return [list(find(op, *operands))] * len(op.results)
