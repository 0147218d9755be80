"""Tiers of compilation: programs compiled quickly, and again with all effort while they run."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax._src.base import options
from jax._src.core import shardings
from jax._src.lib import fastpath
from jax._src.runtime.compilation import compile
from jax._src.runtime.devices import backends
from jax._src.runtime.transfers import device_put_get
from tests.testing import patience

X = np.linspace(-3, 3, 40_000, dtype=np.float32).reshape(200, 200)
TIERS = ("auto", "fast", "best")


def several(x):
    """Products with sums, sums in any order, functions, a loop, and a sort."""
    y = jnp.tanh(x * 2 + 1) - x * x * 0.5
    z = jax.nn.softmax(y @ x) + jnp.sort(y, axis=0)
    w = jax.lax.fori_loop(0, 5, lambda i, c: c * 0.9 + jnp.sin(c) * i, z)
    return w, w.sum(), w.sum(0), jnp.cumsum(w, 1), jnp.argmax(w, 1), w.var()


class Program:
    """A function of `X` that was compiled in a tier, and its executable."""

    def __init__(self, fun, tier: str) -> None:
        device = backends.devices()[0]
        sharding = shardings.of_device(device)
        outs = jax.tree.leaves(jax.eval_shape(fun, X))
        self.executable = compile.compile_module(
            jax.jit(fun).lower(X).as_text(), devices=[device], tier=tier
        )
        self._argument = device_put_get.device_put(X, device)
        self._data = fastpath.FastpathData(
            executable=self.executable,
            out_tree=jax.tree.structure([0] * len(outs)),
            out_types=[(out.shape, out.dtype, False) for out in outs],
            out_shardings=[sharding] * len(outs),
            out_committed=False,
        )

    def run(self):
        """The bytes of the results."""
        return [np.asarray(out).tobytes() for out in self._data.run([self._argument])]

    @property
    def code_bytes(self) -> int:
        return self.executable.memory_analysis()["generated_code_size_in_bytes"]


@pytest.mark.parametrize("fun", [several, jax.grad(lambda x: several(x)[5])])
def test_tiers_have_the_same_bits(fun):
    best, fast = Program(fun, "best"), Program(fun, "fast")
    assert fast.run() == best.run()
    assert fast.code_bytes != best.code_bytes


@pytest.mark.parametrize("tier", TIERS)
def test_the_option_names_a_tier(tier):
    with options.compile_tier(tier):
        assert float(jax.jit(lambda x: jnp.sin(x) * 2)(1.0)) == pytest.approx(1.682942)
        assert float(jnp.float32(2) ** 3 - 1) == 7
        assert float(jax.grad(jax.jit(lambda x: x**3))(2.0)) == 12


def test_programs_are_optimised_while_they_run_unless_told_otherwise():
    assert options.compile_tier.default == "auto"


def test_no_other_tier_is_accepted():
    with pytest.raises(ValueError, match="jax_compile_tier"):
        jax.config.update("jax_compile_tier", "fastest")


def test_the_compiler_names_its_tiers():
    named = jax.jit(lambda x: x, compiler_options={"xla_cpu_compile_tier": "worst"})
    with pytest.raises(
        jax.errors.JaxRuntimeError, match='"auto", "best", "fast" or "plan"'
    ):
        named(1.0)


def test_what_is_compiled_ahead_of_time_has_the_best_tier():
    lowered = jax.jit(several).lower(X)
    best = lowered.compile().memory_analysis().generated_code_size_in_bytes
    with options.compile_tier("fast"):
        ahead = jax.jit(several).lower(X).compile().memory_analysis()
    assert ahead.generated_code_size_in_bytes == best


def test_eight_threads_call_while_the_code_is_replaced():
    best, auto = Program(several, "best"), Program(several, "auto")
    expected, first = best.run(), auto.code_bytes
    wrong = []
    replaced = threading.Event()

    def call():
        while not replaced.is_set():
            if auto.run() != expected:
                wrong.append(True)

    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    try:
        patience.wait_for(lambda: auto.code_bytes != first)
    finally:
        replaced.set()
        for thread in threads:
            thread.join()
    assert not wrong
    assert auto.run() == expected
    # It is what the best tier keeps in a cache.
    assert len(auto.executable.serialize()) > len(
        Program(several, "fast").executable.serialize()
    )


def test_threads_compile_small_programs_one_after_the_other():
    """What one compilation leaves to the next is never used by two at once."""
    module = jax.jit(lambda x: jnp.tanh(x) @ x + x.sum(0)).lower(X).as_text()
    devices = backends.devices()[:1]
    failed, sizes = [], set()

    def work(tier):
        try:
            for _ in range(8):
                made = compile.compile_module(module, devices=devices, tier=tier)
                size = made.memory_analysis()["generated_code_size_in_bytes"]
                sizes.add((tier == "best", size))
        except Exception as error:  # noqa: BLE001 - reported below
            failed.append(error)

    threads = [threading.Thread(target=work, args=(tier,)) for tier in TIERS * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert len(sizes) == 2  # the same code each time, of each of two kinds


def test_a_program_that_hardly_runs_stays_as_it_is():
    auto = Program(lambda x: x[:2, :2] + 1, "auto")
    first = auto.code_bytes
    auto.run()
    assert auto.code_bytes == first


START = """
import os, jax, jax.numpy as jnp
jax.config.update("jax_compile_tier", "auto")
x = jnp.ones((300, 300))
def fun(x):
    for n in range(60):
        x = jnp.sin(x * n) @ jnp.cos(x) + jax.nn.softmax(x + n)
    return x
f = jax.jit(fun)
for _ in range(30):
    y = f(x).block_until_ready()
"""


@pytest.mark.parametrize(
    "end", ["print('done')", "print('done', flush=True); os._exit(0)"]
)
def test_a_process_ends_while_it_compiles(end):
    done = subprocess.run(
        [sys.executable, "-c", START + end],
        capture_output=True,
        text=True,
        timeout=patience.LIMIT_S,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("done\n", "", 0)


def test_a_process_is_forked_while_it_compiles():
    fork = """
for _ in range(5):
    if not (child := os.fork()):
        try:
            same = bool((f(x) == y).all())
            same &= bool((jax.jit(lambda x: jnp.tanh(x) + 1)(x) == jnp.tanh(x) + 1).all())
        finally:
            os._exit(0 if same else 1)
    assert os.waitpid(child, 0)[1] == 0
    y = f(x).block_until_ready()
print('done')
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", START + fork],
        capture_output=True,
        text=True,
        timeout=patience.LIMIT_S,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("done\n", "", 0)


def test_the_persistent_cache_keeps_the_best_tier(tmp_path):
    script = (
        "import jax, jax.numpy as jnp\n"
        "jax.jit(lambda x: jnp.tanh(x) @ x)(jnp.ones((9, 9)))\n"
    )
    folder = {
        "JAX_COMPILATION_CACHE_DIR": str(tmp_path),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    }

    def entries(tier):
        subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ | folder | {"JAX_COMPILE_TIER": tier},
            check=True,
            timeout=patience.LIMIT_S,
        )
        return {path.name: path.read_bytes() for path in tmp_path.glob("*-cache")}

    best = entries("best")
    assert best
    assert entries("auto") == entries("fast") == best


def test_profiles_record_programs_of_every_tier(tmp_path):
    with options.compile_tier("auto"):
        fun = jax.jit(lambda x: jnp.sin(x) @ jnp.cos(x) + 1)
        before = fun(X)
        with jax.profiler.trace(tmp_path):
            during = fun(X).block_until_ready()
    assert np.array_equal(before, during)
    assert list(tmp_path.rglob("*.xplane.pb"))


def test_nans_are_found_in_every_tier():
    for tier in TIERS:
        with (
            options.compile_tier(tier),
            options.debug_nans(True),
            pytest.raises(FloatingPointError),
        ):
            jax.jit(lambda x: jnp.log(x) * 2)(-1.0)


def test_the_first_caller_runs_a_program_of_a_few_numbers():
    """What takes less time than to wake a thread up is done when the call returns."""
    x = jnp.arange(8.0)
    done = [jax.jit(lambda x, n=n: x * n + 1)(x).is_ready() for n in range(20)]
    assert all(done)
