#!/usr/bin/env python3
"""Serves a model over HTTP from an export: the server reads one file, and needs none of the code that trained it.

`model_server.py export digits.jax` trains a small model of the handwritten digits and writes it, with a symbolic number of
images. `model_server.py serve digits.jax` answers POST /predict with JSON {"images": [[64 numbers], ...]}, and GET /health.
Requests that come at the same time are computed together: the server collects what is there, pads it to a power of two, so
that few programs are compiled, and runs it in a thread, so that it goes on listening. `model_server.py` alone does both
on a free port, sends requests with growing concurrency, and draws how long they take: model_server.png. Needs aiohttp.
"""

import argparse
import asyncio
import json
import pathlib
import sys
import time
from collections.abc import AsyncIterator
from typing import NamedTuple

import aiohttp
import numpy as np
from aiohttp import web
from matplotlib import figure
from tqdm import tqdm

import jax
import jax.numpy as jnp

DATA = pathlib.Path(__file__).resolve().parent / "data" / "digits.npz"
PIXELS, DIGITS, LARGEST = 64, 10, 64

Parameters = tuple[jax.Array, jax.Array]  # weights and bias
# Images that wait, and where their answer goes.
Request = tuple[np.ndarray, asyncio.Future[np.ndarray]]


def load_digits() -> tuple[np.ndarray, np.ndarray]:
    """Images as vectors from 0 to 1, and what they show."""
    with np.load(DATA, allow_pickle=False) as file:
        images = (file["images"].reshape(-1, PIXELS) / 16).astype(np.float32)
        return images, file["labels"].astype(np.int32)


def export_model(path: pathlib.Path, steps: int) -> None:
    """Trains softmax regression and writes it for any number of images."""
    images, labels = map(jnp.asarray, load_digits())

    def loss(parameters: Parameters) -> jax.Array:
        weights, bias = parameters
        scores = jax.nn.log_softmax(images @ weights + bias)
        return -jnp.mean(jnp.take_along_axis(scores, labels[:, None], axis=1))

    @jax.jit
    def step(parameters: Parameters) -> Parameters:
        weights, bias = parameters
        of_weights, of_bias = jax.grad(loss)(parameters)
        return weights - 0.5 * of_weights, bias - 0.5 * of_bias

    parameters = (jnp.zeros((PIXELS, DIGITS)), jnp.zeros(DIGITS))
    for _ in tqdm(range(steps), desc="training"):
        parameters = step(parameters)
    weights, bias = parameters

    @jax.jit
    def predict(images: jax.Array) -> jax.Array:
        return jax.nn.softmax(images @ weights + bias)

    (count,) = jax.export.symbolic_shape("count")
    types = jax.ShapeDtypeStruct((count, PIXELS), jnp.float32)
    path.write_bytes(jax.export.export(predict)(types).serialize())


class Model:
    """An exported function, and the queue of what waits for it."""

    def __init__(self, path: pathlib.Path) -> None:
        self.call = jax.jit(jax.export.deserialize(bytearray(path.read_bytes())).call)
        self.queue: asyncio.Queue[Request] = asyncio.Queue()
        self.batches: list[int] = []

    def compute(self, images: np.ndarray) -> np.ndarray:
        """The probabilities; sizes are padded to powers of two, of which few exist."""
        size = 1 << max(0, len(images) - 1).bit_length()
        padded = np.zeros((size, PIXELS), np.float32)
        padded[: len(images)] = images
        return np.asarray(self.call(padded))[: len(images)]

    async def work(self) -> None:
        """Takes what waits, up to LARGEST images, computes it as one batch, and answers."""
        while True:
            waiting = [await self.queue.get()]
            while not self.queue.empty() and sum(len(i) for i, _ in waiting) < LARGEST:
                waiting.append(self.queue.get_nowait())
            batch = np.concatenate([images for images, _ in waiting])
            self.batches.append(len(waiting))
            try:
                found = await asyncio.to_thread(self.compute, batch)
            except Exception as error:
                for _, answer in waiting:
                    answer.set_exception(error)
                continue
            start = 0
            for images, answer in waiting:
                if not answer.cancelled():
                    answer.set_result(found[start : start + len(images)])
                start += len(images)

    async def predict(self, request: web.Request) -> web.Response:
        """POST /predict."""
        try:
            images = np.asarray((await request.json())["images"], np.float32)
        except (json.JSONDecodeError, KeyError, TypeError, ValueError) as error:
            raise web.HTTPBadRequest(
                text=f"not JSON with numbers under images: {error}"
            ) from error
        if (
            images.ndim != 2
            or images.shape[1] != PIXELS
            or not 0 < len(images) <= LARGEST
        ):
            raise web.HTTPBadRequest(
                text=f"images has shape {images.shape}, not (1 to {LARGEST}, {PIXELS})"
            )
        answer = asyncio.get_running_loop().create_future()
        await self.queue.put((images, answer))
        found = await answer
        return web.json_response(
            {"digits": found.argmax(1).tolist(), "probabilities": found.tolist()}
        )

    async def health(self, request: web.Request) -> web.Response:
        """GET /health."""
        return web.json_response(
            {"waiting": self.queue.qsize(), "batches": len(self.batches)}
        )


def application(model: Model) -> web.Application:
    """The routes, and the worker that lives as long as the server."""
    app = web.Application(client_max_size=2**20)
    app.add_routes(
        [web.post("/predict", model.predict), web.get("/health", model.health)]
    )

    async def worker(app: web.Application) -> AsyncIterator[None]:
        task = asyncio.create_task(model.work())
        yield
        task.cancel()

    app.cleanup_ctx.append(worker)
    return app


class Result(NamedTuple):
    """Seconds of each request by concurrency, the share of right answers, and requests in each batch."""

    seconds: dict[int, list[float]]
    accuracy: float
    batches: list[int]


async def measure(model: Model, requests: int) -> Result:
    """Starts the server on a free port, and asks it with growing concurrency."""
    images, labels = load_digits()
    runner = web.AppRunner(application(model))
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    address = f"http://{host}:{port}/predict"
    seconds: dict[int, list[float]] = {}
    right: list[bool] = []
    async with aiohttp.ClientSession() as session:

        async def one(number: int, limit: asyncio.Semaphore) -> float:
            async with limit:
                start = time.perf_counter()
                body = {"images": images[number : number + 1].tolist()}
                async with session.post(address, json=body) as response:
                    right.append((await response.json())["digits"][0] == labels[number])
                return time.perf_counter() - start

        with tqdm(total=4 * requests, desc="requests") as bar:
            for concurrency in (1, 4, 16, 64):
                limit = asyncio.Semaphore(concurrency)
                found = await asyncio.gather(*(one(i, limit) for i in range(requests)))
                seconds[concurrency] = list(found)
                bar.update(requests)
    await runner.cleanup()
    return Result(seconds, float(np.mean(right)), model.batches)


def draw(path: pathlib.Path, result: Result) -> None:
    """Draws how long requests take, and how many are computed together."""
    picture = figure.Figure(figsize=(8, 3.2), dpi=80, layout="constrained")
    left, right = picture.subplots(1, 2)
    times = [1e3 * np.array(found) for found in result.seconds.values()]
    left.boxplot(times, tick_labels=[str(c) for c in result.seconds], showfliers=False)
    left.set(xlabel="requests at the same time", ylabel="ms", title="time of a request")
    right.hist(
        result.batches,
        bins=np.arange(1, max(result.batches) + 2) - 0.5,
        color="#2f5d8a",
    )
    right.set(
        xlabel="requests", ylabel="batches", title="computed together", yscale="log"
    )
    picture.savefig(path, pil_kwargs={"optimize": True})


def parse_options(arguments: list[str] | None) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "command", nargs="?", choices=["export", "serve", "try"], default="try"
    )
    parser.add_argument(
        "model", nargs="?", type=pathlib.Path, help="the file of the export"
    )
    parser.add_argument(
        "--host", default="127.0.0.1", help="default: %(default)s, this machine alone"
    )
    parser.add_argument("--port", type=int, default=8000, help="default: %(default)s")
    parser.add_argument(
        "--steps", type=int, default=300, help="of training; default: %(default)s"
    )
    parser.add_argument(
        "--requests",
        type=int,
        default=400,
        help="of each concurrency; default: %(default)s",
    )
    parser.add_argument("--quick", action="store_true", help="100 steps, 100 requests")
    parser.add_argument(
        "--output", type=pathlib.Path, default=pathlib.Path("."), metavar="FOLDER",
        help="where the picture goes (default: this folder)",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    if options.quick:
        options.steps, options.requests = 100, 100
    if options.command != "try" and options.model is None:
        parser.error(f"{options.command} needs the name of a file")
    return options


def main(arguments: list[str] | None = None) -> Result | None:
    """Runs the program."""
    options = parse_options(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.model or options.output / "digits.jax"
    if options.command != "serve":
        export_model(path, options.steps)
        print(f"model     {path}, {path.stat().st_size / 1e3:.0f} kB")
    if options.command == "export":
        return None
    model = Model(path)
    for size in (1, 2, 4, 8, 16, 32, 64):
        model.compute(
            np.zeros((size, PIXELS), np.float32)
        )  # compiled before the first request
    if options.command == "serve":
        web.run_app(application(model), host=options.host, port=options.port)
        return None
    result = asyncio.run(measure(model, options.requests))
    draw(options.output / "model_server.png", result)
    print(
        f"accuracy  {result.accuracy:.3f} of {sum(map(len, result.seconds.values()))} answers"
    )
    print(f"picture   {options.output / 'model_server.png'}")
    return result


if __name__ == "__main__":
    main(sys.argv[1:])
