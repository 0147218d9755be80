"""The error of functions of one float32 argument at every one of the 2**32 arguments.

`python -m tests.scipy.every_float RESULTS [NAME …]` measures the named rows of
`tests.scipy.every_float_rows`, or all that the file RESULTS lacks, and adds a line to it
for each: a whole run takes hours, and may be stopped and taken up again. `--write FILE`
measures nothing and replaces the table between that file's markers. What a row is compared
with is in float64: another program of ours where the function is computed in float32, and
NumPy's or SciPy's function where it is computed in float64 and rounded.
"""

import argparse
import json
import pathlib
import sys
import time

import numpy as np

import jax
import jax.numpy as jnp
from jax import lax
from tests.scipy.every_float_rows import ROWS

BLOCK = 1 << 20
# Nothing is greater than the float after the last.
_END = 2.0**128


def _unit(truth):
    """The ULP of a float32, at the size of a float64."""
    bits = lax.bitcast_convert_type(truth, jnp.uint64) & np.uint64(0x7FF << 52)
    size = lax.bitcast_convert_type(bits, jnp.float64)
    return jnp.clip(size, 2.0**-126, 2.0**127) * 2.0**-23


def errors(got, truth):
    """Errors of float32 numbers in ULP.

    An infinity stands for 2**128. One NaN alone, or zeros of two signs, are infinitely far
    from each other.
    """
    wide = jnp.clip(got.astype(np.float64), -_END, _END)
    true = jnp.clip(truth, -_END, _END)
    error = jnp.abs(wide - true) / _unit(true)
    nan, true_nan = got != got, truth != truth
    unlike = (nan != true_nan) | (
        (wide == 0) & (truth == 0) & (jnp.signbit(wide) != jnp.signbit(truth))
    )
    return jnp.where(unlike, np.inf, jnp.where(nan, 0.0, error))


def floats(start, stride):
    """A block of floats, from the one with bits `start` on."""
    bits = start + np.uint32(stride) * lax.iota(np.uint32, BLOCK)
    return lax.bitcast_convert_type(bits, np.float32)


def measured(row, stride, show=lambda part: None):
    """The greatest error of a row, its argument, and how many are above 4 units."""

    def compare(x, truth):
        error = errors(row.fun(x), truth)
        at = jnp.argmax(error)
        return error[at], x[at], jnp.sum(error > 4)

    if row.oracle == "ours":
        step = jax.jit(lambda start: compare(*_with_truth(row, floats(start, stride))))
    else:
        compared = jax.jit(compare)
        block = jax.jit(lambda start: floats(start, stride))

        def step(start):
            x = np.asarray(block(start))
            with np.errstate(all="ignore"):
                truth = np.asarray(row.truth(x.astype(np.float64)), np.float64)
            return compared(x, truth)

    worst, where, above = -1.0, 0.0, 0
    for start in range(0, 1 << 32, BLOCK * stride):
        error, at, count = step(np.uint32(start))
        above += int(count)
        if float(error) > worst:
            worst, where = float(error), float(at)
        show((start + BLOCK * stride) / 2**32)
    return worst, where, above


def _with_truth(row, x):
    return x, row.truth(x.astype(np.float64))


def _bar(name):
    begin = time.monotonic()
    if not sys.stderr.isatty():
        return lambda part: None

    def show(part):
        left = (time.monotonic() - begin) * (1 - part) / part
        done = "#" * int(30 * part)
        sys.stderr.write(f"\r{name:28} [{done:30}] {100 * part:5.1f} % {left:5.0f} s ")
        sys.stderr.flush()

    return show


def measure(rows, results, stride):
    """Adds a line of JSON to `results` for each row."""
    for row in rows:
        begin = time.process_time()
        every = max(stride, row.stride)
        error, at, above = measured(row, every, _bar(row.name))
        line = {
            "name": row.name,
            "oracle": row.oracle,
            "count": (1 << 32) // every,
            "error": error,
            "at": at,
            "above": above,
            "seconds": round(time.process_time() - begin, 1),
        }
        with results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        sys.stderr.write(f"{error:.2f} at {at:.9g}, {above} above 4\n")


def known(results):
    """The last line of each row."""
    if not results.exists():
        return {}
    lines = results.read_text(encoding="utf-8").splitlines()
    return {line["name"]: line for line in map(json.loads, lines)}


BEGIN, END = "<!-- every float -->", "<!-- end of every float -->"


def _figure(error):
    if error < 1000:
        return f"{np.ceil(error * 100 - 1e-9) / 100:.2f}"
    return f"{error:.1e}"


def table(found, rows):
    """The rows of the page: the error, its argument, the arguments and the truth."""
    lines = [
        "| Function | f32, ULP | at | arguments | beside |",
        "|---|--:|---|---|---|",
    ]
    for row in rows:
        if row.name not in found:
            continue
        line = found[row.name]
        every = (1 << 32) // line["count"]
        count = "every one" if every == 1 else f"every {every}th"
        beside = {"ours": "our f64"}.get(line["oracle"], line["oracle"])
        figure = _figure(line["error"])
        lines.append(
            f"| {row.name} | {figure} | {line['at']:.9g} | {count} | {beside} |"
        )
    return "\n".join(lines)


def main():
    """Measures, or writes the table."""

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--write", type=pathlib.Path)
    options = parser.parse_args()
    found = known(options.results)
    if options.write is None:
        jax.config.update("jax_enable_x64", True)
        named = [r for r in ROWS if r.name in options.names]
        left = named or [r for r in ROWS if r.name not in found]
        measure(left, options.results, options.every)
        return
    text = options.write.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    section = f"{BEGIN}\n\n{table(found, ROWS)}\n\n{END}"
    options.write.write_text(before + section + after, encoding="utf-8")


if __name__ == "__main__":
    main()
