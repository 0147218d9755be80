#!/usr/bin/env python3
"""Kernel least squares: fits a curve by solving for one weight for each example, two ways.

The kernel is a function of two points, and `vmap` makes the matrix of it. The exact solution needs the whole matrix; the
conjugate gradients of `jax.scipy.sparse.linalg.cg` need products with it alone, which are computed block by block without
ever storing it. The bandwidth is chosen by the gradient of the error of leaving each example out. The picture
kernel_least_squares.png shows the fit, the error over the bandwidth, and how fast the iteration comes to the exact fit.
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
from jax.typing import ArrayLike

RIDGE = 1e-2
BLOCK = 50
PRODUCTS = (5, 10, 20, 40, 80)
jax.config.update("jax_enable_x64", True)


def examples(key: jax.Array, count: int) -> tuple[jax.Array, jax.Array]:
    """Points from 0 to 1 and noisy values of a curve that is slow on the left and quick on the right."""
    left, right = jax.random.split(key)
    x = jnp.sort(jax.random.uniform(left, (count,)))
    return x, jnp.sin(20 * x**2) + 0.2 * jax.random.normal(right, (count,))


def kernel(bandwidth: ArrayLike, x: jax.Array, y: jax.Array) -> jax.Array:
    """How alike two points are."""
    return jnp.exp(-0.5 * ((x - y) / bandwidth) ** 2)


def gram(bandwidth: ArrayLike, x: ArrayLike, y: ArrayLike) -> jax.Array:
    """The kernel of each point of x with each point of y."""
    row = jax.vmap(kernel, (None, None, 0))
    return jax.vmap(row, (None, 0, None))(bandwidth, x, y)


def exact_weights(bandwidth: jax.Array, x: jax.Array, y: jax.Array) -> jax.Array:
    """The weights that minimize the squared error and RIDGE times the squared norm, by Cholesky's method."""
    matrix = gram(bandwidth, x, x) + RIDGE * jnp.eye(len(x))
    return jax.scipy.linalg.solve(matrix, y, assume_a="pos")


def product(bandwidth: jax.Array, x: jax.Array, weights: jax.Array) -> jax.Array:
    """The matrix times weights, a block of rows at a time: memory does not grow with the square of the examples."""

    def rows(block: jax.Array) -> jax.Array:
        return gram(bandwidth, block, x) @ weights

    return jax.lax.map(rows, x.reshape(-1, BLOCK)).ravel() + RIDGE * weights


def left_out_error(log_bandwidth: jax.Array, x: jax.Array, y: jax.Array) -> jax.Array:
    """The mean squared error at each example of the fit to all the others, from one factorization."""
    matrix = gram(jnp.exp(log_bandwidth), x, x) + RIDGE * jnp.eye(len(x))
    factor = jax.scipy.linalg.cho_factor(matrix)
    inverse = jax.scipy.linalg.cho_solve(factor, jnp.eye(len(x)))
    return jnp.mean((inverse @ y / jnp.diagonal(inverse)) ** 2)


class Result(NamedTuple):
    """What the picture shows and the test checks."""

    x: np.ndarray
    y: np.ndarray
    bandwidth: float
    errors: list[float]
    weights: np.ndarray
    distances: list[float]


def run(options: argparse.Namespace) -> Result:
    """Chooses the bandwidth, then solves exactly and by iteration."""
    x, y = examples(jax.random.key(options.seed), options.examples)
    value_and_grad = jax.jit(jax.value_and_grad(left_out_error))
    log_bandwidth = jnp.log(0.3)
    errors: list[float] = []
    with tqdm(range(options.steps), desc="choosing the bandwidth") as bar:
        for number in bar:
            error, slope = value_and_grad(log_bandwidth, x, y)
            log_bandwidth -= 0.3 * 0.9**number * jnp.sign(slope)
            errors.append(float(error))
            bar.set_postfix(
                error=f"{error:.4f}", bandwidth=f"{jnp.exp(log_bandwidth):.4f}"
            )
    bandwidth = jnp.exp(log_bandwidth)
    weights = exact_weights(bandwidth, x, y)

    @jax.jit
    def times(v: jax.Array) -> jax.Array:
        return product(bandwidth, x, v)

    fit = times(weights) - RIDGE * weights
    distances: list[float] = []
    for count in PRODUCTS:
        guess, _ = jax.scipy.sparse.linalg.cg(times, y, maxiter=count, tol=0)
        distance = jnp.linalg.norm(times(guess) - RIDGE * guess - fit)
        distances.append(float(distance / jnp.linalg.norm(fit)))
    return Result(
        np.asarray(x),
        np.asarray(y),
        float(bandwidth),
        errors,
        np.asarray(weights),
        distances,
    )


def draw(path: pathlib.Path, result: Result) -> None:
    """Draws the fit, the error while choosing, and the distance of the iteration."""
    picture = figure.Figure(figsize=(11, 3.4), dpi=80, layout="constrained")
    left, middle, right = picture.subplots(1, 3, width_ratios=[2, 1, 1])
    line = np.linspace(0, 1, 400)
    fit = gram(result.bandwidth, line, result.x) @ result.weights
    left.plot(result.x, result.y, ".", color="#9aa5ad", ms=3)
    left.plot(line, np.sin(20 * line**2), color="#2f5d8a", lw=1, label="the curve")
    left.plot(line, fit, color="#c1443c", label="the fit")
    left.set(title=f"{len(result.x)} examples, bandwidth {result.bandwidth:.3f}")
    left.legend()
    middle.plot(result.errors, color="#2f5d8a")
    middle.set(xlabel="step", title="error of what is left out")
    right.semilogy(PRODUCTS, result.distances, ".-", color="#2f5d8a")
    right.set(xlabel="products with the matrix", title="distance to the exact fit")
    picture.savefig(path, pil_kwargs={"optimize": True})


def parse_options(arguments: list[str] | None) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--examples",
        type=int,
        default=600,
        help=f"a multiple of {BLOCK}; default: %(default)s",
    )
    parser.add_argument("--steps", type=int, default=60, help="default: %(default)s")
    parser.add_argument("--quick", action="store_true", help="100 examples, 40 steps")
    parser.add_argument("--seed", type=int, default=0, help="of all random numbers")
    parser.add_argument(
        "--output", type=pathlib.Path, default=pathlib.Path("."), metavar="FOLDER",
        help="where the picture goes (default: this folder)",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    if options.quick:
        options.examples, options.steps = 100, 40
    if options.examples < BLOCK or options.examples % BLOCK:
        parser.error(f"--examples needs a multiple of {BLOCK}")
    return options


def main(arguments: list[str] | None = None) -> Result:
    """Runs the program."""
    options = parse_options(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    result = run(options)
    path = options.output / "kernel_least_squares.png"
    draw(path, result)
    print(
        f"bandwidth {result.bandwidth:.4f}, error of what is left out {result.errors[-1]:.4f}"
    )
    print(
        f"iteration {result.distances[-1]:.1e} from the exact fit after {PRODUCTS[-1]} products"
    )
    print(f"picture   {path}")
    return result


if __name__ == "__main__":
    main(sys.argv[1:])
