#!/usr/bin/env python3
"""A residual network with batch normalization learns the digits, written with Flax and trained with Optax.

Shows what a library of layers adds to `jit` and `grad`: parameters and running statistics are two collections, the train
step returns new statistics beside new parameters, and evaluation uses the statistics. The picture resnet.png shows the
learning curves, the running means of the first layer, and mistakes of the network. Needs the packages flax and optax.
"""

import argparse
import pathlib
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import flax.linen as nn
import numpy as np
import optax
from matplotlib import figure
from tqdm import tqdm

import jax
import jax.numpy as jnp

DATA = pathlib.Path(__file__).resolve().parent / "data" / "digits.npz"
BATCH, HELD_OUT = 64, 360

Digits = tuple[np.ndarray, np.ndarray]  # images and labels


class Block(nn.Module):
    """Two convolutions, each normalized, around which the input goes unchanged."""

    features: int
    strides: int = 1

    @nn.compact
    def __call__(self, x: jax.Array, *, train: bool) -> jax.Array:
        size = (self.strides, self.strides)
        y = nn.Conv(self.features, (3, 3), size, use_bias=False)(x)
        y = nn.relu(nn.BatchNorm(use_running_average=not train, momentum=0.9)(y))
        y = nn.Conv(self.features, (3, 3), use_bias=False)(y)
        y = nn.BatchNorm(use_running_average=not train, momentum=0.9)(y)
        if x.shape != y.shape:
            x = nn.Conv(self.features, (1, 1), size, use_bias=False)(x)
        return nn.relu(x + y)


class ResNet(nn.Module):
    """From images of 8 by 8 to ten scores."""

    @nn.compact
    def __call__(self, images: jax.Array, *, train: bool) -> jax.Array:
        x = nn.Conv(16, (3, 3), use_bias=False)(images[..., None])
        x = nn.relu(nn.BatchNorm(use_running_average=not train, momentum=0.9)(x))
        for features, strides in ((16, 1), (32, 2)):
            x = Block(features, strides)(x, train=train)
        return nn.Dense(10)(x.mean(axis=(1, 2)))


class State(NamedTuple):
    """All that training changes."""

    parameters: Any
    statistics: Any
    optimizer: Any


MODEL: Any = ResNet()  # Flax leaves the types of what `init` and `apply` return open


def optimizer(steps: int) -> optax.GradientTransformation:
    """Adam with decay of weights and a rate that falls to zero."""
    return optax.adamw(optax.cosine_decay_schedule(3e-3, steps), weight_decay=1e-3)


def load_digits(seed: int) -> tuple[Digits, Digits]:
    """Images and labels to learn from, and those held out."""
    with np.load(DATA, allow_pickle=False) as file:
        images, labels = (
            file["images"] / np.float32(16),
            file["labels"].astype(np.int32),
        )
    order = np.random.default_rng(seed).permutation(len(labels))
    learned, held_out = order[HELD_OUT:], order[:HELD_OUT]
    return (images[learned], labels[learned]), (images[held_out], labels[held_out])


def make_step(
    transformation: optax.GradientTransformation,
) -> Callable[..., tuple[State, jax.Array]]:
    """The compiled train step; it reuses the memory of the state that it replaces."""

    def loss(
        parameters: Any, statistics: Any, images: jax.Array, labels: jax.Array
    ) -> tuple[jax.Array, Any]:
        variables = {"params": parameters, "batch_stats": statistics}
        scores, updated = MODEL.apply(
            variables, images, train=True, mutable=["batch_stats"]
        )
        losses = optax.softmax_cross_entropy_with_integer_labels(scores, labels)
        return losses.mean(), updated["batch_stats"]

    def step(
        state: State, images: jax.Array, labels: jax.Array
    ) -> tuple[State, jax.Array]:
        grad = jax.value_and_grad(loss, has_aux=True)
        (value, statistics), gradient = grad(
            state.parameters, state.statistics, images, labels
        )
        updates, inner = transformation.update(
            gradient, state.optimizer, state.parameters
        )
        return State(
            optax.apply_updates(state.parameters, updates), statistics, inner
        ), value

    return jax.jit(step, donate_argnums=0)


@jax.jit
def scores_of(state: State, images: jax.Array) -> jax.Array:
    """The scores by the running statistics."""
    variables = {"params": state.parameters, "batch_stats": state.statistics}
    return jnp.asarray(MODEL.apply(variables, images, train=False))


class Result(NamedTuple):
    """What the picture shows and the test checks."""

    losses: list[float]
    accuracies: list[float]
    means: np.ndarray
    mistakes: list[tuple[np.ndarray, int, int]]


def run(options: argparse.Namespace) -> Result:
    """Trains, and measures the accuracy of held-out digits after each epoch."""
    (images, labels), (unseen, truth) = load_digits(options.seed)
    variables = MODEL.init(jax.random.key(options.seed), images[:1], train=False)
    batches = len(labels) // BATCH
    transformation = optimizer(options.epochs * batches)
    parameters = variables["params"]
    state = State(parameters, variables["batch_stats"], transformation.init(parameters))
    step, random = make_step(transformation), np.random.default_rng(options.seed)
    losses: list[float] = []
    accuracies: list[float] = []
    means: list[np.ndarray] = []
    found = np.zeros_like(truth)
    with tqdm(total=options.epochs * batches, desc="training", unit="step") as bar:
        for _ in range(options.epochs):
            order = random.permutation(len(labels))[: batches * BATCH].reshape(
                batches, BATCH
            )
            for chosen in order:
                state, value = step(state, images[chosen], labels[chosen])
                losses.append(float(value))
                bar.update()
            found = np.asarray(scores_of(state, unseen).argmax(axis=1))
            is_right: np.ndarray = found == truth
            accuracies.append(float(np.mean(is_right)))
            means.append(np.asarray(state.statistics["BatchNorm_0"]["mean"]))
            bar.set_postfix(accuracy=f"{accuracies[-1]:.3f}")
    wrong = np.flatnonzero(found != truth)[:6]
    mistakes = [(unseen[i], int(truth[i]), int(found[i])) for i in wrong]
    return Result(losses, accuracies, np.array(means), mistakes)


def draw(path: pathlib.Path, result: Result) -> None:
    """Draws losses and accuracies, the running means, and mistakes."""
    picture = figure.Figure(figsize=(10, 3.4), dpi=80, layout="constrained")
    parts: Any = picture.subfigures(1, 2, width_ratios=[3, 1])
    left, right = parts
    first, second = left.subplots(1, 2)
    first.semilogy(result.losses, color="#9aa5ad", lw=0.8, label="loss")
    batches = len(result.losses) // len(result.accuracies)
    ends = batches * np.arange(1, len(result.accuracies) + 1)
    first.semilogy(
        ends,
        1 - np.array(result.accuracies) + 1e-3,
        ".-",
        color="#c1443c",
        label="held-out error",
    )
    first.set(xlabel="step")
    first.legend()
    second.plot(result.means, color="#2f5d8a", lw=0.8)
    second.set(xlabel="epoch", title="running means of the first layer")
    for axes in right.subplots(3, 2).ravel():
        axes.axis("off")
    for axes, (image, truth, found) in zip(right.axes, result.mistakes, strict=False):
        axes.imshow(image, cmap="gray_r")
        axes.set_title(f"{truth} read as {found}", fontsize=8)
    picture.savefig(path, pil_kwargs={"optimize": True})


def parse_options(arguments: list[str] | None) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--epochs", type=int, default=12, help="default: %(default)s")
    parser.add_argument("--quick", action="store_true", help="train for 3 epochs")
    parser.add_argument("--seed", type=int, default=0, help="of all random numbers")
    parser.add_argument(
        "--output", type=pathlib.Path, default=pathlib.Path("."), metavar="FOLDER",
        help="where the picture goes (default: this folder)",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    if options.quick:
        options.epochs = 3
    if options.epochs < 1:
        parser.error("--epochs needs a number of at least 1")
    return options


def main(arguments: list[str] | None = None) -> Result:
    """Runs the program."""
    options = parse_options(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    result = run(options)
    path = options.output / "resnet.png"
    draw(path, result)
    print(f"loss      {result.losses[0]:.3f} to {np.mean(result.losses[-10:]):.3f}")
    print(f"accuracy  {result.accuracies[-1]:.3f} of held-out digits")
    print(f"picture   {path}")
    return result


if __name__ == "__main__":
    main(sys.argv[1:])
