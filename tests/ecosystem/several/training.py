"""A program of several processes: Flax, Optax and Orbax train, save, and go on with other processes.

    python training.py FOLDER FIRST LAST

trains from step FIRST to step LAST, from the checkpoint in the folder if FIRST is not 0, and saves
one there at step SAVED. Prints the losses as hexadecimal numbers, so that all bits show.
"""

import pathlib
import sys

import flax.linen as nn
import numpy as np
import optax
import orbax.checkpoint as ocp

import jax
from tests.ecosystem import data

STEPS, SAVED = 8, 4
POINTS = 144


class Network(nn.Module):
    """Kernels in pieces over the axis `model`, as each says itself."""

    @nn.compact
    def __call__(self, x):
        init = nn.initializers.lecun_normal()
        across = nn.with_partitioning(init, (None, "model"))
        back = nn.with_partitioning(init, ("model", None))
        x = nn.tanh(nn.Dense(32, kernel_init=across)(x))
        x = nn.tanh(nn.Dense(16, kernel_init=back)(x))
        return nn.Dense(data.CLASSES)(x)


def batch_on(mesh):
    """Each process gives the rows of its devices."""
    rows = jax.NamedSharding(mesh, jax.P("data"))

    def put(values):
        values = np.asarray(values)
        return jax.make_array_from_callback(values.shape, rows, lambda i: values[i])

    return tuple(map(put, data.spirals(POINTS)))


def functions(mesh):
    """A function that makes a state, the shardings of its parts, and one step."""
    network, optimizer = Network(), optax.adamw(1e-2)

    def make(key):
        params = network.init(key, np.zeros((1, 2), np.float32))["params"]
        return {"params": params, "optimizer": optimizer.init(params)}

    def start(key):
        return nn.unbox(make(key))

    shardings = nn.get_sharding(jax.eval_shape(make, jax.random.key(0)), mesh)

    def step(state, points, labels):
        def loss(params):
            return data.loss_of(network.apply({"params": params}, points), labels)

        value, grads = jax.value_and_grad(loss)(state["params"])
        updates, inner = optimizer.update(grads, state["optimizer"], state["params"])
        params = optax.apply_updates(state["params"], updates)
        return {"params": params, "optimizer": inner}, value

    whole = jax.NamedSharding(mesh, jax.P())
    return (
        jax.jit(start, out_shardings=shardings),
        jax.eval_shape(start, jax.random.key(0)),
        shardings,
        jax.jit(step, out_shardings=(shardings, whole)),
    )


def main(folder: pathlib.Path, first: int, last: int) -> None:
    jax.distributed.initialize()
    kinds = (jax.sharding.AxisType.Auto,) * 2
    mesh = jax.make_mesh((jax.device_count() // 2, 2), ("data", "model"), kinds)
    make, shapes, shardings, step = functions(mesh)
    batch = batch_on(mesh)
    manager = ocp.CheckpointManager(folder, options=ocp.CheckpointManagerOptions())
    with jax.set_mesh(mesh), manager:
        if first == 0:
            state = make(jax.random.key(0))
        else:
            assert manager.latest_step() == first
            target = jax.tree.map(
                lambda x, s: jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=s),
                shapes,
                shardings,
            )
            state = manager.restore(first, args=ocp.args.StandardRestore(target))
        for number in range(first, last):
            if number == SAVED and first == 0:
                manager.save(number, args=ocp.args.StandardSave(state))
            state, loss = step(state, *batch)
            print(float(loss).hex())


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
