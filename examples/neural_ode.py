#!/usr/bin/env python3
"""A neural ODE: a network learns the vector field of a damped pendulum from its paths, through an ODE solver.

The network gives the velocity of a state; `jax.experimental.ode.odeint` integrates it with steps of its own choice, and its
gradient solves the adjoint equation backwards, so that memory does not grow with the steps. The picture neural_ode.png shows
paths that were learned from and paths from new starts, and the field that was learned beside the true one.
"""

import argparse
import pathlib
import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from matplotlib import figure
from tqdm import tqdm

import jax
import jax.numpy as jnp
from jax.experimental.ode import odeint
from jax.typing import ArrayLike

TIMES = jnp.linspace(0.0, 3.0, 16)
STARTS = 24
WIDTH = 32

Parameters = dict[str, jax.Array]


def pendulum(state: jax.Array, time: ArrayLike) -> jax.Array:
    """The true field: the angle's rate, and the rate of that."""
    angle, speed = state
    return jnp.array([speed, -2 * jnp.sin(angle) - 0.3 * speed])


def init_parameters(key: jax.Array) -> Parameters:
    """Two layers of a network from states to velocities."""
    first, second = jax.random.split(key)
    return {
        "hidden": jax.random.normal(first, (2, WIDTH)),
        "bias": jnp.zeros(WIDTH),
        "out": 0.1 * jax.random.normal(second, (WIDTH, 2)),
    }


def network(state: jax.Array, time: ArrayLike, parameters: Parameters) -> jax.Array:
    """The learned field."""
    return (
        jnp.tanh(state @ parameters["hidden"] + parameters["bias"]) @ parameters["out"]
    )


def solve(
    field: Callable[..., jax.Array], starts: jax.Array, *parameters: Parameters
) -> jax.Array:
    """The paths from several starts, at TIMES."""

    def one(start: jax.Array) -> jax.Array:
        path: jax.Array = odeint(field, start, TIMES, *parameters, rtol=1e-5, atol=1e-5)
        return path

    return jax.vmap(one)(starts)


def loss(parameters: Parameters, starts: jax.Array, paths: jax.Array) -> jax.Array:
    """The mean squared distance between learned and true paths."""
    return jnp.mean((solve(network, starts, parameters) - paths) ** 2)


@jax.jit
def step(
    parameters: Parameters,
    moments: tuple[Parameters, Parameters],
    number: ArrayLike,
    starts: jax.Array,
    paths: jax.Array,
) -> tuple[Parameters, tuple[Parameters, Parameters], jax.Array]:
    """One step of Adam."""
    value, gradient = jax.value_and_grad(loss)(parameters, starts, paths)
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments[0], gradient)
    second = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * g * g, moments[1], gradient)

    def update(p: jax.Array, m: jax.Array, v: jax.Array) -> jax.Array:
        m, v = m / (1 - 0.9**number), v / (1 - 0.99**number)
        return p - 0.02 * m / (jnp.sqrt(v) + 1e-8)

    return jax.tree.map(update, parameters, first, second), (first, second), value


class Result(NamedTuple):
    """What the picture shows and the test checks."""

    losses: list[float]
    new_error: float
    true_paths: np.ndarray
    learned_paths: np.ndarray
    parameters: dict[str, jax.Array]


def run(options: argparse.Namespace) -> Result:
    """Learns the field, then follows it from new starts."""
    keys = jax.random.split(jax.random.key(options.seed), 3)
    starts = jax.random.uniform(keys[0], (STARTS, 2), minval=-2.0, maxval=2.0)

    @jax.jit
    def solved(s: jax.Array) -> jax.Array:
        return solve(pendulum, s)

    paths = solved(starts)
    parameters = init_parameters(keys[1])
    zeros = jax.tree.map(jnp.zeros_like, parameters)
    moments = (zeros, zeros)
    losses: list[float] = []
    with tqdm(range(1, options.steps + 1), desc="training") as bar:
        for number in bar:
            parameters, moments, value = step(
                parameters, moments, number, starts, paths
            )
            losses.append(float(value))
            bar.set_postfix(loss=f"{value:.5f}")
    new = jax.random.uniform(keys[2], (6, 2), minval=-2.0, maxval=2.0)
    true = np.asarray(solve(pendulum, new))
    learned = np.asarray(solve(network, new, parameters))
    error = float(np.sqrt(np.mean((true - learned) ** 2)))
    return Result(losses, error, true, learned, parameters)


def draw(path: pathlib.Path, result: Result) -> None:
    """Draws paths from new starts, the two fields, and the losses."""
    picture = figure.Figure(figsize=(11, 3.6), dpi=80, layout="constrained")
    left, middle, right = picture.subplots(1, 3)
    for true, learned in zip(result.true_paths, result.learned_paths, strict=True):
        left.plot(*true.T, color="#2f5d8a", lw=1)
        left.plot(*learned.T, "--", color="#c1443c")
    left.set(xlabel="angle", ylabel="speed", title="new starts: true, learned (dashed)")
    grid = np.stack(np.meshgrid(*[np.linspace(-2, 2, 12)] * 2), -1).reshape(-1, 2)

    def pendulum_now(state: jax.Array) -> jax.Array:
        return pendulum(state, 0.0)

    truth = jax.vmap(pendulum_now)(grid)
    found = network(jnp.asarray(grid), 0.0, result.parameters)
    for arrows, color in ((truth, "#2f5d8a"), (found, "#c1443c")):
        middle.quiver(*grid.T, *np.asarray(arrows).T, color=color, alpha=0.6)
    middle.set(
        xlabel="angle", ylabel="speed", title="the true field and the learned one"
    )
    right.semilogy(result.losses, color="#2f5d8a")
    right.set(xlabel="step", title="mean squared distance of the paths")
    picture.savefig(path, pil_kwargs={"optimize": True})


def parse_options(arguments: list[str] | None) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=500, help="default: %(default)s")
    parser.add_argument("--quick", action="store_true", help="train for 120 steps")
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
    path = options.output / "neural_ode.png"
    draw(path, result)
    print(f"loss      {result.losses[0]:.4f} to {result.losses[-1]:.5f}")
    print(f"error     {result.new_error:.3f} on paths from new starts")
    print(f"picture   {path}")
    return result


if __name__ == "__main__":
    main(sys.argv[1:])
