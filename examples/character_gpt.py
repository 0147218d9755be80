#!/usr/bin/env python3
"""Trains a small GPT on the characters of Python's own sources, and lets it write.

The model predicts the next character from those before it. To generate, it keeps the
keys and values of the attention of all earlier characters in a cache, so that each
new character costs one pass over one position. The whole generation is one
`lax.scan`. The program measures both ways and checks that they agree. The picture
character_gpt.png shows the losses, the time of each way, and what the model wrote.
"""

import argparse
import functools
import pathlib
import sys
import textwrap
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from matplotlib import figure
from tqdm import tqdm

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

MODULES = (
    "abc",
    "ast",
    "bisect",
    "calendar",
    "copy",
    "dis",
    "enum",
    "heapq",
    "textwrap",
)
SYMBOLS = "\n" + "".join(map(chr, range(32, 127)))
CONTEXT, WIDTH, HEADS, LAYERS = 64, 64, 4, 2
BATCH = 32
RATE = 3e-3
PROMPT = "    def "

# Embeddings, and a list with the matrices of each layer.
Parameters = dict[str, Any]
# The parameters, Adam's averages of gradients and of their squares, and the count of steps.
State = tuple[Parameters, Parameters, Parameters, jax.Array]


def read_text() -> np.ndarray:
    """Modules of Python's library as numbers of SYMBOLS; other characters are left out."""
    folder = pathlib.Path(textwrap.__file__).parent
    text = "".join((folder / f"{name}.py").read_text("utf-8") for name in MODULES)
    return np.array([SYMBOLS.index(c) for c in text if c in SYMBOLS], np.int32)


# ---------------------------------------------------------------- the model


def init_parameters(key: jax.Array) -> Parameters:
    """The embeddings, and for each layer the matrices of attention and of the network."""
    shapes = {
        "qkv": (WIDTH, 3 * WIDTH),
        "mix": (WIDTH, WIDTH),
        "up": (WIDTH, 4 * WIDTH),
        "down": (4 * WIDTH, WIDTH),
    }

    def matrices(key: jax.Array) -> dict[str, jax.Array]:
        keys = jax.random.split(key, len(shapes))
        return {
            name: jax.random.normal(k, shape) * shape[0] ** -0.5
            for k, (name, shape) in zip(keys, shapes.items(), strict=True)
        }

    symbols, positions, *layers = jax.random.split(key, 2 + LAYERS)
    return {
        "symbols": jax.random.normal(symbols, (len(SYMBOLS), WIDTH)) * WIDTH**-0.5,
        "positions": jax.random.normal(positions, (CONTEXT, WIDTH)) * WIDTH**-0.5,
        "layers": [matrices(k) for k in layers],
    }


def normalized(x: jax.Array) -> jax.Array:
    """The vectors of `x` with mean 0 and variance 1."""
    centred = x - x.mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt(jnp.mean(centred**2, -1, keepdims=True) + 1e-5)


def attend(
    layer: dict[str, jax.Array], x: jax.Array, cache: jax.Array, start: ArrayLike
) -> tuple[jax.Array, jax.Array]:
    """Attention of the positions from `start` on, over these and the cached ones.

    Writes the new keys and values into the cache, of shape (2, CONTEXT, HEADS, size),
    and returns what each position gathered, and the cache.
    """
    count = len(x)
    queries, keys, values = (
        (x @ layer["qkv"]).reshape(count, 3, HEADS, -1).swapaxes(0, 1)
    )
    cache = jax.lax.dynamic_update_slice_in_dim(
        cache, jnp.stack([keys, values]), start, axis=1
    )
    scores = jnp.einsum("qhd,khd->hqk", queries, cache[0]) * (WIDTH // HEADS) ** -0.5
    is_past = jnp.arange(CONTEXT) <= start + jnp.arange(count)[:, None]
    weights = jax.nn.softmax(jnp.where(is_past, scores, -jnp.inf), axis=-1)
    gathered = jnp.einsum("hqk,khd->qhd", weights, cache[1])
    return gathered.reshape(count, WIDTH) @ layer["mix"], cache


def empty_caches() -> list[jax.Array]:
    """A cache for each layer, in which no position is known."""
    return [jnp.zeros((2, CONTEXT, HEADS, WIDTH // HEADS))] * LAYERS


def forward(
    parameters: Parameters,
    symbols: jax.Array,
    caches: list[jax.Array],
    start: ArrayLike = 0,
) -> tuple[jax.Array, list[jax.Array]]:
    """The logits after each symbol of a text that goes on at `start`, and the caches."""
    positions = start + jnp.arange(len(symbols))
    x = parameters["symbols"][symbols] + parameters["positions"][positions]
    updated: list[Any] = []
    for layer, cache in zip(parameters["layers"], caches, strict=True):
        gathered, cache = attend(layer, normalized(x), cache, start)
        x = x + gathered
        x = x + jax.nn.gelu(normalized(x) @ layer["up"]) @ layer["down"]
        updated.append(cache)
    return normalized(x) @ parameters["symbols"].T, updated


def loss(parameters: Parameters, texts: jax.Array) -> jax.Array:
    """The mean surprise, in nats, at each next character of a batch of texts."""

    def next_scores(text: jax.Array) -> jax.Array:
        return forward(parameters, text[:-1], empty_caches())[0]

    logits = jax.vmap(next_scores)(texts)
    scores = jax.nn.log_softmax(logits)
    return -jnp.mean(jnp.take_along_axis(scores, texts[:, 1:, None], axis=-1))


# ---------------------------------------------------------------- training


@jax.jit
def step(state: State, texts: jax.Array, rate: jax.Array) -> tuple[State, jax.Array]:
    """One step of Adam. The state is the parameters, two averages, and the count."""
    parameters, mean, square, count = state
    value, gradient = jax.value_and_grad(loss)(parameters, texts)
    count = count + 1
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, gradient)
    square = jax.tree.map(lambda s, g: 0.99 * s + 0.01 * g * g, square, gradient)
    first, second = 1 - 0.9**count, 1 - 0.99**count
    parameters = jax.tree.map(
        lambda p, m, s: p - rate * (m / first) / (jnp.sqrt(s / second) + 1e-8),
        parameters,
        mean,
        square,
    )
    return (parameters, mean, square, count), value


def train(options: argparse.Namespace) -> tuple[Parameters, list[float]]:
    """Trains on random pieces of the text. Returns the parameters and the losses."""
    text = read_text()
    parameters = init_parameters(jax.random.key(options.seed))
    zeros = jax.tree.map(jnp.zeros_like, parameters)
    state = (parameters, zeros, zeros, jnp.zeros((), jnp.int32))
    random = np.random.default_rng(options.seed)
    losses: list[float] = []
    with tqdm(range(options.steps), desc="training", unit="step") as bar:
        for number in bar:
            starts = random.integers(len(text) - CONTEXT, size=BATCH)
            pieces = text[starts[:, None] + np.arange(CONTEXT + 1)]
            rate = RATE * 0.5 * (1 + np.cos(np.pi * number / options.steps))
            state, value = step(state, pieces, rate)
            losses.append(float(value))
            bar.set_postfix(loss=f"{losses[-1]:.3f}")
    return state[0], losses


# ---------------------------------------------------------------- generation


def choose(key: jax.Array, logits: jax.Array, temperature: jax.Array) -> jax.Array:
    """A random next symbol; the likeliest one where the temperature is 0."""
    drawn = jax.random.categorical(key, logits / jnp.maximum(temperature, 1e-6))
    return jnp.where(temperature == 0, jnp.argmax(logits), drawn).astype(jnp.int32)


@functools.partial(jax.jit, static_argnames="count")
def generate(
    parameters: Parameters,
    prompt: jax.Array,
    key: jax.Array,
    temperature: jax.Array,
    count: int,
) -> jax.Array:
    """`count` symbols after the prompt, with the cache: one position for each symbol."""
    logits, caches = forward(parameters, prompt, empty_caches())

    def write(carry: Any, key: jax.Array) -> tuple[Any, jax.Array]:
        logits, caches, position = carry
        symbol = choose(key, logits, temperature)
        logits, caches = forward(parameters, symbol[None], caches, position)
        return (logits[0], caches, position + 1), symbol

    carry = (logits[-1], caches, len(prompt))
    return jax.lax.scan(write, carry, jax.random.split(key, count))[1]


@functools.partial(jax.jit, static_argnames="count")
def generate_without_cache(
    parameters: Parameters,
    prompt: jax.Array,
    key: jax.Array,
    temperature: jax.Array,
    count: int,
) -> jax.Array:
    """`count` symbols after the prompt, by a pass over the whole context for each of them."""
    text = jnp.zeros(CONTEXT, jnp.int32).at[: len(prompt)].set(prompt)

    def write(carry: Any, key: jax.Array) -> tuple[Any, jax.Array]:
        text, position = carry
        logits, _ = forward(parameters, text, empty_caches())
        symbol = choose(key, logits[position - 1], temperature)
        return (text.at[position].set(symbol), position + 1), symbol

    carry = (text, len(prompt))
    return jax.lax.scan(write, carry, jax.random.split(key, count))[1]


def milliseconds(function: Callable[..., object], *arguments: object) -> float:
    """The time of the fastest of five calls, after one that compiles."""
    jax.block_until_ready(function(*arguments))
    times: list[float] = []
    for _ in range(5):
        began = time.perf_counter()
        jax.block_until_ready(function(*arguments))
        times.append(time.perf_counter() - began)
    return 1e3 * min(times)


class Result(NamedTuple):
    """What a run found. `greedy` has the likeliest text by each way of generation."""

    losses: list[float]
    texts: list[str]
    greedy: tuple[str, ...]
    times: dict[str, float]


def text_of(symbols: ArrayLike) -> str:
    """The symbols as a string."""
    return "".join(SYMBOLS[i] for i in np.asarray(symbols))


def run(options: argparse.Namespace) -> Result:
    """Trains, writes some texts, and compares the two ways of generation."""
    parameters, losses = train(options)
    prompt = np.array([SYMBOLS.index(c) for c in PROMPT], np.int32)
    count = CONTEXT - len(PROMPT)
    keys = jax.random.split(jax.random.key(options.seed + 1), 4)
    texts = [
        PROMPT + text_of(generate(parameters, prompt, key, options.temperature, count))
        for key in keys
    ]
    ways = {"with cache": generate, "without": generate_without_cache}
    arguments = (parameters, prompt, keys[0], 0.0, count)
    greedy = tuple(text_of(way(*arguments)) for way in ways.values())
    times = {name: milliseconds(way, *arguments) for name, way in ways.items()}
    return Result(losses, texts, greedy, times)


def draw(path: pathlib.Path, result: Result) -> None:
    """Draws the losses, the times, and the texts."""
    picture = figure.Figure(figsize=(10, 3.6), dpi=80, layout="constrained")
    left, middle, right = picture.subplots(1, 3, width_ratios=(2, 1, 2.6))
    left.plot(result.losses, color="#2a6f97", lw=0.9)
    left.axhline(np.log(len(SYMBOLS)), color="#9aa5ad", ls=":", label="by chance")
    left.set(title="nats per character", xlabel="step", ylim=(0, None))
    left.legend(frameon=False)
    middle.bar(
        list(result.times), list(result.times.values()), color=["#2a6f97", "#c1443c"]
    )
    middle.set_title(f"ms for {CONTEXT - len(PROMPT)} characters")
    right.axis("off")
    right.set_title("what it writes")
    right.text(
        0, 1, "\n- - -\n".join(text.rstrip() for text in result.texts), va="top",
        family="monospace", fontsize=7.5, parse_math=False,
    )  # fmt: skip
    picture.savefig(path, pil_kwargs={"optimize": True})


def parse_options(arguments: list[str] | None) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=1200, help="default: %(default)s")
    parser.add_argument(
        "--temperature", type=float, default=0.7, help="default: %(default)s"
    )
    parser.add_argument("--quick", action="store_true", help="train for 60 steps")
    parser.add_argument("--seed", type=int, default=0, help="of all random numbers")
    parser.add_argument(
        "--output", type=pathlib.Path, default=pathlib.Path("."), metavar="FOLDER",
        help="where the picture goes (default: this folder)",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    if options.quick:
        options.steps = 60
    if options.steps < 1 or options.temperature < 0:
        parser.error("--steps is at least 1, and --temperature at least 0")
    return options


def main(arguments: list[str] | None = None) -> Result:
    """Runs the program."""
    options = parse_options(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    result = run(options)
    path = options.output / "character_gpt.png"
    draw(path, result)
    print("\n- - -\n".join(result.texts))
    print(f"\nloss     {result.losses[-1]:.3f} nats per character")
    for name, value in result.times.items():
        print(f"{name:10} {value:.1f} ms")
    print(f"picture    {path}")
    return result


if __name__ == "__main__":
    main(sys.argv[1:])
