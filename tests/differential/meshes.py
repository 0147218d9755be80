"""Meshes of devices, and how an array is sharded over one."""

import dataclasses
import itertools
import math
import random

SIZES = (1, 2, 2, 2, 3, 4, 4, 8)
MOST_DEVICES = 16
SPLITS = {4: ((2, 2),), 8: ((2, 4), (4, 2), (2, 2, 2))}
"""How an axis is cut into parts, major first."""


@dataclasses.dataclass(frozen=True, slots=True)
class Part:
    """An axis, or a part of one: `size` coordinates with the stride of the axes behind `before * size`."""

    axis: int
    before: int
    size: int


@dataclasses.dataclass(frozen=True, slots=True)
class Mesh:
    """The sizes of the axes; devices are numbered with the last axis fastest."""

    sizes: tuple[int, ...]

    @property
    def devices(self) -> int:
        return math.prod(self.sizes)

    def __str__(self) -> str:
        axes = ", ".join(f'"a{i}"={size}' for i, size in enumerate(self.sizes))
        return f"sdy.mesh @mesh = <[{axes}]>"

    def name(self, part: Part) -> str:
        if part.size == self.sizes[part.axis]:
            return f'"a{part.axis}"'
        return f'"a{part.axis}":({part.before}){part.size}'

    def whole_axes(self) -> list[Part]:
        return [Part(axis, 1, size) for axis, size in enumerate(self.sizes)]

    def coordinate(self, device: int, part: Part) -> int:
        """Which piece along a part of an axis a device has."""
        behind = math.prod(self.sizes[part.axis + 1 :])
        along = device // behind % self.sizes[part.axis]
        return along // (self.sizes[part.axis] // part.before // part.size) % part.size


@dataclasses.dataclass(frozen=True, slots=True)
class Sharding:
    """Parts of axes for each dimension, major first; where there are more, dimensions may be open."""

    mesh: Mesh
    dims: tuple[tuple[Part, ...], ...]
    replicated: tuple[Part, ...] = ()
    is_open: tuple[bool, ...] = ()
    priorities: tuple[int | None, ...] = ()

    def __str__(self) -> str:
        dims = ", ".join(self._dim(number) for number in range(len(self.dims)))
        names = ", ".join(self.mesh.name(part) for part in self.replicated)
        replicated = f", replicated={{{names}}}" if names else ""
        return f"<@mesh, [{dims}]{replicated}>"

    def _dim(self, number: int) -> str:
        names = [self.mesh.name(part) for part in self.dims[number]]
        priority = self.priorities[number] if self.priorities and names else None
        names += ["?"] if self.is_open and self.is_open[number] else []
        text = "{" + ", ".join(names) + "}"
        return text if priority is None else f"{text}p{priority}"

    def pieces(self, dim: int) -> int:
        return math.prod(part.size for part in self.dims[dim])

    def index(self, device: int, shape) -> tuple[slice, ...]:
        """The elements that a device has, of an array whose dimensions are divided evenly."""
        index = []
        for parts, size in zip(self.dims, shape, strict=True):
            number = 0
            for part in parts:
                number = number * part.size + self.mesh.coordinate(device, part)
            step = size // math.prod(part.size for part in parts)
            index.append(slice(number * step, (number + 1) * step))
        return tuple(index)


def any_mesh(choose: random.Random) -> Mesh:
    """One to three axes and up to sixteen devices, mostly more than one."""
    while True:
        sizes = tuple(choose.choice(SIZES) for _ in range(choose.choice((1, 2, 2, 3))))
        devices = math.prod(sizes)
        if devices <= MOST_DEVICES and (devices > 1 or choose.random() < 0.1):
            return Mesh(sizes)


def _parts(choose: random.Random, mesh: Mesh) -> list[Part]:
    """Parts of axes that do not overlap, in any order."""
    found = []
    for axis, size in enumerate(mesh.sizes):
        if choose.random() < 0.25:
            continue
        if size not in SPLITS or choose.random() < 0.7:
            found.append(Part(axis, 1, size))
            continue
        before = 1
        for part in choose.choice(SPLITS[size]):
            if choose.random() < 0.6:
                found.append(Part(axis, before, part))
            before *= part
    choose.shuffle(found)
    return found


def _joined(mesh: Mesh, parts: list[Part]) -> tuple[Part, ...]:
    """The parts, with neighbours of one axis joined, as the dialect requires them to be written."""
    joined: list[Part] = []
    for part in parts:
        last = joined[-1] if joined else None
        if last and last.axis == part.axis and last.before * last.size == part.before:
            joined[-1] = Part(part.axis, last.before, last.size * part.size)
        else:
            joined.append(part)
    return tuple(joined)


def inner(choose: random.Random, mesh: Mesh, rank: int) -> Sharding:
    """A sharding inside of a program: parts of axes, uneven pieces, open dimensions, priorities."""
    dims: list[list[Part]] = [[] for _ in range(rank)]
    rest = []
    for part in _parts(choose, mesh):
        if rank and choose.random() < 0.85:
            choose.choice(dims).append(part)
        else:
            rest.append(part)
    whole = [p for p in rest if p.size == mesh.sizes[p.axis] and choose.random() < 0.4]
    is_free = choose.random() < 0.5
    priorities = choose.random() < 0.15
    return Sharding(
        mesh,
        tuple(_joined(mesh, parts) for parts in dims),
        tuple(sorted(whole, key=lambda part: part.axis)),
        tuple(is_free and choose.random() < 0.5 for _ in dims),
        tuple(choose.choice((None, 0, 1, 2)) if priorities else None for _ in dims),
    )


def boundary(choose: random.Random, mesh: Mesh, shape) -> Sharding:
    """A sharding of an argument or a result of a program: whole axes that divide the dimensions."""
    dims: list[list[Part]] = [[] for _ in shape]
    axes = mesh.whole_axes()
    choose.shuffle(axes)
    for part in axes:
        fits = [
            number
            for number, size in enumerate(shape)
            if size % (math.prod(p.size for p in dims[number]) * part.size) == 0
        ]
        if fits and choose.random() < 0.7:
            dims[choose.choice(fits)].append(part)
    return Sharding(mesh, tuple(tuple(parts) for parts in dims))


def groups(mesh: Mesh, axes: list[int]) -> list[list[int]]:
    """The devices that differ along some axes only: a list for each group, the last axis fastest."""
    others = [axis for axis in range(len(mesh.sizes)) if axis not in axes]

    def number(coordinates):
        result = 0
        for axis, size in enumerate(mesh.sizes):
            result = result * size + coordinates[axis]
        return result

    return [
        [
            number(dict(zip((*others, *axes), (*outside, *inside), strict=True)))
            for inside in itertools.product(*(range(mesh.sizes[a]) for a in axes))
        ]
        for outside in itertools.product(*(range(mesh.sizes[a]) for a in others))
    ]
