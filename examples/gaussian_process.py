#!/usr/bin/env python3
"""Fits a Gaussian process to noisy points, and draws its predictions.

The kernel's length scale, its amplitude and the noise are not given. They are found
by climbing the gradient of the marginal likelihood, which `grad` takes through the
Cholesky factorization. The points leave a gap, in which the prediction has to become
uncertain. The picture is gaussian_process.png.

Reference: Rasmussen and Williams, Gaussian processes for machine learning, 2006.
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
from jax.scipy.linalg import cho_solve, solve_triangular

NOISE = 0.2  # the standard deviation that the fit should find
RATE = 0.05

# The logarithms of the kernel's length and amplitude, and of the noise.
Hyper = dict[str, jax.Array]


def truth(x: jax.Array) -> jax.Array:
    """The function behind the points."""
    return jnp.sin(2 * x) + 0.3 * x


def make_points(key: jax.Array, count: int) -> tuple[jax.Array, jax.Array]:
    """Noisy values of `truth` between -4 and 4, except between 0.5 and 2."""
    where, noise = jax.random.split(key)
    x = jax.random.uniform(where, (count,), minval=-4, maxval=2.5)
    x = jnp.where(x > 0.5, x + 1.5, x)
    return x, truth(x) + NOISE * jax.random.normal(noise, (count,))


# ---------------------------------------------------------------- the process


def kernel(hyper: Hyper, x: jax.Array, z: jax.Array) -> jax.Array:
    """The covariance of the function's values at the two points x and z."""
    length, amplitude = jnp.exp(hyper["length"]), jnp.exp(hyper["amplitude"])
    return amplitude**2 * jnp.exp(-0.5 * ((x - z) / length) ** 2)


def covariance(hyper: Hyper, xs: jax.Array, zs: jax.Array) -> jax.Array:
    """The covariances of all pairs, by `vmap` over each argument."""
    over_columns = jax.vmap(kernel, (None, None, 0))
    return jax.vmap(over_columns, (None, 0, None))(hyper, xs, zs)


def factor(hyper: Hyper, xs: jax.Array) -> jax.Array:
    """The Cholesky factor of the covariance of noisy observations at `xs`."""
    noise = jnp.exp(2 * hyper["noise"]) * jnp.eye(len(xs))
    return jnp.linalg.cholesky(covariance(hyper, xs, xs) + noise)


def loss(hyper: Hyper, xs: jax.Array, ys: jax.Array) -> jax.Array:
    """The negative log marginal likelihood of the observations, in nats."""
    lower = factor(hyper, xs)
    white = solve_triangular(lower, ys, lower=True)
    log_determinant = jnp.sum(jnp.log(jnp.diagonal(lower)))
    return 0.5 * white @ white + log_determinant + 0.5 * len(xs) * jnp.log(2 * jnp.pi)


@jax.jit
def predict(
    hyper: Hyper, xs: jax.Array, ys: jax.Array, zs: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """The posterior mean and covariance of the function at `zs`."""
    lower = factor(hyper, xs)
    cross = covariance(hyper, xs, zs)
    mean = cross.T @ cho_solve((lower, True), ys)
    white = solve_triangular(lower, cross, lower=True)
    return mean, covariance(hyper, zs, zs) - white.T @ white


@jax.jit
def step(
    hyper: Hyper, average: Hyper, xs: jax.Array, ys: jax.Array
) -> tuple[Hyper, Hyper, jax.Array]:
    """One step along the gradient, with momentum and with steps of bounded size."""
    value, gradient = jax.value_and_grad(loss)(hyper, xs, ys)
    average = jax.tree.map(lambda a, g: 0.8 * a + 0.2 * g, average, gradient)
    hyper = jax.tree.map(lambda h, a: h - RATE * jnp.tanh(a / 5), hyper, average)
    return hyper, average, value


class Result(NamedTuple):
    """What a run found. `coverage` is the share of the truth inside the band of 95 %."""

    points: tuple[jax.Array, jax.Array]
    hyper: dict[str, float]
    losses: list[float]
    line: np.ndarray
    mean: np.ndarray
    deviation: np.ndarray
    samples: np.ndarray
    coverage: float


def run(options: argparse.Namespace) -> Result:
    """Fits the hyperparameters and predicts along a line."""
    points_key, sample_key = jax.random.split(jax.random.key(options.seed))
    xs, ys = make_points(points_key, 80)
    hyper = {name: jnp.zeros(()) for name in ("length", "amplitude", "noise")}
    average = jax.tree.map(jnp.zeros_like, hyper)
    losses: list[float] = []
    with tqdm(range(options.steps), desc="fitting", unit="step") as bar:
        for _ in bar:
            hyper, average, value = step(hyper, average, xs, ys)
            losses.append(float(value))
            bar.set_postfix(loss=f"{losses[-1]:.2f}")
    line = jnp.linspace(-4.5, 5, 200)
    mean, posterior = predict(hyper, xs, ys, line)
    # In 32 bits the covariance of close points is singular; a small shift mends it.
    root = jnp.linalg.cholesky(posterior + 1e-4 * jnp.eye(len(line)))
    samples = mean + jax.random.normal(sample_key, (4, len(line))) @ root.T
    deviation = jnp.sqrt(jnp.maximum(jnp.diagonal(posterior), 0))
    inside = jnp.abs(truth(line) - mean) < 1.96 * deviation
    found = {name: float(jnp.exp(value)) for name, value in hyper.items()}
    return Result(
        (xs, ys),
        found,
        losses,
        np.asarray(line),
        np.asarray(mean),
        np.asarray(deviation),
        np.asarray(samples),
        float(jnp.mean(inside)),
    )


def draw(path: pathlib.Path, result: Result) -> None:
    """Draws the points, the posterior with samples of it, and the losses."""
    picture = figure.Figure(figsize=(9, 3.4), dpi=80, layout="constrained")
    left, right = picture.subplots(1, 2, width_ratios=(3, 1))
    line, mean, band = result.line, result.mean, 1.96 * result.deviation
    left.fill_between(line, mean - band, mean + band, color="#cfe1ec", label="95 %")
    left.plot(line, result.samples.T, color="#9aa5ad", lw=0.7)
    left.plot(
        line, truth(jnp.asarray(line)), color="#c1443c", ls="--", lw=1.2, label="truth"
    )
    left.plot(line, mean, color="#2a6f97", lw=1.8, label="posterior mean")
    left.plot(*result.points, ".", color="#222222", ms=5, label="points")
    left.legend(frameon=False, ncols=4, loc="lower right", fontsize=8)
    left.set_title("posterior, with four samples of it")
    right.plot(result.losses, color="#2a6f97")
    right.set_title("negative log likelihood")
    right.set_xlabel("step")
    picture.savefig(path, pil_kwargs={"optimize": True})


def parse_options(arguments: list[str] | None) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=400, help="default: %(default)s")
    parser.add_argument("--quick", action="store_true", help="fit in 120 steps")
    parser.add_argument("--seed", type=int, default=0, help="of all random numbers")
    parser.add_argument(
        "--output", type=pathlib.Path, default=pathlib.Path("."), metavar="FOLDER",
        help="where the picture goes (default: this folder)",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    if options.quick:
        options.steps = 120
    if options.steps < 1:
        parser.error("--steps needs a number of at least 1")
    return options


def main(arguments: list[str] | None = None) -> Result:
    """Runs the program."""
    options = parse_options(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    result = run(options)
    path = options.output / "gaussian_process.png"
    draw(path, result)
    for name, value in result.hyper.items():
        print(f"{name:10} {value:.3f}")
    print(f"coverage   {result.coverage:.3f}")
    print(f"picture    {path}")
    return result


if __name__ == "__main__":
    main(sys.argv[1:])
