"""Pictures of a kernel: which block of each array every step of its grid touches."""

import itertools
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

from jax._src import tree
from jax._src.base import errors, records
from jax._src.core import avals as avals_lib, jaxpr as jaxpr_lib
from jax._src.pallas import block_dims, bounds
from jax._src.pallas.primitive import pallas_call_p
from jax._src.transforms import inspect_programs

# The name of the form, which is not fetched.
_NAMESPACE = "http:" + "//www.w3.org/2000/svg"
# In pixels: the longer side of an array, the least of the shorter, and the gaps.
_SIDE, _LEAST, _GAP, _LINE = 240.0, 24.0, 28.0, 16.0
# Of an array of more than two axes so many matrices are drawn, and so many blocks in all.
_MATRICES, _BLOCKS = 4, 4096
_STEPS_NAMED = 6
# From the first step to the last: dark blue, teal, yellow, told apart by all kinds of sight.
_COLORS = ((68, 1, 84), (33, 145, 140), (253, 231, 37))
_STYLE = (
    "text{font:12px sans-serif;fill:#222}.array{fill:none;stroke:#222}"
    "rect.block{stroke:#fff;stroke-width:.5}.light{fill:#fff}.dark{fill:#000}"
    "@media (prefers-color-scheme:dark){text{fill:#ddd}.array{stroke:#ddd}}"
)


@records.record
class Drawing:
    """A picture of the blocks of a kernel.

    A notebook shows it; `save` writes it into a file.

    Args:
        svg: the picture as the text of an SVG document.
    """

    svg: str

    def __repr__(self) -> str:
        return f"<Drawing, {len(self.svg)} characters of SVG>"

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike) -> None:
        """Writes the picture as an SVG file.

        Raises:
            OSError: the file cannot be written.
        """
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)


def draw(call: Callable[..., Any], *args: Any) -> Drawing:
    """A picture of which block of each argument and result every step of a grid touches.

    Nothing is computed. Blocks have the colour of the first step that touches them, and
    name their steps where a pointer rests on them. Of arrays with more than two axes the
    first matrices are drawn.

    Args:
        call: what `pl.pallas_call` returns, or a function that calls it.
        *args: its arguments; types such as `jax.ShapeDtypeStruct` are enough, but for
            scalars that index maps read.

    Raises:
        ValueError: the function calls no kernel, its grid has a size that is not known, or
            an index map reads a scalar whose value is not known.

    Examples:
        >>> rows = pl.BlockSpec((2, 8), lambda i: (i, 0))
        >>> double = pl.pallas_call(
        ...     lambda x, out: out.__setitem__(..., x[...] * 2),
        ...     jax.ShapeDtypeStruct((8, 8), jnp.float32),
        ...     grid=4, in_specs=[rows], out_specs=rows)
        >>> picture = pl.draw(double, jax.ShapeDtypeStruct((8, 8), jnp.float32))
        >>> picture.svg.count('class="block"')
        8
    """
    closed = inspect_programs.make_jaxpr(call)(*args)
    leaves = tree.tree_leaves(args)
    known = dict(zip(closed.jaxpr.invars, leaves, strict=True))
    known.update(zip(closed.jaxpr.constvars, closed.consts, strict=True))
    calls = list(_kernels(closed.jaxpr))
    if not calls:
        raise errors.value_error(
            "pl.draw: the function calls no kernel.",
            [("function", getattr(call, "__name__", repr(call)))],
            "It draws the blocks of what pl.pallas_call makes.",
        )
    page = _Page()
    for eqn in calls:
        _draw_kernel(page, eqn, known)
    return Drawing(page.document())


def _kernels(program: jaxpr_lib.Jaxpr) -> Iterator[jaxpr_lib.JaxprEqn]:
    for eqn in program.eqns:
        if eqn.primitive is pallas_call_p:
            yield eqn
        else:
            for inner in jaxpr_lib.jaxprs_in_params(eqn.params):
                yield from _kernels(inner)


def _draw_kernel(page, eqn, known):
    """Adds a row of arrays to the page."""
    mapping, name = eqn.params["grid_mapping"], eqn.params["name"]
    grid = _static_grid(mapping, name)
    scalars = [_value(v, known, name) for v in eqn.invars[mapping.slice_index_ops]]
    steps = int(np.prod(grid, dtype=np.int64))
    page.heading(f"{name}: grid {grid}, {steps} step{'s' * (steps != 1)}")
    if not steps:
        return
    starts = bounds.block_starts(mapping, grid, steps, scalars)
    ids = list(itertools.product(*map(range, grid)))
    for block_mapping, table in zip(mapping.block_mappings, starts, strict=True):
        _draw_array(page, block_mapping, [np.asarray(x) for x in table], ids)
    page.end_of_row()


def _static_grid(mapping, name):
    if mapping.num_dynamic_grid_bounds:
        raise errors.value_error(
            "pl.draw: the grid has a size that is not known.",
            [("kernel", name), ("grid", str(mapping.grid))],
            "It draws every step.",
            "Give the grid numbers of Python.",
        )
    return tuple(mapping.grid)


def _value(atom, known, name):
    """The value of a prefetched scalar.

    Raises:
        ValueError: it is not known.
    """
    value = atom.val if isinstance(atom, jaxpr_lib.Literal) else known.get(atom)
    if value is None or isinstance(value, avals_lib.ShapedArray) or _is_type(value):
        raise errors.value_error(
            "pl.draw: an index map reads a scalar whose value is not known.",
            [("kernel", name), ("scalar", atom.aval.str_short())],
            "Which blocks are touched depends on it.",
            "Pass its value, and draw the function that pl.pallas_call returns.",
        )
    return value


def _is_type(value):
    return not isinstance(value, int | float) and not hasattr(value, "__array__")


def _draw_array(page, mapping, starts, ids):
    """Adds one array: its outline and its blocks."""
    sizes = [block_dims.size_of(dim) for dim in mapping.block_shape]
    shape = tuple(mapping.array_aval.shape)
    padding = [getattr(d, "padding", (0, 0))[0] for d in mapping.block_shape]
    touched: dict[tuple[int, ...], list[int]] = {}
    for step in range(len(ids)):
        at = tuple(int(s[step]) - p for s, p in zip(starts, padding, strict=True))
        touched.setdefault(at, []).append(step)
    blocks = list(touched.items())[:_BLOCKS]
    lead = shape[:-2]
    matrices = list(itertools.islice(np.ndindex(*lead), _MATRICES))
    count = int(np.prod(lead, dtype=np.int64))
    rows, columns = (1, 1, *shape)[-2:]
    block = " × ".join(map(str, sizes)) or "whole"
    page.begin_array(
        f"{mapping.origin}: {mapping.array_aval.str_short()}", f"blocks of {block}"
    )
    for index in matrices:
        label = f"[{', '.join(map(str, index))}]" if index else ""
        page.begin_matrix(rows, columns, label)
        for at, steps in blocks:
            if all(a <= i < a + n for a, i, n in zip(at, index, sizes, strict=False)):
                page.block(at, (1, 1, *sizes)[-2:], steps, ids)
        page.end_matrix()
    hidden = count - len(matrices), len(touched) - len(blocks)
    page.end_array(*hidden)


class _Page:
    """Shapes of an SVG document, from the top left on."""

    def __init__(self):
        self.parts: list[str] = []
        self.x, self.y = _GAP, _GAP
        self.row = self.width = 0.0
        self.top = self.column = 0.0
        self.scale = self.size = (1.0, 1.0)

    def text(self, x, y, words, kind=""):
        kind = f' class="{kind}"' if kind else ""
        self.parts.append(f'<text x="{x:g}" y="{y:g}"{kind}>{escape(words)}</text>')

    def heading(self, words):
        self.text(self.x, self.y, words)
        self.y += _LINE
        self.row = 0.0

    def begin_array(self, *lines):
        for number, words in enumerate(lines):
            self.text(self.x, self.y + (number + 1) * _LINE, words)
        self.top = self.y + (len(lines) + 0.5) * _LINE
        self.column = max(len(words) for words in lines) * 6.5

    def begin_matrix(self, rows, columns, label):
        longest = max(rows, columns, 1)
        self.size = rows, columns
        height, width = (max(n / longest * _SIDE, _LEAST) for n in self.size)
        self.scale = height / max(rows, 1), width / max(columns, 1)
        if label:
            self.text(self.x, self.top + _LINE * 0.75, label)
            self.top += _LINE

    def block(self, at: Sequence[int], sizes: Sequence[int], steps, ids):
        """A block, as far as it is inside of the matrix."""
        first = (0, 0, *at)[-2:]
        ends = [min(a + n, s) for a, n, s in zip(first, sizes, self.size, strict=True)]
        begins = [max(a, 0) for a in first]
        height, width = (
            max(e - b, 0) * s for e, b, s in zip(ends, begins, self.scale, strict=True)
        )
        x = self.x + begins[1] * self.scale[1]
        y = self.top + begins[0] * self.scale[0]
        progress = steps[0] / max(len(ids) - 1, 1)
        named = ", ".join(str(ids[s]) for s in steps[:_STEPS_NAMED])
        more = f" and {len(steps) - _STEPS_NAMED} more"
        title = f"at {tuple(at)}: step{'s' * (len(steps) > 1)} {named}"
        title += more * (len(steps) > _STEPS_NAMED)
        self.parts.append(
            f'<rect class="block" x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" '
            f'height="{height:.2f}" fill="{_color(progress)}"><title>{escape(title)}</title></rect>'
        )
        label = ",".join(map(str, ids[steps[0]]))
        if label and width > 7 * len(label) + 4 and height > 14:
            kind = "light" if progress < 0.6 else "dark"
            self.text(x + 3, y + 12, label, kind)

    def end_matrix(self):
        height, width = (n * s for n, s in zip(self.size, self.scale, strict=True))
        self.parts.append(
            f'<rect class="array" x="{self.x:g}" y="{self.top:g}" '
            f'width="{width:.2f}" height="{height:.2f}"/>'
        )
        self.top += height + _GAP / 2
        self.column = max(self.column, width)

    def end_array(self, matrices, blocks):
        """Ends an array of which so many matrices and blocks are not drawn."""
        for count, what in ((matrices, "matrices"), (blocks, "blocks")):
            if count > 0:
                self.text(self.x, self.top + _LINE / 2, f"and {count} {what} more")
                self.top += _LINE
        self.x += self.column + _GAP
        self.row = max(self.row, self.top - self.y)

    def end_of_row(self):
        self.width = max(self.width, self.x)
        self.x, self.y = _GAP, self.y + self.row + _GAP

    def document(self):
        size = f"{max(self.width, 320):.0f} {self.y:.0f}"
        return (
            f'<svg xmlns="{_NAMESPACE}" viewBox="0 0 {size}" role="img" '
            f'width="{size.split()[0]}"><title>Blocks of kernels</title>'
            f"<style>{_STYLE}</style>{''.join(self.parts)}</svg>"
        )


def _color(progress):
    """The colour of a step: of the first at 0, of the last at 1."""
    below = min(int(progress * 2), 1)
    share = progress * 2 - below
    pair = zip(_COLORS[below], _COLORS[below + 1], strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pair)
