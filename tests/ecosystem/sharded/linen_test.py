"""Flax's linen on eight devices: partitioning metadata, logical axes, training states."""

import flax.linen as nn
import numpy as np
import optax
from flax.training import train_state

import jax
from tests.ecosystem import data
from tests.ecosystem.sharded import meshes

RULES = (("batch", "data"), ("width", "model"), ("features", None))


class Named(nn.Module):
    """Kernels that name the axes of the mesh."""

    @nn.compact
    def __call__(self, x):
        init = nn.initializers.lecun_normal()
        across = nn.with_partitioning(init, (None, "model"))
        back = nn.with_partitioning(init, ("model", None))
        bias = nn.with_partitioning(nn.initializers.zeros_init(), ("model",))
        x = nn.tanh(nn.Dense(32, kernel_init=across, bias_init=bias)(x))
        x = nn.tanh(nn.Dense(16, kernel_init=back)(x))
        return nn.Dense(data.CLASSES)(x)


class Logical(nn.Module):
    """Kernels and values that name axes of the model; rules say what they mean."""

    @nn.compact
    def __call__(self, x):
        init = nn.initializers.lecun_normal()
        across = nn.with_logical_partitioning(init, ("features", "width"))
        back = nn.with_logical_partitioning(init, ("width", "features"))
        bias = nn.with_logical_partitioning(nn.initializers.zeros_init(), ("width",))
        x = nn.tanh(nn.Dense(32, kernel_init=across, bias_init=bias)(x))
        x = nn.with_logical_constraint(x, ("batch", "width"))
        x = nn.tanh(nn.Dense(16, kernel_init=back)(x))
        x = nn.with_logical_constraint(x, ("batch", "features"))
        return nn.Dense(data.CLASSES)(x)


def sharded_state(model, mesh, shardings_of):
    """A training state that is made with its shardings, and these."""
    points, _ = meshes.batch_on(mesh)

    def make(key):
        variables = model.init(key, points)
        return train_state.TrainState.create(
            apply_fn=model.apply, params=variables["params"], tx=optax.adamw(1e-2)
        )

    shapes = jax.eval_shape(make, jax.random.key(0))
    shardings = shardings_of(shapes, mesh)
    return jax.jit(make, out_shardings=shardings)(jax.random.key(0)), shardings


def train(model, mesh, shardings_of):
    """The last state, its shardings, and the losses."""
    with jax.set_mesh(mesh), nn.logical_axis_rules(RULES):
        state, shardings = sharded_state(model, mesh, shardings_of)
        batch = meshes.batch_on(mesh)
        rows = jax.NamedSharding(mesh, jax.P("data"))
        whole = jax.NamedSharding(mesh, jax.P())

        def step(state, points, labels):
            def loss(params):
                logits = state.apply_fn({"params": params}, points)
                return data.loss_of(logits, labels)

            value, grads = jax.value_and_grad(loss)(state.params)
            return state.apply_gradients(grads=grads), value

        step = jax.jit(
            step,
            in_shardings=(shardings, rows, rows),
            out_shardings=(shardings, whole),
            donate_argnums=0,
        )
        losses = []
        for _ in range(meshes.STEPS):
            state, value = step(state, *batch)
            losses.append(float(value))
    return nn.unbox(state), losses


def by_names(shapes, mesh):
    """Shardings from the names of mesh axes that the kernels carry."""
    return nn.get_sharding(shapes, mesh)


def by_rules(shapes, mesh):
    """Shardings from the names of the model's axes, through the rules."""
    return nn.logical_to_mesh_sharding(nn.get_partition_spec(shapes), mesh, RULES)


EXPECTED = {
    "Dense_0.bias": ("model",),
    "Dense_0.kernel": (None, "model"),
    "Dense_1.bias": (),
    "Dense_1.kernel": ("model",),
    "Dense_2.bias": (),
    "Dense_2.kernel": (),
}


def check(model, shardings_of):
    mesh = meshes.mesh_of(4, 2)
    state, losses = train(model, mesh, shardings_of)
    _, alone = train(model, meshes.mesh_of(1, 1), shardings_of)
    np.testing.assert_allclose(losses, alone, **meshes.SAME_LOSSES)
    assert losses[-1] < losses[0]
    moments = state.opt_state[0]
    for tree in (state.params, moments.mu, moments.nu):
        assert meshes.specs_of(tree) == EXPECTED
    meshes.check_parts(state, mesh)


def test_kernels_that_name_mesh_axes_train_where_they_say():
    check(Named(), by_names)


def test_kernels_that_name_model_axes_train_where_the_rules_say():
    check(Logical(), by_rules)


def test_metadata_gives_specs_and_survives_transformations():
    model = Named()
    x = np.ones((4, 2), "f4")
    variables = jax.eval_shape(model.init, jax.random.key(0), x)
    specs = nn.get_partition_spec(variables)["params"]
    assert specs["Dense_0"]["kernel"] == jax.P(None, "model")
    assert specs["Dense_2"]["kernel"] == jax.P()
    stack = nn.vmap(
        Named,
        variable_axes={"params": 0},
        split_rngs={"params": True},
        in_axes=None,
        axis_size=4,
        metadata_params={nn.PARTITION_NAME: "data"},
    )()
    stacked = jax.eval_shape(stack.init, jax.random.key(0), x)
    specs = nn.get_partition_spec(stacked)["params"]
    assert specs["Dense_0"]["kernel"] == jax.P("data", None, "model")


def test_a_constraint_decides_the_sharding_of_a_value():
    mesh = meshes.mesh_of(4, 2)

    @jax.jit
    def f(x):
        return nn.with_logical_constraint(
            2 * x, ("batch", "width"), rules=RULES, mesh=mesh
        )

    out = f(np.ones((8, 4), "f4"))
    assert out.sharding.is_equivalent_to(
        jax.NamedSharding(mesh, jax.P("data", "model")), 2
    )
    meshes.check_parts([out], mesh)
