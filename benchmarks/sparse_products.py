"""Products of sparse and dense arrays, beside SciPy's on the same data.

    python benchmarks/sparse_products.py [--rounds N]

Prints, for each size and format, the best time of both and how many times as fast as SciPy
ours is. Both run in this process, in turns.
"""

import argparse
import operator
import time

import numpy as np
import scipy.sparse

import jax
from jax.experimental import sparse

# Rows, columns, stored elements, columns of the dense side (0: a vector).
SIZES = [
    (1_000, 1_000, 10_000, 0),
    (1_000, 1_000, 10_000, 64),
    (10_000, 10_000, 100_000, 0),
    (10_000, 10_000, 100_000, 32),
    (100_000, 100_000, 1_000_000, 0),
]


def draw(rows, columns, nse):
    """A matrix of SciPy's without elements stored twice."""
    rng = np.random.default_rng(0)
    coordinates = rng.integers(0, rows, nse), rng.integers(0, columns, nse)
    values = rng.standard_normal(nse).astype(np.float32)
    made = scipy.sparse.coo_matrix((values, coordinates), shape=(rows, columns)).tocsr()
    made.sum_duplicates()
    return made


def seconds(run, *args):
    """The time of one call."""
    begin = time.perf_counter()
    jax.block_until_ready(run(*args))
    return time.perf_counter() - begin


def compare(size, rounds):
    """Prints one line for each format."""
    rows, columns, nse, width = size
    theirs = draw(rows, columns, nse)
    shape = (columns, width) if width else (columns,)
    dense = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    on_device = jax.device_put(dense)
    for kind in (sparse.BCOO, sparse.BCSR):
        ours = kind.from_scipy_sparse(theirs)
        product = jax.jit(lambda m, x: m @ x)
        np.testing.assert_allclose(
            product(ours, on_device), theirs @ dense, rtol=1e-3, atol=1e-4
        )
        best = [np.inf, np.inf]
        for _ in range(rounds):
            mine = seconds(product, ours, on_device)
            other = seconds(operator.matmul, theirs, dense)
            best = [min(best[0], mine), min(best[1], other)]
        print(
            f"{rows:7d} x {columns:<7d} {nse:8d} stored, width {width:2d}  "
            f"{kind.__name__}  {best[0] * 1e3:8.3f} ms  SciPy {best[1] * 1e3:8.3f} ms  "
            f"{best[1] / best[0]:5.2f} times as fast"
        )


def main():
    """Runs all sizes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=50)
    rounds = parser.parse_args().rounds
    for size in SIZES:
        compare(size, rounds)


if __name__ == "__main__":
    main()
