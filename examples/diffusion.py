#!/usr/bin/env python3
"""Trains a diffusion model on handwritten digits, and draws the digits it makes.

A network learns to remove noise from images, given the digit and the amount of noise.
To make an image, the program starts from noise alone and removes it in many small
steps, all in one `lax.scan`. A nearest-neighbour classifier then reads what was made.
The picture diffusion.png shows the losses, images on their way, and the results.

Reference: Ho, Jain and Abbeel, Denoising diffusion probabilistic models, 2020.
"""

import argparse
import functools
import pathlib
import sys
from typing import NamedTuple

import numpy as np
from matplotlib import figure
from tqdm import tqdm

import jax
import jax.numpy as jnp

DATA = pathlib.Path(__file__).resolve().parent / "data" / "digits.npz"
PIXELS, HIDDEN, DIGITS = 64, 256, 10
LEVELS = 60  # of noise, from almost none to almost nothing else
BATCH = 128
RATE = 2e-3
BLOCK = 50  # steps of one call
EACH = 8  # images made of each digit

# The share of the image's variance that is left at each level, and before it.
LEFT = np.cos(0.5 * np.pi * np.arange(1, LEVELS + 1) / (LEVELS + 1)) ** 2
LEFT_BEFORE = np.concatenate([[1.0], LEFT[:-1]])

# Weights and bias of each layer.
Layers = list[tuple[jax.Array, jax.Array]]
# The parameters, Adam's averages of gradients and of their squares, and the count of steps.
State = tuple[Layers, Layers, Layers, jax.Array]


def init_parameters(key: jax.Array) -> Layers:
    """Three layers; each is a pair of weights and bias."""
    widths = (PIXELS + DIGITS + LEVELS, HIDDEN, HIDDEN, PIXELS)
    initializer = jax.nn.initializers.he_normal()
    keys = jax.random.split(key, 3)
    return [
        (initializer(k, (m, n)), jnp.zeros(n))
        for k, m, n in zip(keys, widths, widths[1:], strict=False)
    ]


def clean_image(
    parameters: Layers, noisy: jax.Array, level: jax.Array, label: jax.Array
) -> jax.Array:
    """The network's guess of the image without noise."""
    extra = jax.nn.one_hot(label, DIGITS), jax.nn.one_hot(level, LEVELS)
    x = jnp.concatenate([noisy, *extra])
    for weights, bias in parameters[:-1]:
        x = jax.nn.relu(x @ weights + bias)
    weights, bias = parameters[-1]
    return jnp.tanh(x @ weights + bias)


def loss(
    parameters: Layers, key: jax.Array, image: jax.Array, label: jax.Array
) -> jax.Array:
    """The squared error per pixel of the guess, at a random level of noise."""
    level_key, noise_key = jax.random.split(key)
    level = jax.random.randint(level_key, (), 0, LEVELS)
    left = jnp.float32(LEFT)[level]
    noise = jax.random.normal(noise_key, image.shape)
    noisy = jnp.sqrt(left) * image + jnp.sqrt(1 - left) * noise
    return jnp.mean((clean_image(parameters, noisy, level, label) - image) ** 2)


def batch_loss(
    parameters: Layers, key: jax.Array, images: jax.Array, labels: jax.Array
) -> jax.Array:
    """The mean loss of a batch."""
    keys = jax.random.split(key, len(labels))
    return jnp.mean(jax.vmap(loss, (None, 0, 0, 0))(parameters, keys, images, labels))


@functools.partial(jax.jit, donate_argnums=0)
def block(
    state: State, keys: jax.Array, images: jax.Array, labels: jax.Array
) -> tuple[State, jax.Array]:
    """A step of Adam for each key, each on a random batch. Returns state and losses."""

    def step(state: State, key: jax.Array) -> tuple[State, jax.Array]:
        parameters, mean, square, count = state
        batch_key, loss_key = jax.random.split(key)
        chosen = jax.random.randint(batch_key, (BATCH,), 0, len(labels))
        value, gradient = jax.value_and_grad(batch_loss)(
            parameters, loss_key, images[chosen], labels[chosen]
        )
        count = count + 1
        mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, gradient)
        square = jax.tree.map(lambda s, g: 0.99 * s + 0.01 * g * g, square, gradient)
        first, second = 1 - 0.9**count, 1 - 0.99**count
        parameters = jax.tree.map(
            lambda p, m, s: p - RATE * (m / first) / (jnp.sqrt(s / second) + 1e-8),
            parameters, mean, square,
        )  # fmt: skip
        return (parameters, mean, square, count), value

    return jax.lax.scan(step, state, keys)


@jax.jit
def make_images(
    parameters: Layers, key: jax.Array, labels: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """An image for each label, and the noisy images on the way to it.

    From one level to the next lower one, the image is drawn from the normal
    distribution that it has there, given the noisy image and the guess of the clean one.
    """
    first_key, steps_key = jax.random.split(key)
    noisy = jax.random.normal(first_key, (len(labels), PIXELS))

    def step(
        noisy: jax.Array, inputs: tuple[jax.Array, ...]
    ) -> tuple[jax.Array, jax.Array]:
        level, left, before, key = inputs
        clean = jax.vmap(clean_image, (None, 0, None, 0))(
            parameters, noisy, level, labels
        )
        kept = left / before
        mean = (
            jnp.sqrt(before) * (1 - kept) * clean
            + jnp.sqrt(kept) * (1 - before) * noisy
        ) / (1 - left)
        variance = (1 - before) / (1 - left) * (1 - kept)
        noisy = mean + jnp.sqrt(variance) * jax.random.normal(key, mean.shape)
        return noisy, noisy

    inputs = (
        jnp.arange(LEVELS), jnp.float32(LEFT), jnp.float32(LEFT_BEFORE),
        jax.random.split(steps_key, LEVELS),
    )  # fmt: skip
    return jax.lax.scan(step, noisy, inputs, reverse=True)


class Result(NamedTuple):
    """Losses, the images made and on their way, and the share that reads as meant."""

    losses: np.ndarray
    images: np.ndarray
    on_the_way: np.ndarray
    readable: float


def run(options: argparse.Namespace) -> Result:
    """Trains, makes images of all digits, and reads them."""
    with np.load(DATA, allow_pickle=False) as file:
        images, labels = file["images"], file["labels"]
    images = jnp.asarray(images.reshape(-1, PIXELS) / 8 - 1, jnp.float32)
    labels = jnp.asarray(labels, jnp.int32)
    init_key, train_key, make_key = jax.random.split(jax.random.key(options.seed), 3)
    parameters = init_parameters(init_key)
    zeros = functools.partial(jax.tree.map, jnp.zeros_like, parameters)
    state = (parameters, zeros(), zeros(), jnp.zeros((), jnp.int32))
    losses: list[np.ndarray] = []
    with tqdm(range(options.blocks), desc="training", unit="block") as bar:
        for number in bar:
            keys = jax.random.split(jax.random.fold_in(train_key, number), BLOCK)
            state, values = block(state, keys, images, labels)
            losses.append(np.asarray(values))
            bar.set_postfix(loss=f"{losses[-1].mean():.4f}")
    meant = jnp.repeat(jnp.arange(DIGITS), EACH)
    made, on_the_way = make_images(state[0], make_key, meant)
    distances = jnp.sum((made[:, None] - images) ** 2, axis=-1)
    readable = jnp.mean(labels[jnp.argmin(distances, axis=1)] == meant)
    return Result(
        np.concatenate(losses),
        np.asarray(made),
        np.asarray(on_the_way),
        float(readable),
    )


def mosaic(images: np.ndarray) -> np.ndarray:
    """Images of shape (lines, columns, 64) as one."""
    lines, columns, _ = images.shape
    tiles = np.pad(
        images.reshape(lines, columns, 8, 8),
        ((0, 0),) * 2 + ((1, 1),) * 2,
        constant_values=-1,
    )
    return tiles.transpose(0, 2, 1, 3).reshape(10 * lines, 10 * columns)


def draw(path: pathlib.Path, result: Result) -> None:
    """Draws the losses, three images on their way, and all that were made."""
    picture = figure.Figure(figsize=(10, 3.4), dpi=80, layout="constrained")
    left, middle, right = picture.subplots(1, 3)
    left.plot(result.losses, color="#2a6f97", lw=0.6)
    left.set(title="squared error per pixel", xlabel="step", yscale="log")
    # The scan ran backwards: the last level comes first in time.
    levels = np.linspace(LEVELS - 1, 0, 8).astype(int)
    way = result.on_the_way[levels][:, ::EACH].swapaxes(0, 1)
    middle.imshow(mosaic(way), cmap="gray_r", vmin=-1, vmax=1)
    middle.set_title("from noise to digits")
    right.imshow(
        mosaic(result.images.reshape(DIGITS, EACH, PIXELS)),
        cmap="gray_r",
        vmin=-1,
        vmax=1,
    )
    right.set_title(f"made digits, {result.readable:.0%} read as meant")
    for axes in (middle, right):
        axes.axis("off")
    picture.savefig(path, pil_kwargs={"optimize": True})


def parse_options(arguments: list[str] | None) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--blocks",
        type=int,
        default=60,
        help=f"of {BLOCK} steps (default: %(default)s)",
    )
    parser.add_argument("--quick", action="store_true", help="train for 8 blocks")
    parser.add_argument("--seed", type=int, default=0, help="of all random numbers")
    parser.add_argument(
        "--output", type=pathlib.Path, default=pathlib.Path("."), metavar="FOLDER",
        help="where the picture goes (default: this folder)",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    if options.quick:
        options.blocks = 8
    if options.blocks < 1:
        parser.error("--blocks needs a number of at least 1")
    return options


def main(arguments: list[str] | None = None) -> Result:
    """Runs the program."""
    options = parse_options(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    result = run(options)
    path = options.output / "diffusion.png"
    draw(path, result)
    print(f"loss      {result.losses[-BLOCK:].mean():.4f}")
    print(f"readable  {result.readable:.3f}")
    print(f"picture   {path}")
    return result


if __name__ == "__main__":
    main(sys.argv[1:])
