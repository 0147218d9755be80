"""How far the special functions and their derivatives are from the true ones.

`python -m tests.scipy.special_accuracy [NAME …]` prints for each function, dtype and
derivative the greatest error found in units in the last place (ULP), and where. It needs
python-flint. `--write docs/accuracy.md` replaces the tables between that file's markers, and
`--every STRIDE` compares functions of one float32 argument with float64 at each STRIDE-th bit
pattern, 1 being all of them.
"""

import argparse
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


def worst(name, region, dtype, count, operand=None, seed=3):
    """The greatest error in a region: of the value, or of the derivative in an operand.

    Returns:
        The error, the arguments, and how many true values were found.
    """
    random = np.random.default_rng(seed)
    xs = numbers(region, count, dtype, random)
    fun = function(name)
    if operand is not None:
        fun = jax.vmap(jax.grad(fun, operand))
    with jax.enable_x64(dtype == np.float64):
        got = np.asarray(jax.jit(fun)(*map(jnp.asarray, xs)))
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


def main():
    """Prints the errors of the named functions, or of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--dtype", default="float32,float64")
    parser.add_argument("--over", type=float, default=0)
    parser.add_argument("--values", action="store_true")
    options = parser.parse_args()
    for name in options.names or REGIONS:
        slopes = [
            i for i in range(len(REGIONS[name][0])) if i not in NO_SLOPE.get(name, ())
        ]
        for dtype in map(np.dtype, options.dtype.split(",")):
            for operand in [None, *([] if options.values else slopes)]:
                for index, region in enumerate(REGIONS[name]):
                    try:
                        e = worst(name, region, dtype, options.count, operand)
                    except Exception as error:  # noqa: BLE001
                        print(
                            name, dtype, operand, index, repr(error)[:200], flush=True
                        )
                        continue
                    if e[0] >= options.over or e[2] == 0:
                        print(name, dtype, operand, index, *e, flush=True)


if __name__ == "__main__":
    sys.exit(main())
