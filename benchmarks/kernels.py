"""Compiled Pallas kernels beside plain `jax.numpy`, here and on another JAX.

    python benchmarks/kernels.py --other /path/to/other/python

Each of six kernels runs in turns with its plain versions, and the least time of each counts.
With `--other`, the plain versions and the interpreted kernels run on that interpreter's JAX
as well. Prints, for each kernel, its time, and those of the plain versions and of interpretation over it.
"""

import argparse
import functools
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

F32 = jnp.float32


def _rows(block, width):
    return pl.BlockSpec((block, width), lambda i: (i, 0))


def _whole(*shape):
    return pl.BlockSpec(shape, lambda *_: (0,) * len(shape))


def matmul(x, y, *, interpret, block=256):
    """A product in blocks, whose sums are kept over the last axis of the grid."""
    (m, k), n = x.shape, y.shape[1]

    def kernel(x, y, out, total):
        @pl.when(pl.program_id(2) == 0)
        def _():
            total[...] = jnp.zeros_like(total)

        total[...] += jnp.dot(x[...], y[...], preferred_element_type=F32)
        out[...] = total[...]

    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct((m, n), F32),
        grid=(m // block, n // block, k // block),
        in_specs=[
            pl.BlockSpec((block, block), lambda i, j, k: (i, k)),
            pl.BlockSpec((block, block), lambda i, j, k: (k, j)),
        ],
        out_specs=pl.BlockSpec((block, block), lambda i, j, k: (i, j)),
        scratch_shapes=[pltpu.VMEM((block, block), F32)],
        interpret=interpret,
    )(x, y)


def softmax(x, *, interpret, block=4):
    """Softmax along the last axis, some rows at a time."""

    def kernel(x, out):
        e = jnp.exp(x[...] - jnp.max(x[...], axis=-1, keepdims=True))
        out[...] = e / jnp.sum(e, axis=-1, keepdims=True)

    rows = _rows(block, x.shape[1])
    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=x.shape[0] // block,
        in_specs=[rows],
        out_specs=rows,
        interpret=interpret,
    )(x)


def _normalized(x, scale, shift):
    centred = x - jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.mean(centred * centred, axis=-1, keepdims=True)
    return centred * jax.lax.rsqrt(variance + 1e-5) * scale + shift


def layer_norm(x, scale, shift, *, interpret, block=4):
    """Layer normalization, some rows at a time."""

    def kernel(x, scale, shift, out):
        out[...] = _normalized(x[...], scale[...], shift[...])

    rows, n = _rows(block, x.shape[1]), x.shape[1]
    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=x.shape[0] // block,
        in_specs=[rows, _whole(n), _whole(n)],
        out_specs=rows,
        interpret=interpret,
    )(x, scale, shift)


def attention(q, k, v, *, interpret, block=128):
    """Attention of several heads that keeps a running maximum and sum."""
    heads, length, size = q.shape

    def kernel(q, k, v, out):
        query = q[...] * (1 / math.sqrt(size))

        def step(number, carry):
            largest, total, sums = carry
            part = pl.ds(number * block, block)
            scores = jnp.dot(query, k[part, :].T, preferred_element_type=F32)
            now = jnp.maximum(largest, jnp.max(scores, axis=-1, keepdims=True))
            weights = jnp.exp(scores - now)
            before = jnp.exp(largest - now)
            total = total * before + jnp.sum(weights, axis=-1, keepdims=True)
            sums = sums * before + jnp.dot(
                weights, v[part, :], preferred_element_type=F32
            )
            return now, total, sums

        start = (
            jnp.full((block, 1), -jnp.inf, F32),
            jnp.zeros((block, 1), F32),
            jnp.zeros((block, size), F32),
        )
        _, total, sums = jax.lax.fori_loop(0, length // block, step, start)
        out[...] = sums / total

    one = pl.BlockSpec((None, block, size), lambda h, i: (h, i, 0))
    every = pl.BlockSpec((None, length, size), lambda h, i: (h, 0, 0))
    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct(q.shape, F32),
        grid=(heads, length // block),
        in_specs=[one, every, every],
        out_specs=one,
        interpret=interpret,
    )(q, k, v)


def plain_attention(q, k, v):
    """Attention, written out."""
    scores = jnp.einsum("hqd,hkd->hqk", q, k) / math.sqrt(q.shape[-1])
    return jnp.einsum("hqk,hkd->hqd", jax.nn.softmax(scores, axis=-1), v)


def attention_of_nn(q, k, v):
    """Attention, as `jax.nn` has it."""
    q, k, v = (jnp.moveaxis(x, 0, 1)[None] for x in (q, k, v))
    return jnp.moveaxis(jax.nn.dot_product_attention(q, k, v)[0], 1, 0)


def gather(table, starts, lengths, *, interpret, most=64):
    """Segments of a table, each with a start and a length, and zeros behind them."""
    width = table.shape[1]

    def kernel(starts, lengths, table, out):
        number = pl.program_id(0)
        segment = table[pl.ds(starts[number], most), :]
        is_inside = jax.lax.broadcasted_iota(jnp.int32, (most, 1), 0) < lengths[number]
        out[...] = jnp.where(is_inside, segment, 0)

    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct((len(starts), most, width), table.dtype),
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=2,
            grid=(len(starts),),
            in_specs=[_whole(*table.shape)],
            out_specs=pl.BlockSpec((None, most, width), lambda i, *_: (i, 0, 0)),
        ),
        interpret=interpret,
    )(starts, lengths, table)


def plain_gather(table, starts, lengths, *, most=64):
    """Segments of a table, found by index arrays."""
    steps = jnp.arange(most)
    found = table[starts[:, None] + steps]
    return jnp.where((steps < lengths[:, None])[..., None], found, 0)


def gather_of_slices(table, starts, lengths, *, most=64):
    """Segments of a table, a slice for each."""
    steps = jnp.arange(most)

    def one(start, length):
        segment = jax.lax.dynamic_slice_in_dim(table, start, most)
        return jnp.where((steps < length)[:, None], segment, 0)

    return jax.vmap(one)(starts, lengths)


def stencil(x, *, interpret, block=16):
    """The Laplacian on a grid of points, zero beyond its edges, some rows at a time."""
    n, width = x.shape

    def kernel(above, middle, below, out):
        x, number = middle[...], pl.program_id(0)
        first = jnp.where(number > 0, above[...], 0)
        last = jnp.where(number < n // block - 1, below[...], 0)
        up = jnp.concatenate([first, x[:-1]])
        down = jnp.concatenate([x[1:], last])
        left = jnp.pad(x[:, :-1], ((0, 0), (1, 0)))
        right = jnp.pad(x[:, 1:], ((0, 0), (0, 1)))
        out[...] = up + down + left + right - 4 * x

    above = pl.BlockSpec((1, width), lambda i: (jnp.maximum(i * block - 1, 0), 0))
    below = pl.BlockSpec(
        (1, width), lambda i: (jnp.minimum(i * block + block, n - 1), 0)
    )
    return pl.pallas_call(
        kernel,
        jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=n // block,
        in_specs=[above, _rows(block, width), below],
        out_specs=_rows(block, width),
        interpret=interpret,
    )(x, x, x)


def plain_stencil(x):
    """The Laplacian of a padded array."""
    v = jnp.pad(x, 1)
    return v[:-2, 1:-1] + v[2:, 1:-1] + v[1:-1, :-2] + v[1:-1, 2:] - 4 * v[1:-1, 1:-1]


def _cases():
    """For each name: a kernel, its plain versions, and arguments."""
    draw = np.random.default_rng(0)

    def normal(*shape):
        return jnp.asarray(draw.standard_normal(shape), F32)

    starts = draw.integers(0, 32768 - 64, 512).astype(np.int32)
    lengths = draw.integers(1, 65, 512).astype(np.int32)
    return {
        "matmul 1024": (matmul, [jnp.matmul], [normal(1024, 1024) for _ in range(2)]),
        "softmax 4096x4096": (
            softmax,
            [functools.partial(jax.nn.softmax, axis=-1)],
            [normal(4096, 4096)],
        ),
        "layer norm 8192x1024": (
            layer_norm,
            [_normalized],
            [normal(8192, 1024), normal(1024), normal(1024)],
        ),
        "attention 8x1024x64": (
            attention,
            [plain_attention, attention_of_nn],
            [normal(8, 1024, 64) for _ in range(3)],
        ),
        "ragged gather 512x64x256": (
            gather,
            [plain_gather, gather_of_slices],
            [normal(32768, 256), jnp.asarray(starts), jnp.asarray(lengths)],
        ),
        "stencil 2048x2048": (stencil, [plain_stencil], [normal(2048, 2048)]),
    }


def _least(calls: list[Callable[[], object]], rounds: int) -> list[list[float]]:
    """The least elapsed and processor seconds of each call, taken in turns.

    Each is called for a second before: until then the code that is compiled at first may
    not have been replaced by optimised code.
    """
    least = [[math.inf, math.inf] for _ in calls]
    for call in calls:
        warm = time.perf_counter() + 1
        jax.block_until_ready(call())
        while time.perf_counter() < warm:
            jax.block_until_ready(call())
    for _ in range(rounds):
        for best, call in zip(least, calls, strict=True):
            began = time.perf_counter(), time.process_time()
            jax.block_until_ready(call())
            ended = time.perf_counter(), time.process_time()
            best[:] = [
                min(b, e - s) for b, s, e in zip(best, began, ended, strict=True)
            ]
    return least


def measured(mode: str, rounds: int) -> dict[str, list[list[float]]]:
    """Seconds of each case: of the kernel, and of each plain version.

    Args:
        mode: "compiled" or "interpreted" runs the kernel so, beside the plain versions.
        rounds: how often each is called.
    """
    found = {}
    for name, (kernel, plain, args) in _cases().items():
        interpret = mode == "interpreted"
        functions = [functools.partial(kernel, interpret=interpret), *plain]
        compiled = [functools.partial(jax.jit(f), *args) for f in functions]
        if interpret:  # It takes seconds.
            found[name] = _least(compiled[:1], 1) + _least(compiled[1:], rounds)
            continue
        first, *others = [np.asarray(call()) for call in compiled]
        for other in others:
            np.testing.assert_allclose(first, other, rtol=2e-3, atol=2e-3)
        found[name] = _least(compiled, rounds)
    return found


def _on_other(python: str, rounds: int) -> dict[str, list[list[float]]]:
    command = [python, __file__, "--json", "interpreted", "--rounds", str(rounds)]
    own = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, env=own
    )
    return json.loads(done.stdout)


def _mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def main() -> None:
    """Prints the comparison, or with `--json` the seconds alone."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--other", help="a Python that has another JAX")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--processor", action="store_true", help="processor time")
    parser.add_argument("--json", choices=["compiled", "interpreted"])
    given = parser.parse_args()
    if given.json:
        json.dump(measured(given.json, given.rounds), sys.stdout)
        return
    clock = 1 if given.processor else 0
    ours = measured("compiled", given.rounds)
    other = _on_other(given.other, given.rounds) if given.other else {}
    print(f"{'':26}{'kernel ms':>10}{'plain':>9}{'other':>9}{'interpreted there':>19}")
    columns: list[list[float]] = [[], [], []]
    for name, times in ours.items():
        seconds, *plain = (pair[clock] for pair in times)
        ratios = [min(plain) / seconds]
        if name in other:
            interpreted, *there = (pair[clock] for pair in other[name])
            ratios += [min(there) / seconds, interpreted / seconds]
        for column, ratio in zip(columns, ratios, strict=False):
            column.append(ratio)
        texts = "".join(
            f"{r:>{w}.2f}" for r, w in zip(ratios, (9, 9, 19), strict=False)
        )
        print(f"{name:26}{seconds * 1e3:10.2f}{texts}")
    fastest = [min(pair) for pair in zip(*filter(None, columns[:2]), strict=True)]
    print(
        f"over the fastest plain version: geometric mean {_mean(fastest):.2f}, "
        f"least {min(fastest):.2f}"
    )
    if columns[2]:
        print(
            f"over interpretation there: geometric mean {_mean(columns[2]):.0f}, "
            f"least {min(columns[2]):.0f}"
        )


if __name__ == "__main__":
    main()
