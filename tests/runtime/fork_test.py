"""A child made by fork() computes as its parent does, or says at once why it cannot."""

import concurrent.futures
import multiprocessing
import os
import threading
import warnings

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from tests.testing import patience

X = jnp.arange(1000.0) * 2
LARGE = jnp.ones((700, 700))


def child(work):
    """What `work` returns in a child of a process with threads, as text."""
    jax.block_until_ready((X, LARGE @ LARGE))
    return forked(work)


def forked(work):
    """Runs `work` in a fork of this process."""
    read, write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of threads, in newer Pythons
        number = os.fork()
    if number == 0:
        try:
            answer = str(work())
        except Exception as error:
            answer = f"{type(error).__name__}: {error}"
        os.write(write, answer.encode())
        os._exit(0)
    os.close(write)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        answer = pool.submit(lambda: os.read(read, 10_000).decode())
        try:
            return answer.result(patience.LIMIT_S)
        except concurrent.futures.TimeoutError:
            os.kill(number, 9)
            raise
        finally:
            os.close(read)
            os.waitpid(number, 0)


def test_arrays_of_the_parent_can_be_read():
    assert child(lambda: float(np.asarray(X)[3])) == "6.0"


def test_operations_run_in_the_child():
    assert child(lambda: float((X[3] + 1).block_until_ready())) == "7.0"


def test_new_programs_are_compiled_in_the_child():
    assert child(lambda: jax.jit(lambda x: x[:2] * 3)(X).tolist()) == "[0.0, 6.0]"


def test_threads_share_out_work_in_the_child():
    assert child(lambda: float((LARGE @ LARGE)[0, 0])) == "700.0"


def test_a_child_of_a_child_computes():
    assert child(lambda: child(lambda: float(X[4] * 2))) == "16.0"


def test_the_parent_goes_on():
    assert child(lambda: float(X.sum())) == str(float(X.sum()))
    assert float((LARGE @ LARGE)[0, 0]) == 700


def test_an_array_that_the_parent_still_computes_is_refused():
    go_on = threading.Event()

    def wait(x):
        assert go_on.wait(patience.LIMIT_S)
        return x

    def slow(x):
        return jax.pure_callback(wait, x, x) @ LARGE

    # Over two devices: on one the caller's thread runs a program that calls Python.
    over_two = jax.NamedSharding(jax.make_mesh((2,), ("x",)), jax.P())
    unfinished = jax.jit(slow)(jax.device_put(LARGE, over_two))
    try:
        assert not unfinished.is_ready()
        told = forked(lambda: unfinished.block_until_ready())
    finally:
        go_on.set()
    assert "forked" in told
    assert float(unfinished[0, 0]) == 700


def _sum_of_sines(n):
    return float(jnp.sin(jnp.arange(float(n))).sum())


@pytest.mark.filterwarnings("ignore")
def test_pools_of_processes_compute():
    expected = [_sum_of_sines(n) for n in (3, 5)]
    context = multiprocessing.get_context("fork")
    with context.Pool(2) as pool:
        assert pool.map_async(_sum_of_sines, (3, 5)).get(patience.LIMIT_S) == expected
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        assert (
            list(pool.map(_sum_of_sines, (3, 5), timeout=patience.LIMIT_S)) == expected
        )


@pytest.mark.filterwarnings("ignore")
def test_a_torch_loader_has_workers():
    data = pytest.importorskip("torch.utils.data", reason="needs torch")

    class Squares(data.Dataset):
        def __len__(self):
            return 4

        def __getitem__(self, index):
            return float(jnp.square(float(index)))

    loader = data.DataLoader(Squares(), num_workers=2, timeout=patience.LIMIT_S)
    assert sorted(float(x) for x in loader) == [0, 1, 4, 9]
