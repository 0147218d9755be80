#!/usr/bin/env python3
"""A job through Ray Train: Ray starts the workers, and they train one model together.

Ray's JaxTrainer joins its workers through `jax.distributed` where GPUs or TPUs are requested. On CPU workers it leaves that
to the loop, and each would train alone without a word; so the loop joins them itself, with the rank and the size that the
train context has. The picture ray_train.png compares what the workers learned with a NumPy program that has the examples of
all workers, and with what each worker would learn alone. Needs ray[train].
"""

import argparse
import pathlib
import socket
import sys
from typing import Any, NamedTuple

import numpy as np
from matplotlib import figure
from tqdm import tqdm

FEATURES, EXAMPLES, RATE = 16, 64, 0.1  # examples of each worker
TRUTH = np.linspace(-1, 1, FEATURES, dtype=np.float32)


class Learned(NamedTuple):
    """What a job learned: the losses, and the weights that each worker has in the end."""

    losses: list[float]
    weights: np.ndarray


def examples(rank: int) -> tuple[np.ndarray, np.ndarray]:
    """The examples of one worker: points, and noisy values at them."""
    random = np.random.default_rng(rank)
    x = random.normal(size=(EXAMPLES, FEATURES)).astype(np.float32)
    noise = random.normal(scale=0.5, size=EXAMPLES).astype(np.float32)
    return x, x @ TRUTH + noise


def loop(config: dict[str, Any]) -> Learned:
    """What Ray runs in each worker; `fit` returns the value of worker 0."""
    import ray.util
    from ray import train
    from ray.train.collective import broadcast_from_rank_zero

    context = train.get_context()
    rank, size = context.get_world_rank(), context.get_world_size()
    # Worker 0 is the coordinator, on whichever machine Ray has started it.
    own = f"{ray.util.get_node_ip_address()}:{free_port()}" if rank == 0 else None
    return learn(broadcast_from_rank_zero(own), size, rank, config["steps"])


def learn(address: str, size: int, rank: int, steps: int) -> Learned:
    """Joins the workers, and trains with the examples of all of them.

    It imports jax itself: workers are other processes, perhaps on other machines.
    """
    import jax
    import jax.numpy as jnp
    from jax.experimental import multihost_utils
    from jax.sharding import NamedSharding, PartitionSpec

    jax.distributed.initialize(address, size, rank)
    print(f"worker {rank}: one of {jax.process_count()} processes", flush=True)
    assert jax.process_count() == size, "the workers train alone"
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    split = NamedSharding(mesh, PartitionSpec("data"))
    own_x, own_y = examples(rank)  # each worker has other examples
    x = jax.make_array_from_process_local_data(split, own_x)
    y = jax.make_array_from_process_local_data(split, own_y)

    @jax.jit
    def step(
        weights: jax.Array, x: jax.Array, y: jax.Array
    ) -> tuple[jax.Array, jax.Array]:
        value, gradient = jax.value_and_grad(lambda w: jnp.mean((x @ w - y) ** 2))(
            weights
        )
        return weights - RATE * gradient, value

    losses: list[float] = []
    weights = jax.device_put(
        np.zeros(FEATURES, np.float32), NamedSharding(mesh, PartitionSpec())
    )
    bar = tqdm(range(steps), desc="training", mininterval=1, disable=rank != 0)
    for _ in bar:
        weights, value = step(weights, x, y)
        losses.append(float(value))
    # The copy of each worker, one below the other.
    copies = multihost_utils.process_allgather(np.asarray(weights))
    jax.distributed.shutdown()
    return Learned(losses, np.reshape(copies, (size, FEATURES)))


def learn_in_numpy(ranks: list[int], steps: int) -> Learned:
    """Gradient descent in one process, with the examples of the workers of `ranks`."""
    x, y = map(np.concatenate, zip(*map(examples, ranks), strict=True))
    losses: list[float] = []
    weights = np.zeros(FEATURES)
    for _ in range(steps):
        error = x @ weights - y
        losses.append(float(np.mean(error**2)))
        weights = weights - RATE * 2 * x.T @ error / len(y)
    return Learned(losses, weights[None])


def free_port() -> int:
    """A port of this machine that nothing listens at."""
    with socket.socket() as listening:
        listening.bind(("", 0))
        port: int = listening.getsockname()[1]
        return port


def draw(
    path: pathlib.Path, job: Learned, numpy: Learned, alone: list[Learned]
) -> None:
    """Draws the losses, and how far the weights are from those that made the examples."""
    picture = figure.Figure(figsize=(9, 3.6), dpi=80, layout="constrained")
    left, right = picture.subplots(1, 2)
    count = len(job.weights)

    def line(found: Learned, weights: np.ndarray, style: Any, **more: Any) -> None:
        left.semilogy(found.losses, style, **more)
        right.plot(weights - TRUTH, style, **more)

    wide: dict[str, Any] = {"color": "#cfd8dc", "lw": 8}
    line(numpy, numpy.weights[0], "-", label="NumPy, all examples", **wide)
    colours = ["#2a6f97", "#c77d2b", "#7a5195", "#5a8f3d"]
    for rank, weights in enumerate(job.weights):
        colour = colours[rank % len(colours)]
        thin: dict[str, Any] = {"color": colour, "lw": 0.9}
        line(alone[rank], alone[rank].weights[0], ":", **thin)
        marks: dict[str, Any] = {"mfc": "none", "mec": colour}
        marks["ms"] = 4 + 3 * (rank % 4)
        right.plot(weights - TRUTH, "o", label=f"worker {rank} of {count}", **marks)
    left.semilogy(job.losses, color="#102a43", lw=1.4, label=f"{count} workers, joined")
    left.plot([], [], ":", color="#9aa5ad", label="each worker alone")
    left.set(xlabel="step", title="The loss")
    right.set(xlabel="feature", title="Learned weights minus true weights")
    right.axhline(0, color="#9aa5ad", lw=0.6)
    left.legend(frameon=False)
    right.legend(frameon=False, fontsize=8)
    picture.savefig(path, pil_kwargs={"optimize": True})


def main(arguments: list[str] | None = None) -> Learned:
    """Runs the program."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workers", type=int, default=2, help="default: %(default)s")
    parser.add_argument("--steps", type=int, default=50, help="default: %(default)s")
    parser.add_argument("--quick", action="store_true", help="train for 20 steps")
    parser.add_argument(
        "--output", type=pathlib.Path, default=pathlib.Path("."), metavar="FOLDER",
        help="where the picture goes (default: this folder)",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    # Its import takes seconds, and --help needs none of it.
    import ray
    from ray.train import ScalingConfig
    from ray.train.v2.jax import JaxTrainer

    steps = 20 if options.quick else options.steps
    options.output.mkdir(parents=True, exist_ok=True)
    ray.init(num_cpus=options.workers + 1, include_dashboard=False)
    trainer = JaxTrainer(
        loop,
        train_loop_config={"steps": steps},
        scaling_config=ScalingConfig(num_workers=options.workers),
    )
    job: Learned = trainer.fit().return_value
    ray.shutdown()
    ranks = list(range(options.workers))
    numpy = learn_in_numpy(ranks, steps)
    alone = [learn_in_numpy([rank], steps) for rank in ranks]
    draw(options.output / "ray_train.png", job, numpy, alone)
    distance = np.abs(job.weights - numpy.weights).max()
    print(f"loss      {job.losses[0]:.4f} to {job.losses[-1]:.4f}")
    print(f"weights   of {len(ranks)} workers: at most {distance:.0e} from NumPy's")
    return job


if __name__ == "__main__":
    main(sys.argv[1:])
