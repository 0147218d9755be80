"""Optax on eight devices: states beside their parameters, divided states, donation."""

import numpy as np
import optax
import pytest

import jax
import jax.numpy as jnp
from tests.ecosystem import data
from tests.ecosystem.sharded import meshes

SPECS = {
    "hidden": jax.P(None, "model"),
    "bias": jax.P("model"),
    "out": jax.P("model", None),
}
# ZeRO: each parameter whole on every device, its moments divided over `data`.
WHOLE = {name: jax.P() for name in SPECS}
DIVIDED = {"hidden": jax.P(None, "data"), "bias": jax.P("data"), "out": jax.P("data")}

OPTIMIZERS = {
    "adafactor": lambda: optax.adafactor(1e-2, min_dim_size_to_factor=2),
    "adamw": lambda: optax.adamw(1e-2),
    "clipped": lambda: optax.chain(optax.clip_by_global_norm(0.5), optax.adam(1e-2)),
    "lion": lambda: optax.lion(1e-3),
    "masked": lambda: optax.adamw(
        1e-2, mask={"hidden": True, "bias": False, "out": True}
    ),
    "momentum": lambda: optax.sgd(1e-1, momentum=0.9),
    "several steps": lambda: optax.MultiSteps(optax.adam(1e-2), 3),
}


def init(key):
    first, second = jax.random.split(key)
    return {
        "hidden": jax.random.normal(first, (2, 32)) * 0.7,
        "bias": jnp.zeros(32),
        "out": jax.random.normal(second, (32, data.CLASSES)) * 0.2,
    }


def loss(params, points, labels):
    hidden = jnp.tanh(points @ params["hidden"] + params["bias"])
    return data.loss_of(hidden @ params["out"], labels)


def shardings_of(optimizer, mesh, specs, state_specs):
    """Shardings of the parameters, and of the optimizer's state leaf by leaf.

    What has the shape of its parameter is by `state_specs`, the rest whole.
    """

    def named(spec):
        return jax.NamedSharding(mesh, spec)

    shapes = jax.eval_shape(init, jax.random.key(0))
    state = jax.eval_shape(optimizer.init, shapes)

    def beside(leaf, shape, spec):
        return named(spec if leaf.shape == shape.shape else jax.P())

    states = optax.tree.map_params(
        optimizer,
        beside,
        state,
        shapes,
        state_specs,
        transform_non_params=lambda _: named(jax.P()),
    )
    return jax.tree.map(named, specs), states


def train(optimizer, mesh, specs=SPECS, state_specs=SPECS):
    """The parameters, the state, the losses, and what was donated to the last step."""
    shardings, state_shardings = shardings_of(optimizer, mesh, specs, state_specs)
    rows, whole = (jax.NamedSharding(mesh, spec) for spec in (jax.P("data"), jax.P()))
    params = jax.jit(init, out_shardings=shardings)(jax.random.key(0))
    state = jax.jit(optimizer.init, out_shardings=state_shardings)(params)

    def step(params, state, points, labels):
        value, grads = jax.value_and_grad(loss)(params, points, labels)
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state, value

    step = jax.jit(
        step,
        in_shardings=(shardings, state_shardings, rows, rows),
        out_shardings=(shardings, state_shardings, whole),
        donate_argnums=(0, 1),
    )
    batch, losses, given = meshes.spirals(), [], None
    for _ in range(meshes.STEPS):
        given = params, state
        params, state, value = step(params, state, *batch)
        losses.append(float(value))
    return params, state, losses, given


def specs_without_none(specs):
    return meshes.specs_of(
        {
            name: jax.device_put(
                np.zeros([8] * len(spec)), jax.NamedSharding(meshes.mesh_of(4, 2), spec)
            )
            for name, spec in specs.items()
        }
    )


@pytest.mark.parametrize("name", sorted(OPTIMIZERS))
def test_an_optimizer_trains_as_on_one_device(name):
    mesh = meshes.mesh_of(4, 2)
    params, state, losses, _ = train(OPTIMIZERS[name](), mesh)
    _, _, alone, _ = train(OPTIMIZERS[name](), meshes.mesh_of(1, 1))
    np.testing.assert_allclose(losses, alone, **meshes.SAME_LOSSES)
    assert losses[-1] < losses[0]
    assert meshes.specs_of(params) == specs_without_none(SPECS)
    meshes.check_parts((params, state), mesh)


def test_moments_are_sharded_as_their_parameters():
    _, state, _, _ = train(optax.adamw(1e-2), meshes.mesh_of(4, 2))
    for tree in (state[0].mu, state[0].nu):
        assert meshes.specs_of(tree) == specs_without_none(SPECS)
    assert meshes.specs_of(state[0].count) == {"": ()}


def test_moments_divided_over_the_data_axis():
    mesh = meshes.mesh_of(8, 1)
    params, state, losses, _ = train(optax.adamw(1e-2), mesh, WHOLE, DIVIDED)
    _, _, alone, _ = train(optax.adamw(1e-2), meshes.mesh_of(1, 1))
    np.testing.assert_allclose(losses, alone, **meshes.SAME_LOSSES)
    assert meshes.specs_of(params) == {name: () for name in WHOLE}
    for tree in (state[0].mu, state[0].nu):
        assert meshes.specs_of(tree) == specs_without_none(DIVIDED)
    meshes.check_parts((params, state), mesh)


def test_a_step_takes_over_what_it_was_given():
    _, _, _, given = train(optax.adamw(1e-2), meshes.mesh_of(4, 2))
    assert all(leaf.is_deleted() for leaf in jax.tree.leaves(given))


def test_without_shardings_the_state_follows_the_parameters():
    """`optimizer.init` outside of jit, and a plain jit of the step."""
    mesh, optimizer = meshes.mesh_of(4, 2), optax.adam(1e-2)
    params = {
        name: jax.device_put(value, jax.NamedSharding(mesh, SPECS[name]))
        for name, value in init(jax.random.key(0)).items()
    }
    state = optimizer.init(params)
    assert meshes.specs_of(state[0].mu) == specs_without_none(SPECS)

    @jax.jit
    def step(params, state, points, labels):
        grads = jax.grad(loss)(params, points, labels)
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state

    for _ in range(3):
        params, state = step(params, state, *meshes.batch_on(mesh))
    meshes.check_parts(params, mesh)
    assert meshes.specs_of(params) == specs_without_none(SPECS)
