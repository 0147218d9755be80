"""What every primitive must obey on several devices, generated from its samples.

A *way* lays the operands of a sample over a mesh: a tuple of axes for each dimension of each. The value law: in
however operands are sharded, the results are those of one device. The rule law: where the types of an Explicit mesh
say how a result is sharded, the compiler shards it so, too, left to itself.
"""

import dataclasses
import itertools
import math
import random

import numpy as np

import jax
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P
from tests.testing import laws

Way = tuple[tuple[tuple[str, ...], ...], ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Case:
    """A sample, and a way to lay its operands."""

    name: str
    number: int
    way: Way

    def __str__(self) -> str:
        specs = ", ".join(str(spec) for spec in specs_of(self.way))
        return f"{self.name}-{self.number} of {specs}"


def mesh_of(sizes, kind=AxisType.Auto) -> Mesh:
    """The first devices, as a mesh with axes x and y."""
    count = int(np.prod(sizes))
    devices = jax.devices()
    assert len(devices) >= count, f"this test wants {count} devices"
    names = ("x", "y")[: len(sizes)]
    grid = np.array(devices[:count]).reshape(sizes)
    return Mesh(grid, names, axis_types=(kind,) * len(sizes))


def specs_of(way: Way) -> list[P]:
    return [P(*(axes if axes else None for axes in dims)) for dims in way]


def is_even(sample, way: Way, mesh: Mesh) -> bool:
    """Whether all pieces are of equal size."""
    return all(
        size % int(np.prod([mesh.shape[axis] for axis in axes], dtype=int)) == 0
        for x, dims in zip(sample.args, way, strict=True)
        for size, axes in zip(np.shape(x), dims, strict=True)
    )


def _way(shapes, cuts) -> Way:
    """The way in which the named dimensions are cut and nothing else."""
    return tuple(
        tuple(cuts.get((i, d), ()) for d in range(len(shape)))
        for i, shape in enumerate(shapes)
    )


def ways(sample, names: tuple[str, ...]) -> list[Way]:
    """Each dimension alone, those of equal number together, and every pair over two axes."""
    shapes = [np.shape(x) for x in sample.args]
    dims = [(i, d) for i, shape in enumerate(shapes) for d in range(len(shape))]
    found = [{dim: names[:1]} for dim in dims]
    for number in {d for _, d in dims}:
        found.append({(i, d): names[:1] for i, d in dims if d == number})
    if len(names) > 1:
        found += [{dim: names} for dim in dims]
        found += [
            {a: names[:1], b: names[1:]} for a, b in itertools.permutations(dims, 2)
        ]
    return list(dict.fromkeys(_way(shapes, cuts) for cuts in found))


def cases(names: tuple[str, ...], most_samples=None, most_ways=None) -> list[Case]:
    """Every sample in every way; with limits, of each primitive so many of each, always the same."""
    found = []
    for name, group in itertools.groupby(laws.cases(), key=lambda case: case[0]):
        numbers = [number for _, number in group]
        choose = random.Random(name)
        if most_samples is not None:
            full = [n for n in numbers if _is_full(*laws.sample_of(name, n))]
            full = full or numbers
            numbers = choose.sample(full, min(most_samples, len(full)))
        for number in numbers:
            many = ways(laws.sample_of(name, number)[1], names)
            if most_ways is not None:
                many = choose.sample(many, min(most_ways, len(many)))
            found += [Case(name, number, way) for way in many]
    return found


def _is_full(_, sample) -> bool:
    """Whether the operands have elements to lay about."""
    return any(np.size(x) > 1 for x in sample.args) and all(
        np.size(x) for x in sample.args
    )


def _numbers(outs):
    """Results as arrays of numbers: keys as their data."""
    return [
        jax.random.key_data(o)
        if jax.dtypes.issubdtype(o.dtype, jax.dtypes.extended)
        else o
        for o in outs
    ]


def _run(case: Case, args):
    primitive, sample = laws.sample_of(case.name, case.number)
    return _numbers(laws.apply(primitive, sample)(*args))


def value_differences(some: list[Case], mesh: Mesh) -> list[str]:
    """The cases in which the results of sharded operands are not those of one device. One program for all cases."""
    shardings = [[NamedSharding(mesh, spec) for spec in specs_of(c.way)] for c in some]
    args = [laws.sample_of(c.name, c.number)[1].args for c in some]

    def whole(args):
        return [_run(case, xs) for case, xs in zip(some, args, strict=True)]

    def in_pieces(args):
        laid = [
            [
                jax.lax.with_sharding_constraint(x, s) if np.ndim(x) else x
                for x, s in zip(xs, ss, strict=True)
            ]
            for xs, ss in zip(args, shardings, strict=True)
        ]
        return whole(laid)

    wanted = jax.jit(whole)(args)
    got = jax.jit(in_pieces)(args)
    return [
        f"{case} over {dict(mesh.shape)}: {found}"
        for case, a, b in zip(some, got, wanted, strict=True)
        if (found := _difference(a, b))
    ]


def _difference(got, wanted) -> str | None:
    for number, (a, b) in enumerate(zip(got, wanted, strict=True)):
        a, b = np.asarray(a), np.asarray(b)
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"result {number} is {a.dtype}{a.shape}, not {b.dtype}{b.shape}"
        if not _is_near(a, b):
            return f"result {number}:\n{a}\nis not\n{b}"
    return None


def _is_near(a, b) -> bool:
    """Equal, or, of floating-point numbers, apart as sums in another order are."""
    if a.dtype.kind in "biu":
        return np.array_equal(a, b)
    eps = float(jax.numpy.finfo(a.dtype).eps)
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    a, b = a.astype(wide), b.astype(wide)
    size = np.abs(b[np.isfinite(b)]).max(initial=0.0)
    return np.allclose(a, b, rtol=16 * eps, atol=16 * eps * size, equal_nan=True)


REFUSALS = ("ShardingTypeError", "NotImplementedError", "ValueError", "TypeError")
"""By name, for the first is private: how types say that they do not determine the sharding of a result."""


def explicit_specs(case: Case, mesh: Mesh) -> list[P] | None:
    """The shardings of results by the types of an Explicit mesh; None where they leave it open."""
    primitive, sample = laws.sample_of(case.name, case.number)
    args = [
        jax.ShapeDtypeStruct(
            np.shape(x), np.asarray(x).dtype, sharding=NamedSharding(mesh, spec)
        )
        for x, spec in zip(sample.args, specs_of(case.way), strict=True)
    ]
    try:
        with jax.set_mesh(mesh):
            outs = jax.eval_shape(laws.apply(primitive, sample), *args)
    except Exception as refused:
        if type(refused).__name__ not in REFUSALS:
            raise
        return None
    if any(out.sharding is None for out in outs):
        return None
    return [out.sharding.spec for out in outs]


def placed(some: list[Case], mesh: Mesh):
    """Where the compiler puts the results of cases, if nobody says. One program for all."""
    args = [laws.sample_of(case.name, case.number)[1].args for case in some]
    shardings = [
        tuple(NamedSharding(mesh, spec) for spec in specs_of(case.way)) for case in some
    ]

    def run(args):
        return [_run(case, xs) for case, xs in zip(some, args, strict=True)]

    compiled = jax.jit(run, in_shardings=(shardings,)).lower(args).compile()
    return compiled.output_shardings


def placement_differences(some: list[Case], left: Mesh, typed: Mesh):
    """How many results are sharded as their types say, and of all that are not the name and a description.

    `left` is the mesh whose axes are left to the compiler, `typed` the Explicit one.
    """
    said = [explicit_specs(case, typed) for case in some]
    determined = [case for case, specs in zip(some, said, strict=True) if specs]
    said = [specs for specs in said if specs]
    agreed, wrong = 0, []
    found = placed(determined, left) if determined else []
    for case, wanted, got in zip(determined, said, found, strict=True):
        for number, (spec, sharding) in enumerate(zip(wanted, got, strict=True)):
            rank = max(len(spec), len(sharding.spec))
            if NamedSharding(left, spec).is_equivalent_to(sharding, rank):
                agreed += 1
            else:
                text = (
                    f"{case}: result {number} is sharded as {sharding.spec}, not {spec}"
                )
                wrong.append((case.name, text))
    return agreed, wrong


def silent_repetitions(case: Case, mesh: Mesh) -> list[str]:
    """Axes that cut an operand along which all devices do the same without a known reason.

    The reason is a note of the plan that an operand is gathered along the axis, with its source line; a sum along
    it, after which devices may do the same. Or each device has done its part, and all combine these in the same way;
    the part of a fold is none where a device holds one element along the axis.
    """
    _, sample = laws.sample_of(case.name, case.number)
    shardings = tuple(NamedSharding(mesh, spec) for spec in specs_of(case.way))
    fun = jax.jit(lambda *xs: _run(case, xs), in_shardings=shardings)
    plan = fun.lower(*sample.args).compile().plan()
    if not plan.work:
        return []
    # Indices of a few elements are computed too; most is where most is read, written and computed.
    main = max(plan.work, key=lambda w: w.flops + w.transcendentals + w.bytes_accessed)
    divided = {
        axis
        for w in plan.work
        if w.operation == main.operation
        for axis in set(main.repeats) - set(w.repeats)
    }
    cutting = {axis for dims in case.way for axes in dims for axis in axes}
    noted = {axis for note in plan.gathers if note.line for axis in note.axes}
    summed = {
        axis
        for exchange in plan.collectives
        if exchange.kind in ("all_reduce", "reduce_scatter")
        for axis in exchange.axes
    }
    if main.operation == "reduce":
        divided |= {
            axis
            for x, dims in zip(sample.args, case.way, strict=True)
            for size, axes in zip(np.shape(x), dims, strict=False)
            for axis in axes
            if size == math.prod(mesh.shape[a] for a in axes)
        }
    return [
        f"{case}: {main.operation} is repeated along {axis}, unsaid"
        for axis in sorted(cutting & set(main.repeats) - noted - summed - divided)
    ]
