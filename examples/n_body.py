#!/usr/bin/env python3
"""Lets stars circle each other under gravity, and draws their orbits and energies.

The forces are the gradient of the potential energy, by `grad`. The leapfrog method
keeps the energy near its start for ever, because it is symplectic: it computes
exactly the motion of a slightly different energy. Euler's method, with the same
number of forces, does not. The picture n_body.png shows both, and the film n_body.gif
the bodies as they move.
"""

import argparse
import functools
import pathlib
import sys
from typing import Any, NamedTuple

import numpy as np
from matplotlib import animation, figure
from tqdm import tqdm

import jax
import jax.numpy as jnp

SOFTENING = 0.05  # keeps the force finite where two bodies meet
BLOCK = 250  # steps of one call
TRAIL = 60  # pictures of a film for which a body leaves a trace


class State(NamedTuple):
    """Positions and velocities, both of shape (bodies, 2)."""

    position: jax.Array
    velocity: jax.Array


def start(key: jax.Array, count: int) -> tuple[jax.Array, State]:
    """The masses and the state: light bodies on circles around a heavy one."""
    angle_key, radius_key = jax.random.split(key)
    angle = jax.random.uniform(angle_key, (count - 1,), maxval=2 * jnp.pi)
    gaps = jax.random.uniform(radius_key, (count - 1,), minval=0.3, maxval=0.5)
    radius = 0.6 + jnp.cumsum(gaps)
    outwards = jnp.stack([jnp.cos(angle), jnp.sin(angle)], axis=-1)
    along = jnp.stack([-jnp.sin(angle), jnp.cos(angle)], axis=-1)
    masses = jnp.concatenate([jnp.ones(1), jnp.full(count - 1, 0.003)])
    position = jnp.concatenate([jnp.zeros((1, 2)), radius[:, None] * outwards])
    velocity = jnp.concatenate([jnp.zeros((1, 2)), radius[:, None] ** -0.5 * along])
    # The centre of mass rests, so that the system does not leave the picture.
    velocity = velocity - masses @ velocity / masses.sum()
    return masses, State(position, velocity)


def potential_energy(masses: jax.Array, position: jax.Array) -> jax.Array:
    """The energy of gravity between all pairs, with the gravitational constant 1."""
    difference = position[:, None] - position[None]
    distance = jnp.sqrt(jnp.sum(difference**2, axis=-1) + SOFTENING**2)
    pairs = jnp.outer(masses, masses) / distance
    return -0.5 * (pairs.sum() - jnp.trace(pairs))


def acceleration(masses: jax.Array, position: jax.Array) -> jax.Array:
    """The force on each body, minus the gradient of the energy, over its mass."""
    slope: jax.Array = jax.grad(potential_energy, argnums=1)(masses, position)
    return -slope / masses[:, None]


def energy(masses: jax.Array, state: State) -> jax.Array:
    """The kinetic and the potential energy together."""
    kinetic = 0.5 * jnp.sum(masses[:, None] * state.velocity**2)
    return kinetic + potential_energy(masses, state.position)


def angular_momentum(masses: jax.Array, state: State) -> jax.Array:
    """The angular momentum around the origin, which gravity keeps."""
    (x, y), (vx, vy) = state.position.T, state.velocity.T
    return jnp.sum(masses * (x * vy - y * vx))


def leapfrog(masses: jax.Array, state: State, dt: jax.Array) -> State:
    """Half a step of the velocities, a step of the positions, half a step again."""
    half = state.velocity + 0.5 * dt * acceleration(masses, state.position)
    position = state.position + dt * half
    return State(position, half + 0.5 * dt * acceleration(masses, position))


def euler(masses: jax.Array, state: State, dt: jax.Array) -> State:
    """A step along the derivative at its start."""
    return State(
        state.position + dt * state.velocity,
        state.velocity + dt * acceleration(masses, state.position),
    )


METHODS = {"leapfrog": leapfrog, "Euler": euler}


@functools.partial(jax.jit, static_argnames="method")
def block(
    masses: jax.Array, state: State, dt: jax.Array, method: str
) -> tuple[State, tuple[jax.Array, ...]]:
    """BLOCK steps of a method. Returns the state, and positions and figures by time."""

    def step(state: State, _: None) -> tuple[State, tuple[jax.Array, ...]]:
        state = METHODS[method](masses, state, dt)
        figures = energy(masses, state), angular_momentum(masses, state)
        return state, (state.position, *figures)

    return jax.lax.scan(step, state, length=BLOCK)


class Orbits(NamedTuple):
    """What one method computed; the drifts are relative to the start."""

    positions: np.ndarray
    energy_drift: np.ndarray
    momentum_drift: np.ndarray


def run(options: argparse.Namespace) -> dict[str, Orbits]:
    """Computes the orbits by each method, in double precision."""
    found: dict[str, Any] = {}
    # Rounding in 32 bits would hide how well leapfrog keeps the energy.
    with jax.enable_x64(True):
        masses, first = start(jax.random.key(options.seed), options.bodies)
        energy_0, momentum_0 = energy(masses, first), angular_momentum(masses, first)
        for name in METHODS:
            state = first
            blocks: list[Any] = []
            for _ in tqdm(range(options.blocks), desc=f"{name:8}", unit="block"):
                state, values = block(masses, state, options.dt, name)
                blocks.append(values)
            positions, energies, momenta = (
                np.concatenate(parts) for parts in zip(*blocks, strict=True)
            )
            found[name] = Orbits(
                positions, energies / energy_0 - 1, momenta / momentum_0 - 1
            )
    return found


def draw(
    path: pathlib.Path, found: dict[str, Orbits], options: argparse.Namespace
) -> None:
    """Draws the orbits of each method, and how far the energy is off."""
    picture = figure.Figure(figsize=(10, 3.5), dpi=80, layout="constrained")
    axes = picture.subplots(1, 3, width_ratios=(1, 1, 1.2))
    reach = 1.25 * np.abs(found["leapfrog"].positions).max()
    for part, (name, orbits) in zip(axes, found.items(), strict=False):
        for body in range(options.bodies):
            part.plot(*orbits.positions[-3000::5, body].T, lw=0.7)
        part.plot(*orbits.positions[-1].T, ".", color="#222222", ms=5)
        part.set(
            title=f"orbits by {name}",
            aspect="equal",
            xlim=(-reach, reach),
            ylim=(-reach, reach),
        )
    dt, count = float(options.dt), int(options.blocks * BLOCK)
    times = dt * (1 + np.arange(count))
    for name, orbits in found.items():
        axes[2].semilogy(
            times[::10], np.abs(orbits.energy_drift[::10]) + 1e-16, lw=0.9, label=name
        )
    axes[2].set(title="relative error of the energy", xlabel="time", ylim=(1e-10, None))
    axes[2].legend(frameon=False)
    picture.savefig(path, pil_kwargs={"optimize": True})


def film(
    path: pathlib.Path, found: dict[str, Orbits], options: argparse.Namespace
) -> None:
    """Draws the last steps of both methods side by side, one picture after the other."""
    # Every fifth step of the last 600, or of all.
    shown = {name: orbits.positions[-600::5] for name, orbits in found.items()}
    reach = 1.25 * np.abs(shown["leapfrog"]).max()
    picture = figure.Figure(figsize=(5, 2.7), dpi=80, layout="constrained")
    bodies: list[tuple[Any, np.ndarray]] = []
    traces: list[Any] = []
    for part, (name, positions) in zip(
        picture.subplots(1, 2), shown.items(), strict=True
    ):
        part.set(title=name, aspect="equal", xticks=[], yticks=[])
        part.set(xlim=(-reach, reach), ylim=(-reach, reach))
        traces += [part.plot([], [], lw=0.7)[0] for _ in range(options.bodies)]
        bodies.append((part.plot([], [], ".", color="#222222", ms=5)[0], positions))
    count = len(shown["leapfrog"])

    def at(number: int) -> list[Any]:
        begin = max(0, number - TRAIL)
        for side, (points, positions) in enumerate(bodies):
            points.set_data(*positions[number].T)
            for body in range(options.bodies):
                line = traces[side * options.bodies + body]
                line.set_data(*positions[begin : number + 1, body].T)
        return traces

    moving = animation.FuncAnimation(picture, at, count)
    with tqdm(total=count, desc="film", unit="picture") as bar:
        moving.save(
            path,
            animation.PillowWriter(fps=25),
            progress_callback=lambda _now, _all: bar.update(),
        )


def parse_options(arguments: list[str] | None) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bodies", type=int, default=6, help="default: %(default)s")
    parser.add_argument(
        "--blocks",
        type=int,
        default=60,
        help=f"of {BLOCK} steps (default: %(default)s)",
    )
    parser.add_argument(
        "--dt", type=float, default=0.01, help="of a step (default: %(default)s)"
    )
    parser.add_argument("--quick", action="store_true", help="compute 8 blocks")
    parser.add_argument("--seed", type=int, default=0, help="of the start")
    parser.add_argument(
        "--output", type=pathlib.Path, default=pathlib.Path("."), metavar="FOLDER",
        help="where the picture goes (default: this folder)",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    if options.quick:
        options.blocks = 8
    if options.bodies < 2 or options.blocks < 1 or not options.dt > 0:
        parser.error("--bodies is at least 2, --blocks at least 1, and --dt above 0")
    return options


def main(arguments: list[str] | None = None) -> dict[str, Orbits]:
    """Runs the program."""
    options = parse_options(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    found = run(options)
    path = options.output / "n_body.png"
    draw(path, found, options)
    film(path.with_suffix(".gif"), found, options)
    for name, orbits in found.items():
        print(
            f"{name:8}  relative error of the energy {np.abs(orbits.energy_drift).max():.1e}, "
            f"of the angular momentum {np.abs(orbits.momentum_drift).max():.1e}"
        )
    print(f"picture   {path}")
    print(f"film      {path.with_suffix('.gif')}")
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
