"""Random kernels, run interpreted and compiled: the results are the same.

    python -m tests.pallas.random_kernels --seed 0 --count 1000

Prints the seed of each kernel whose results differ. Everything that a kernel reads was
written: results that are not covered by blocks, or are read, start as an operand.
"""

import argparse
import dataclasses
import sys
from typing import Any

import numpy as np

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu, triton

DTYPES = ["float32", "float32", "float32", "int32", "bfloat16", "int8", "uint32"]


@dataclasses.dataclass
class Dim:
    """A dimension of an array, and how its blocks move with the grid.

    Args:
        block: the size of blocks; 0 where they lack the dimension.
        count: the number of blocks.
        missing: by how much the array ends before its last block.
        kind: how the block's index follows from the program ids.
        axis: the axis of the grid.
        shift: by how many elements blocks start later, where they start at any element.
        is_element: whether they do.
        is_named: whether the kind of dimension is written out.
    """

    block: int
    count: int
    missing: int
    kind: str
    axis: int
    shift: int = 0
    is_element: bool = False
    is_named: bool = False

    @property
    def size(self) -> int:
        return max(self.block, 1) * self.count - self.missing + self.shift

    @property
    def entry(self) -> Any:
        """What stands for it in the shape of blocks."""
        if self.is_element:
            return pl.Element(self.block)
        if self.is_named:
            return pl.Blocked(self.block) if self.block else pl.squeezed
        return self.block or None

    def start(self, ids: Any, order: Any) -> Any:
        """What the index map returns for it."""
        index = self.index(ids, order)
        return index * self.block + self.shift if self.is_element else index

    def index(self, ids: Any, order: Any) -> Any:
        i, n = ids[self.axis], self.count
        match self.kind:
            case "same":
                return i
            case "reversed":
                return n - 1 - i
            case "turned":
                return (i + 1) % n
            case "halved":
                return i // 2
            case "shifted":
                return jnp.maximum(i - 1, 0)
            case "sum":
                return (i + ids[0]) % n
            case "ordered":
                return order[i] % n
        return 0


@dataclasses.dataclass
class Case:
    """A kernel with its operands.

    Args:
        call: a function of the operands and of `interpret`.
        operands: arrays.
        text: what is in it.
    """

    call: Any
    operands: list[Any]
    text: str
    dtype: str


class Maker:
    """Draws a kernel."""

    def __init__(self, seed: int):
        self.draw = np.random.default_rng(seed)
        # What is drawn from it leaves the rest of a kernel as it is.
        self.more = np.random.default_rng((seed, 1))
        self.notes: list[str] = []

    def rarely(self, p: float) -> bool:
        return bool(self.more.random() < p)

    def pick(self, *choices: Any) -> Any:
        return choices[int(self.draw.integers(len(choices)))]

    def chance(self, p: float) -> bool:
        return bool(self.draw.random() < p)

    def array(self, shape: Any, dtype: str) -> Any:
        if np.issubdtype(jnp.dtype(dtype), np.integer):
            low = 0 if dtype.startswith("u") else -5
            return self.draw.integers(low, 6, shape).astype(dtype)
        return jnp.asarray(self.draw.standard_normal(shape), dtype)

    def dims(self, shape: Any, grid: Any, kinds: Any, ragged: bool) -> list[Dim]:
        """Dimensions whose blocks have a shape, 0 where they lack one."""
        axes = list(self.draw.permutation(len(grid)))
        found = []
        for number, block in enumerate(shape):
            axis = int(axes[number % len(axes)])
            kind = self.pick(*kinds)
            count = 1 if kind == "zero" else grid[axis]
            missing = 0
            if ragged and block > 1 and self.chance(0.3):
                missing = int(self.draw.integers(0, block))
            found.append(Dim(block, count, missing, kind, axis))
        return found

    def spec(self, dims: list[Dim], n_axes: int, prefetches: bool) -> pl.BlockSpec:
        def index_map(*ids):
            order = ids[n_axes] if prefetches else None
            return tuple(dim.start(ids, order) for dim in dims)

        mode = None
        if self.rarely(0.2):
            mode = pl.Buffered(int(self.more.integers(1, 4)))
        return pl.BlockSpec([dim.entry for dim in dims], index_map, pipeline_mode=mode)

    def respelled(self, dims: list[Dim], is_input: bool) -> list[Dim]:
        """The dimensions, some of them written out, some starting at any element."""
        for dim in dims:
            dim.is_named = self.rarely(0.3)
            if is_input and dim.block and self.rarely(0.15):
                dim.is_element, dim.missing = True, 0
                dim.shift = int(self.more.integers(0, 3))
        return dims

    def made(self) -> Case:
        grid = [int(self.pick(1, 2, 2, 3, 4)) for _ in range(self.pick(1, 1, 2, 2, 3))]
        dtype = self.pick(*DTYPES)
        shape = [int(self.pick(1, 2, 3, 4)) for _ in range(self.pick(1, 2, 2))]
        prefetches = self.chance(0.25)
        is_tiled = self.chance(0.6)
        out_kinds = ["same"] if is_tiled else ["same", "reversed", "turned", "zero"]
        full = [*shape]
        while self.chance(0.3) and len(full) < 4:
            full.insert(int(self.draw.integers(len(full) + 1)), 0)
        ragged = self.chance(0.3)
        # Kernels that add up along the last axis, and have a result block for each sum.
        sums = None
        if len(grid) > 1 and self.rarely(0.35):
            sums = str(self.more.choice(["memory", "memory at end", "result"]))
        out = (
            self.dims(full, grid[:-1], ["same"], ragged)
            if sums
            else self.dims(full, grid, out_kinds, ragged)
        )
        # Each result block has steps of its own where every axis of the grid tiles one
        # dimension; else results start as an operand.
        kinds = ["same", "same", "same", "zero", "reversed", "turned", "shifted"]
        kinds += ["halved", "sum"] + (["ordered"] * 2 if prefetches else [])
        inputs = self.inputs(full, shape, grid, kinds, ragged)
        self.respelled(out, is_input=False)
        aliased = self.chance(0.5) or not _covers(out, grid)
        scratch = self.pick(None, None, "each", "first", "last axis")
        if sums:
            scratch = None if sums == "result" else "sums"
        counts = self.rarely(0.1)
        body = Body(self, dtype, shape, len(grid), aliased, scratch, sums, counts)
        operands = [self.array([d.size for d in dims], dtype) for dims in inputs]
        if aliased:
            operands.append(self.array([d.size for d in out], dtype))
        specs = [self.spec(dims, len(grid), prefetches) for dims in inputs]
        out_spec = self.spec(out, len(grid), prefetches)
        if aliased:
            specs.append(out_spec)
        if prefetches:
            order = self.draw.integers(0, 4, max(grid)).astype(np.int32)
            operands.insert(0, order)
        own = [pltpu.VMEM(tuple(shape), dtype)] if scratch else []
        if counts:
            own.insert(0, pltpu.SMEM((2,), jnp.int32))

        def kernel(*refs):
            refs = list(refs)
            if prefetches:
                refs.pop(0)
            memory = refs.pop() if scratch else None
            count = refs.pop() if counts else None
            body.run(refs[: len(inputs)], refs[-1], memory, count)

        settings = {"in_specs": specs, "out_specs": out_spec, "scratch_shapes": own}
        settings["num_scalar_prefetch"] = int(prefetches)
        kind = jax.ShapeDtypeStruct([d.size for d in out], dtype)
        aliases = {len(operands) - 1: 0} if aliased else {}
        dynamic = self.dynamic(grid, operands, aliased and not sums)

        def call(*arrays, interpret):
            sizes = list(grid)
            if dynamic is not None:
                *arrays, sizes[dynamic] = arrays
            return pl.pallas_call(
                kernel,
                kind,
                grid_spec=pltpu.PrefetchScalarGridSpec(grid=tuple(sizes), **settings),
                input_output_aliases=aliases,
                interpret=interpret,
            )(*arrays)

        if self.chance(0.15):
            call, operands = self.batched(
                call, operands, prefetches, dynamic is not None
            )
        text = f"grid {grid}, {dtype}, out {out}, in {inputs}, aliased {aliased}, "
        text += f"scratch {scratch}, prefetch {prefetches}, sums {sums}, "
        text += f"counts {counts}, dynamic {dynamic}, {self.notes}"
        return Case(call, operands, text, dtype)

    def dynamic(self, grid: Any, operands: list[Any], may_be_fewer: bool) -> int | None:
        """An axis whose number of steps is another operand, or None.

        Fewer steps leave what the result started as.
        """
        if not self.rarely(0.12):
            return None
        axis = int(self.more.integers(len(grid)))
        fewer = int(self.more.integers(grid[axis] + 1)) if may_be_fewer else 0
        operands.append(np.int32(grid[axis] - fewer))
        return axis

    def inputs(self, full: Any, shape: Any, grid: Any, kinds: Any, ragged: bool) -> Any:
        """Dimensions of each operand in blocks."""
        found = []
        for _ in range(self.pick(1, 2, 2, 3)):
            of = self.pick(full, shape, full)
            found.append(self.dims(of, grid, kinds, ragged and self.chance(0.5)))
        return [self.respelled(dims, is_input=True) for dims in found]

    def batched(
        self, call: Any, operands: list[Any], prefetches: bool, is_dynamic: bool
    ) -> Any:
        self.notes.append("vmap")
        last = len(operands) - is_dynamic
        axes: list[int | None] = [
            None if i == 0 and prefetches else self.pick(0, 0, None)
            for i in range(last)
        ]
        if all(axis is None for axis in axes):
            axes[-1] = 0
        axes += [None] * is_dynamic
        batch = [
            x if axis is None else jnp.stack([x, x + x])
            for x, axis in zip(operands, axes, strict=True)
        ]

        def mapped(*arrays, interpret):
            one = lambda *xs: call(*xs, interpret=interpret)  # noqa: E731
            return jax.vmap(one, in_axes=tuple(axes))(*arrays)

        return mapped, batch


def _covers(dims, grid):
    """Whether blocks of a result cover the array."""
    axes = [d.axis for d in dims if d.kind in ("same", "reversed", "turned")]
    return len(set(axes)) == len(axes) and all(d.kind != "halved" for d in dims)


class Body:
    """What a kernel does, drawn before it is traced: tracing draws nothing."""

    def __init__(self, maker, dtype, shape, n_axes, aliased, scratch, sums, counts):
        self.sums, self.counts = sums, counts
        self.is_largest = maker.rarely(0.2)
        self.dtype, self.shape, self.n_axes = dtype, tuple(shape), n_axes
        self.aliased, self.scratch = aliased, scratch
        self.is_float = not np.issubdtype(jnp.dtype(dtype), np.integer)
        ops = ["add", "mul", "max", "where id", "where iota", "sum", "largest"]
        ops += ["plus id", "loop", "loop id", "slice", "cumsum", "reverse", "if id"]
        ops += ["if data", "clip", "while"]
        if self.is_float:
            ops += ["sin", "tanh"]
        if len(shape) == 2:
            ops += ["dot", "dot", "transpose"]
        self.ops = [maker.pick(*ops) for _ in range(maker.pick(1, 2, 2, 3, 4))]
        self.axes = [int(maker.draw.integers(n_axes)) for _ in self.ops]
        self.along = [int(maker.draw.integers(len(shape))) for _ in self.ops]
        self.numbers = [int(maker.draw.integers(1, 4)) for _ in self.ops]
        self.store = maker.pick("whole", "whole", "whole", "masked", "when", "parts")
        if not aliased and self.store in ("masked", "when"):
            self.store = "whole"
        self.reads_out = aliased and maker.chance(0.4)
        if sums:
            self.store, self.reads_out = "whole", False
        # The sum may begin with what the result started as.
        self.begins = not (sums == "result" and aliased and maker.rarely(0.5))
        maker.notes += [*self.ops, self.store, f"reads out {self.reads_out}"]

    def run(self, inputs, out, memory, count):
        """The kernel."""
        x = self.fitted(inputs[0][...])
        for number, name in enumerate(self.ops):
            y = self.fitted(inputs[(number + 1) % len(inputs)][...])
            x = self.step(number, name, x, y).astype(self.dtype)
        if count is not None:
            x = x + self.counted(count).astype(self.dtype)
        if self.reads_out:
            x = x + out[...]
        if self.sums:
            self.sum(out if memory is None else memory, x)
            if memory is not None:
                self.write_sum(memory, out)
            return
        if memory is not None:
            x = self.through(memory, x)
        self.write(out, x)

    def counted(self, count):
        """The number of the step, from memory that passes from step to step."""
        is_first = True
        for axis in range(self.n_axes):
            is_first &= pl.program_id(axis) == 0

        @pl.when(is_first)
        def _():
            count[0] = jnp.int32(0)

        count[0] += 1
        return count[0] % 3

    def sum(self, memory, x):
        """Adds to memory, which begins at the first step along the last axis."""
        if self.begins:

            @pl.when(pl.program_id(self.n_axes - 1) == 0)
            def _():
                memory[...] = jnp.full(self.shape, 0, self.dtype)

        combine = jnp.maximum if self.is_largest else jnp.add
        memory[...] = combine(memory[...], x)

    def write_sum(self, memory, out):
        """Writes what is in memory: in each step, or in the last one along the last axis."""
        if self.sums == "memory":
            out[...] = memory[...]
            return
        last = self.n_axes - 1

        @pl.when(pl.program_id(last) == pl.num_programs(last) - 1)
        def _():
            out[...] = memory[...] * jnp.asarray(2, self.dtype)

    def fitted(self, block):
        """A block with the shape of blocks of the result."""
        return jnp.broadcast_to(block, self.shape)

    def through(self, memory, x):
        """Adds to memory of the kernel's own, and reads it."""
        ids = [pl.program_id(a) for a in range(self.n_axes)]
        if self.scratch == "each":
            memory[...] = jnp.zeros(self.shape, self.dtype)
        else:
            among = ids if self.scratch == "first" else ids[-1:]
            is_first = among[0] == 0
            for i in among[1:]:
                is_first = is_first & (i == 0)

            @pl.when(is_first)
            def _():
                memory[...] = jnp.ones(self.shape, self.dtype)

        memory[...] += x
        return memory[...]

    def write(self, out, x):
        if self.store == "masked":
            mask = jax.lax.broadcasted_iota(jnp.int32, self.shape, 0) % 2 == 0
            triton.store(out, x, mask=mask)
        elif self.store == "when":

            @pl.when(pl.program_id(0) % 2 == 0)
            def _():
                out[...] = x

        elif self.store == "parts":
            for i in range(self.shape[0]):
                out[pl.ds(i, 1)] = x[i : i + 1]
        else:
            out[...] = x

    def step(self, number, name, x, y):
        """One operation on blocks."""
        axis, along, count = self.axes[number], self.along[number], self.numbers[number]
        i = pl.program_id(axis)
        iota = jax.lax.broadcasted_iota(jnp.int32, self.shape, along)
        scale = jnp.asarray(0.5 if self.is_float else 1, self.dtype)
        simple = {
            "add": lambda: x + y,
            "mul": lambda: x * y,
            "max": lambda: jnp.maximum(x, y),
            "clip": lambda: jnp.clip(x, 0, 3),
            "where id": lambda: jnp.where(i == count % 2, x, y),
            "where iota": lambda: jnp.where(iota < i, x, y),
            "sum": lambda: x - jnp.sum(y, axis=along, keepdims=True).astype(x.dtype),
            "largest": lambda: x + jnp.max(y, axis=along, keepdims=True),
            "plus id": lambda: x + (i * count).astype(self.dtype),
            "cumsum": lambda: jnp.cumsum(x, axis=along),
            "reverse": lambda: jnp.flip(x, along) + y,
            "sin": lambda: jnp.sin(x),
            "tanh": lambda: jnp.tanh(x * y),
            "transpose": lambda: x + jnp.sum(y.T).astype(x.dtype),
            "dot": lambda: jnp.dot(jnp.dot(x, y.T), y) * scale,
            "loop": lambda: jax.lax.fori_loop(0, count, lambda _, c: c * scale + y, x),
            "loop id": lambda: jax.lax.fori_loop(0, i, lambda _, c: c * scale + y, x),
            "if id": lambda: jax.lax.cond(i == 1, lambda: x + y, lambda: x * scale),
            "if data": lambda: jax.lax.cond(
                jnp.sum(x.astype(jnp.float32)) > 0, lambda: x + y, lambda: y
            ),
            "while": lambda: jax.lax.while_loop(
                lambda c: c[0] < count, lambda c: (c[0] + 1, c[1] * scale + y), (0, x)
            )[1],
            "slice": lambda: (
                x + jax.lax.dynamic_slice_in_dim(y, i % self.shape[along], 1, along)
            ),
        }
        return simple[name]()


def case(seed: int) -> Case:
    """The kernel of a seed."""
    return Maker(seed).made()


def difference(made: Case) -> str | None:
    """What differs between the interpreted and the compiled kernel; None: nothing."""
    results = [
        np.asarray(
            jax.jit(lambda *xs, interpret=mode: made.call(*xs, interpret=interpret))(
                *made.operands
            )
        )
        for mode in (True, False)
    ]
    expected, found = results
    if np.issubdtype(expected.dtype, np.integer):
        return None if np.array_equal(expected, found) else _first(expected, found)
    wide = [x.astype(np.float64) for x in results]
    size = np.nanmax(np.abs(wide[0]), initial=1.0, where=np.isfinite(wide[0]))
    # Sums and products may be rounded in another order.
    bound = (4e-2 if made.dtype == "bfloat16" else 1e-5) * size
    with np.errstate(invalid="ignore"):
        close = np.isclose(*wide, rtol=bound / size, atol=bound, equal_nan=True)
    return None if close.all() else _first(expected, found)


def _first(expected, found):
    wrong = ~((expected == found) | ((expected != expected) & (found != found)))
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"at {at}: interpreted {expected[at]}, compiled {found[at]}"


def main() -> None:
    """Runs kernels of many seeds."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    failed = 0
    jax.config.update("jax_recompilations_until_warning", 0)
    for seed in range(given.seed, given.seed + given.count):
        made = case(seed)
        if given.show:
            print(seed, made.text, flush=True)
        try:
            wrong = difference(made)
        except Exception as error:  # Whatever it is, it is shown.
            wrong = f"{type(error).__name__}: {str(error)[:300]}"
        if wrong:
            failed += 1
            print(f"{seed}: {wrong}\n   {made.text}", flush=True)
        if seed % 100 == 99:
            jax.clear_caches()
    print(f"{given.count} kernels from seed {given.seed}: {failed} differ", flush=True)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
