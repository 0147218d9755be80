"""What it costs to take a profile: programs with and without one, in turns of one run.

`python benchmarks/profiling.py` prints the processor time of a call without a profile and with one, and their ratio, for
programs whose operations take more than 20 µs each (which may lose 5 %) and for programs of tiny operations (which may
take twice as long). It ends with 1 if a bound does not hold. Calls of Python functions are not recorded here: what that
costs is Python's.
"""

import argparse
import statistics
import sys
import time

import jax
import jax.numpy as jnp
from jax import lax

_LARGE, _TINY = 1.05, 2.0


def _large_products():
    w = jnp.full((256, 256), 0.01)

    def run(x):
        for _ in range(6):
            x = jnp.tanh(x @ w)
        return x

    return run, jnp.ones((256, 256))


def _large_elementwise():
    def run(x):
        for _ in range(6):
            x = jnp.sort(jnp.sin(x) * 2.0, axis=-1)
        return x

    return run, jnp.ones((64, 1024))


def _large_loop():
    w = jnp.full((192, 192), 0.01)

    def run(x):
        return lax.fori_loop(0, 20, lambda i, c: jnp.tanh(c @ w), x)

    return run, jnp.ones((192, 192))


def _tiny_chain():
    def run(x):
        for i in range(40):
            x = jnp.flip(lax.cumsum(x + float(i)))
        return x

    return run, jnp.ones(8)


def _tiny_loop():
    def run(x):
        return lax.fori_loop(0, 2000, lambda i, c: c * 0.999 + 1.0, x)

    return run, jnp.ones(8)


def _tiny_scan():
    def run(x):
        def body(c, _):
            c = jnp.tanh(c @ c)
            return c, c.sum()

        return lax.scan(body, x, None, length=500)

    return run, jnp.ones((4, 4))


def _one_tiny_operation():
    return (lambda x: x + 1.0), jnp.ones(4)


_PROGRAMS = {
    "large products": (_large_products, _LARGE),
    "large sorts": (_large_elementwise, _LARGE),
    "large loop": (_large_loop, _LARGE),
    "tiny chain": (_tiny_chain, _TINY),
    "tiny loop": (_tiny_loop, _TINY),
    "tiny scan": (_tiny_scan, _TINY),
    "one tiny operation": (_one_tiny_operation, _TINY),
}


def _call_s(fun, x, seconds):
    """The processor's seconds of a call."""
    calls, start = 0, time.process_time()
    while True:
        for _ in range(10):
            out = fun(x)
        out = jax.block_until_ready(out)
        calls += 10
        spent = time.process_time() - start
        if spent > seconds:
            return spent / calls


def measure(make, rounds, seconds):
    """Median processor time of a call without a profile and with one."""
    body, x = make()
    fun = jax.jit(body)
    jax.block_until_ready(fun(x))
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = 0
    off, on = [], []
    for _ in range(rounds):
        off.append(_call_s(fun, x, seconds))
        session = jax.profiler.ProfileSession(profiler_options=options).start()
        jax.block_until_ready(fun(x))  # what is compiled for records
        on.append(_call_s(fun, x, seconds))
        session.stop()
    return statistics.median(off), statistics.median(on)


def main():
    """Measures all programs, or some."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", help="programs whose name has this")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.1)
    given = parser.parse_args()
    # Else the code of a program is replaced by faster code while it is measured.
    jax.config.update("jax_compile_tier", "best")
    missed = 0
    print(f"{'program':20} {'off µs':>10} {'on µs':>10} {'ratio':>7} {'bound':>7}")
    for name, (make, bound) in _PROGRAMS.items():
        if given.only in name:
            off, on = measure(make, given.rounds, given.seconds)
            missed += on / off > bound
            print(
                f"{name:20} {off * 1e6:10.2f} {on * 1e6:10.2f} {on / off:7.2f} {bound:7.2f}"
            )
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
