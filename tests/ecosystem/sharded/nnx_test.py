"""Flax's nnx on eight devices: models made with their shardings, constraints, optimizers."""

import numpy as np
import optax
import pytest
from flax import nnx

import jax
from tests.ecosystem import data
from tests.ecosystem.sharded import meshes


class Model(nnx.Module):
    """Two layers whose kernels name mesh axes, and one that says nothing."""

    def __init__(self, rngs):
        init = nnx.initializers.lecun_normal()
        zeros = nnx.initializers.zeros_init()
        self.across = nnx.Linear(
            2,
            32,
            kernel_init=nnx.with_partitioning(init, (None, "model")),
            bias_init=nnx.with_partitioning(zeros, ("model",)),
            rngs=rngs,
        )
        self.back = nnx.Linear(
            32, 16, kernel_init=nnx.with_partitioning(init, ("model", None)), rngs=rngs
        )
        self.out = nnx.Linear(16, data.CLASSES, rngs=rngs)

    def __call__(self, x):
        x = nnx.tanh(self.across(x))
        x = jax.lax.with_sharding_constraint(x, jax.P("data", "model"))
        return self.out(nnx.tanh(self.back(x)))


@nnx.jit
def make_sharded():
    """A model whose state is sharded as its metadata says, and its optimizer's state, too."""
    model = Model(nnx.Rngs(0))
    state = nnx.state(model)
    nnx.update(
        model, jax.lax.with_sharding_constraint(state, nnx.get_partition_spec(state))
    )
    optimizer = nnx.Optimizer(model, optax.adamw(1e-2), wrt=nnx.Param)
    moments = nnx.state(optimizer, nnx.optimizer.OptState)
    placed = jax.lax.with_sharding_constraint(moments, nnx.get_partition_spec(moments))
    nnx.update(optimizer, placed)
    return model, optimizer


@nnx.jit
def step(model, optimizer, points, labels):
    def loss(model):
        return data.loss_of(model(points), labels)

    value, grads = nnx.value_and_grad(loss)(model)
    optimizer.update(model, grads)
    return value


def train(mesh):
    with jax.set_mesh(mesh):
        model, optimizer = make_sharded()
        batch = meshes.batch_on(mesh)
        losses = [float(step(model, optimizer, *batch)) for _ in range(meshes.STEPS)]
    return model, optimizer, losses


EXPECTED = {
    "across.bias": ("model",),
    "across.kernel": (None, "model"),
    "back.bias": (),
    "back.kernel": ("model",),
    "out.bias": (),
    "out.kernel": (),
}


@pytest.fixture(scope="module")
def trained():
    return train(meshes.mesh_of(4, 2))


def test_losses_are_those_of_one_device(trained):
    _, _, losses = trained
    _, _, alone = train(meshes.mesh_of(1, 1))
    np.testing.assert_allclose(losses, alone, **meshes.SAME_LOSSES)
    assert losses[-1] < losses[0]


def test_parameters_stay_where_their_metadata_says(trained):
    model, _, _ = trained
    state = nnx.to_pure_dict(nnx.state(model, nnx.Param))
    assert meshes.specs_of(state) == EXPECTED
    meshes.check_parts(state, meshes.mesh_of(4, 2))


def test_moments_are_sharded_as_their_parameters(trained):
    model, optimizer, _ = trained
    moments = optimizer.opt_state[0]
    for tree in (moments.mu, moments.nu):
        assert meshes.specs_of(nnx.to_pure_dict(nnx.state(tree))) == EXPECTED


def test_a_state_made_by_jit_with_shardings():
    """The functional way: split, shardings from the metadata, jit with out_shardings."""
    mesh = meshes.mesh_of(2, 4)
    with jax.set_mesh(mesh):
        shapes = nnx.eval_shape(lambda: Model(nnx.Rngs(0)))
        _, state = nnx.split(shapes)
        shardings = nnx.get_named_sharding(state, mesh)
        state = jax.jit(
            lambda: nnx.state(Model(nnx.Rngs(0))), out_shardings=shardings
        )()
    values = nnx.to_pure_dict(state)
    assert meshes.specs_of(values) == EXPECTED
    meshes.check_parts(values, mesh)
