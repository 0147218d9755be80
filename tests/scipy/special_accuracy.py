"""How far the special functions and their derivatives are from the true ones.

`python -m tests.scipy.special_accuracy [NAME …]` prints for each function, dtype and
derivative the greatest error found in units in the last place (ULP), and where. It needs
python-flint. `--write docs/accuracy.md` replaces the tables between that file's markers, and
`--every STRIDE` compares functions of one float32 argument with float64 at each STRIDE-th bit
pattern, 1 being all of them.
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


# Functions of one argument, and the interval in which their result is finite and not 0.
ONE = {
    "dawsn": (-np.inf, np.inf),
    "digamma": (-np.inf, np.inf),
    "entr": (0, np.inf),
    "erf": (-np.inf, np.inf),
    "erfc": (-np.inf, np.inf),
    "erfcx": (-np.inf, np.inf),
    "erfinv": (-1, 1),
    "exp1": (0, np.inf),
    "expi": (-np.inf, np.inf),
    "expit": (-np.inf, np.inf),
    "factorial": (0, np.inf),
    "fresnel_s": (-np.inf, np.inf),
    "fresnel_c": (-np.inf, np.inf),
    "gamma": (-np.inf, np.inf),
    "gammaln": (-np.inf, np.inf),
    "i0": (-np.inf, np.inf),
    "i0e": (-np.inf, np.inf),
    "i1": (-np.inf, np.inf),
    "i1e": (-np.inf, np.inf),
    "log_ndtr": (-np.inf, np.inf),
    "logit": (0, 1),
    "ndtr": (-np.inf, np.inf),
    "ndtri": (0, 1),
    "sici_s": (-np.inf, np.inf),
    "sici_c": (-np.inf, np.inf),
    "spence": (0, np.inf),
}


def worst_of_bit_patterns(name, stride, block=1 << 21):
    """The greatest error of float32 against float64 at each `stride`-th bit pattern."""
    single, double = jax.jit(function(name)), jax.jit(function(name))
    worst_error, worst_at, tried = 0.0, None, 0
    low, high = ONE[name]
    for start in range(0, 1 << 32, block * stride):
        stop = min(start + block * stride, 1 << 32)
        x = np.arange(start, stop, stride, dtype=np.uint64).astype(np.uint32)
        x = np.resize(x, block).view(np.float32)
        x = np.where((x >= low) & (x <= high), x, np.float32(0.5))
        got = np.asarray(single(jnp.asarray(x))).astype(np.float64)
        with jax.enable_x64(True):
            truth = np.asarray(double(jnp.asarray(x.astype(np.float64))))
        with np.errstate(all="ignore"):
            rounded = truth.astype(np.float32)
            unit = np.spacing(np.abs(rounded)).astype(np.float64)
            error = np.abs(got - truth) / unit
            same = (got == rounded) | (np.isnan(got) & np.isnan(truth))
            unlike = np.isfinite(got) != np.isfinite(rounded)
        error = np.where(same, np.minimum(error, 0.5), np.where(unlike, np.inf, error))
        error = np.where(np.isnan(error), np.where(same, 0, np.inf), error)
        at = int(np.argmax(error))
        tried += block
        if error[at] > worst_error:
            worst_error, worst_at = float(error[at]), float(x[at])
    return worst_error, worst_at, tried


BEGIN, END = "<!-- special functions -->", "<!-- end of special functions -->"
COLUMNS = (
    "| Function | f32, ULP | at | f64, ULP | at |\n|---|--:|---|--:|---|\n",
    "| Function | f32, ULP | at |\n|---|--:|---|\n",
)


def written(count, stride, names):
    """The section of docs/accuracy.md between its markers."""
    rows = []
    for name in names:
        for operand in [None, *slopes_of(name)]:
            rows.append(row_of(name, operand, count))
            sys.stderr.write(rows[-1] + "\n")
    patterns = []
    for name in ONE:
        if name in names:
            error, at, _ = worst_of_bit_patterns(name, stride)
            patterns.append(f"| {name} | {_figure(error)} | {at:.9g} |")
            sys.stderr.write(patterns[-1] + "\n")
    return (
        f"{BEGIN}\n\nAt {count} arguments of each region of each function, against "
        "true values:\n\n" + COLUMNS[0] + "\n".join(rows) + "\n\nEach "
        f"bit pattern of float32 that is a multiple of {stride}, against float64:\n\n"
        + COLUMNS[1]
        + "\n".join(patterns)
        + f"\n\n{END}"
    )


def main():
    """Prints the errors of the named functions, or of all, or writes them into a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--every", type=int, default=1 << 10)
    parser.add_argument("--write", type=pathlib.Path)
    options = parser.parse_args()
    section = written(options.count, options.every, options.names or list(REGIONS))
    if options.write is None:
        print(section)
        return
    text = options.write.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    options.write.write_text(before + section + after, encoding="utf-8")


if __name__ == "__main__":
    main()
