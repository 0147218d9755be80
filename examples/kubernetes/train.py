#!/usr/bin/env python3
"""What each pod of train.yaml runs: one model over all processes of the job.

`jax.distributed.initialize` finds the number of this pod and the name of the first one in what Kubernetes gives to an Indexed
Job, and the number of pods in JAX_NUM_PROCESSES. Without that variable the program runs alone. Each process makes its own
part of the data, so that no machine holds all of it.
"""

import argparse
import os
import sys

import numpy as np
from tqdm import tqdm

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

FEATURES, ROWS = 16, 4096


def join() -> None:
    """Joins the job of which this process is a part, if there is one."""
    if "JAX_NUM_PROCESSES" in os.environ:
        jax.distributed.initialize()


def own_part(truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The examples of this process: other random numbers in each."""
    random = np.random.default_rng(jax.process_index())
    x = random.normal(size=(ROWS // jax.process_count(), FEATURES)).astype(np.float32)
    return x, x @ truth + 0.1 * random.normal(size=len(x)).astype(np.float32)


def main(arguments: list[str] | None = None) -> float:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=100)
    options = parser.parse_args(arguments)
    join()
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    split = NamedSharding(mesh, PartitionSpec("data"))
    truth = np.linspace(-1, 1, FEATURES, dtype=np.float32)
    x, y = (
        jax.make_array_from_process_local_data(split, part) for part in own_part(truth)
    )

    @jax.jit
    def step(
        weights: jax.Array, x: jax.Array, y: jax.Array
    ) -> tuple[jax.Array, jax.Array]:
        def loss(w: jax.Array) -> jax.Array:
            return jnp.mean((x @ w - y) ** 2)  # a mean over all processes

        value, gradient = jax.value_and_grad(loss)(weights)
        return weights - 0.1 * gradient, value

    weights = jax.device_put(
        np.zeros(FEATURES, np.float32), NamedSharding(mesh, PartitionSpec())
    )
    value = jnp.float32(jnp.inf)
    for _ in tqdm(range(options.steps), disable=jax.process_index() > 0):
        weights, value = step(weights, x, y)
    error = float(jnp.abs(weights - truth).max())
    print(
        f"process {jax.process_index()} of {jax.process_count()}: loss {float(value):.4f}, largest error of a weight {error:.4f}"
    )
    return error


if __name__ == "__main__":
    main(sys.argv[1:])
