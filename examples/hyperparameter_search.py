#!/usr/bin/env python3
"""Trains many networks at once, one for each choice of hyperparameters, by `vmap`.

A network that learns the handwritten digits has a learning rate and a weight decay.
The program writes the training of one network, and `vmap` over the two numbers trains
a whole grid of networks as one program. It then trains the best one alone, to show
that it gets the same accuracy. The picture hyperparameter_search.png shows the grid.
"""

import argparse
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
LEARNED, HELD_OUT = 400, 600  # few digits to learn from, so that decay matters
BATCH = 50
RATES, DECAYS = np.logspace(-3, 1, 9), np.logspace(-4, 0, 7)

# Weights and bias of each layer.
Layers = list[tuple[jax.Array, jax.Array]]


class Digits(NamedTuple):
    """Images as vectors with values from 0 to 1, and the digits they show."""

    images: jax.Array
    labels: jax.Array


def load_digits(seed: int) -> tuple[Digits, Digits]:
    """The digits to learn from, and those held out."""
    with np.load(DATA, allow_pickle=False) as file:
        images, labels = file["images"], file["labels"]
    order = np.random.default_rng(seed).permutation(len(labels))
    images = jnp.asarray(images[order].reshape(-1, SIZES[0]) / 16, jnp.float32)
    labels = jnp.asarray(labels[order], jnp.int32)
    learned, held_out = slice(LEARNED), slice(LEARNED, LEARNED + HELD_OUT)
    return (
        Digits(images[learned], labels[learned]),
        Digits(images[held_out], labels[held_out]),
    )


def init_parameters(key: jax.Array) -> Layers:
    """The layers; each is a pair of weights and bias."""
    initializer = jax.nn.initializers.he_normal()
    keys = jax.random.split(key, len(SIZES) - 1)
    return [
        (initializer(k, (m, n)), jnp.zeros(n))
        for k, m, n in zip(keys, SIZES, SIZES[1:], strict=False)
    ]


def logits(parameters: Layers, images: jax.Array) -> jax.Array:
    """Ten scores for each image."""
    (hidden, hidden_bias), (weights, bias) = parameters
    return jax.nn.relu(images @ hidden + hidden_bias) @ weights + bias


def loss(parameters: Layers, digits: Digits) -> jax.Array:
    """The mean surprise, in nats, at the right answers."""
    scores = jax.nn.log_softmax(logits(parameters, digits.images))
    return -jnp.mean(jnp.take_along_axis(scores, digits.labels[:, None], axis=-1))


def accuracy(parameters: Layers, digits: Digits) -> jax.Array:
    """The share of images whose highest score is that of the right digit."""
    return jnp.mean(jnp.argmax(logits(parameters, digits.images), -1) == digits.labels)


def train_epoch(
    parameters: Layers,
    key: jax.Array,
    rate: jax.Array,
    decay: jax.Array,
    digits: Digits,
) -> Layers:
    """One epoch of gradient descent of ONE network: nothing here knows of a grid."""
    order = jax.random.permutation(key, LEARNED).reshape(-1, BATCH)

    def step(parameters: Layers, chosen: jax.Array) -> tuple[Layers, None]:
        batch = Digits(digits.images[chosen], digits.labels[chosen])
        gradient = jax.grad(loss)(parameters, batch)
        updated = jax.tree.map(
            lambda p, g: p - rate * (g + decay * p), parameters, gradient
        )
        return updated, None

    return jax.lax.scan(step, parameters, order)[0]


# Over the decays within, over the rates around them. Keys and digits are shared.
over_decays = jax.vmap(train_epoch, (0, None, None, 0, None))
train_grid = jax.jit(jax.vmap(over_decays, (0, None, 0, None, None)))
accuracies = jax.jit(jax.vmap(jax.vmap(accuracy, (0, None)), (0, None)))


class Result(NamedTuple):
    """The accuracy of held-out digits for each rate and decay, after each epoch."""

    history: np.ndarray
    best: tuple[int, int]
    best_alone: float


def run(options: argparse.Namespace) -> Result:
    """Trains the grid, then the best network alone."""
    learned, held_out = load_digits(options.seed)
    init_key, train_key = jax.random.split(jax.random.key(options.seed))
    first = init_parameters(init_key)
    grid = (len(RATES), len(DECAYS))
    networks = jax.tree.map(lambda p: jnp.broadcast_to(p, (*grid, *p.shape)), first)
    rates, decays = jnp.float32(RATES), jnp.float32(DECAYS)
    history: list[np.ndarray] = []
    with tqdm(range(options.epochs), desc="training", unit="epoch") as bar:
        for number in bar:
            key = jax.random.fold_in(train_key, number)
            networks = train_grid(networks, key, rates, decays, learned)
            history.append(np.asarray(accuracies(networks, held_out)))
            bar.set_postfix(best=f"{history[-1].max():.3f}")
    row, column = np.unravel_index(history[-1].argmax(), grid)
    best = int(row), int(column)
    alone, step = first, jax.jit(train_epoch)
    for number in range(options.epochs):
        key = jax.random.fold_in(train_key, number)
        alone = step(alone, key, rates[best[0]], decays[best[1]], learned)
    return Result(np.array(history), best, float(accuracy(alone, held_out)))


def draw(path: pathlib.Path, result: Result) -> None:
    """Draws the accuracies of the grid at the end, and all of them over the epochs."""
    picture = figure.Figure(figsize=(9, 3.6), dpi=80, layout="constrained")
    left, right = picture.subplots(1, 2)
    last = result.history[-1]
    mesh = left.pcolormesh(DECAYS, RATES, last, cmap="viridis", vmin=0.1, vmax=1)
    picture.colorbar(mesh, ax=left)
    left.plot(
        DECAYS[result.best[1]], RATES[result.best[0]], "*", color="#c1443c", ms=14
    )
    left.set(xscale="log", yscale="log", xlabel="weight decay", ylabel="learning rate")
    left.set_title(f"held-out accuracy, best {last.max():.3f}")
    epochs = np.arange(1, len(result.history) + 1)
    right.plot(epochs, result.history.reshape(len(epochs), -1), color="#9aa5ad", lw=0.7)
    right.plot(epochs, result.history[:, *result.best], color="#c1443c", lw=2)
    right.set(
        xlabel="epoch", ylim=(0, 1), title=f"all {last.size} networks while training"
    )
    picture.savefig(path, pil_kwargs={"optimize": True})


def parse_options(arguments: list[str] | None) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--epochs", type=int, default=60, help="default: %(default)s")
    parser.add_argument("--quick", action="store_true", help="train for 10 epochs")
    parser.add_argument("--seed", type=int, default=0, help="of all random numbers")
    parser.add_argument(
        "--output", type=pathlib.Path, default=pathlib.Path("."), metavar="FOLDER",
        help="where the picture goes (default: this folder)",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    if options.quick:
        options.epochs = 10
    if options.epochs < 1:
        parser.error("--epochs needs a number of at least 1")
    return options


def main(arguments: list[str] | None = None) -> Result:
    """Runs the program."""
    options = parse_options(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    result = run(options)
    path = options.output / "hyperparameter_search.png"
    draw(path, result)
    rate, decay = RATES[result.best[0]], DECAYS[result.best[1]]
    print(f"best      rate {rate:.2g}, weight decay {decay:.2g}")
    print(
        f"accuracy  {result.history[-1].max():.3f} in the grid, {result.best_alone:.3f} alone"
    )
    print(f"picture   {path}")
    return result


if __name__ == "__main__":
    main(sys.argv[1:])
