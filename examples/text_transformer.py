#!/usr/bin/env python3
"""Trains a small transformer on the sources of Python's library, over a mesh of devices.

The mesh has two axes: `data` divides the batch, `model` divides the parameters. One
program is written for all meshes; the compiler divides it. The run shows that nothing
but the speed depends on the mesh:

  1. it trains on --mesh, and writes a checkpoint half way,
  2. restarts from the checkpoint on --restart-mesh, to the same losses,
  3. trains on 1, 2, 4 and 8 devices, to the same losses.

In the output folder go

  transformer.png   the losses, the bytes sent per axis, the sharding of each parameter
  transformer.npz   the checkpoint, which --load continues on any mesh
"""

import argparse
import math
import os
import pathlib
import re
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Callable
from typing import IO, Any, NamedTuple, cast

import matplotlib
import numpy as np
from matplotlib import figure, gridspec, patches
from matplotlib.axes import Axes
from tqdm import tqdm

import jax
import jax.numpy as jnp
from jax import P

AXES = ("data", "model")
SYMBOLS, LENGTH, WIDTH, HEADS, LAYERS = 128, 64, 64, 4, 2
BATCH = 32
PEAK_RATE = 3e-3
DECAYS = (0.9, 0.98)  # of Adam's averages of the gradient and of its square
SOURCES_BYTES = 2_000_000
FORMAT = "text-transformer-2"
# Rounding differs with the order of sums; this much of the loss is allowed.
SAME = 2e-3
DEFAULT_MESH = {"data": 4, "model": 2}
COMPARED = ({"data": 1, "model": 1}, {"data": 2, "model": 1}, {"data": 2, "model": 2})

Sizes = dict[str, int]  # of the axes of a mesh
Parameters = dict[str, dict[str, jax.Array]]

INK, FAINT, GRID = "#222222", "#9aa5ad", "#e8ecef"
OF_AXIS = {"data": "#2a6f97", "model": "#c77d2b", "data, model": "#7a5195"}


class Trouble(Exception):
    """Something the user can mend; the message says how."""


# ---------------------------------------------------------------- text


def sources() -> np.ndarray:
    """Sources of Python's library as one row of symbols, the same on each call."""
    folder = pathlib.Path(sysconfig.get_paths()["stdlib"])
    texts: list[bytes] = []
    total = 0
    for path in sorted(folder.glob("*.py")):
        texts.append(path.read_bytes())
        total += len(texts[-1])
        if total > SOURCES_BYTES:
            break
    if total < 100 * LENGTH:
        raise Trouble(
            f"there are no sources of Python's library in {folder}.\n"
            "Use a Python that came with them."
        )
    symbols = np.frombuffer(b"".join(texts), np.uint8)[:SOURCES_BYTES]
    return np.where(symbols < SYMBOLS, symbols, ord("?")).astype(np.int32)


def batch_of(symbols: np.ndarray, seed: int, step: int) -> np.ndarray:
    """The batch of one step: it follows from the seed, so a restart finds it again."""
    starts = np.random.default_rng((seed, step)).integers(
        len(symbols) - LENGTH, size=BATCH
    )
    batch: np.ndarray = symbols[starts[:, None] + np.arange(LENGTH + 1)]
    return batch


# ---------------------------------------------------------------- the network

# Each parameter: its shape, the spread of its start, and the axes that divide it. Per
# layer, the first product divides the heads or the hidden width, and the second one
# sums over them: one sum over `model` for each pair. What is looked up is whole: in
# pieces, all that follows would have to gather it.
OF_LAYER = {
    "attend": ((WIDTH, 3, HEADS, WIDTH // HEADS), P(None, None, "model")),
    "gather": ((HEADS, WIDTH // HEADS, WIDTH), P("model")),
    "widen": ((WIDTH, 4 * WIDTH), P(None, "model")),
    "narrow": ((4 * WIDTH, WIDTH), P("model")),
    "scales": ((2, WIDTH), P()),
}
OF_ENDS = {
    "symbols": ((SYMBOLS, WIDTH), P()),
    "positions": ((LENGTH, WIDTH), P()),
    "scale": ((WIDTH,), P()),
    "answers": ((WIDTH, SYMBOLS), P(None, "model")),
}


def table() -> dict[str, dict[str, tuple[tuple[int, ...], P]]]:
    """Shape and spec of each parameter, as a tree like that of the parameters."""
    return {"ends": OF_ENDS, **{f"layer {i}": OF_LAYER for i in range(LAYERS)}}


def is_entry(x: object) -> bool:
    return isinstance(x, tuple)


def init_parameters(key: jax.Array) -> Parameters:
    """The parameters before the first step; the same on every mesh."""
    entries, structure = jax.tree.flatten(table(), is_leaf=is_entry)
    keys = jax.random.split(key, len(entries))

    def start(key: jax.Array, shape: tuple[int, ...]) -> jax.Array:
        if len(shape) == 1 or shape == OF_LAYER["scales"][0]:
            return jnp.ones(shape)
        return jax.random.normal(key, shape) / math.sqrt(WIDTH)

    values = [start(k, shape) for k, (shape, _) in zip(keys, entries, strict=True)]
    parameters: Parameters = jax.tree.unflatten(structure, values)
    return parameters


def normed(x: jax.Array, scale: jax.Array) -> jax.Array:
    return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * scale


def whole_rows(x: jax.Array) -> jax.Array:
    """Activations between products: rows over `data`, and whole over `model`.

    Without a word the compiler may keep them in pieces, and gather them for each use.
    """
    return jax.lax.with_sharding_constraint(x, P("data"))


def layer(p: dict[str, jax.Array], x: jax.Array) -> jax.Array:
    """One layer: each position looks at those before it, then at itself."""
    q, k, v = jnp.einsum("bsw,wchd->cbhsd", normed(x, p["scales"][0]), p["attend"])
    weights = jnp.einsum("bhsd,bhtd->bhst", q, k) / math.sqrt(WIDTH // HEADS)
    seen = jnp.tril(jnp.ones((LENGTH, LENGTH), bool))
    weights = jax.nn.softmax(jnp.where(seen, weights, -1e9))
    seen = jnp.einsum("bhst,bhtd->bhsd", weights, v)
    x = whole_rows(x + jnp.einsum("bhsd,hdw->bsw", seen, p["gather"]))
    hidden = jax.nn.gelu(normed(x, p["scales"][1]) @ p["widen"])
    return whole_rows(x + hidden @ p["narrow"])


def loss(parameters: Parameters, rows: jax.Array) -> jax.Array:
    """The mean surprise, in nats, at the symbol that follows."""
    ends = parameters["ends"]
    x = whole_rows(ends["symbols"][rows[:, :-1]] + ends["positions"])
    for i in range(LAYERS):
        x = layer(parameters[f"layer {i}"], x)
    scores = jax.nn.log_softmax(normed(x, ends["scale"]) @ ends["answers"])
    answers = jax.nn.one_hot(rows[:, 1:], SYMBOLS)
    return -jnp.mean(jnp.sum(answers * scores, -1))


# ---------------------------------------------------------------- learning


class State(NamedTuple):
    """The parameters, and Adam's running averages of gradients and their squares."""

    parameters: Parameters
    mean: Parameters
    square: Parameters
    number: jax.Array


def init_state(key: jax.Array) -> State:
    """The state before the first step."""
    parameters = init_parameters(key)
    zeros = jax.tree.map(jnp.zeros_like, parameters)
    return State(parameters, zeros, zeros, jnp.zeros((), jnp.int32))


def learn(state: State, rows: jax.Array, rate: jax.Array) -> tuple[State, jax.Array]:
    """One step of Adam. Returns the new state and the loss.

    Reference: Kingma and Ba, Adam: a method for stochastic optimization, 2015.
    """
    value, gradient = jax.value_and_grad(loss)(state.parameters, rows)
    keep_mean, keep_square = DECAYS
    number = state.number + 1

    mean = jax.tree.map(
        lambda m, g: keep_mean * m + (1 - keep_mean) * g, state.mean, gradient
    )
    square = jax.tree.map(
        lambda s, g: keep_square * s + (1 - keep_square) * g * g, state.square, gradient
    )
    rate = rate / (1 - keep_mean**number)
    scale = 1 / (1 - keep_square**number)
    parameters = jax.tree.map(
        lambda p, m, s: p - rate * m / (jnp.sqrt(s * scale) + 1e-8),
        state.parameters,
        mean,
        square,
    )
    return State(parameters, mean, square, number), value


def mesh_of(sizes: Sizes) -> jax.sharding.Mesh:
    """The first devices as a mesh with these sizes of the axes."""
    count, devices = math.prod(sizes.values()), jax.devices()
    if count > len(devices):
        raise Trouble(
            f"a mesh of {text_of(sizes)} needs {count} devices, and there are "
            f"{len(devices)}.\n"
            f"On CPUs, JAX_NUM_CPU_DEVICES={count} makes them."
        )
    kinds = (jax.sharding.AxisType.Auto,) * len(AXES)
    shape = tuple(sizes[axis] for axis in AXES)
    return jax.make_mesh(shape, AXES, kinds, devices=devices[:count])


class Trainer:
    """The step, compiled for one mesh."""

    def __init__(self, sizes: Sizes) -> None:
        self.sizes, self.mesh = sizes, mesh_of(sizes)

        def named(spec: P) -> jax.NamedSharding:
            return jax.NamedSharding(self.mesh, spec)

        shardings = jax.tree.map(lambda e: named(e[1]), table(), is_leaf=is_entry)
        whole, rows = named(P()), named(P("data"))
        # A state of shardings instead of arrays.
        self.shardings: Any = State(shardings, shardings, shardings, cast(Any, whole))
        self.step = jax.jit(
            learn,
            in_shardings=(self.shardings, rows, whole),
            out_shardings=(self.shardings, whole),
            donate_argnums=0,
        )

    def start(self, seed: int) -> State:
        """A fresh state, each part of it made on its own devices."""
        with jax.set_mesh(self.mesh):
            make = jax.jit(init_state, out_shardings=self.shardings)
            return make(jax.random.key(seed))

    def put(self, state: State) -> State:
        """A state from the host, in parts on the devices."""
        placed: State = jax.device_put(state, self.shardings)
        return placed

    def compiled(self, state: State) -> jax.stages.Compiled:
        """The compiled step, to look at."""
        rows = jax.ShapeDtypeStruct((BATCH, LENGTH + 1), jnp.int32)
        with jax.set_mesh(self.mesh):
            return self.step.lower(state, rows, 0.0).compile()

    def run(
        self,
        state: State,
        symbols: np.ndarray,
        seed: int,
        steps: range,
        total: int,
        bar: "tqdm[int]",
    ) -> tuple[State, list[float]]:
        """Trains for some of `total` steps; returns the state and the losses."""
        losses: list[float] = []
        with jax.set_mesh(self.mesh):
            for step in steps:
                warm = min(1.0, (step + 1) / 20)
                rate = PEAK_RATE * warm * 0.5 * (1 + math.cos(math.pi * step / total))
                state, value = self.step(state, batch_of(symbols, seed, step), rate)
                losses.append(float(value))
                bar.set_postfix_str(f"loss {losses[-1]:.4f}")
                bar.update()
        return state, losses


# ---------------------------------------------------------------- checkpoints


def write_atomically(path: pathlib.Path, write: Callable[[IO[bytes]], object]) -> None:
    """Calls `write` on a new file beside `path` and then replaces the old file by it."""
    name = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            write(file)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except OSError as error:
        raise Trouble(
            f"cannot write {path}: {error.strerror or error}.\n"
            "Choose another folder with --output FOLDER."
        ) from None
    finally:
        if name is not None:
            pathlib.Path(name).unlink(missing_ok=True)


def names_of(state: object) -> list[str]:
    """A name for each array of a state."""
    paths = jax.tree_util.tree_flatten_with_path(state)[0]
    return [jax.tree_util.keystr(path, simple=True, separator="/") for path, _ in paths]


def save(path: pathlib.Path, state: State, seed: int, total: int) -> None:
    """Writes whole arrays: a checkpoint knows nothing of the mesh that it came from."""
    values = [np.asarray(leaf) for leaf in jax.tree.leaves(state)]
    arrays: dict[str, Any] = dict(zip(names_of(state), values, strict=True))
    arrays |= {"format": FORMAT, "seed": np.int64(seed), "total": np.int64(total)}
    write_atomically(path, lambda file: np.savez(file, **arrays))


def load(path: pathlib.Path) -> tuple[State, int, int]:
    """What `save` wrote: the state, on the host, the seed, and the number of steps.

    Never unpickles. Names, shapes, dtypes and finiteness are checked.
    """
    try:
        with open(path, "rb") as data, np.load(data, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except FileNotFoundError:
        raise Trouble(f"there is no checkpoint {path}.") from None
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, AttributeError) as error:
        raise Trouble(f"{path} is not a readable checkpoint: {error}") from None
    shapes = jax.eval_shape(init_state, jax.random.key(0))
    wanted = dict(zip(names_of(shapes), jax.tree.leaves(shapes), strict=True))
    problems: list[str] = []
    if str(arrays.get("format")) != FORMAT:
        problems.append(f"its format is not {FORMAT!r}")
    for name in ("seed", "total"):
        if name not in arrays or arrays[name].dtype != np.int64 or arrays[name].ndim:
            problems.append(f"it has no whole number `{name}`")
    for name, like in wanted.items():
        array = arrays.get(name)
        if array is None:
            problems.append(f"{name} is missing")
        elif (array.shape, array.dtype) != (like.shape, like.dtype):
            problems.append(f"{name} is {array.dtype}{list(array.shape)}")
        elif not np.isfinite(array).all():
            problems.append(f"{name} has values that are not finite")
    if problems:
        raise Trouble(
            f"{path} does not hold a state of this network:\n  "
            + "\n  ".join(problems[:6])
            + "\nTrain again, without --load."
        )
    leaves = [arrays[name] for name in wanted]
    state = jax.tree.unflatten(jax.tree.structure(shapes), leaves)
    return state, int(arrays["seed"]), int(arrays["total"])


# ---------------------------------------------------------------- what devices send

COLLECTIVE = re.compile(
    r" = (\S.*?) (all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute)\("
    r".*(?:replica_groups|source_target_pairs)=\{(\{.*?\})\}"
)
ARRAY = re.compile(r"([a-z]+)(\d*)\w*\[([\d,]*)\]")


def size_of(shape: str) -> int:
    """The bytes of the arrays in the text of a shape, such as f32[4,8]."""
    total = 0
    for _, bits, sizes in ARRAY.findall(shape):
        count = math.prod(map(int, sizes.split(","))) if sizes else 1
        total += count * max(int(bits or 8) // 8, 1)
    return total


def axes_of(groups: np.ndarray, mesh: jax.sharding.Mesh) -> str:
    """The axes along which the devices of each group differ."""
    shape = mesh.devices.shape
    coordinates = np.array(np.unravel_index(np.asarray(groups), shape))
    varies = [(axis != axis[:, :1]).any() for axis in coordinates]
    return ", ".join(axis for axis, v in zip(AXES, varies, strict=True) if v)


def groups_of(text: str) -> np.ndarray:
    """The devices of each group in a text such as {0,2},{1,3}."""
    groups = re.findall(r"\{([\d,]*)\}", text)
    return np.array([[int(n) for n in group.split(",")] for group in groups])


def sent_bytes(text: str, mesh: jax.sharding.Mesh) -> dict[str, int]:
    """The bytes that a device sends in one step, for each axis of the mesh.

    Reads the compiled program, as HLO text. Counted as if devices stood in a ring: of n
    devices, each sends 2(n-1)/n of what is summed, (n-1)/n of what is gathered or
    exchanged, and n-1 times its part of what is scattered.
    """
    sent: dict[str, int] = {}
    for shape, kind, groups in COLLECTIVE.findall(text):
        devices = groups_of(groups)
        result, count = size_of(shape), devices.shape[1]
        part = {
            "all-reduce": 2 * result * (count - 1) / count,
            "collective-permute": result,
            "reduce-scatter": result * (count - 1),
        }.get(kind, result * (count - 1) / count)
        axes = axes_of(devices, mesh)
        if axes:
            sent[axes] = sent.get(axes, 0) + round(part)
    return sent


# ---------------------------------------------------------------- the picture


class Run(NamedTuple):
    """What was seen on one mesh."""

    sizes: Sizes
    losses: list[float]
    sent: dict[str, int]


def text_of(sizes: Sizes) -> str:
    return ",".join(f"{axis}={sizes[axis]}" for axis in AXES)


def draw(
    path: pathlib.Path,
    runs: list[Run],
    restarted: tuple[Sizes, list[float]],
    state: State,
    total: int,
) -> None:
    """Draws the losses of all runs, what they send, and the shardings of the parameters.

    `restarted` is a pair of the mesh and the losses after the restart.
    """
    style: Any = {
        "font.size": 10,
        "axes.edgecolor": FAINT,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.titlesize": 12,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.titlepad": 10,
        "text.color": INK,
        "axes.labelcolor": INK,
        "xtick.color": INK,
        "ytick.color": INK,
    }
    with matplotlib.rc_context(style):
        picture = figure.Figure(figsize=(13, 8.6), dpi=130, facecolor="white")
        grid = gridspec.GridSpec(
            2, 2, picture, width_ratios=(1.1, 1), height_ratios=(1.35, 1),
            left=0.115, right=0.985, top=0.84, bottom=0.07, hspace=0.42, wspace=0.44,
        )  # fmt: skip
        gap = words_of(widest_gap(runs, restarted, total))
        counts = [math.prod(run.sizes.values()) for run in runs]
        picture.text(0.03, 0.945, "One program, any mesh", fontsize=20, weight="bold")
        picture.text(
            0.03, 0.908,
            "A transformer learns the sources of Python's library on "
            f"{min(counts)} to {max(counts)} devices; its losses {gap}",
            fontsize=12, color=OF_AXIS["data"],
        )  # fmt: skip
        draw_losses(picture.add_subplot(grid[0, 0]), runs, restarted, total)
        draw_sent(picture.add_subplot(grid[1, 0]), runs)
        draw_shardings(picture.add_subplot(grid[:, 1]), state, runs[-1].sizes)
        write_atomically(path, lambda file: picture.savefig(file, format="png"))


def widest_gap(
    runs: list[Run], restarted: tuple[Sizes, list[float]], total: int
) -> float:
    """By how much of the loss any run is away from the first one."""
    base = np.array(runs[0].losses)
    after = np.array(restarted[1])
    gaps = [np.max(np.abs(np.array(r.losses) / base - 1)) for r in runs]
    gaps.append(np.max(np.abs(after / base[total - len(after) :] - 1)))
    return float(max(gaps))


def words_of(gap: float) -> str:
    """A relative difference of losses, for people."""
    if gap == 0:
        return "are the same to the last bit"
    digits = math.floor(math.log10(1 / gap))
    return f"differ by less than one part in {math.floor(1 / gap / 10**digits) * 10**digits:,}"


def name_of(sizes: Sizes) -> str:
    """A mesh in two short lines."""
    count = math.prod(sizes.values())
    return f"{count} device{'s' * (count > 1)}\n{text_of(sizes)}"


def draw_losses(
    axes: Axes, runs: list[Run], restarted: tuple[Sizes, list[float]], total: int
) -> None:
    """All losses one over the other: wide lines below, narrow ones above."""
    colours = ["#cfd8dc", "#7fc4e8", "#f4a259", "#102a43"]
    steps = np.arange(1, total + 1)
    for run, colour, width in zip(runs, colours, (12, 8, 4.5, 1.2), strict=True):
        label = name_of(run.sizes).replace("\n", ", ")
        axes.plot(steps, run.losses, color=colour, lw=width, label=label)
    sizes, losses = restarted
    first = total - len(losses)
    every = max(1, len(losses) // 14)
    axes.plot(
        steps[first::every], losses[::every], "o", ms=6, mfc="white", mec="#c1443c",
        zorder=5,
        label=f"restarted on {text_of(sizes)}",
    )  # fmt: skip
    axes.axvline(first, ymax=0.58, color="#c1443c", lw=0.8, ls=":")
    transform = axes.get_xaxis_transform()
    axes.text(
        first, 0.59, "checkpoint", color="#c1443c", ha="center", transform=transform
    )  # fmt: skip
    axes.set_title("The losses, one over the other")
    axes.set_xlabel("step")
    axes.set_ylabel("nats per symbol")
    axes.set_xlim(0, total + 1)
    axes.grid(axis="y", color=GRID)
    axes.legend(frameon=False, loc="upper right")


def draw_sent(axes: Axes, runs: list[Run]) -> None:
    """What each device sends in a step, per axis."""
    names = [name for name in OF_AXIS if any(name in run.sent for run in runs)]
    most = max(max([*run.sent.values(), 1]) for run in runs) / 1e3
    height = 0.8 / max(len(names), 1)
    for row, run in enumerate(runs):
        for i, name in enumerate(names):
            sent = run.sent.get(name, 0) / 1e3
            y = row + (i - (len(names) - 1) / 2) * height
            axes.barh(
                y, sent, 0.9 * height, color=OF_AXIS[name],
                label=f"over `{name}`" if row == 0 else None,
            )  # fmt: skip
            axes.text(
                sent + 0.01 * most, y, f"{sent:,.0f}" if sent else "nothing",
                va="center", fontsize=9, color=INK if sent else FAINT,
            )  # fmt: skip
    axes.set_yticks(range(len(runs)), [name_of(run.sizes) for run in runs], fontsize=9)
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(0, 1.12 * most)
    axes.set_xlabel(
        "kilobytes that each device sends in a step, if they stand in a ring"
    )
    axes.set_title("Bytes per axis")
    axes.grid(axis="x", color=GRID)
    axes.set_axisbelow(True)
    axes.legend(frameon=False, loc="upper right")


def draw_shardings(axes: Axes, state: State, sizes: Sizes) -> None:
    """For each parameter, which part of it each device holds."""
    leaves = jax.tree_util.tree_flatten_with_path(state.parameters)[0]
    names = [
        jax.tree_util.keystr(path, simple=True, separator=" ")
        + "  "
        + "×".join(map(str, leaf.shape))
        for path, leaf in leaves
    ]
    devices = leaves[0][1].sharding.mesh.devices.flatten()
    shades = matplotlib.colormaps["YlGnBu"]
    for row, (_, leaf) in enumerate(leaves):
        parts = {s.device: s for s in leaf.addressable_shards}
        kinds = sorted({str(s.index) for s in leaf.addressable_shards})
        for column, device in enumerate(devices):
            part = parts[device]
            kind = kinds.index(str(part.index))
            colour = GRID if len(kinds) == 1 else shades(0.25 + 0.5 * kind / len(kinds))
            box = patches.Rectangle((column, row), 0.94, 0.84, color=colour, lw=0)
            axes.add_patch(box)
            text = "whole" if len(kinds) == 1 else f"{kind + 1} of {len(kinds)}"
            axes.text(
                column + 0.47, row + 0.42, text, ha="center", va="center", fontsize=8
            )
    axes.set_xlim(0, len(devices))
    axes.set_ylim(len(leaves), 0)
    axes.set_yticks(np.arange(len(leaves)) + 0.42, names, fontsize=9)
    coordinates = [
        np.unravel_index(i, tuple(sizes.values())) for i in range(len(devices))
    ]
    axes.set_xticks(
        np.arange(len(devices)) + 0.47, [f"{d},{m}" for d, m in coordinates]
    )
    axes.set_xlabel("the device at data, model: which part it holds")
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_title(f"The sharding of each parameter, {text_of(sizes)}")


# ---------------------------------------------------------------- the command line


def mesh_sizes(text: str) -> Sizes:
    """The sizes in text such as data=4,model=2, for argparse."""
    found = re.fullmatch(r"data=([1-9]\d{0,3})(?:,model=([1-9]\d{0,3}))?", text)
    if found is None:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no mesh; one is written data=4,model=2"
        )
    sizes = {"data": int(found[1]), "model": int(found[2] or 1)}
    if BATCH % sizes["data"]:
        raise argparse.ArgumentTypeError(
            f"data={sizes['data']} does not divide the batch of {BATCH}"
        )
    if HEADS % sizes["model"]:
        raise argparse.ArgumentTypeError(
            f"model={sizes['model']} does not divide the {HEADS} heads"
        )
    return sizes


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """A parser of whole numbers within bounds, for argparse."""

    def parse(text: str) -> int:
        if not text.isdecimal() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(
                f"{text!r} is not a whole number from {least} to {most}"
            )
        return int(text)

    return parse


def parse_options(arguments: list[str] | None) -> argparse.Namespace:
    """The options, checked; a bad one ends the program with a message."""
    parser = argparse.ArgumentParser(
        prog="text_transformer",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )

    def add(
        name: str,
        kind: Callable[[str], object],
        default: object,
        text: str,
        **more: Any,
    ) -> None:
        parser.add_argument(name, type=kind, default=default, help=text, **more)

    add("--mesh", mesh_sizes, DEFAULT_MESH, "where it trains (data=4,model=2)")
    add(
        "--restart-mesh", mesh_sizes, {"data": 2, "model": 4},
        "where it goes on from the checkpoint (data=2,model=4)",
    )  # fmt: skip
    add("--steps", whole_number(4, 100_000), 300, "how many (default: %(default)s)")
    add("--seed", whole_number(0, 2**31 - 1), 0, "of the start and the batches")
    add(
        "--output", pathlib.Path, pathlib.Path("transformer"),
        "where transformer.png and .npz go (default: ./%(default)s)", metavar="FOLDER",
    )  # fmt: skip
    add(
        "--load", pathlib.Path, None,
        "go on from this checkpoint on --mesh, and print the losses", metavar="FILE",
    )  # fmt: skip
    return parser.parse_args(arguments)


def progress(name: str, steps: int) -> "tqdm[int]":
    """A bar of so many steps; the names of all meshes have one width."""
    return tqdm(total=steps, desc=f"{name:27}")


def continue_from(path: pathlib.Path, sizes: Sizes, symbols: np.ndarray) -> list[float]:
    """The losses from a checkpoint on, on a mesh."""
    state, seed, total = load(path)
    trainer, done = Trainer(sizes), int(state.number)
    steps = range(done, total)
    with progress(f"{text_of(sizes)} from step {done}", len(steps)) as bar:
        _, losses = trainer.run(trainer.put(state), symbols, seed, steps, total, bar)
    return losses


def train(
    sizes: Sizes,
    options: argparse.Namespace,
    symbols: np.ndarray,
    checkpoint: pathlib.Path | None = None,
) -> tuple[Run, State]:
    """Trains from the start; writes a checkpoint half way if it is told where."""
    trainer, total = Trainer(sizes), options.steps
    state = trainer.start(options.seed)
    sent = sent_bytes(trainer.compiled(state).as_text() or "", trainer.mesh)
    losses: list[float] = []
    with progress(text_of(sizes), total) as bar:
        for steps in (range(total // 2), range(total // 2, total)):
            state, seen = trainer.run(state, symbols, options.seed, steps, total, bar)
            losses += seen
            if checkpoint is not None and steps.start == 0:
                save(checkpoint, state, options.seed, total)
    return Run(sizes, losses, sent), state


def run(options: argparse.Namespace) -> None:
    """Trains on all meshes, compares, and writes the results."""
    symbols = sources()
    if options.load is not None:
        losses = continue_from(options.load, options.mesh, symbols)
        print(f"loss at the end    {losses[-1]:.6f} ({len(losses)} steps)")
        return
    for sizes in (options.mesh, options.restart_mesh):
        mesh_of(sizes)
    saved = options.output / "transformer.npz"
    run, state = train(options.mesh, options, symbols, saved)
    after = continue_from(saved, options.restart_mesh, symbols)
    runs = [train(sizes, options, symbols)[0] for sizes in COMPARED]
    runs.append(run)
    restarted = options.restart_mesh, after
    gap = widest_gap(runs, restarted, options.steps)
    drawn = options.output / "transformer.png"
    draw(drawn, runs, restarted, state, options.steps)
    print(f"checkpoint         {saved} (after step {options.steps // 2})")
    print(f"picture            {drawn}")
    for made in runs:
        sent = ", ".join(f"{n:,} over {axes}" for axes, n in made.sent.items())
        print(f"bytes sent a step  {text_of(made.sizes)}: {sent or 'none'}")
    print(f"loss at the end    {run.losses[-1]:.6f}")
    print(f"all losses         {words_of(gap)}, on {len(runs) + 1} meshes")
    if gap > SAME:
        raise Trouble("the losses depend on the mesh: they differ by more than 0.2 %.")


def make_devices(options: argparse.Namespace) -> None:
    """Asks for as many CPU devices as the meshes need, where the user has set no number."""
    if os.environ.get("JAX_NUM_CPU_DEVICES") or jax.config.jax_num_cpu_devices > 1:
        return
    meshes = (options.mesh, options.restart_mesh, *COMPARED)
    most = max(math.prod(sizes.values()) for sizes in meshes)
    jax.config.update("jax_num_cpu_devices", most)


def main(arguments: list[str] | None = None) -> int:
    """Runs the program; returns its exit status."""
    options = parse_options(arguments)
    try:
        make_devices(options)
        run(options)
    except Trouble as trouble:
        print(f"text_transformer: {trouble}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\ntext_transformer: interrupted.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
