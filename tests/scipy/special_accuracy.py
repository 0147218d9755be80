"""How far the special functions and their derivatives are from the true ones.

`python -m tests.scipy.special_accuracy [NAME …]` prints for each function, dtype and
derivative the greatest error found in units in the last place (ULP), and where. It needs
python-flint. `--write docs/accuracy.md` replaces the table between that file's markers. `tests.scipy.every_float`
tries every float32.
"""

import argparse
import functools as ft
import pathlib
import sys

import numpy as np
from flint import arb

import jax
import jax.numpy as jnp
from tests.scipy import special_oracle as oracle
from tests.scipy.special_cases import NO_SLOPE, REGIONS, function, numbers


def ulps(got, truth, dtype):
    """The error in units in the last place of the true value."""
    info = np.finfo(dtype)
    exact = abs(truth)
    size = float(exact.mid())
    if size > float(info.max):
        return 0.0 if np.isinf(got) else np.inf
    if not np.isfinite(got):
        return np.inf
    exponent = max(np.frexp(size)[1], info.minexp + 1) - 1 - info.nmant
    if size == 0:  # below the smallest double
        exponent = info.minexp - info.nmant
    return float((abs(arb(float(got)) - truth) * arb(2) ** -int(exponent)).mid())


@ft.cache
def _compiled(name, operand):
    fun = function(name)
    return jax.jit(fun if operand is None else jax.vmap(jax.grad(fun, operand)))


def worst(name, region, dtype, count, operand=None, seed=3):
    """The greatest error in a region: of the value, or of the derivative in an operand.

    Returns:
        The error, the arguments, and how many true values were found.
    """
    random = np.random.default_rng(seed)
    xs = numbers(region, count, dtype, random)
    with jax.enable_x64(dtype == np.float64):
        got = np.asarray(_compiled(name, operand)(*map(jnp.asarray, xs)))
    assert got.dtype == dtype
    found = (0.0, (), 0)
    tried = 0
    for value, *arguments in zip(got, *xs, strict=True):
        arguments = [float(x) for x in arguments]
        truth = (
            oracle.true_value(name, *arguments)
            if operand is None
            else oracle.true_slope(name, operand, *arguments)
        )
        if truth is None:
            continue
        tried += 1
        error = ulps(value, truth, dtype)
        if error > found[0]:
            found = (error, tuple(arguments), float(value), float(truth.mid()))
    return (*found[:2], tried, *found[2:])


def slopes_of(name):
    """The operands in which the function has a derivative."""
    without = NO_SLOPE.get(name, ())
    return [i for i in range(len(REGIONS[name][0])) if i not in without]


def row_of(name, operand, count):
    """A line of the table: for each dtype the greatest error, and where it is."""
    cells = [f"{name}" + ("" if operand is None else f", slope {operand + 1}")]
    for dtype in map(np.dtype, ("float32", "float64")):
        found = [worst(name, r, dtype, count, operand) for r in REGIONS[name]]
        error, at, *_ = max(found, key=lambda f: f[0])
        cells += [_figure(error), ", ".join(f"{x:.6g}" for x in at) or "-"]
    return "| " + " | ".join(cells) + " |"


def _figure(error):
    """Two digits, rounded up; powers of ten above a thousand."""
    if error < 1000:
        return f"{np.ceil(error * 100 - 1e-9) / 100:.2f}"
    return f"{error:.1e}"


BEGIN, END = "<!-- special functions -->", "<!-- end of special functions -->"
COLUMNS = "| Function | f32, ULP | at | f64, ULP | at |\n|---|--:|---|--:|---|\n"


def written(count, names):
    """The section of docs/accuracy.md between its markers."""
    rows = []
    for name in names:
        for operand in [None, *slopes_of(name)]:
            rows.append(row_of(name, operand, count))
            sys.stderr.write(rows[-1] + "\n")
    return (
        f"{BEGIN}\n\nAt {count} arguments of each region of each function, against "
        "true values:\n\n" + COLUMNS + "\n".join(rows) + f"\n\n{END}"
    )


def main():
    """Prints the errors of the named functions, or of all, or writes them into a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--write", type=pathlib.Path)
    options = parser.parse_args()
    section = written(options.count, options.names or list(REGIONS))
    if options.write is None:
        print(section)
        return
    text = options.write.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    options.write.write_text(before + section + after, encoding="utf-8")


if __name__ == "__main__":
    main()
