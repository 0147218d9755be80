"""What devices send each other: along rings of links, one ring for each axis of the mesh."""

import collections
import itertools
import math

from jax._src.roofline.results import RooflineResult, RooflineShape, rules
from jax._src.roofline.rules import primitive_of


def _axes_of(name_or_names):
    """The axes of the mesh, in order; those of `vmap` are numbers and send nothing."""
    names = (
        name_or_names if isinstance(name_or_names, tuple | list) else (name_or_names,)
    )
    return tuple(name for name in names if isinstance(name, str))


def _ring(ctx, axes, count, is_reduced):
    """All axes work at once, each on its part; what has arrived goes on along the next."""
    sizes = sorted((ctx.mesh.shape[axis] for axis in axes), reverse=True)
    if not sizes:
        return RooflineResult.zeros()
    part = count // math.prod(sizes) if is_reduced else count
    part //= len(axes)
    sent = 0
    for size in sizes:
        sent += part * (size - 1)
        part *= size
    steps = max(sizes) * len(axes)
    return RooflineResult(
        ici_bytes=dict.fromkeys(axes, int(sent)),
        ici_latency=dict.fromkeys(axes, int(steps)),
    )


def _each(shapes, count):
    return sum(map(count, shapes), RooflineResult.zeros())


def _psum(ctx, *shapes, axes, **params):
    """A sum scattered, then gathered."""
    names = _axes_of(axes)
    return _each(shapes, lambda s: _ring(ctx, names, s.bytes, True) * 2)


def _extreme(ctx, *shapes, axes, **params):
    """One element from each device is enough."""
    names = _axes_of(axes)
    return _each(
        shapes,
        lambda s: _ring(
            ctx, names, RooflineShape(shape=(), dtype=s.dtype).bytes, False
        ),
    )


def _reduce_scatter(ctx, *shapes, axis_name, **params):
    names = _axes_of(axis_name)
    return _each(shapes, lambda s: _ring(ctx, names, s.bytes, True))


def _all_gather(ctx, *shapes, axis_name, **params):
    names = _axes_of(axis_name)
    return _each(shapes, lambda s: _ring(ctx, names, s.bytes, False))


def _all_to_all(ctx, x, *, axis_name, **params):
    """Half of all bytes cross the middle of the shortest axis."""
    axes = _axes_of(axis_name)
    sizes = [ctx.mesh.shape[axis] for axis in axes]
    if not sizes:
        return RooflineResult.zeros()
    least = min(sizes)
    # A ring has two links over its middle; two devices have one.
    links = least ** (len(sizes) - 1) * (2 if least > 2 else 1)
    sent = x.bytes * math.prod(sizes) / 2 / links
    steps = sum(size / 2 for size in sizes)
    return RooflineResult(
        ici_bytes=dict.fromkeys(axes, int(sent)),
        ici_latency=dict.fromkeys(axes, int(steps)),
    )


def _path(start, end, sizes):
    """The links from a device to another: along one axis after the other, the shorter way."""
    links, here = [], list(start)
    for axis, size in enumerate(sizes):
        ahead = (end[axis] - here[axis]) % size
        step, count = (1, ahead) if 2 * ahead <= size else (-1, size - ahead)
        for _ in range(count):
            before = tuple(here)
            here[axis] = (here[axis] + step) % size
            links.append(tuple(sorted((before, tuple(here)))))
    return links


def _ppermute(ctx, *shapes, axis_name, perm, **params):
    """The link that most messages take is the slowest."""
    axes = _axes_of(axis_name)
    sizes = [ctx.mesh.shape[axis] for axis in axes]
    if not sizes:
        return RooflineResult.zeros()
    coordinates = list(itertools.product(*map(range, sizes)))
    paths = [_path(coordinates[start], coordinates[end], sizes) for start, end in perm]
    used = collections.Counter(itertools.chain.from_iterable(paths))
    most = max(used.values(), default=0)
    longest = max(map(len, paths), default=0)
    return RooflineResult(
        ici_bytes=dict.fromkeys(axes, sum(s.bytes for s in shapes) * most),
        ici_latency=dict.fromkeys(axes, longest),
    )


_RULES = {
    _psum: ("psum", "psum_invariant", "unreduced_psum"),
    _extreme: ("pmax", "pmin"),
    _reduce_scatter: ("reduce_scatter", "unreduced_reduce_scatter"),
    _all_gather: ("all_gather", "all_gather_invariant", "all_gather_reduced"),
    _all_to_all: ("all_to_all",),
    _ppermute: ("ppermute",),
}
rules.update({primitive_of(n): rule for rule, names in _RULES.items() for n in names})
