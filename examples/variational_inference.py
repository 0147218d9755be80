#!/usr/bin/env python3
"""Approximates the posterior of a robust regression by a normal distribution (ADVI).

A line is fitted to points of which some are far off. The errors follow Student's t
distribution with an unknown scale, so the posterior of slope, intercept and scale has
no closed form. Automatic differentiation variational inference fits a normal
distribution with full covariance over the unconstrained parameters: it climbs the
gradient of the evidence lower bound (ELBO), estimated from samples. A sum over a fine
grid gives the exact posterior to compare with. The picture is
variational_inference.png.

Reference: Kucukelbir et al., Automatic differentiation variational inference, 2017.
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
from jax.scipy import stats

NAMES = ("slope", "intercept", "log scale")
TRUTH = np.array([1.5, -0.5, np.log(0.3)])
SAMPLES = 32  # of the posterior, for each estimate of the ELBO
RATE = 0.03
BLOCK = 50  # steps of one call


def make_points(key: jax.Array, count: int) -> tuple[jax.Array, jax.Array]:
    """Points near a line, with every eighth of them moved far up."""
    x_key, noise_key = jax.random.split(key)
    x = jax.random.uniform(x_key, (count,), minval=-2, maxval=2)
    y = (
        TRUTH[0] * x
        + TRUTH[1]
        + np.exp(TRUTH[2]) * jax.random.normal(noise_key, (count,))
    )
    return x, y.at[::8].add(4.0)


def log_joint(parameters: jax.Array, x: jax.Array, y: jax.Array) -> jax.Array:
    """The log density of the parameters and the points together.

    The scale is positive; its logarithm has no bounds, so it is the parameter, and
    its prior is normal.
    """
    slope, intercept, log_scale = parameters
    prior = jnp.sum(stats.norm.logpdf(parameters, 0, 3))
    errors = y - (slope * x + intercept)
    return prior + jnp.sum(stats.t.logpdf(errors, 3, 0, jnp.exp(log_scale)))


class Normal(NamedTuple):
    """A normal distribution: its mean and the lower triangle L of its covariance L L^T.

    `root` holds the logarithms of the diagonal of L, so that any values are valid.
    """

    mean: jax.Array
    root: jax.Array

    def lower(self) -> jax.Array:
        """The triangle L."""
        return jnp.tril(self.root, -1) + jnp.diag(jnp.exp(jnp.diagonal(self.root)))


def elbo(guide: Normal, key: jax.Array, x: jax.Array, y: jax.Array) -> jax.Array:
    """An estimate without bias of the ELBO, in nats, and with a gradient without bias."""
    noise = jax.random.normal(key, (SAMPLES, len(NAMES)))
    samples = guide.mean + noise @ guide.lower().T
    log_joints = jax.vmap(log_joint, (0, None, None))(samples, x, y)
    # The entropy of a normal distribution is exact: only the other term is sampled.
    entropy = jnp.trace(guide.root) + 0.5 * len(NAMES) * jnp.log(2 * jnp.pi * jnp.e)
    return jnp.mean(log_joints) + entropy


# The distribution, Adam's averages of gradients and of their squares, and the count of steps.
State = tuple[Normal, Normal, Normal, jax.Array]


@functools.partial(jax.jit, donate_argnums=0)
def block(
    state: State, keys: jax.Array, rates: jax.Array, x: jax.Array, y: jax.Array
) -> tuple[State, jax.Array]:
    """A step of Adam for each key and rate. Returns the state and the ELBOs."""

    def step(
        state: State, key_and_rate: tuple[jax.Array, jax.Array]
    ) -> tuple[State, jax.Array]:
        guide, mean, square, count = state
        key, rate = key_and_rate
        value, gradient = jax.value_and_grad(elbo)(guide, key, x, y)
        count = count + 1
        mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, gradient)
        square = jax.tree.map(lambda s, g: 0.99 * s + 0.01 * g * g, square, gradient)
        first, second = 1 - 0.9**count, 1 - 0.99**count
        guide = jax.tree.map(
            lambda p, m, s: p + rate * (m / first) / (jnp.sqrt(s / second) + 1e-8),
            guide, mean, square,
        )  # fmt: skip
        return (guide, mean, square, count), value

    return jax.lax.scan(step, state, (keys, rates))


@jax.jit
def exact_posterior(
    guide: Normal, x: jax.Array, y: jax.Array
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """The mean and standard deviation of the posterior, and the log evidence.

    They are sums over a grid around the guide, wide enough to hold all the mass.
    """
    axis = jnp.linspace(-6, 6, 61)
    offsets = jnp.stack(jnp.meshgrid(axis, axis, axis), axis=-1).reshape(-1, len(NAMES))
    points = guide.mean + offsets @ guide.lower().T
    logs = jax.vmap(log_joint, (0, None, None))(points, x, y)
    weights = jax.nn.softmax(logs)
    mean = weights @ points
    deviation = jnp.sqrt(weights @ (points - mean) ** 2)
    log_cell = len(NAMES) * jnp.log(axis[1] - axis[0]) + jnp.trace(guide.root)
    return mean, deviation, jax.nn.logsumexp(logs) + log_cell


class Result(NamedTuple):
    """The fitted distribution and the exact one, each as means and deviations."""

    points: tuple[jax.Array, jax.Array]
    guide: Normal
    elbos: np.ndarray
    fitted: tuple[np.ndarray, np.ndarray]
    exact: tuple[np.ndarray, np.ndarray]
    log_evidence: float


def run(options: argparse.Namespace) -> Result:
    """Fits the normal distribution, and computes the exact posterior."""
    points_key, train_key = jax.random.split(jax.random.key(options.seed))
    x, y = make_points(points_key, 64)
    size = len(NAMES)

    def zeros() -> Normal:
        return Normal(jnp.zeros(size), jnp.zeros((size, size)))

    guide = Normal(jnp.zeros(size), jnp.diag(jnp.full(size, -1.0)))
    state = (guide, zeros(), zeros(), jnp.zeros((), jnp.int32))
    total = options.blocks * BLOCK
    rates = RATE * 0.5 * (1 + jnp.cos(jnp.pi * jnp.arange(total) / total))
    keys = jax.random.split(train_key, total)
    elbos: list[np.ndarray] = []
    with tqdm(range(options.blocks), desc="fitting", unit="block") as bar:
        for number in bar:
            part = slice(number * BLOCK, (number + 1) * BLOCK)
            state, values = block(state, keys[part], rates[part], x, y)
            elbos.append(np.asarray(values))
            bar.set_postfix(elbo=f"{elbos[-1].mean():.2f}")
    guide = state[0]
    deviation = np.linalg.norm(np.asarray(guide.lower()), axis=1)
    exact_mean, exact_deviation, evidence = exact_posterior(guide, x, y)
    fitted = (np.asarray(guide.mean), deviation)
    exact = (np.asarray(exact_mean), np.asarray(exact_deviation))
    return Result((x, y), guide, np.concatenate(elbos), fitted, exact, float(evidence))


def draw(path: pathlib.Path, result: Result) -> None:
    """Draws lines of the posterior, the marginals, and the ELBO."""
    picture = figure.Figure(figsize=(10, 3.4), dpi=80, layout="constrained")
    lines, marginals, bound = picture.subplots(1, 3)
    x, y = result.points
    ends = np.array([-2.2, 2.2])
    noise = np.random.default_rng(0).normal(size=(40, len(NAMES)))
    for slope, intercept, _ in (
        result.fitted[0] + noise @ np.asarray(result.guide.lower()).T
    ):
        lines.plot(ends, slope * ends + intercept, color="#9ec3da", lw=0.5)
    lines.plot(
        ends,
        np.polyval(np.polyfit(x, y, 1), ends),
        color="#c1443c",
        ls="--",
        label="least squares",
    )
    lines.plot(ends, TRUTH[0] * ends + TRUTH[1], color="#222222", ls=":", label="truth")
    lines.plot(x, y, ".", color="#2a6f97", ms=4)
    lines.legend(frameon=False)
    lines.set_title("lines of the posterior")
    bound.plot(result.elbos, color="#2a6f97", lw=0.7)
    bound.axhline(result.log_evidence, color="#c1443c", ls="--", label="log evidence")
    bound.set(
        title="ELBO",
        xlabel="step",
        ylim=(result.log_evidence - 40, result.log_evidence + 8),
    )
    bound.legend(frameon=False, loc="lower right")
    for shift, color, label, (mean, deviation) in (
        (0.1, "#2a6f97", "fitted", result.fitted),
        (-0.1, "#c1443c", "exact", result.exact),
    ):
        marginals.errorbar(
            mean, np.arange(len(NAMES)) + shift, xerr=2 * deviation, fmt="o", color=color,
            label=label, capsize=3,
        )  # fmt: skip
    marginals.set_yticks(range(len(NAMES)), NAMES)
    marginals.set(title="mean and two deviations", ylim=(-0.6, len(NAMES) - 0.4))
    marginals.legend(frameon=False)
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
    parser.add_argument("--quick", action="store_true", help="fit in 24 blocks")
    parser.add_argument("--seed", type=int, default=0, help="of all random numbers")
    parser.add_argument(
        "--output", type=pathlib.Path, default=pathlib.Path("."), metavar="FOLDER",
        help="where the picture goes (default: this folder)",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    if options.quick:
        options.blocks = 24
    if options.blocks < 1:
        parser.error("--blocks needs a number of at least 1")
    return options


def main(arguments: list[str] | None = None) -> Result:
    """Runs the program."""
    options = parse_options(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    result = run(options)
    path = options.output / "variational_inference.png"
    draw(path, result)
    for i, name in enumerate(NAMES):
        (mean, deviation), (true_mean, true_deviation) = result.fitted, result.exact
        print(
            f"{name:12} {mean[i]:7.3f} ± {deviation[i]:.3f}, "
            f"exactly {true_mean[i]:7.3f} ± {true_deviation[i]:.3f}"
        )
    print(
        f"ELBO         {result.elbos[-BLOCK:].mean():.3f} of at most {result.log_evidence:.3f}"
    )
    print(f"picture      {path}")
    return result


if __name__ == "__main__":
    main(sys.argv[1:])
