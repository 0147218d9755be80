"""Collectives that are started, and whose results are waited for later, compute what the whole ones do."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

MESH = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
X = jnp.sin(jnp.arange(64.0).reshape(32, 2))

FORMS = {
    "tiled": ({"tiled": True}, lambda x: x),
    "not tiled": ({}, lambda x: x.reshape(4, -1)),
    "another dimension": ({"scatter_dimension": 1, "tiled": True}, lambda x: x.T),
    "groups": (
        {"axis_index_groups": [[0, 1], [2, 3]], "tiled": True},
        lambda x: x,
    ),
}


def mapped(f, **options):
    return jax.jit(
        jax.shard_map(
            f, mesh=MESH, in_specs=P("x", "y"), out_specs=P(("x", "y")), **options
        )
    )


@pytest.mark.parametrize("name", FORMS)
def test_both_halves_are_the_whole(name):
    options, shape = FORMS[name]

    def halves(x):
        later = lax.psum_scatter_start({"a": shape(x)}, "x", **options)
        between = jnp.cos(x).sum()
        return (later["a"].done() + between).ravel()

    def whole(x):
        between = jnp.cos(x).sum()
        return (lax.psum_scatter(shape(x), "x", **options) + between).ravel()

    np.testing.assert_array_equal(mapped(halves)(X), mapped(whole)(X))

    def slope(f):
        return jax.grad(lambda x: (mapped(f)(x) ** 2).sum())(X)

    np.testing.assert_array_equal(slope(halves), slope(whole))


def test_what_was_started_passes_through_jit_and_loops():
    def halves(x):
        start = jax.jit(lambda x: lax.psum_scatter_start(x, "x", tiled=True))

        def step(later, _):
            return start(jnp.tile(later.done(), (4, 1))), None

        later, _ = lax.scan(step, start(x), None, 3)
        return later.done()

    def whole(x):
        for i in range(4):
            x = lax.psum_scatter(x if i == 0 else jnp.tile(x, (4, 1)), "x", tiled=True)
        return x

    np.testing.assert_allclose(mapped(halves)(X), mapped(whole)(X), rtol=1e-6)


def test_errors_are_those_of_the_whole():
    with pytest.raises(NameError, match="z"):
        mapped(lambda x: lax.psum_scatter_start(x, "z").done())(X)
    with pytest.raises(ValueError, match="cut"):
        mapped(lambda x: lax.psum_scatter_start(x[:3], "x", tiled=True).done())(X)


def test_an_axis_of_vmap():
    f = jax.vmap(lambda x: lax.psum_scatter_start(x, "i").done(), axis_name="i")
    np.testing.assert_array_equal(f(jnp.ones((3, 3))), [3, 3, 3])
