"""Rows of `vmap` that are split over an Explicit axis, with values that have no rows."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

MESH = jax.make_mesh((2, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
A = np.sin(np.arange(64, dtype="f4")).reshape(2, 8, 4)
B = np.cos(np.arange(64, dtype="f4")).reshape(2, 8, 4)


def indices(b):
    return jnp.argsort(b[:, 0]) % 8


FUNCTIONS = {
    "set": lambda a, b: a.at[0].set(b[0]),
    "add to rows": lambda a, b: a.at[jnp.arange(8)].add(b),
    "add at indices": lambda a, b: a.at[indices(b)].add(1.0),
    "least": lambda a, b: a.at[0].min(b[0]),
    "update": lambda a, b: lax.dynamic_update_slice(a, b[:2], (0, 0)),
    "slice at an index": lambda a, b: lax.dynamic_slice(a, (indices(b)[0], 0), (2, 4)),
    "gather": lambda a, b: a[indices(b)],
    "concatenate": lambda a, b: jnp.concatenate([a, b]),
    "select": lambda a, b: lax.select(b > 0, a, a * 2),
    "where": lambda a, b: jnp.where(b > 0, a, 0),
    "clip": lambda a, b: lax.clamp(b, a, b + 1),
    "pad": lambda a, b: lax.pad(a, b[0, 0], ((1, 1, 0), (0, 0, 0))),
    "dot": lambda a, b: a @ b.T,
    "cond": lambda a, b: lax.cond(b[0, 0] > 0, lambda c: c, lambda c: c * 2, a),
    "switch": lambda a, b: lax.switch(indices(b)[0] % 2, [jnp.sin, jnp.cos], a),
    "scan": lambda a, b: lax.scan(lambda c, t: (c + t, c), b[0], a)[0],
    "relu": lambda a, b: jax.nn.relu(a - b),
    "one hot": lambda a, b: jax.nn.one_hot(indices(b) % 4, 4) @ a.T,
    "sum of segments": lambda a, b: jax.ops.segment_sum(a, indices(b) % 4, 4),
    "logsumexp": lambda a, b: jax.nn.logsumexp(a + b, 0),
    "indices in order": lambda a, b: jnp.searchsorted(a[:, 0], b[:, 0]),
    "constants": lambda a, b: jnp.tril(a) + jnp.eye(8, 4) + b * np.float32(2),
}


@pytest.mark.parametrize("in_axes", [(0, 0), (0, None), (None, 0)], ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_has_no_rows_is_repeated_over_the_axis_of_the_rows(name, in_axes):
    fun = jax.vmap(FUNCTIONS[name], in_axes=in_axes)
    plain = [x if axis == 0 else x[0] for x, axis in zip((A, B), in_axes, strict=True)]
    with jax.set_mesh(MESH):
        args = [
            jax.device_put(x, P("x") if axis == 0 else P())
            for x, axis in zip(plain, in_axes, strict=True)
        ]
        found = jax.jit(fun)(*args)
    np.testing.assert_allclose(found, jax.jit(fun)(*plain), rtol=1e-5, atol=1e-6)
    rows = P("x", *[None] * (found.ndim - 1))
    assert found.sharding == NamedSharding(MESH, rows)


def test_rows_of_rows_are_split_over_their_own_axes():
    def inner(a, b):
        return a.at[0].set(b)

    fun = jax.vmap(jax.vmap(inner, in_axes=(0, None)), in_axes=(0, None))
    with jax.set_mesh(MESH):
        a = jax.device_put(A, P("x", "y"))
        found = jax.jit(fun)(a, jnp.float32(3))
        # The outer rows are sharded over no axis: what is repeated for them is whole.
        whole = jax.jit(fun)(jax.device_put(A, P(None, "y")), jnp.float32(3))
    expected = A.copy()
    expected[:, :, 0] = 3
    for got, spec in ((found, P("x", "y", None)), (whole, P(None, "y", None))):
        np.testing.assert_array_equal(got, expected)
        assert got.sharding == NamedSharding(MESH, spec)


def test_gradients_of_what_has_no_rows_are_whole():
    def loss(a, b):
        return jnp.sin(jax.vmap(FUNCTIONS["set"], in_axes=(0, None))(a, b)).sum()

    plain = jax.grad(loss, argnums=(0, 1))(A, B[0])
    with jax.set_mesh(MESH):
        args = jax.device_put(A, P("x")), jax.device_put(B[0], P())
        found = jax.jit(jax.grad(loss, argnums=(0, 1)))(*args)
    for got, wanted, spec in zip(
        found, plain, (P("x", None, None), P(None, None)), strict=True
    ):
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)
        assert got.sharding == NamedSharding(MESH, spec)


def test_what_programs_share_names_no_mesh():
    """The program that joins a value and its update is traced once, on some mesh."""

    @jax.jit
    def update(a):
        return a.at[jnp.arange(8)].subtract(a)

    def put(sizes):
        mesh = jax.make_mesh(sizes, ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
        return jax.device_put(np.ones((8, 8), "f4"), NamedSharding(mesh, P()))

    for sizes in ((4, 2), (2, 2), (1, 2)):
        x = put(sizes)
        with jax.set_mesh(x.sharding.mesh):
            np.testing.assert_array_equal(update(x), np.zeros((8, 8)))
