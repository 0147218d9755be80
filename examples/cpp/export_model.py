#!/usr/bin/env python3
"""Trains a small model of the handwritten digits and exports it for the C++ program beside this file.

Writes three files: model.stablehlo, the compiled function as portable StableHLO; digits.f32, images as raw floats; and
expected.f32, what Python computes for them, with which the C++ program's results can be compared.
"""

import argparse
import pathlib
import sys

import numpy as np
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


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path())
    options = parser.parse_args(arguments)
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
