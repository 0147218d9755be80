#!/usr/bin/env python3
"""Trains over several processes, one of which is killed, and shows that nothing is lost.

    python survivors.py --output survivors

starts three jobs by `python -m jax.distributed`, each of four processes that share the
batches of handwritten digits:

  calm      nobody is killed
  go on     process 2 is killed; the others notice, and go on with the devices left
  restart   process 2 is killed and the job ends; three processes start again from the
            last checkpoint

All three learn the same: the losses differ by rounding. In the output folder go

  survivors.png   the losses, and which processes worked at which step
  <job>.jsonl     a line for each block of steps: its losses, who computed it
  <job>.npz       the job's last checkpoint

One job by itself is started so, and goes on from its checkpoint if there is one:

    JAX_ENABLE_RECOVERABILITY=1 python -m jax.distributed --processes 4 \\
        survivors.py --job "go on" --kill 2 --at 33 --output survivors
"""

import argparse
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import IO, Any, NamedTuple

import numpy as np
from tqdm import tqdm

import jax
import jax.numpy as jnp
from jax.experimental import multihost_utils

DATA = pathlib.Path(__file__).resolve().parent / "data" / "digits.npz"
SIZES = (64, 96, 10)
BATCH = 144  # rows; a multiple of 4, of 3 and of 2
RATE, KEPT = 0.1, 0.9  # of gradient descent with momentum
BLOCK = 5  # steps; what is lost at most
JOBS = ("calm", "go on", "restart")
# Rounding differs with the order of sums; this much of the loss is allowed.
SAME = 1e-3
LIMIT_S = 600

INK, FAINT, GRID, LOST = "#222222", "#9aa5ad", "#e8ecef", "#c1443c"
OF_JOB = {"calm": "#cfd8dc", "go on": "#2a6f97", "restart": "#c77d2b"}


class Trouble(Exception):
    """Something the user can mend; the message says how."""


# ---------------------------------------------------------------- the network


def digits() -> tuple[np.ndarray, np.ndarray]:
    """Images of shape (n, 64), from 0 to 1, and the digits that they show."""
    with np.load(DATA, allow_pickle=False) as file:
        images = file["images"].reshape(-1, 64).astype(np.float32) / 16
        return images, file["labels"].astype(np.int32)


def rows_of(step: int, seed: int, count: int) -> np.ndarray:
    """The rows of a step's batch. They follow from the seed: whoever computes it finds them."""
    return np.random.default_rng((seed, step)).integers(count, size=BATCH)


def start(seed: int) -> list[np.ndarray]:
    """Weights, biases and their momenta before the first step, on the host."""
    random = np.random.default_rng(seed)
    weights = [
        (random.standard_normal((a, b)) / np.sqrt(a)).astype(np.float32)
        for a, b in zip(SIZES, SIZES[1:], strict=False)
    ]
    biases = [np.zeros(size, np.float32) for size in SIZES[1:]]
    parameters = [*weights, *biases]
    return [*parameters, *map(np.zeros_like, parameters)]


def loss(
    parameters: list[jax.Array], images: jax.Array, labels: jax.Array
) -> jax.Array:
    """The mean surprise, in nats, at the right digits."""
    first, last, bias, bias_last = parameters
    scores = jnp.tanh(images @ first + bias) @ last + bias_last
    answers = jax.nn.one_hot(labels, SIZES[-1])
    return -jnp.mean(jnp.sum(answers * jax.nn.log_softmax(scores), -1))


def learn(
    state: list[jax.Array], images: jax.Array, labels: jax.Array
) -> tuple[list[jax.Array], jax.Array]:
    """One step of gradient descent with momentum: the new state and the loss."""
    half = len(state) // 2
    parameters, momenta = state[:half], state[half:]
    value, gradients = jax.value_and_grad(loss)(parameters, images, labels)
    momenta = [KEPT * m + g for m, g in zip(momenta, gradients, strict=True)]
    parameters = [p - RATE * m for p, m in zip(parameters, momenta, strict=True)]
    return [*parameters, *momenta], value


class Trainer:
    """The step over some devices: each has the parameters, and a part of the batch."""

    def __init__(self, devices: Sequence[jax.Device], seed: int) -> None:
        kinds = (jax.sharding.AxisType.Auto,)
        mesh = jax.make_mesh((len(devices),), ("data",), kinds, devices=devices)
        self.whole = jax.NamedSharding(mesh, jax.P())
        self.rows = jax.NamedSharding(mesh, jax.P("data"))
        self.step = jax.jit(learn, out_shardings=(self.whole, self.whole))
        self.seed, (self.images, self.labels) = seed, digits()

    def block(
        self,
        state: list[np.ndarray],
        first: int,
        last: int,
        before_step: Callable[[int], None],
    ) -> tuple[list[np.ndarray], list[float]]:
        """Some steps from a state on the host; returns the next one, and the losses."""

        def put(values: np.ndarray, sharding: jax.NamedSharding) -> jax.Array:
            part = values.__getitem__
            return jax.make_array_from_callback(values.shape, sharding, part)

        on_devices = [put(leaf, self.whole) for leaf in state]
        losses: list[float] = []
        for number in range(first, last):
            before_step(number)
            chosen = rows_of(number, self.seed, len(self.labels))
            images = put(self.images[chosen], self.rows)
            labels = put(self.labels[chosen], self.rows)
            on_devices, value = self.step(on_devices, images, labels)
            losses.append(float(value))
        return [np.asarray(leaf) for leaf in on_devices], losses


# ---------------------------------------------------------------- one process of a job


def write_atomically(path: pathlib.Path, write: Callable[[IO[bytes]], object]) -> None:
    """Calls `write` on a new file beside `path` and then replaces the old file by it."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
        os.replace(name, path)
    finally:
        pathlib.Path(name).unlink(missing_ok=True)


def saved(path: pathlib.Path, seed: int) -> tuple[list[np.ndarray], int]:
    """The state of a checkpoint and the steps done; or the start."""
    if not path.exists():
        return start(seed), 0
    with np.load(path, allow_pickle=False) as file:
        count = len(file.files) - 1
        return [file[f"leaf_{i}"] for i in range(count)], int(file["done"])


def save(path: pathlib.Path, state: list[np.ndarray], done: int) -> None:
    leaves: dict[str, Any] = {f"leaf_{i}": leaf for i, leaf in enumerate(state)}
    leaves["done"] = np.int64(done)
    write_atomically(path, lambda file: np.savez(file, **leaves))


def those_left(
    devices: Sequence[jax.Device],
) -> contextlib.AbstractContextManager[Sequence[jax.Device]]:
    """A block that gets the devices of the processes that live, where the job may lose some.

    Otherwise the end of one process is an error in all, and the job ends.
    """
    if jax.config.jax_enable_recoverability:
        return multihost_utils.live_devices(devices)
    return contextlib.nullcontext(devices)


def work(options: argparse.Namespace) -> None:
    """Trains as one process of a job, and goes on without those that end."""
    jax.distributed.initialize()
    me, devices = jax.process_index(), jax.devices()
    checkpoint = options.output / f"{options.job}.npz"
    history = options.output / f"{options.job}.jsonl"
    state, done = saved(checkpoint, options.seed)
    trainers: dict[tuple[int, ...], Trainer] = {}

    def before_step(number: int) -> None:
        if me == options.kill and number == options.at:
            os.kill(os.getpid(), signal.SIGKILL)

    while done < options.steps:
        last = min(done + BLOCK, options.steps)
        try:
            with those_left(devices) as live:
                key = tuple(device.id for device in live)
                if key not in trainers:
                    trainers[key] = Trainer(live, options.seed)
                state_after, losses = trainers[key].block(
                    state, done, last, before_step
                )
        except multihost_utils.ProcessFailureError as error:
            # What the block computed is lost; the state before it is on every host.
            lost = sorted({device.process_index for device in error.failed_devices})
            print(f"lost process {lost} after step {done}: going on", flush=True)
            continue
        workers = sorted({device.process_index for device in live})
        if me == workers[0]:
            save(checkpoint, state_after, last)
            line = {"first": done, "losses": losses, "processes": workers}
            with history.open("a") as file:
                file.write(json.dumps(line) + "\n")
        state, done = state_after, last
    print(f"did {done} steps", flush=True)


# ---------------------------------------------------------------- all three jobs


class Job(NamedTuple):
    """What a job left: its blocks of steps, and the step at which it was started anew."""

    blocks: list[dict[str, Any]]
    restarted_at: int | None = None

    @property
    def losses(self) -> list[float]:
        return [value for block in self.blocks for value in block["losses"]]


def launch(
    options: argparse.Namespace,
    job: str,
    processes: int,
    bar: "tqdm[int]",
    *,
    kill: bool,
) -> int:
    """Runs a job by the launcher, and shows its steps; returns its status."""
    command = [sys.executable, *(["-P"] if sys.flags.safe_path else [])]
    command += ["-m", "jax.distributed", "--processes", str(processes)]
    # A process that is killed is noticed at once; one that is slow is not taken for dead.
    command += [
        "--devices",
        "1",
        "--heartbeat",
        "120",
        "--timeout",
        str(LIMIT_S),
        str(pathlib.Path(__file__)),
    ]
    command += ["--job", job, "--output", str(options.output)]
    command += ["--steps", str(options.steps), "--seed", str(options.seed)]
    if kill:
        command += ["--kill", str(options.kill), "--at", str(options.at)]
    recoverable = "1" if job == "go on" else "0"
    environment = {**os.environ, "JAX_ENABLE_RECOVERABILITY": recoverable}
    began, shown = time.monotonic(), steps_done(options, job)
    bar.set_description(f"{job:7}")
    with subprocess.Popen(command, env=environment) as running:
        while running.poll() is None:
            time.sleep(0.2)
            done = steps_done(options, job)
            bar.update(done - shown)
            shown = done
    bar.update(steps_done(options, job) - shown)
    status, seconds = running.returncode, time.monotonic() - began
    bar.write(f"{job}: {processes} processes, status {status}, {seconds:.1f} s")
    return status


def blocks_of(options: argparse.Namespace, job: str) -> list[dict[str, Any]]:
    """What the job has written of its blocks, without a line that is being written."""
    path = options.output / f"{job}.jsonl"
    lines: list[str] = []
    if path.exists():
        lines = path.read_text().splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith("\n")]


def steps_done(options: argparse.Namespace, job: str) -> int:
    """The steps that the job has done until now."""
    return sum(len(block["losses"]) for block in blocks_of(options, job))


def run_all(options: argparse.Namespace) -> dict[str, Job]:
    """The three jobs, one after the other."""
    killed = 128 + signal.SIGKILL
    for job in JOBS:
        for suffix in ("npz", "jsonl"):
            (options.output / f"{job}.{suffix}").unlink(missing_ok=True)
    count = options.processes
    with tqdm(total=len(JOBS) * options.steps, unit="step") as bar:
        if launch(options, "calm", count, bar, kill=False) != 0:
            raise Trouble("the job in which nobody is killed has failed; see above.")
        if launch(options, "go on", count, bar, kill=True) != killed:
            raise Trouble("no process was killed in the job to go on; see above.")
        if launch(options, "restart", count, bar, kill=True) != killed:
            raise Trouble("no process was killed in the job to restart; see above.")
        done = len(blocks_of(options, "restart"))
        if launch(options, "restart", count - 1, bar, kill=False) != 0:
            raise Trouble("the restart from the checkpoint has failed; see above.")
    found = {job: Job(blocks_of(options, job)) for job in JOBS}
    found["restart"] = found["restart"]._replace(restarted_at=done * BLOCK)
    for job, result in found.items():
        if len(result.losses) != options.steps:
            raise Trouble(f"{job}: {len(result.losses)} of {options.steps} steps done.")
    return found


def widest_gap(jobs: dict[str, Job]) -> float:
    """By how much of the loss any job is away from the calm one."""
    base = np.array(jobs["calm"].losses)
    gaps = [np.abs(np.array(job.losses) / base - 1) for job in jobs.values()]
    return float(np.max(gaps))


# ---------------------------------------------------------------- the picture


def draw(path: pathlib.Path, jobs: dict[str, Job], options: argparse.Namespace) -> None:
    """Draws the losses one over the other, and below who worked when."""
    import matplotlib  # noqa: PLC0415 the processes of a job draw nothing
    from matplotlib import figure  # noqa: PLC0415

    style: Any = {
        "font.size": 10, "axes.edgecolor": FAINT, "axes.spines.top": False,
        "axes.spines.right": False, "axes.titlesize": 12, "axes.titleweight": "bold",
        "axes.titlelocation": "left", "axes.titlepad": 10, "text.color": INK,
        "axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK,
    }  # fmt: skip
    with matplotlib.rc_context(style):
        picture = figure.Figure(figsize=(11, 8.6), dpi=130, facecolor="white")
        grid = picture.add_gridspec(
            2, 1, height_ratios=(1, 1.05), left=0.13, right=0.975, top=0.84,
            bottom=0.07, hspace=0.34,
        )  # fmt: skip
        picture.text(0.03, 0.945, "One process is killed", fontsize=20, weight="bold")
        picture.text(
            0.03, 0.908,
            f"{options.processes} processes learn digits together; process "
            f"{options.kill} is killed at step {options.at}. The losses differ by at most "
            f"{widest_gap(jobs):.0e} of their size",
            fontsize=12, color=OF_JOB["go on"],
        )  # fmt: skip
        draw_losses(picture.add_subplot(grid[0]), jobs, options)
        draw_workers(picture.add_subplot(grid[1]), jobs, options)
        write_atomically(path, lambda file: picture.savefig(file, format="png"))


def draw_losses(axes: Any, jobs: dict[str, Job], options: argparse.Namespace) -> None:
    """All losses one over the other: wide lines below, narrow ones above."""
    steps = np.arange(1, int(options.steps) + 1)
    labels = {
        "calm": "nobody is killed",
        "go on": "the survivors go on",
        "restart": "restarted from the checkpoint",
    }
    for (name, job), width in zip(jobs.items(), (9, 4, 1.3), strict=True):
        axes.plot(steps, job.losses, color=OF_JOB[name], lw=width, label=labels[name])
    axes.axvline(options.at, color=LOST, lw=0.9, ls=":")
    axes.set_title("The losses, one over the other")
    axes.set_ylabel("nats per digit")
    axes.set_xlim(0, options.steps)
    axes.set_ylim(0, None)
    axes.grid(axis="y", color=GRID)
    axes.legend(frameon=False, loc="upper right")


def draw_workers(axes: Any, jobs: dict[str, Job], options: argparse.Namespace) -> None:
    """Which processes computed which steps, for each job."""
    rows: list[tuple[float, str]] = []
    height = 0.0
    for name, job in jobs.items():
        for process in range(options.processes):
            rows.append((height, f"{name if process == 0 else ''}  {process}"))
            for block in job.blocks:
                if process in block["processes"]:
                    count = len(block["losses"])
                    axes.barh(
                        height, count, 0.78, left=block["first"], color=OF_JOB[name],
                        edgecolor="white", lw=0.8,
                    )  # fmt: skip
            if name != "calm" and process == options.kill:
                axes.plot(options.at, height, "x", color=LOST, ms=9, mew=2.2)
            height += 1
        if job.restarted_at is not None:
            axes.plot(
                [job.restarted_at] * 2, [height - options.processes - 0.5, height - 0.5],
                color=LOST, lw=1.4,
            )  # fmt: skip
            axes.annotate(
                f"started again as {options.processes - 1} processes, from step "
                f"{job.restarted_at}",
                (job.restarted_at, height - 0.5), (4, -12), color=LOST, fontsize=9,
                textcoords="offset points", annotation_clip=False,
                bbox={"color": "white", "pad": 1},
            )  # fmt: skip
        height += 0.8
    axes.axvline(options.at, color=LOST, lw=0.9, ls=":")
    axes.set_yticks([y for y, _ in rows], [text for _, text in rows])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(height + 0.4, -0.8)
    axes.set_xlim(0, options.steps)
    axes.set_xlabel("step")
    axes.set_title("Which process computed which blocks of steps")
    axes.grid(axis="x", color=GRID)
    axes.set_axisbelow(True)


# ---------------------------------------------------------------- the command line


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
        prog="survivors",
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

    add("--processes", whole_number(2, 64), 4, "of each job (default: %(default)s)")
    add("--steps", whole_number(2, 100_000), 80, "how many (default: %(default)s)")
    add("--kill", whole_number(0, 63), None, "the process that is killed (2)")
    add("--at", whole_number(0, 99_999), None, "at which step (in the middle)")
    add("--seed", whole_number(0, 2**31 - 1), 0, "of the start and the batches")
    add("--job", str, None, "be a process of this job, started by the launcher")
    add(
        "--output", pathlib.Path, pathlib.Path("survivors"),
        "where everything goes (default: ./%(default)s)", metavar="FOLDER",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    if options.job is not None:
        return options
    options.kill = (
        min(2, options.processes - 1) if options.kill is None else options.kill
    )
    options.at = options.steps * 2 // 5 + 1 if options.at is None else options.at
    if options.kill >= options.processes or options.at >= options.steps:
        parser.error(
            f"there is no process {options.kill} of {options.processes}, or no step "
            f"{options.at} of {options.steps}, to kill it at"
        )
    for count in (options.processes, options.processes - 1):
        if BATCH % count:
            parser.error(f"{count} processes cannot share a batch of {BATCH} evenly")
    return options


def main(arguments: list[str] | None = None) -> int:
    """Runs the program; returns its exit status."""
    options = parse_options(arguments)
    try:
        options.output.mkdir(parents=True, exist_ok=True)
        if options.job is not None:
            work(options)
            return 0
        jobs = run_all(options)
        drawn = options.output / "survivors.png"
        draw(drawn, jobs, options)
        gap = widest_gap(jobs)
        print(f"picture            {drawn}")
        print(f"loss at the end    {jobs['calm'].losses[-1]:.6f}")
        print(f"widest difference  {gap:.1e} of the loss")
        if gap > SAME:
            raise Trouble("the losses depend on who computed them.")
    except (Trouble, OSError) as trouble:
        print(f"survivors: {trouble}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nsurvivors: interrupted.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
