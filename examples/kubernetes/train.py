#!/usr/bin/env python3
"""What each pod of train.yaml runs: one model over all processes of the job.

`jax.distributed.initialize` finds the number of this pod and the name of the first one in what Kubernetes gives to an Indexed
Job, and the number of pods in JAX_NUM_PROCESSES. Without that variable the program runs alone. Each process makes its own
part of the data, so that no machine holds all of it. With --output the first process draws kubernetes_job.png: the
loss, and the weights that all have learned together.
"""

import argparse
import os
import pathlib
import sys

import numpy as np
from matplotlib import figure
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


def draw(
    path: pathlib.Path, losses: list[float], weights: np.ndarray, truth: np.ndarray
) -> None:
    """Draws the losses, and the weights over those that made the examples."""
    picture = figure.Figure(figsize=(8, 3), dpi=80, layout="constrained")
    left, right = picture.subplots(1, 2)
    left.semilogy(losses, color="#2a6f97")
    left.set(xlabel="step", title=f"The loss over {jax.process_count()} processes")
    right.plot(truth, color="#cfd8dc", lw=8, label="that made the examples")
    right.plot(weights, "o", color="#2a6f97", ms=4, label="learned")
    right.set(xlabel="feature", title="The weights")
    right.legend(frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.savefig(path, pil_kwargs={"optimize": True})


def main(arguments: list[str] | None = None) -> float:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=100, help="default: %(default)s")
    parser.add_argument(
        "--output", type=pathlib.Path, metavar="FOLDER",
        help="where the first process puts the picture (default: no picture)",
    )  # fmt: skip
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
    losses: list[float] = []
    for _ in tqdm(range(options.steps), disable=jax.process_index() > 0):
        weights, value = step(weights, x, y)
        losses.append(float(value))
    error = float(jnp.abs(weights - truth).max())
    print(
        f"process {jax.process_index()} of {jax.process_count()}: loss {losses[-1]:.4f}, "
        f"largest error of a weight {error:.4f}"
    )
    if options.output is not None and jax.process_index() == 0:
        draw(options.output / "kubernetes_job.png", losses, np.asarray(weights), truth)
    return error


if __name__ == "__main__":
    main(sys.argv[1:])
