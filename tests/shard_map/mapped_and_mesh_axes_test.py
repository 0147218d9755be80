"""Collectives over an axis of `vmap` and one of a mesh at once, against what they mean."""

import itertools

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax

ROWS, DEVICES = 3, 2
COUNT = ROWS * DEVICES
X = np.sin(np.arange(DEVICES * ROWS * 6**3, dtype="f4")).reshape(DEVICES, ROWS, 6, 6, 6)
NAMES = [("i", "j"), ("j", "i")]
CUTS = [(0, 0), (0, 2), (2, 0), (1, 1), (2, 1)]


def participants(names):
    """The positions of the participants, in the order in which they count."""
    order = itertools.product(range(DEVICES), range(ROWS))
    return sorted(order, key=lambda p: p if names == ("i", "j") else p[::-1])


def by_two_maps(f):
    return jax.vmap(jax.vmap(f, axis_name="j"), axis_name="i")


def by_pmap(f):
    return jax.pmap(jax.vmap(f, axis_name="j"), axis_name="i")


def by_shard_map(f, **options):
    mesh = jax.make_mesh((DEVICES,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))
    rows = jax.vmap(f, axis_name="j")
    specs = {"in_specs": jax.P("i"), "out_specs": jax.P("i")}
    body = lambda x: rows(x[0])[None]  # noqa: E731
    return jax.jit(jax.shard_map(body, mesh=mesh, **specs, **options))


def by_untyped_shard_map(f):
    return by_shard_map(f, check_vma=False)


WAYS = [by_two_maps, by_pmap, by_untyped_shard_map]


def exchanged(parts, split, concat, tiled):
    outs = []
    for q in range(COUNT):
        if tiled:
            pieces = [np.split(part, COUNT, split)[q] for part in parts]
            outs.append(np.concatenate(pieces, concat))
        else:
            outs.append(np.stack([part.take(q, split) for part in parts], concat))
    return outs


def scattered(parts, index, tiled):
    total = sum(parts)
    pieces = np.split(total, COUNT, index)
    return pieces if tiled else [piece.squeeze(index) for piece in pieces]


def gathered(parts, index, tiled):
    join = np.concatenate if tiled else np.stack
    return [join(parts, index)] * COUNT


def expected(names, meaning, *args):
    order = participants(names)
    outs = meaning([X[p] for p in order], *args)
    whole = np.empty((DEVICES, ROWS, *outs[0].shape), "f4")
    for index, out in zip(order, outs, strict=True):
        whole[index] = out
    return whole


@pytest.mark.parametrize("names", NAMES, ids="".join)
@pytest.mark.parametrize("split, concat", CUTS)
@pytest.mark.parametrize("tiled", [False, True])
def test_all_to_all_exchanges_among_all(names, split, concat, tiled):
    def body(x):
        return lax.all_to_all(x, names, split, concat, tiled=tiled)

    wanted = expected(names, exchanged, split, concat, tiled)
    np.testing.assert_array_equal(by_two_maps(body)(X), wanted)
    gradient = jax.grad(lambda x: jnp.sin(by_two_maps(body)(x)).sum())(X)
    np.testing.assert_allclose(gradient, np.cos(X), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("way", [by_pmap, by_shard_map])
@pytest.mark.parametrize("names", NAMES, ids="".join)
@pytest.mark.parametrize("split, concat, tiled", [(0, 1, False), (2, 0, True)])
def test_all_to_all_exchanges_between_devices_and_rows(
    way, names, split, concat, tiled
):
    def body(x):
        return lax.all_to_all(x, names, split, concat, tiled=tiled)

    wanted = expected(names, exchanged, split, concat, tiled)
    np.testing.assert_array_equal(way(body)(X), wanted)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("names", NAMES, ids="".join)
@pytest.mark.parametrize("index, tiled", [(0, False), (1, True), (2, False)])
def test_parts_of_a_sum_and_all_parts(way, names, index, tiled):
    def scatter(x):
        return lax.psum_scatter(x, names, scatter_dimension=index, tiled=tiled)

    def gather(x):
        return lax.all_gather(x, names, axis=index, tiled=tiled)

    wanted = expected(names, scattered, index, tiled)
    np.testing.assert_allclose(way(scatter)(X), wanted, rtol=1e-5, atol=1e-6)
    wanted = expected(names, gathered, index, tiled)
    np.testing.assert_array_equal(way(gather)(X), wanted)


def test_groups_are_for_axes_of_one_kind():
    def body(x):
        groups = [[0, 1, 2], [3, 4, 5]]
        return lax.all_to_all(x, ("i", "j"), 0, 0, axis_index_groups=groups, tiled=True)

    with pytest.raises(NotImplementedError, match="axis_index_groups"):
        by_two_maps(body)(X)
