"""Equinox on eight devices: `filter_shard` outside and inside of `filter_jit`."""

import equinox as eqx
import numpy as np
import optax
import pytest

import jax
import jax.numpy as jnp
from tests.ecosystem import data
from tests.ecosystem.sharded import meshes


def model_of(key):
    return eqx.nn.MLP(2, data.CLASSES, 32, 2, activation=jnp.tanh, key=key)


def shardings_of(model, mesh):
    """The hidden width over `model`: the first layer's rows, the second's columns."""
    whole = jax.tree.map(
        lambda x: jax.NamedSharding(mesh, jax.P()) if eqx.is_array(x) else None, model
    )

    def leaves(tree):
        layers = tree.layers
        return [layers[0].weight, layers[0].bias, layers[1].weight]

    specs = [jax.P("model", None), jax.P("model"), jax.P(None, "model")]
    return eqx.tree_at(leaves, whole, [jax.NamedSharding(mesh, s) for s in specs])


EXPECTED = {
    "layers.0.weight": ("model",),
    "layers.0.bias": ("model",),
    "layers.1.weight": (None, "model"),
    "layers.1.bias": (),
    "layers.2.weight": (),
    "layers.2.bias": (),
}


def shard(model, mesh):
    """Every array of the model where `shardings_of` says."""
    arrays, rest = eqx.partition(model, eqx.is_array)
    shardings = eqx.filter(shardings_of(model, mesh), lambda x: x is not None)
    return eqx.combine(jax.tree.map(eqx.filter_shard, arrays, shardings), rest)


def train(mesh, donate="none"):
    """Trains with batches over `data` and the hidden width over `model`."""
    model = shard(model_of(jax.random.key(0)), mesh)
    optimizer = optax.adamw(1e-2)
    state = optimizer.init(eqx.filter(model, eqx.is_inexact_array))
    state = (
        eqx.filter_shard(state, jax.NamedSharding(mesh, jax.P()))
        if (mesh.size == 1)
        else state
    )
    rows = jax.NamedSharding(mesh, jax.P("data"))

    @eqx.filter_jit(donate=donate)
    def step(model, state, points, labels):
        model = shard(model, mesh)
        points, labels = eqx.filter_shard((points, labels), rows)

        @eqx.filter_value_and_grad
        def loss(model):
            return data.loss_of(jax.vmap(model)(points), labels)

        value, grads = loss(model)
        updates, state = optimizer.update(
            grads, state, eqx.filter(model, eqx.is_inexact_array)
        )
        return shard(eqx.apply_updates(model, updates), mesh), state, value

    points, labels = eqx.filter_shard(meshes.spirals(), rows)
    losses, given = [], None
    for _ in range(meshes.STEPS):
        given = model
        model, state, value = step(model, state, points, labels)
        losses.append(float(value))
    return model, losses, given


def test_a_model_trains_as_on_one_device_and_stays_where_it_was_put():
    mesh = meshes.mesh_of(4, 2)
    model, losses, _ = train(mesh)
    _, alone, _ = train(meshes.mesh_of(1, 1))
    np.testing.assert_allclose(losses, alone, **meshes.SAME_LOSSES)
    assert losses[-1] < losses[0]
    assert meshes.specs_of(model) == EXPECTED
    meshes.check_parts(eqx.filter(model, eqx.is_array), mesh)


def test_donation_takes_over_every_part():
    _, _, given = train(meshes.mesh_of(4, 2), donate="all")
    assert all(x.is_deleted() for x in jax.tree.leaves(given) if eqx.is_array(x))


def test_filter_shard_leaves_what_is_no_array():
    mesh = meshes.mesh_of(8, 1)
    whole = jax.NamedSharding(mesh, jax.P())
    model = eqx.filter_shard(model_of(jax.random.key(0)), whole)
    assert model.activation is not None
    assert set(meshes.specs_of(model).values()) == {()}
    meshes.check_parts(eqx.filter(model, eqx.is_array), mesh)


@pytest.mark.parametrize("spec", [("data",), (None, "data"), (("data", "model"),), ()])
def test_filter_shard_means_the_same_inside_and_outside(spec):
    mesh = meshes.mesh_of(4, 2)
    sharding = jax.NamedSharding(mesh, jax.P(*spec))
    x = np.arange(64.0, dtype="f4").reshape(8, 8)
    outside = eqx.filter_shard(x, sharding)
    inside = eqx.filter_jit(lambda x: eqx.filter_shard(x, sharding))(x)
    for result in (outside, inside):
        assert result.sharding.is_equivalent_to(sharding, 2)
        np.testing.assert_array_equal(result, x)


def test_a_model_made_in_parts_under_jit():
    """The way for models that fit no single device."""
    mesh = meshes.mesh_of(2, 4)
    make = eqx.filter_jit(lambda key: shard(model_of(key), mesh))
    model = make(jax.random.key(0))
    assert meshes.specs_of(model) == EXPECTED
    for ours, whole in zip(
        jax.tree.leaves(eqx.filter(model, eqx.is_array)),
        jax.tree.leaves(eqx.filter(model_of(jax.random.key(0)), eqx.is_array)),
        strict=True,
    ):
        np.testing.assert_allclose(ours, whole, rtol=1e-6, atol=1e-7)
