#!/usr/bin/env python3
"""A job through Ray Train: Ray starts the workers, and they train one model together.

Ray's JaxTrainer joins its workers through `jax.distributed` where GPUs or TPUs are requested. On CPU workers it leaves that
to the loop, and each would train alone without a word; so the loop joins them itself, with the rank and the size that the
train context has. The picture ray_train.png shows the loss, and whether all workers have the same weights. Needs
ray[train].
"""

import argparse
import json
import pathlib
import socket
import sys
import tempfile
from typing import Any

import numpy as np
from matplotlib import figure
from tqdm import tqdm

FEATURES, EXAMPLES = 16, 1024


def loop(config: dict[str, Any]) -> None:
    """What each worker runs. It imports jax itself: workers are other processes, perhaps on other machines."""
    from ray import train

    import jax
    import jax.numpy as jnp
    from jax.sharding import NamedSharding, PartitionSpec

    context = train.get_context()
    rank, size = context.get_world_rank(), context.get_world_size()
    jax.distributed.initialize(config["coordinator"], size, rank)
    assert jax.process_count() == size, "the workers train alone"
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    split = NamedSharding(mesh, PartitionSpec("data"))
    truth = np.linspace(-1, 1, FEATURES, dtype=np.float32)
    random = np.random.default_rng(rank)  # each worker has other examples
    own = random.normal(size=(EXAMPLES // size, FEATURES)).astype(np.float32)
    x = jax.make_array_from_process_local_data(split, own)
    y = jax.make_array_from_process_local_data(split, own @ truth)

    @jax.jit
    def step(
        weights: jax.Array, x: jax.Array, y: jax.Array
    ) -> tuple[jax.Array, jax.Array]:
        value, gradient = jax.value_and_grad(lambda w: jnp.mean((x @ w - y) ** 2))(
            weights
        )
        return weights - 0.1 * gradient, value

    losses = []
    weights = jax.device_put(
        np.zeros(FEATURES, np.float32), NamedSharding(mesh, PartitionSpec())
    )
    for _ in range(config["steps"]):
        weights, value = step(weights, x, y)
        losses.append(float(value))
    found = {"losses": losses, "weights": np.asarray(weights).tolist()}
    path = pathlib.Path(config["folder"], f"worker{rank}.json")
    path.write_text(json.dumps(found))
    jax.distributed.shutdown()


def free_address() -> str:
    """An address of this machine that nothing listens at."""
    with socket.socket() as listening:
        listening.bind(("", 0))
        return (
            f"{socket.gethostbyname(socket.gethostname())}:{listening.getsockname()[1]}"
        )


def draw(path: pathlib.Path, found: list[dict[str, Any]]) -> None:
    """Draws the losses that the workers saw, and their weights: lines that cover each other."""
    picture = figure.Figure(figsize=(8, 3), dpi=80, layout="constrained")
    left, right = picture.subplots(1, 2)
    for worker in tqdm(found, desc="drawing"):
        left.semilogy(worker["losses"], alpha=0.6)
        right.plot(worker["weights"], ".-", alpha=0.6)
    left.set(xlabel="step", title="the loss in each worker")
    right.set(xlabel="feature", title="the weights in each worker")
    picture.savefig(path, pil_kwargs={"optimize": True})


def main(arguments: list[str] | None = None) -> list[dict[str, Any]]:
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
    # Workers on several machines need a folder that all of them see.
    with tempfile.TemporaryDirectory() as folder:
        config = {"coordinator": free_address(), "steps": steps, "folder": folder}
        scaling = ScalingConfig(num_workers=options.workers)
        JaxTrainer(loop, train_loop_config=config, scaling_config=scaling).fit()
        found = [
            json.loads(path.read_text()) for path in pathlib.Path(folder).iterdir()
        ]
    ray.shutdown()
    draw(options.output / "ray_train.png", found)
    losses = found[0]["losses"]
    print(f"loss      {losses[0]:.4f} to {losses[-1]:.2e}, in {len(found)} workers")
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
