#!/usr/bin/env python3
"""Trains a variational autoencoder on handwritten digits, and draws what it learned.

An encoder maps an image of 8x8 pixels to a normal distribution over a plane, and a
decoder maps each point of the plane back to an image. Both learn together: they
maximize the evidence lower bound (ELBO) of the images. The picture
variational_autoencoder.png shows held-out digits beside their reconstructions, where
the ten digits are in the plane, and the images that the decoder makes there.

Reference: Kingma and Welling, Auto-encoding variational Bayes, 2014.
"""

import argparse
import functools
import pathlib
import sys
from typing import Any, NamedTuple

import numpy as np
from matplotlib import figure
from tqdm import tqdm

import jax
import jax.numpy as jnp

DATA = pathlib.Path(__file__).resolve().parent / "data" / "digits.npz"
PIXELS, HIDDEN, LATENT = 64, 128, 2
HELD_OUT = 360
BATCH = 128
RATE = 2e-3

# Weights and bias of each layer.
Layers = list[tuple[jax.Array, jax.Array]]
Parameters = dict[str, Layers]


# ---------------------------------------------------------------- the model


def init_parameters(key: jax.Array) -> Parameters:
    """The encoder's and the decoder's layers; each is a pair of weights and bias."""
    sizes = {
        "encoder": (PIXELS, HIDDEN, 2 * LATENT),
        "decoder": (LATENT, HIDDEN, HIDDEN, PIXELS),
    }
    initializer = jax.nn.initializers.he_normal()
    parameters: dict[str, Any] = {}
    for number, (name, widths) in enumerate(sizes.items()):
        keys = jax.random.split(jax.random.fold_in(key, number), len(widths))
        parameters[name] = [
            (initializer(k, (m, n)), jnp.zeros(n))
            for k, m, n in zip(keys, widths, widths[1:], strict=False)
        ]
    return parameters


def network(layers: Layers, x: jax.Array) -> jax.Array:
    """A network with ReLU between its layers."""
    for weights, bias in layers[:-1]:
        x = jax.nn.relu(x @ weights + bias)
    weights, bias = layers[-1]
    return x @ weights + bias


def encode(parameters: Parameters, image: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The mean and the log variance of the latent point of one image."""
    mean, log_variance = jnp.split(network(parameters["encoder"], image), 2)
    return mean, log_variance


def decode(parameters: Parameters, point: jax.Array) -> jax.Array:
    """The logits of the pixels at one point of the latent plane."""
    return network(parameters["decoder"], point)


def elbo(parameters: Parameters, image: jax.Array, key: jax.Array) -> jax.Array:
    """The evidence lower bound of one image, in nats, from one random latent point.

    A pixel's grey value is taken as the probability that the pixel is set.
    """
    mean, log_variance = encode(parameters, image)
    # Reparametrization: the noise does not depend on the parameters, so the sample
    # has a gradient with respect to them.
    noise = jax.random.normal(key, mean.shape)
    logits = decode(parameters, mean + jnp.exp(0.5 * log_variance) * noise)
    log_likelihood = jnp.sum(
        image * jax.nn.log_sigmoid(logits) + (1 - image) * jax.nn.log_sigmoid(-logits)
    )
    divergence = 0.5 * jnp.sum(jnp.exp(log_variance) + mean**2 - 1 - log_variance)
    return log_likelihood - divergence


def loss(parameters: Parameters, images: jax.Array, key: jax.Array) -> jax.Array:
    """The mean negative ELBO of a batch of images."""
    keys = jax.random.split(key, len(images))
    return -jnp.mean(jax.vmap(elbo, (None, 0, 0))(parameters, images, keys))


# ---------------------------------------------------------------- training


class State(NamedTuple):
    """The parameters, and Adam's averages of the gradient and of its square."""

    parameters: Parameters
    mean: Parameters
    square: Parameters
    number: jax.Array


def adam(state: State, gradient: Parameters) -> State:
    """One step of Adam."""
    number = state.number + 1
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state.mean, gradient)
    square = jax.tree.map(lambda s, g: 0.99 * s + 0.01 * g * g, state.square, gradient)
    first, second = 1 - 0.9**number, 1 - 0.99**number
    parameters = jax.tree.map(
        lambda p, m, s: p - RATE * (m / first) / (jnp.sqrt(s / second) + 1e-8),
        state.parameters,
        mean,
        square,
    )
    return State(parameters, mean, square, number)


@functools.partial(jax.jit, donate_argnums=0)
def epoch(state: State, images: jax.Array, key: jax.Array) -> tuple[State, jax.Array]:
    """Trains once on all images, in batches of a random order. Returns the mean loss."""
    order_key, noise_key = jax.random.split(key)
    batches = len(images) // BATCH
    order = jax.random.permutation(order_key, len(images))[: batches * BATCH]
    shuffled = images[order].reshape(batches, BATCH, PIXELS)

    def step(
        state: State, batch_and_key: tuple[jax.Array, jax.Array]
    ) -> tuple[State, jax.Array]:
        value, gradient = jax.value_and_grad(loss)(state.parameters, *batch_and_key)
        return adam(state, gradient), value

    keys = jax.random.split(noise_key, batches)
    state, losses = jax.lax.scan(step, state, (shuffled, keys))
    return state, jnp.mean(losses)


class Result(NamedTuple):
    """What a run found; losses are negative ELBOs in nats per image."""

    parameters: Parameters
    held_out: np.ndarray
    labels: np.ndarray
    train_losses: list[float]
    held_out_losses: list[float]


def run(options: argparse.Namespace) -> Result:
    """Loads the digits, trains, and measures the loss of held-out digits."""
    with np.load(DATA, allow_pickle=False) as file:
        images, labels = file["images"], file["labels"]
    data_key, init_key, train_key = jax.random.split(jax.random.key(options.seed), 3)
    order = np.asarray(jax.random.permutation(data_key, len(labels)))
    images = (images[order] / 16).astype(np.float32).reshape(-1, PIXELS)
    held_out, images = images[:HELD_OUT], jnp.asarray(images[HELD_OUT:])

    parameters = init_parameters(init_key)
    # Two sets of zeros, because a donated buffer can be donated only once.
    zeros = functools.partial(jax.tree.map, jnp.zeros_like, parameters)
    state = State(parameters, zeros(), zeros(), jnp.zeros((), jnp.int32))
    held_out_loss = jax.jit(loss)
    result = Result(parameters, held_out, labels[order][:HELD_OUT], [], [])
    with tqdm(range(options.epochs), desc="training", unit="epoch") as bar:
        for number in bar:
            key, test_key = jax.random.split(jax.random.fold_in(train_key, number))
            state, value = epoch(state, images, key)
            result.train_losses.append(float(value))
            value = float(held_out_loss(state.parameters, held_out, test_key))
            result.held_out_losses.append(value)
            bar.set_postfix(held_out=f"{value:.2f}")
    return result._replace(parameters=state.parameters)


# ---------------------------------------------------------------- the picture


def draw(path: pathlib.Path, result: Result) -> None:
    """Draws reconstructions, the latent plane, and the images across it."""
    means, _ = jax.vmap(encode, (None, 0))(result.parameters, result.held_out)

    @jax.jit
    def images_at(points: jax.Array) -> jax.Array:
        return jax.nn.sigmoid(jax.vmap(decode, (None, 0))(result.parameters, points))

    rebuilt = images_at(means)
    picture = figure.Figure(figsize=(10, 3.6), dpi=80, layout="constrained")
    left, middle, right = picture.subplots(1, 3)

    pairs = np.stack([result.held_out[:16], rebuilt[:16]]).reshape(2, 4, 4, 8, 8)
    # To (line, pixel line, column, original or reconstruction, pixel column).
    mosaic = np.pad(pairs, ((0, 0),) * 3 + ((1, 1),) * 2).transpose(1, 3, 2, 0, 4)
    left.imshow(mosaic.reshape(40, 80), cmap="gray_r", vmin=0, vmax=1)
    left.set_title("held-out digits, each beside\nits reconstruction")
    left.axis("off")

    dots = middle.scatter(*np.asarray(means).T, c=result.labels, cmap="tab10", s=8)
    picture.colorbar(dots, ax=middle, ticks=range(10))
    middle.set_title("means of held-out digits\nin the latent plane")

    line = np.linspace(-2.2, 2.2, 14)
    points = np.stack(np.meshgrid(line, line[::-1]), axis=-1).reshape(-1, LATENT)
    grid = np.asarray(images_at(points)).reshape(14, 14, 8, 8).transpose(0, 2, 1, 3)
    right.imshow(
        grid.reshape(112, 112), cmap="gray_r", vmin=0, vmax=1, extent=(-2.2, 2.2) * 2
    )
    right.set_title("what the decoder makes\nof the plane")
    picture.savefig(path, pil_kwargs={"optimize": True})


# ---------------------------------------------------------------- the command line


def parse_options(arguments: list[str] | None) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--epochs", type=int, default=150, help="default: %(default)s")
    parser.add_argument("--quick", action="store_true", help="train for 30 epochs")
    parser.add_argument("--seed", type=int, default=0, help="of all random numbers")
    parser.add_argument(
        "--output", type=pathlib.Path, default=pathlib.Path("."), metavar="FOLDER",
        help="where the picture goes (default: this folder)",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    if options.quick:
        options.epochs = 30
    if options.epochs < 1:
        parser.error("--epochs needs a number of at least 1")
    return options


def main(arguments: list[str] | None = None) -> Result:
    """Runs the program."""
    options = parse_options(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    result = run(options)
    path = options.output / "variational_autoencoder.png"
    draw(path, result)
    print(f"negative ELBO of held-out digits  {result.held_out_losses[-1]:.2f} nats")
    print(f"picture                           {path}")
    return result


if __name__ == "__main__":
    main(sys.argv[1:])
