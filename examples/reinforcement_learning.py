#!/usr/bin/env python3
"""Reinforcement learning: an actor and a critic learn to balance a pole, in an environment of 20 lines.

The environment is a function from a state and an action to the next state, so `vmap` runs many of them at once, `lax.scan`
follows them in time, and one compiled program plays, computes advantages, and improves the policy. The picture
reinforcement_learning.png shows how long the pole stays up while training, and one episode before and after it.
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

GRAVITY, CART, POLE, HALF_LENGTH, FORCE, TICK = 9.8, 1.0, 0.1, 0.5, 10.0, 0.02
LIMIT = 200  # ticks of an episode
ENVIRONMENTS, HORIZON = 64, 64
DISCOUNT, TRACE, ENTROPY = 0.99, 0.95, 0.005

Parameters = dict[str, jax.Array]


class State(NamedTuple):
    """The cart's and the pole's position and speed, and the ticks since the episode began."""

    cart: jax.Array
    speed: jax.Array
    angle: jax.Array
    turning: jax.Array
    ticks: jax.Array


# States, pushes to the right, rewards, and whether the episode was over, by time.
Played = tuple[State, jax.Array, jax.Array, jax.Array]


def begin(key: jax.Array) -> State:
    """A pole that stands nearly upright."""
    cart, speed, angle, turning = jax.random.uniform(
        key, (4,), minval=-0.05, maxval=0.05
    )
    return State(cart, speed, angle, turning, jnp.int32(0))


def push(
    state: State, right: jax.Array, key: jax.Array
) -> tuple[State, jax.Array, jax.Array]:
    """One tick with a push to the left or to the right: the next state, and whether the pole fell or time was up."""
    force = jnp.where(right, FORCE, -FORCE)
    sine, cosine = jnp.sin(state.angle), jnp.cos(state.angle)
    mass = CART + POLE
    pull = (force + POLE * HALF_LENGTH * state.turning**2 * sine) / mass
    turn = (GRAVITY * sine - cosine * pull) / (
        HALF_LENGTH * (4 / 3 - POLE * cosine**2 / mass)
    )
    move = pull - POLE * HALF_LENGTH * turn * cosine / mass
    after = State(
        state.cart + TICK * state.speed, state.speed + TICK * move,
        state.angle + TICK * state.turning, state.turning + TICK * turn, state.ticks + 1,
    )  # fmt: skip
    fell = (jnp.abs(after.cart) > 2.4) | (jnp.abs(after.angle) > 0.21)
    over = fell | (after.ticks >= LIMIT)
    again = jax.tree.map(lambda new, old: jnp.where(over, new, old), begin(key), after)
    return again, fell, over


def init_parameters(key: jax.Array) -> Parameters:
    """A hidden layer, from which an actor and a critic read."""
    hidden, actor = jax.random.split(key)
    return {
        "hidden": jax.random.normal(hidden, (4, 64)) / 2,
        "bias": jnp.zeros(64),
        "actor": 0.01 * jax.random.normal(actor, (64,)),
        "critic": jnp.zeros(64),
    }


def network(parameters: Parameters, state: State) -> tuple[jax.Array, jax.Array]:
    """The logit of a push to the right, and the value of the state."""
    seen = jnp.stack([state.cart, state.speed, 5 * state.angle, state.turning], -1)
    hidden = jnp.tanh(seen @ parameters["hidden"] + parameters["bias"])
    return hidden @ parameters["actor"], hidden @ parameters["critic"]


def play(parameters: Parameters, states: State, key: jax.Array) -> tuple[State, Played]:
    """HORIZON ticks of all environments: states, actions, rewards and ends, by time."""

    def tick(states: State, key: jax.Array) -> tuple[State, Played]:
        choose, reset = jax.random.split(key)
        logits, _ = network(parameters, states)
        right = jax.random.bernoulli(choose, jax.nn.sigmoid(logits))
        after, fell, over = jax.vmap(push)(
            states, right, jax.random.split(reset, ENVIRONMENTS)
        )
        return after, (states, right, 1.0 - fell, over)

    return jax.lax.scan(tick, states, jax.random.split(key, HORIZON))


def advantages(
    rewards: jax.Array, over: jax.Array, values: jax.Array, last_value: jax.Array
) -> jax.Array:
    """How much better each action was than expected: generalized advantage estimation, backwards in time."""

    def back(
        carry: tuple[jax.Array, jax.Array], seen: tuple[jax.Array, jax.Array, jax.Array]
    ) -> tuple[tuple[jax.Array, jax.Array], jax.Array]:
        following, advantage = carry
        reward, ended, value = seen
        surprise = reward + DISCOUNT * jnp.where(ended, 0, following) - value
        advantage = surprise + DISCOUNT * TRACE * jnp.where(ended, 0, advantage)
        return (value, advantage), advantage

    start = (last_value, jnp.zeros_like(last_value))
    return jax.lax.scan(back, start, (rewards, over, values), reverse=True)[1]


def loss(
    parameters: Parameters, played: Played, advantage: jax.Array, returns: jax.Array
) -> jax.Array:
    """The policy gradient, the critic's error, and a bonus for trying both sides."""
    states, right, _, _ = played
    logits, values = network(parameters, states)
    chosen = jax.nn.log_sigmoid(jnp.where(right, logits, -logits))
    chance = jax.nn.sigmoid(logits)
    entropy = -(
        chance * jax.nn.log_sigmoid(logits) + (1 - chance) * jax.nn.log_sigmoid(-logits)
    )
    scaled = (advantage - advantage.mean()) / (advantage.std() + 1e-6)
    policy, critic = -jnp.mean(chosen * scaled), jnp.mean((values - returns) ** 2)
    return policy + 0.001 * critic - ENTROPY * jnp.mean(entropy)


@jax.jit
def improve(
    parameters: Parameters,
    moments: tuple[Parameters, Parameters],
    states: State,
    key: jax.Array,
    number: jax.Array,
) -> tuple[Parameters, tuple[Parameters, Parameters], State, jax.Array]:
    """Plays, and takes one step of Adam."""
    states, played = play(parameters, states, key)
    seen, _, rewards, over = played
    _, values = network(parameters, seen)
    _, last_value = network(parameters, states)
    advantage = advantages(rewards, over, values, last_value)
    gradient = jax.grad(loss)(parameters, played, advantage, advantage + values)
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments[0], gradient)
    second = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * g * g, moments[1], gradient)
    small, large = 1 - 0.9**number, 1 - 0.99**number
    parameters = jax.tree.map(
        lambda p, m, v: p - 0.02 * (m / small) / (jnp.sqrt(v / large) + 1e-8),
        parameters,
        first,
        second,
    )
    # The mean length of the episodes that ended.
    length = jnp.sum(jnp.where(over, seen.ticks + 1, 0)) / jnp.maximum(over.sum(), 1)
    return parameters, (first, second), states, length


@jax.jit
def episode(parameters: Parameters, key: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The pole's angle over one episode, with the likelier push at each tick; it ends where the pole falls."""

    def tick(
        carry: tuple[State, jax.Array], key: jax.Array
    ) -> tuple[tuple[State, jax.Array], tuple[jax.Array, jax.Array]]:
        state, standing = carry
        after, _, over = push(state, network(parameters, state)[0] > 0, key)
        return (after, standing & ~over), (state.angle, standing)

    start = (begin(key), jnp.bool_(True))
    return jax.lax.scan(tick, start, jax.random.split(key, LIMIT))[1]


class Result(NamedTuple):
    """The mean length of episodes while training, and one episode's angles before and after."""

    lengths: list[float]
    before: np.ndarray
    after: np.ndarray


def run(options: argparse.Namespace) -> Result:
    """Trains the actor and the critic."""
    keys = jax.random.split(jax.random.key(options.seed), 4)
    parameters = first = init_parameters(keys[0])
    states = jax.vmap(begin)(jax.random.split(keys[1], ENVIRONMENTS))
    zeros = jax.tree.map(jnp.zeros_like, parameters)
    moments = (zeros, zeros)
    lengths: list[float] = []
    with tqdm(range(1, options.updates + 1), desc="training", unit="update") as bar:
        for number in bar:
            key = jax.random.fold_in(keys[2], number)
            parameters, moments, states, length = improve(
                parameters, moments, states, key, number
            )
            lengths.append(float(length))
            bar.set_postfix(ticks=f"{length:.0f}")
    shown: list[np.ndarray] = []
    for chosen in (first, parameters):
        angles, standing = map(np.asarray, episode(chosen, keys[3]))
        shown.append(angles[standing])
    return Result(lengths, *shown)


def draw(path: pathlib.Path, result: Result) -> None:
    """Draws the lengths while training, and the two episodes."""
    picture = figure.Figure(figsize=(9, 3.4), dpi=80, layout="constrained")
    left, right = picture.subplots(1, 2)
    left.plot(result.lengths, color="#2f5d8a")
    left.axhline(LIMIT, color="#9aa5ad", lw=1)
    left.set(
        xlabel="update", ylabel="ticks", title="mean length of episodes that ended"
    )
    right.plot(np.degrees(result.before), color="#9aa5ad", label="before training")
    right.plot(np.degrees(result.after), color="#c1443c", label="after training")
    right.set(xlabel="tick", ylabel="degrees", title="the pole's angle in one episode")
    right.legend()
    picture.savefig(path, pil_kwargs={"optimize": True})


def parse_options(arguments: list[str] | None) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--updates", type=int, default=300, help="default: %(default)s")
    parser.add_argument("--quick", action="store_true", help="train for 120 updates")
    parser.add_argument("--seed", type=int, default=0, help="of all random numbers")
    parser.add_argument(
        "--output", type=pathlib.Path, default=pathlib.Path("."), metavar="FOLDER",
        help="where the picture goes (default: this folder)",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    if options.quick:
        options.updates = 120
    if options.updates < 1:
        parser.error("--updates needs a number of at least 1")
    return options


def main(arguments: list[str] | None = None) -> Result:
    """Runs the program."""
    options = parse_options(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    result = run(options)
    path = options.output / "reinforcement_learning.png"
    draw(path, result)
    print(
        f"ticks     {np.mean(result.lengths[:5]):.0f} at first, {np.mean(result.lengths[-5:]):.0f} at the end, of {LIMIT}"
    )
    print(f"picture   {path}")
    return result


if __name__ == "__main__":
    main(sys.argv[1:])
