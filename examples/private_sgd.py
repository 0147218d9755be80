#!/usr/bin/env python3
"""Trains with differential privacy, and draws what the privacy costs.

Differentially private SGD bounds what a trained network can reveal about any single
example. It clips the gradient of each example, which `vmap` of `grad` computes, adds
them, and adds noise. The program trains several networks with different amounts of
noise at once, and computes the privacy budget epsilon that each has spent (delta is
1e-4). The picture is private_sgd.png.

References: Abadi et al., Deep learning with differential privacy, 2016; Mironov,
Talwar and Zhang, Rényi differential privacy of the sampled Gaussian mechanism, 2019.
"""

import argparse
import functools
import math
import pathlib
import sys
from typing import NamedTuple

import numpy as np
from matplotlib import figure
from tqdm import tqdm

import jax
import jax.numpy as jnp

DATA = pathlib.Path(__file__).resolve().parent / "data" / "digits.npz"
SIZES = (64, 32, 10)
HELD_OUT = 360
NOISES = (0.0, 1.0, 4.0, 16.0)  # standard deviations, in units of CLIP
CLIP = 1.0
SHARE = 0.1  # the probability of each example to be in a batch
RATE = 0.5
DELTA = 1e-4
BLOCK = 20  # steps of one call

# Weights and bias of each layer.
Layers = list[tuple[jax.Array, jax.Array]]


# ---------------------------------------------------------------- the network


def init_parameters(key: jax.Array) -> Layers:
    """The layers; each is a pair of weights and bias."""
    initializer = jax.nn.initializers.he_normal()
    keys = jax.random.split(key, len(SIZES) - 1)
    return [
        (initializer(k, (m, n)), jnp.zeros(n))
        for k, m, n in zip(keys, SIZES, SIZES[1:], strict=False)
    ]


def logits(parameters: Layers, image: jax.Array) -> jax.Array:
    """Ten scores for one image."""
    (hidden, hidden_bias), (weights, bias) = parameters
    return jax.nn.relu(image @ hidden + hidden_bias) @ weights + bias


def loss(parameters: Layers, image: jax.Array, label: jax.Array) -> jax.Array:
    """The surprise, in nats, at the right answer for one image."""
    return -jax.nn.log_softmax(logits(parameters, image))[label]


def accuracy(parameters: Layers, images: jax.Array, labels: jax.Array) -> jax.Array:
    """The share of images whose highest score is that of the right digit."""
    scores = jax.vmap(logits, (None, 0))(parameters, images)
    return jnp.mean(jnp.argmax(scores, -1) == labels)


# ---------------------------------------------------------------- private gradients


def clipped_gradient(parameters: Layers, image: jax.Array, label: jax.Array) -> Layers:
    """The gradient of one example, made shorter where its norm is above CLIP."""
    gradient = jax.grad(loss)(parameters, image, label)
    norm = jnp.sqrt(sum(jnp.sum(g**2) for g in jax.tree.leaves(gradient)))
    factor = jnp.minimum(1, CLIP / jnp.maximum(norm, 1e-12))
    clipped: Layers = jax.tree.map(lambda g: factor * g, gradient)
    return clipped


def private_gradient(
    parameters: Layers,
    key: jax.Array,
    noise: jax.Array,
    images: jax.Array,
    labels: jax.Array,
) -> Layers:
    """The sum of the clipped gradients of a random batch, with noise, over its mean size.

    Each example is in the batch with probability SHARE, independently of all other examples,
    as the computation of epsilon assumes.
    """
    batch_key, noise_key = jax.random.split(key)
    is_in = jax.random.bernoulli(batch_key, SHARE, labels.shape).astype(jnp.float32)
    each = jax.vmap(clipped_gradient, (None, 0, 0))(parameters, images, labels)
    leaves, tree = jax.tree.flatten(each)
    keys = jax.random.split(noise_key, len(leaves))
    sums = [
        jnp.tensordot(is_in, leaf, 1)
        + noise * CLIP * jax.random.normal(k, leaf.shape[1:])
        for k, leaf in zip(keys, leaves, strict=True)
    ]
    mean: Layers = jax.tree.unflatten(tree, [s / (SHARE * len(labels)) for s in sums])
    return mean


@jax.jit
@functools.partial(jax.vmap, in_axes=(0, None, 0, None, None))
def block(
    parameters: Layers,
    keys: jax.Array,
    noise: jax.Array,
    images: jax.Array,
    labels: jax.Array,
) -> Layers:
    """A step of gradient descent for each key; `vmap` trains one network per noise."""

    def step(parameters: Layers, key: jax.Array) -> tuple[Layers, None]:
        gradient = private_gradient(parameters, key, noise, images, labels)
        return jax.tree.map(lambda p, g: p - RATE * g, parameters, gradient), None

    return jax.lax.scan(step, parameters, keys)[0]


# ---------------------------------------------------------------- the budget


def renyi_divergence(share: float, noise: float, order: int) -> float:
    """The Rényi divergence of an integer order that one step can cause."""
    terms: list[float] = []
    for k in range(order + 1):
        if share == 1 and k < order:
            continue  # (1 - share) ** (order - k) is 0
        rest = (order - k) * math.log1p(-share) if k < order else 0.0
        choices = (
            math.lgamma(order + 1) - math.lgamma(k + 1) - math.lgamma(order - k + 1)
        )
        terms.append(
            choices + rest + k * math.log(share) + k * (k - 1) / (2 * noise**2)
        )
    return float(np.logaddexp.reduce(terms)) / (order - 1)


def epsilon(noise: float, steps: int) -> float:
    """The budget of some steps: the smallest bound over the orders of the divergence."""
    if noise == 0:
        return math.inf
    return min(
        steps * renyi_divergence(SHARE, noise, order)
        + math.log1p(-1 / order)
        - (math.log(DELTA) + math.log(order)) / (order - 1)
        for order in range(2, 128)
    )


# ---------------------------------------------------------------- the program


class Result(NamedTuple):
    """Steps, and at each of them accuracy and budget; one column for each noise."""

    steps: list[int]
    accuracies: np.ndarray
    budgets: np.ndarray


def run(options: argparse.Namespace) -> Result:
    """Trains a network for each noise, from the same start and on the same batches."""
    with np.load(DATA, allow_pickle=False) as file:
        images, labels = file["images"], file["labels"]
    order = np.random.default_rng(options.seed).permutation(len(labels))
    images = jnp.asarray(images[order].reshape(-1, SIZES[0]) / 16, jnp.float32)
    labels = jnp.asarray(labels[order], jnp.int32)
    learned = images[HELD_OUT:], labels[HELD_OUT:]
    held_out = images[:HELD_OUT], labels[:HELD_OUT]

    init_key, train_key = jax.random.split(jax.random.key(options.seed))
    noises = jnp.array(NOISES)
    networks = jax.tree.map(
        lambda p: jnp.broadcast_to(p, (len(NOISES), *p.shape)),
        init_parameters(init_key),
    )
    accuracies = jax.jit(jax.vmap(accuracy, (0, None, None)))
    steps: list[int] = []
    reached: list[np.ndarray] = []
    budgets: list[list[float]] = []
    with tqdm(range(options.blocks), desc="training", unit="block") as bar:
        for number in bar:
            keys = jax.random.split(jax.random.fold_in(train_key, number), BLOCK)
            networks = block(networks, keys, noises, *learned)
            steps.append((number + 1) * BLOCK)
            reached.append(np.asarray(accuracies(networks, *held_out)))
            budgets.append([epsilon(noise, steps[-1]) for noise in NOISES])
            bar.set_postfix(accuracy=str(reached[-1].round(3)))
    return Result(steps, np.array(reached), np.array(budgets))


def draw(path: pathlib.Path, result: Result) -> None:
    """Draws the accuracies over the steps, and over the budget."""
    picture = figure.Figure(figsize=(9, 3.4), dpi=80, layout="constrained")
    left, right = picture.subplots(1, 2, sharey=True)
    for i, noise in enumerate(NOISES):
        label = f"noise {noise:g}" if noise else "no noise"
        left.plot(result.steps, result.accuracies[:, i], label=label)
        if noise:
            right.plot(result.budgets[:, i], result.accuracies[:, i], color=f"C{i}")
    left.set(title="held-out accuracy", xlabel="step", ylim=(0, 1))
    left.legend(frameon=False, loc="lower right")
    right.set(title="and the privacy spent for it", xlabel="epsilon", xscale="log")
    picture.savefig(path, pil_kwargs={"optimize": True})


def parse_options(arguments: list[str] | None) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--blocks",
        type=int,
        default=12,
        help=f"of {BLOCK} steps (default: %(default)s)",
    )
    parser.add_argument("--quick", action="store_true", help="train for 3 blocks")
    parser.add_argument("--seed", type=int, default=0, help="of all random numbers")
    parser.add_argument(
        "--output", type=pathlib.Path, default=pathlib.Path("."), metavar="FOLDER",
        help="where the picture goes (default: this folder)",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    if options.quick:
        options.blocks = 3
    if options.blocks < 1:
        parser.error("--blocks needs a number of at least 1")
    return options


def main(arguments: list[str] | None = None) -> Result:
    """Runs the program."""
    options = parse_options(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    result = run(options)
    path = options.output / "private_sgd.png"
    draw(path, result)
    for noise, share, spent in zip(
        NOISES, result.accuracies[-1], result.budgets[-1], strict=True
    ):
        print(f"noise {noise:g}  accuracy {share:.3f}  epsilon {spent:.2f}")
    print(f"picture  {path}")
    return result


if __name__ == "__main__":
    main(sys.argv[1:])
