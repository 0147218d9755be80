"""Times our kernels beside NumPy's (OpenBLAS, its sorts) in one process.

bazel run //xla/runtime/cpu/kernels:benchmark -- --threads=1
"""

import argparse
import ctypes
import os
import sys
import time

SIZES = [(n, n, n) for n in (8, 16, 32, 64, 100, 128, 256, 512, 1000, 1024, 2048)] + [
    (1, 2048, 2048),
    (2048, 1, 2048),
    (8, 2048, 2048),
    (2048, 8, 2048),
    (32, 1024, 1024),
    (4096, 64, 64),
    (64, 64, 4096),
    (100, 10, 64),
    (1437, 32, 64),
]


class Gemm(ctypes.Structure):
    """struct XlaGemm."""

    _fields_ = [
        (name, ctypes.c_void_p if name in "abc" else ctypes.c_int64)
        for name in (
            "batch m n k a a_batch a_row a_column b b_batch b_row b_column "
            "c c_batch c_row accumulate finish finish_context finish_first"
        ).split()
    ]


class Sort(ctypes.Structure):
    """struct XlaSort."""

    _fields_ = [
        (name, ctypes.c_void_p if name in ("operands", "bytes") else ctypes.c_int64)
        for name in "outer length inner count operands bytes".split()
    ]


def best_of(ours, theirs, repetitions):
    """The shortest time of each in seconds, measured in turns with a pause: OpenBLAS's threads spin on after a call."""
    times = [float("inf"), float("inf")]
    for _ in range(3):
        for which, function in enumerate((ours, theirs)):
            time.sleep(0.05)
            for _ in range(repetitions // 3 + 1):
                start = time.perf_counter()
                function()
                times[which] = min(times[which], time.perf_counter() - start)
    return times


def aligned(np, shape):
    """An uninitialised float32 array on a 64-byte border."""
    count = shape[0] * shape[1]
    raw = np.empty(count + 16, np.float32)
    first = -raw.ctypes.data % 64 // 4
    return raw[first : first + count].reshape(shape)


def gemm_rows(np, library):
    """Yields a name and both times for each product."""
    for m, n, k in SIZES:
        for layout in ("nn", "nt", "tn"):
            a = aligned(np, (m, k) if layout[0] == "n" else (k, m))
            b = aligned(np, (k, n) if layout[1] == "n" else (n, k))
            a = a if layout[0] == "n" else a.T
            b = b if layout[1] == "n" else b.T
            a[:] = np.random.rand(m, k)
            b[:] = np.random.rand(k, n)
            c, expected = aligned(np, (m, n)), aligned(np, (m, n))
            (ar, ac), (br, bc) = [[s // 4 for s in x.strides] for x in (a, b)]
            problem = ctypes.byref(
                Gemm(1, m, n, k, a.ctypes.data, 0, ar, ac, b.ctypes.data, 0, br, bc)
            )
            problem._obj.c, problem._obj.c_row = c.ctypes.data, n
            work = m * n * k
            times = best_of(
                lambda problem=problem: library.xla_gemm_f32(problem),
                lambda a=a, b=b, out=expected: np.matmul(a, b, out=out),
                3000 if work < 1e6 else 300 if work < 1e8 else 20,
            )
            if not np.allclose(c, expected, rtol=1e-4):
                sys.exit(f"{m}x{n}x{k} {layout}: the results differ")
            yield f"matmul {m}x{n}x{k} {layout}", times


def sort_rows(np, library):
    """Yields a name and both times for each sort."""

    def run(arrays):
        pointers = np.array([x.ctypes.data for x in arrays], np.uint64)
        sizes = np.array([x.itemsize for x in arrays], np.int64)
        problem = Sort(
            1, len(arrays[0]), 1, len(arrays), pointers.ctypes.data, sizes.ctypes.data
        )
        if library.xla_sort_f32(ctypes.byref(problem), ctypes.c_int64(0)):
            sys.exit("a sort ran out of memory")

    for count in (1000, 10_000, 100_000, 1_000_000):
        values = np.random.randn(count).astype(np.float32)
        rows = np.arange(count, dtype=np.int32)
        repetitions = max(4, 1_000_000 // count)
        yield (
            f"sort {count}",
            best_of(
                lambda v=values: run([v.copy()]),
                lambda v=values: v.copy().sort(),
                repetitions,
            ),
        )
        yield (
            f"argsort {count}",
            best_of(
                lambda v=values, r=rows: run([v.copy(), r.copy()]),
                lambda v=values: np.argsort(v, kind="stable"),
                repetitions,
            ),
        )


def main():
    """Prints a table: name, our time, NumPy's, and how many times as fast we are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--library", default="xla/runtime/cpu/kernels/kernels.so")
    options = parser.parse_args()
    os.environ["OPENBLAS_NUM_THREADS"] = str(options.threads)
    import numpy as np  # reads the variable when it is imported

    library = ctypes.CDLL(os.path.abspath(options.library))
    library.xla_set_threads(ctypes.c_int64(options.threads))
    for rows in (gemm_rows, sort_rows):
        for name, (ours, theirs) in rows(np, library):
            print(
                f"{name:28} {ours * 1e6:10.1f} us  numpy {theirs * 1e6:10.1f} us"
                f"  {theirs / ours:6.2f}x",
                flush=True,
            )


if __name__ == "__main__":
    main()
