#!/usr/bin/env python3
"""Learns to read handwritten digits, and draws how well it does.

A small network learns 1,797 real digits of 8x8 pixels with `jit`, `grad`, `vmap`
and `random`. A fifth of the digits is held out. In the output folder go

  digits.png   the curves, the confusion matrix and the worst mistakes
  digits.npz   the parameters, which --load reads again
"""

import argparse
import math
import os
import pathlib
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from typing import IO, Any, NamedTuple

import matplotlib
import numpy as np
from matplotlib import figure, gridspec
from matplotlib.axes import Axes
from tqdm import tqdm

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

DATA = pathlib.Path(__file__).resolve().parent / "data" / "digits.npz"
SIZES = (64, 256, 128, 10)
HELD_OUT = 360
MAX_SHIFT = 0.8  # pixels
BATCH = 96
PEAK_RATE = 4e-3
DECAYS = (0.9, 0.99)  # of Adam's averages of the gradient and of its square
COMPARED_STEPS = 20
FORMAT = "digits-classifier-1"

Layers = list[dict[str, jax.Array]]  # weights and bias of each

INK, GOOD, BAD, FAINT = "#222222", "#2a6f97", "#c1443c", "#9aa5ad"


class Trouble(Exception):
    """Something the user can mend; the message says how."""


# ---------------------------------------------------------------- data


class Digits(NamedTuple):
    """Images of shape (n, 8, 8) with values from 0 to 1, and the digits they show."""

    images: jax.Array
    labels: jax.Array


def load_digits(key: jax.Array) -> tuple[Digits, Digits]:
    """The digits, shuffled by `key`: those to learn from, and those held out."""
    with np.load(DATA, allow_pickle=False) as file:
        images, labels = file["images"], file["labels"]
    order = jax.random.permutation(key, len(labels))
    images = (jnp.asarray(images, jnp.float32) / 16)[order]
    labels = jnp.asarray(labels, jnp.int32)[order]
    return (
        Digits(images[HELD_OUT:], labels[HELD_OUT:]),
        Digits(images[:HELD_OUT], labels[:HELD_OUT]),
    )


def shifted(key: jax.Array, image: jax.Array) -> jax.Array:
    """The image moved by up to MAX_SHIFT in each direction, by bilinear interpolation.

    Row i of a hat matrix weighs the pixels near i + shift, so that moving in both
    directions is a product from the left and one from the right.
    """
    position = jnp.arange(8.0)
    shifts = jax.random.uniform(key, (2,), minval=-MAX_SHIFT, maxval=MAX_SHIFT)
    distance = position[None, :, None] + shifts[:, None, None] - position[None, None, :]
    rows, columns = jax.nn.relu(1 - jnp.abs(distance))
    return rows @ image @ columns.T


# ---------------------------------------------------------------- the network


def init_parameters(key: jax.Array) -> Layers:
    """A list of layers, each a dict with `weights` of shape (in, out) and `bias`."""
    keys = jax.random.split(key, len(SIZES) - 1)
    initializer = jax.nn.initializers.he_normal()
    return [
        {"weights": initializer(k, shape), "bias": jnp.zeros(shape[1])}
        for k, shape in zip(keys, zip(SIZES, SIZES[1:], strict=False), strict=True)
    ]


def logits_of_one(parameters: Layers, image: jax.Array) -> jax.Array:
    """Ten scores for one image; the highest one names the digit."""
    x = image.reshape(-1)
    for layer in parameters[:-1]:
        x = jax.nn.relu(x @ layer["weights"] + layer["bias"])
    return x @ parameters[-1]["weights"] + parameters[-1]["bias"]


logits = jax.vmap(logits_of_one, in_axes=(None, 0))


def loss(parameters: Layers, images: jax.Array, labels: jax.Array) -> jax.Array:
    """The mean surprise, in nats, at the right answers."""
    answers = jax.nn.one_hot(labels, SIZES[-1])
    return -jnp.mean(
        jnp.sum(answers * jax.nn.log_softmax(logits(parameters, images)), axis=-1)
    )


@jax.jit
def judge(parameters: Layers, digits: Digits) -> tuple[jax.Array, jax.Array]:
    """The probabilities of the ten digits for each image, and the loss."""
    return (
        jax.nn.softmax(logits(parameters, digits.images)),
        loss(parameters, digits.images, digits.labels),
    )


def accuracy(probabilities: ArrayLike, labels: ArrayLike) -> float:
    """The share of images whose most probable digit is the right one."""
    is_right: np.ndarray = np.argmax(probabilities, -1) == np.asarray(labels)
    return float(np.mean(is_right))


# ---------------------------------------------------------------- learning


class State(NamedTuple):
    """The parameters, and Adam's running averages of gradients and their squares."""

    parameters: Layers
    mean: Layers
    square: Layers
    number: jax.Array


def init_state(key: jax.Array) -> State:
    """The state before the first step."""
    parameters = init_parameters(key)
    zeros = jax.tree.map(jnp.zeros_like, parameters)
    return State(parameters, zeros, zeros, jnp.zeros((), jnp.int32))


@jax.jit
def learn(
    state: State, images: jax.Array, labels: jax.Array, key: jax.Array, rate: jax.Array
) -> tuple[State, jax.Array]:
    """One step of Adam on a batch of shifted images. Returns the new state and the loss.

    Reference: Kingma and Ba, Adam: a method for stochastic optimization, 2015.
    """
    moved = jax.vmap(shifted)(jax.random.split(key, BATCH), images)
    value, gradient = jax.value_and_grad(loss)(state.parameters, moved, labels)
    keep_mean, keep_square = DECAYS
    number = state.number + 1
    mean = jax.tree.map(
        lambda m, g: keep_mean * m + (1 - keep_mean) * g, state.mean, gradient
    )
    square = jax.tree.map(
        lambda s, g: keep_square * s + (1 - keep_square) * g * g, state.square, gradient
    )
    mean_scale = 1 / (1 - keep_mean**number)
    square_scale = 1 / (1 - keep_square**number)
    parameters = jax.tree.map(
        lambda p, m, s: (
            p - rate * (m * mean_scale) / (jnp.sqrt(s * square_scale) + 1e-8)
        ),
        state.parameters,
        mean,
        square,
    )
    return State(parameters, mean, square, number), value


class History(NamedTuple):
    """What was seen while learning, per step and per epoch."""

    step_losses: list[float]
    held_out_losses: list[float]
    held_out_accuracies: list[float]
    steps_per_epoch: int


def steps(seed: int, epochs: int) -> Iterator[tuple[int, State, jax.Array]]:
    """Yields (epoch, state, loss) after each step, from a fresh network."""
    keys = jax.random.split(jax.random.key(seed), 3)
    learned, _ = load_digits(keys[0])
    state = init_state(keys[1])
    per_epoch = len(learned.labels) // BATCH
    total = epochs * per_epoch
    for epoch in range(epochs):
        order_key, shift_key = jax.random.split(jax.random.fold_in(keys[2], epoch))
        order = jax.random.permutation(order_key, len(learned.labels))
        for i in range(per_epoch):
            rows = order[i * BATCH : (i + 1) * BATCH]
            progress = (epoch * per_epoch + i) / total
            rate = PEAK_RATE * 0.5 * (1 + math.cos(math.pi * progress))
            state, value = learn(
                state,
                learned.images[rows],
                learned.labels[rows],
                jax.random.fold_in(shift_key, i),
                rate,
            )
            yield epoch, state, value


def held_out_digits(seed: int) -> Digits:
    """The digits that a run with this seed does not learn from."""
    return load_digits(jax.random.split(jax.random.key(seed), 3)[0])[1]


def train(seed: int, epochs: int) -> tuple[Layers, History]:
    """Learns for some epochs and returns the parameters and what was seen."""
    held_out = held_out_digits(seed)
    per_epoch = (len(np.load(DATA)["labels"]) - HELD_OUT) // BATCH
    history = History([], [], [], per_epoch)
    parameters: Layers = []
    losses: list[jax.Array] = []  # on the device: reading each would wait for it
    bar = tqdm(steps(seed, epochs), desc="learning", total=epochs * per_epoch)
    for count, (_, state, value) in enumerate(bar, 1):
        parameters = state.parameters
        losses.append(value)
        if count % per_epoch == 0:
            probabilities, held_out_loss = judge(parameters, held_out)
            history.held_out_losses.append(float(held_out_loss))
            history.held_out_accuracies.append(accuracy(probabilities, held_out.labels))
            share = history.held_out_accuracies[-1]
            bar.set_postfix_str(
                f"loss {float(value):.4f}, held-out accuracy {share:.3f}"
            )
    history.step_losses.extend(map(float, losses))
    return parameters, history


# ---------------------------------------------------------------- files


def write_atomically(path: pathlib.Path, write: Callable[[IO[bytes]], object]) -> None:
    """Calls `write` on a new file beside `path` and then replaces the old file by it.

    Whatever fails, `path` holds either what it held or the whole new content.
    """
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise Trouble(
            f"cannot write into the folder {path.parent}: {error.strerror}.\n"
            "Choose another one with --output FOLDER."
        ) from None
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except OSError as error:
        raise Trouble(f"cannot write {path}: {error.strerror or error}.") from None
    finally:
        pathlib.Path(name).unlink(missing_ok=True)


def check_folder(folder: pathlib.Path) -> None:
    """Makes the output folder and proves that files can be written there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise Trouble(
            f"cannot write into the folder {folder}: {error.strerror}.\n"
            "Choose another one with --output FOLDER."
        ) from None


def save_parameters(path: pathlib.Path, parameters: Layers, seed: int) -> None:
    """Writes the parameters, and the seed that says which digits were held out."""
    arrays: dict[str, Any] = {
        f"{name}_{i}": np.asarray(layer[name])
        for i, layer in enumerate(parameters)
        for name in ("weights", "bias")
    }
    arrays |= {"format": FORMAT, "seed": np.int64(seed)}
    write_atomically(
        path,
        lambda file: np.savez(file, **arrays),
    )


def load_parameters(path: pathlib.Path) -> tuple[Layers, int]:
    """Reads what `save_parameters` wrote: the parameters and the seed.

    Never unpickles. Names, shapes, dtypes and finiteness are checked.
    """
    try:
        with open(path, "rb") as data, np.load(data, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except FileNotFoundError:
        raise Trouble(f"there is no parameter file {path}.") from None
    except IsADirectoryError:
        raise Trouble(f"{path} is a folder, not a parameter file.") from None
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, AttributeError) as error:
        raise Trouble(
            f"{path} is not a readable parameter file: {error}\n"
            "It is damaged, or was not written by this program. Train again, without --load."
        ) from None
    return checked_parameters(path, arrays)


def checked_parameters(
    path: pathlib.Path, arrays: dict[str, np.ndarray]
) -> tuple[Layers, int]:
    """The parameters and the seed, or the reason why `arrays` are not such."""
    shapes: dict[str, tuple[int, ...]] = {"format": (), "seed": ()}
    for i, (size_in, size_out) in enumerate(zip(SIZES, SIZES[1:], strict=False)):
        shapes[f"weights_{i}"] = (size_in, size_out)
        shapes[f"bias_{i}"] = (size_out,)
    problems = [f"{name} is missing" for name in shapes if name not in arrays]
    problems += [
        f"{name} does not belong there" for name in arrays if name not in shapes
    ]
    for name, shape in shapes.items():
        array = arrays.get(name)
        if array is None:
            continue
        if array.shape != shape:
            problems.append(f"{name} has shape {array.shape} instead of {shape}")
        elif name == "format" and str(array) != FORMAT:
            problems.append(f"its format is {str(array)!r} instead of {FORMAT!r}")
        elif name == "seed" and array.dtype != np.int64:
            problems.append("the seed is not a whole number")
        elif name not in ("format", "seed") and array.dtype != np.float32:
            problems.append(f"{name} has dtype {array.dtype} instead of float32")
        elif name not in ("format", "seed") and not np.isfinite(array).all():
            problems.append(f"{name} has values that are not finite")
    if problems:
        raise Trouble(
            f"{path} does not hold parameters of this network:\n  "
            + "\n  ".join(problems[:6])
            + "\nTrain again, without --load."
        )
    parameters = [
        {name: jnp.asarray(arrays[f"{name}_{i}"]) for name in ("weights", "bias")}
        for i in range(len(SIZES) - 1)
    ]
    return parameters, int(arrays["seed"])


# ---------------------------------------------------------------- the picture


def draw(
    path: pathlib.Path,
    history: History | None,
    probabilities: np.ndarray,
    digits: Digits,
) -> None:
    """Draws the curves (if there is a history), the confusion matrix and the mistakes."""
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
    labels = np.asarray(digits.labels)
    images = np.asarray(digits.images)
    probabilities = np.asarray(probabilities)
    with matplotlib.rc_context(style):
        picture = figure.Figure(figsize=(13, 8.2), dpi=130, facecolor="white")
        grid = gridspec.GridSpec(
            2, 2, picture, width_ratios=(1.15, 1), height_ratios=(3.9, 1),
            left=0.06, right=0.98, top=0.845, bottom=0.065, hspace=0.36, wspace=0.1,
        )  # fmt: skip
        share = accuracy(probabilities, labels)
        wrong = int(np.sum(np.argmax(probabilities, -1) != labels))
        picture.text(0.06, 0.94, "Handwritten digits", fontsize=20, weight="bold")
        picture.text(
            0.06, 0.907,
            f"{100 * share:.1f} % of {len(labels)} held-out digits read correctly, "
            f"{wrong} mistaken",
            fontsize=12, color=GOOD,
        )  # fmt: skip
        draw_curves(picture, grid[0, 0], history)
        draw_confusion(picture.add_subplot(grid[0, 1]), probabilities, labels)
        draw_mistakes(picture, grid[1, :], images, labels, probabilities)
    write_atomically(path, lambda file: picture.savefig(file, format="png"))


def draw_curves(
    picture: figure.Figure, cell: gridspec.SubplotSpec, history: History | None
) -> None:
    """The loss of each step and, below, the accuracy on the held-out digits."""
    if history is None:
        axes = picture.add_subplot(cell)
        axes.set_axis_off()
        axes.text(
            0.5, 0.5, "parameters were loaded:\nno curves", ha="center", color=FAINT
        )
        return
    grid = gridspec.GridSpecFromSubplotSpec(2, 1, cell, hspace=0.2)
    losses = picture.add_subplot(grid[0])
    count = len(history.step_losses)
    epochs = np.arange(1, count + 1) / history.steps_per_epoch
    at_end = np.arange(1, len(history.held_out_losses) + 1)
    losses.semilogy(epochs, history.step_losses, color=FAINT, lw=0.8, label="each step")
    losses.semilogy(at_end, history.held_out_losses, color=GOOD, lw=2, label="held out")
    losses.set_title("Learning")
    losses.set_ylabel("loss")
    losses.legend(frameon=False, loc="upper right")
    losses.grid(axis="y", color="#e8ecef")
    losses.tick_params(labelbottom=False)
    shares = picture.add_subplot(grid[1], sharex=losses)
    shares.plot(at_end, history.held_out_accuracies, color=GOOD, lw=2)
    shares.axhline(0.97, color=BAD, lw=1, ls=(0, (4, 3)))
    shares.annotate(
        "0.97", (1, 0.97), (-2, -4), xycoords=("axes fraction", "data"),
        textcoords="offset points", ha="right", va="top", color=BAD,
    )  # fmt: skip
    lowest = min(history.held_out_accuracies)
    shares.set_ylim(max(0, min(0.9, lowest - 0.02)), 1.003)
    shares.set_xlim(0, max(at_end[-1], 1))
    shares.set_ylabel("held-out accuracy")
    shares.set_xlabel("epoch")
    shares.grid(axis="y", color="#e8ecef")


def draw_confusion(axes: Axes, probabilities: np.ndarray, labels: np.ndarray) -> None:
    """How often each digit was read as each digit; mistakes in red."""
    counts = np.zeros((10, 10), int)
    np.add.at(counts, (labels, np.argmax(probabilities, -1)), 1)
    right = np.where(np.eye(10, dtype=bool), counts, np.nan)
    mistaken = np.where(np.eye(10, dtype=bool) | (counts == 0), np.nan, counts)
    axes.imshow(right, cmap="Blues", vmin=0, vmax=1.5 * counts.max())
    axes.imshow(
        mistaken, cmap="Reds", vmin=0, vmax=1.6 * max(2, np.nanmax([*mistaken.flat, 1]))
    )
    for (row, column), count in np.ndenumerate(counts):
        if count:
            axes.text(column, row, str(count), ha="center", va="center", fontsize=9)
    axes.set_title("Which digit was read as which")
    axes.set_xlabel("read as")
    axes.set_ylabel("written")
    axes.set_xticks(range(10))
    axes.set_yticks(range(10))
    axes.set_xticks(np.arange(-0.5, 10), minor=True)
    axes.set_yticks(np.arange(-0.5, 10), minor=True)
    axes.grid(which="minor", color="#e8ecef", lw=0.8)
    axes.tick_params(which="both", length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def draw_mistakes(
    picture: figure.Figure,
    cell: gridspec.SubplotSpec,
    images: np.ndarray,
    labels: np.ndarray,
    probabilities: np.ndarray,
) -> None:
    """The digits whose right answer seemed least probable, worst first."""
    columns, rows = 12, 1
    grid = gridspec.GridSpecFromSubplotSpec(rows, columns, cell, wspace=0.18)
    of_answer = np.take_along_axis(probabilities, labels[:, None], -1)[:, 0]
    for rank, index in enumerate(
        np.argsort(of_answer, kind="stable")[: rows * columns]
    ):
        axes = picture.add_subplot(grid[rank // columns, rank % columns])
        axes.imshow(images[index], cmap="gray_r", vmin=0, vmax=1)
        axes.set_xticks([])
        axes.set_yticks([])
        read = int(np.argmax(probabilities[index]))
        is_mistake = read != labels[index]
        for spine in axes.spines.values():
            spine.set_visible(True)
            spine.set_color(BAD if is_mistake else FAINT)
        axes.set_xlabel(
            f"is {labels[index]}, read {read}\n"
            f"{100 * probabilities[index, read]:.0f} % sure",
            color=BAD if is_mistake else INK, fontsize=9,
        )  # fmt: skip
        if rank == 0:
            axes.set_title(
                "The worst mistakes (red), then the closest calls", loc="left"
            )


# ---------------------------------------------------------------- the command line


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """A parser of whole numbers within bounds, for argparse."""

    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = None
        if value is None or not least <= value <= most:
            raise argparse.ArgumentTypeError(
                f"{text!r} is not a whole number from {least} to {most}"
            )
        return value

    return parse


def parse_options(arguments: list[str] | None) -> argparse.Namespace:
    """The options, checked; a bad one ends the program with a message."""
    parser = argparse.ArgumentParser(
        prog="digits_classifier",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--epochs",
        type=whole_number(1, 10_000),
        default=80,
        help="passes over the digits (default: %(default)s)",
    )
    parser.add_argument(
        "--seed",
        type=whole_number(0, 2**31 - 1),
        default=0,
        help="decides the split, the start and the order (default: %(default)s)",
    )
    parser.add_argument(
        "--output",
        type=pathlib.Path,
        default=pathlib.Path("digits"),
        metavar="FOLDER",
        help="where digits.png and digits.npz go (default: ./%(default)s)",
    )
    parser.add_argument(
        "--load",
        type=pathlib.Path,
        metavar="FILE",
        help="judge the parameters in FILE instead of learning",
    )
    parser.add_argument(
        "--losses",
        type=pathlib.Path,
        metavar="FILE",
        help=f"write the losses of the first {COMPARED_STEPS} steps to FILE and stop",
    )
    options = parser.parse_args(arguments)
    if options.load is not None and options.losses is not None:
        parser.error("--load and --losses exclude each other")
    return options


def write_losses(options: argparse.Namespace) -> None:
    """Writes the losses of the first steps, one per line."""
    losses: list[float] = []
    for _, _, value in steps(options.seed, options.epochs):
        losses.append(float(value))
        if len(losses) == COMPARED_STEPS:
            break
    text = "".join(f"{value!r}\n" for value in losses)
    write_atomically(options.losses, lambda file: file.write(text.encode()))
    print(f"wrote {len(losses)} losses to {options.losses}")


def run(options: argparse.Namespace) -> None:
    """Learns or loads, judges on the held-out digits, and writes the results."""
    if options.losses is not None:
        write_losses(options)
        return
    history = None
    if options.load is not None:
        parameters, seed = load_parameters(options.load)
        check_folder(options.output)
    else:
        seed = options.seed
        check_folder(options.output)
        parameters, history = train(seed, options.epochs)
    held_out = held_out_digits(seed)
    probabilities, _ = judge(parameters, held_out)
    share = accuracy(probabilities, held_out.labels)
    if options.load is None:
        saved = options.output / "digits.npz"
        save_parameters(saved, parameters, seed)
        again, _ = judge(load_parameters(saved)[0], held_out)
        if accuracy(again, held_out.labels) != share:
            raise Trouble(f"the parameters read back from {saved} judge differently.")
        print(f"parameters         {saved} (read back: same accuracy)")
    drawn = options.output / "digits.png"
    draw(drawn, history, np.asarray(probabilities), held_out)
    print(f"picture            {drawn}")
    print(f"held-out accuracy  {share:.4f} ({len(held_out.labels)} digits)")


def main(arguments: list[str] | None = None) -> int:
    """Runs the program; returns its exit status."""
    options = parse_options(arguments)
    try:
        run(options)
    except Trouble as trouble:
        print(f"digits_classifier: {trouble}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\ndigits_classifier: interrupted, nothing was written.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
