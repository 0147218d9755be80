#!/usr/bin/env python3
"""Trains a small model of the handwritten digits and exports it for the C++ program beside this file.

Writes three files: model.stablehlo, the compiled function as portable StableHLO; digits.f32, images as raw floats; and
expected.f32, what Python computes for them, with which the C++ program's results can be compared. With --draw it reads what
the C++ program has computed, and draws it into cpp_model.png, beside what Python has computed.
"""

import argparse
import pathlib
import sys

import numpy as np
from matplotlib import figure
from tqdm import tqdm

import jax
import jax.numpy as jnp

DATA = pathlib.Path(__file__).resolve().parents[1] / "data" / "digits.npz"
PIXELS, DIGITS, BATCH = 64, 10, 8

Parameters = tuple[jax.Array, jax.Array]  # weights and bias


def train(images: jax.Array, labels: jax.Array, steps: int) -> Parameters:
    """The weights and the bias of softmax regression, by gradient descent."""

    def loss(parameters: Parameters) -> jax.Array:
        weights, bias = parameters
        scores = jax.nn.log_softmax(images @ weights + bias)
        return -jnp.mean(jnp.take_along_axis(scores, labels[:, None], axis=1))

    @jax.jit
    def step(parameters: Parameters) -> Parameters:
        weights, bias = parameters
        of_weights, of_bias = jax.grad(loss)(parameters)
        return weights - 0.5 * of_weights, bias - 0.5 * of_bias

    parameters = (jnp.zeros((PIXELS, DIGITS)), jnp.zeros(DIGITS))
    for _ in tqdm(range(steps), desc="training"):
        parameters = step(parameters)
    return parameters


def draw(folder: pathlib.Path, results: pathlib.Path) -> float:
    """Draws the images over their probabilities; returns the largest difference from Python's."""
    images = np.fromfile(folder / "digits.f32", np.float32).reshape(BATCH, 8, 8)
    expected = np.fromfile(folder / "expected.f32", np.float32).reshape(BATCH, DIGITS)
    found = np.fromfile(results, np.float32).reshape(BATCH, DIGITS)
    picture = figure.Figure(figsize=(11, 3), dpi=80, layout="constrained")
    axes = picture.subplots(2, BATCH, sharey="row")
    for i in range(BATCH):
        above, below = axes[:, i]
        above.imshow(images[i], cmap="gray_r")
        above.set_axis_off()
        above.set_title(f"read {found[i].argmax()}")
        below.bar(range(DIGITS), found[i], color="#2a6f97", label="C++")
        below.plot(expected[i], "_", color="#c77d2b", ms=7, mew=1.6, label="Python")
        below.set_xticks(range(0, DIGITS, 3))
    axes[1, 0].set(ylabel="probability", ylim=(0, 1.05))
    axes[1, 0].legend(frameon=False, fontsize=8, loc="center right")
    picture.savefig(folder / "cpp_model.png", pil_kwargs={"optimize": True})
    return float(np.abs(found - expected).max())


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=300, help="default: %(default)s")
    parser.add_argument(
        "--output", type=pathlib.Path, default=pathlib.Path(), metavar="FOLDER",
        help="where the files are (default: this folder)",
    )  # fmt: skip
    parser.add_argument(
        "--draw", type=pathlib.Path, metavar="FILE",
        help="draw results.f32 of the C++ program, for a model exported before",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    if options.draw is not None:
        distance = draw(options.output, options.draw)
        print(f"probabilities of C++: at most {distance:.0e} from Python's")
        return
    with np.load(DATA, allow_pickle=False) as file:
        images = jnp.asarray(file["images"].reshape(-1, PIXELS) / 16, jnp.float32)
        labels = jnp.asarray(file["labels"], jnp.int32)
    weights, bias = train(images[BATCH:], labels[BATCH:], options.steps)

    @jax.jit
    def predict(
        images: jax.Array,
    ) -> jax.Array:  # the weights become constants of the program
        return jax.nn.softmax(images @ weights + bias)

    exported = jax.export.export(predict, platforms=["cpu"])(images[:BATCH])
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "model.stablehlo").write_bytes(exported.mlir_module_serialized)
    np.asarray(images[:BATCH]).tofile(options.output / "digits.f32")
    np.asarray(predict(images[:BATCH])).tofile(options.output / "expected.f32")
    print(f"model.stablehlo, digits.f32 and expected.f32 are in {options.output}")


if __name__ == "__main__":
    main(sys.argv[1:])
