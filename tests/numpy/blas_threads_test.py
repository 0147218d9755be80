"""Small matrices are factored by one thread of SciPy's OpenBLAS, and its number of threads stays as it was."""

import ctypes
import os
import threading

import numpy as np
import pytest

import jax
import jax.numpy as jnp


def openblas():
    jnp.linalg.cholesky(jnp.eye(2)).block_until_ready()  # loads SciPy's LAPACK
    with open("/proc/self/maps") as maps:
        paths = {line.split()[-1] for line in maps if "openblas" in line}
    for path in sorted(p for p in paths if "scipy" in p):
        library = ctypes.CDLL(path, mode=os.RTLD_NOLOAD)
        for prefix in ("scipy_openblas", "openblas"):
            names = f"{prefix}_get_num_threads", f"{prefix}_set_num_threads"
            if all(hasattr(library, name) for name in names):
                return [getattr(library, name) for name in names]
    pytest.skip("SciPy has another BLAS than OpenBLAS")


@pytest.mark.parametrize("size", [1, 16, 50, 300])
def test_calls_leave_the_threads_of_openblas_as_they_were(size):
    get, set_ = openblas()
    before = get()
    matrix = np.eye(size, dtype=np.float32) * 2 + 1
    try:
        for threads in (2, 1):
            set_(threads)
            wanted = get()
            jax.block_until_ready(
                (jnp.linalg.qr(matrix), jnp.linalg.eigh(matrix), jnp.linalg.svd(matrix))
            )
            assert get() == wanted
    finally:
        set_(before)


def test_several_threads_factor_matrices_at_once():
    get, set_ = openblas()
    before = get()
    r = np.random.default_rng(0)
    matrices = r.standard_normal((8, 60, 60)).astype(np.float32)
    factor = jax.jit(lambda x: jnp.linalg.qr(x))
    wrong = []

    def run(x):
        for _ in range(20):
            q, r = factor(x)
            if not np.allclose(q @ r, x, atol=1e-4):
                wrong.append(x)

    threads = [threading.Thread(target=run, args=(x,)) for x in matrices]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    set_(before)
    assert not wrong
