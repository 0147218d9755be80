"""Collectives: what they compute, and the laws of their derivatives and of batching."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AbstractMesh, PartitionSpec as P
from tests.testing import devices_by_rows as rows

MESH = AbstractMesh((4, 2), ("x", "y"))
RING = [(i, (i + 1) % 4) for i in range(4)]
WHOLE = P("x", "y")


def part_of(device, x):
    """The part of a (16, 8) array that a device of the mesh has."""
    i, j = divmod(device, 2)
    return x[4 * i : 4 * i + 4, 4 * j : 4 * j + 4]


# Name -> (function of one part, the same in NumPy of the parts of a group in order).
ALONG_X = {
    "psum": (lambda a: lax.psum(a, "x"), lambda g, i: sum(g)),
    "pmean": (lambda a: lax.pmean(a, "x"), lambda g, i: sum(g) / 4),
    "pmax": (lambda a: lax.pmax(a, "x"), lambda g, i: np.max(g, 0)),
    "pmin": (lambda a: lax.pmin(a, "x"), lambda g, i: np.min(g, 0)),
    "all_gather": (lambda a: lax.all_gather(a, "x"), lambda g, i: np.stack(g)),
    "all_gather_tiled": (
        lambda a: lax.all_gather(a, "x", axis=1, tiled=True),
        lambda g, i: np.concatenate(g, 1),
    ),
    "psum_scatter": (
        lambda a: lax.psum_scatter(a, "x"),
        lambda g, i: sum(g)[i],
    ),
    "psum_scatter_tiled": (
        lambda a: lax.psum_scatter(a, "x", scatter_dimension=1, tiled=True),
        lambda g, i: sum(g)[:, i : i + 1],
    ),
    "all_to_all": (
        lambda a: lax.all_to_all(a, "x", 0, 1),
        lambda g, i: np.stack([part[i] for part in g], 1),
    ),
    "all_to_all_tiled": (
        lambda a: lax.all_to_all(a, "x", 1, 0, tiled=True),
        lambda g, i: np.concatenate([part[:, i : i + 1] for part in g], 0),
    ),
    "ppermute": (lambda a: lax.ppermute(a, "x", RING), lambda g, i: g[(i - 1) % 4]),
    "ppermute_partly": (
        lambda a: lax.ppermute(a, "x", [(0, 2), (-1, 0)]),
        lambda g, i: {2: g[0], 0: g[3]}.get(i, 0 * g[0]),
    ),
    "pshuffle": (
        lambda a: lax.pshuffle(a, "x", [2, 0, 3, 1]),
        lambda g, i: g[[2, 0, 3, 1][i]],
    ),
    "pbroadcast": (lambda a: lax.pbroadcast(a, "x", 2), lambda g, i: g[2]),
    "pswapaxes": (
        lambda a: lax.pswapaxes(a, "x", 0),
        lambda g, i: np.stack([part[i] for part in g]),
    ),
    "axis_index": (lambda a: a * lax.axis_index("x"), lambda g, i: g[i] * i),
    "axis_size": (lambda a: a * lax.axis_size("x"), lambda g, i: g[i] * 4),
    "psum_of_one": (lambda a: a * lax.psum(1, "x"), lambda g, i: g[i] * 4),
}


def a_16_by_8(seed=0):
    return np.random.default_rng(seed).integers(-8, 9, (16, 8)) / np.float32(4)


def on_all(fun, spec=WHOLE, *, check_vma, out=P(("x", "y"))):
    """`fun` on every device, its results side by side along their first axis."""

    def varied(*parts):
        made = fun(*parts)
        return made[None] if np.ndim(made) == 0 else made

    return jax.shard_map(
        varied, mesh=MESH, in_specs=spec, out_specs=out, check_vma=check_vma
    )


@pytest.mark.parametrize("check_vma", [True, False])
@pytest.mark.parametrize("name", ALONG_X)
def test_a_collective_does_what_its_parts_say(name, check_vma):
    fun, reference = ALONG_X[name]
    x = a_16_by_8()
    got = rows.run(on_all(fun, check_vma=check_vma), x)
    want = []
    for device in range(8):
        i, j = divmod(device, 2)
        group = [part_of(2 * k + j, x) for k in range(4)]
        want.append(reference(group, i))
    np.testing.assert_allclose(got, np.concatenate(want), rtol=1e-6)


DIFFERENTIABLE = [n for n in ALONG_X if n not in ("pmax", "pmin")]


@pytest.mark.parametrize("check_vma", [True, False])
@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_the_transpose_of_a_collective_keeps_inner_products(name, check_vma):
    fun = on_all(ALONG_X[name][0], check_vma=check_vma)
    x, t = a_16_by_8(), a_16_by_8(1)
    forward = rows.run(lambda a, b: jax.jvp(fun, (a,), (b,))[1], x, t)
    ct = np.random.default_rng(2).integers(-8, 9, forward.shape) / np.float32(4)
    back = rows.run(lambda a, c: jax.vjp(fun, a)[1](c)[0], x, ct)
    np.testing.assert_allclose(np.vdot(ct, forward), np.vdot(back, t), rtol=1e-6)


@pytest.mark.parametrize("name", ALONG_X)
def test_a_collective_of_rows_is_a_loop_over_rows(name):
    fun = on_all(ALONG_X[name][0], check_vma=True)
    many = np.stack([a_16_by_8(seed) for seed in range(3)])
    want = np.stack([rows.run(fun, x) for x in many])
    np.testing.assert_array_equal(rows.run(jax.vmap(fun), many), want)
    turned = rows.run(jax.vmap(fun, in_axes=2, out_axes=1), np.moveaxis(many, 0, 2))
    np.testing.assert_array_equal(np.moveaxis(turned, 1, 0), want)


@pytest.mark.parametrize("name", ALONG_X)
def test_rows_inside_of_the_body_are_a_loop(name):
    fun = ALONG_X[name][0]
    many = np.stack([a_16_by_8(seed) for seed in range(3)])
    inner = jax.shard_map(
        jax.vmap(fun),
        mesh=MESH,
        in_specs=P(None, "x", "y"),
        out_specs=P(None, ("x", "y")),
    )
    one = on_all(fun, check_vma=True)
    if np.ndim(rows.run(one, many[0])) == 0:
        pytest.skip("no axis to join along")
    want = np.stack([rows.run(one, x) for x in many])
    np.testing.assert_array_equal(rows.run(inner, many), want)


def test_several_axes_count_the_last_one_fastest():
    def body(a):
        here = lax.axis_index(("y", "x"))
        return jnp.stack([here, lax.axis_index(("x", "y"))])[None] + 0 * a[
            :1, :2
        ].astype(int)

    got = rows.run(on_all(body, check_vma=True), a_16_by_8())
    pairs = [(j * 4 + i, i * 2 + j) for i in range(4) for j in range(2)]
    assert got.tolist() == [list(pair) for pair in pairs]
    gathered = rows.run(
        on_all(lambda a: lax.all_gather(a, ("y", "x"), tiled=True), check_vma=True),
        a_16_by_8(),
    )
    want = np.concatenate(
        [part_of(2 * i + j, a_16_by_8()) for j in range(2) for i in range(4)]
    )
    np.testing.assert_array_equal(gathered[:32], want)


def test_a_sum_of_parts_that_are_due_is_taken_by_psum_and_psum_scatter():
    def body(a):
        due = lax.pcast(a, ("x", "y"), to="unreduced")
        return lax.psum(due, ("x", "y"))

    x = a_16_by_8()
    whole = rows.run(jax.shard_map(body, mesh=MESH, in_specs=WHOLE, out_specs=P()), x)
    np.testing.assert_array_equal(whole, sum(part_of(d, x) for d in range(8)))
