"""Programs of so many small loops or scalars that they are compiled as many functions.

LLVM takes a fixed time for each function, and more than in proportion for a large one: the
functions are counted, and what they compute is compared with short programs.
"""

import functools as ft
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.base import options

X = np.linspace(-2, 2, 16).astype(np.float32)


def _scaled(i, x):
    scale = np.float32(1 + i / 1000)
    return lax.scan(lambda c, _: (jnp.sin(c) * scale, None), x, length=3)[0]


def _alike(i, x):
    return lax.scan(lambda c, _: (jnp.cos(c) + 0.25, None), x, length=2)[0]


def _counted(i, x):
    """A loop whose number of rounds, which its values decide, goes into the next."""
    least = np.float32(4 + i % 3)

    def step(carry):
        n, x = carry
        return n + 1, x * np.float32(1.5) + np.float32(i % 7)

    n, x = lax.while_loop(lambda c: jnp.abs(c[1]).sum() < least, step, (0, x))
    return jnp.sin(x) * (n + 1)


def _stacked(i, x):
    """A loop over slices, whose results are stacked, and arithmetic around it."""
    rows = (x + np.float32(i)).reshape(4, 4)
    total, ys = lax.scan(lambda c, r: (c + r * i, r - c), rows[0] * 0, rows)
    return jnp.tanh(ys.reshape(16) + total.sum() * np.float32(1e-3))


def _swapped(i, x):
    step = lambda _, c: (c[1], c[0] * np.float32(1 - i / 500))  # noqa: E731
    return sum(lax.fori_loop(0, 1 + i % 4, step, (x, jnp.cos(x))))


def _names(kinds):
    return "and".join(kind.__name__ for kind in kinds)


KINDS = [_scaled, _alike, _counted, _stacked, _swapped]


def _in_a_row(pieces, x):
    for number, (i, piece) in enumerate(pieces):
        # No product is fused with a sum across what begins another short program.
        x = lax.optimization_barrier(x) if number % 20 == 0 else x
        x = piece(i, x)
    return x


@pytest.mark.parametrize("tier", ["best", "fast"])
@pytest.mark.parametrize("kinds", [*([k] for k in KINDS), KINDS], ids=_names)
def test_many_loops_in_a_row_compute_what_few_at_a_time_do(kinds, tier):
    pieces = [(i, kinds[i * i % 7 % len(kinds)]) for i in range(160)]
    with options.compile_tier(tier):
        found = jax.jit(ft.partial(_in_a_row, pieces))(X)
        expected = X
        for i in range(0, len(pieces), 20):
            expected = jax.jit(ft.partial(_in_a_row, pieces[i : i + 20]))(expected)
    np.testing.assert_array_equal(found, expected)


def _emitted(program):
    """The functions of a program as they are emitted, each as lines."""
    code = f"""
import numpy as np, jax, jax.numpy as jnp
from jax import lax
from tests.transforms import long_programs_test as programs
x = jnp.ones(16)
{program}
"""
    environment = dict(os.environ, XLA_DUMP_LLVM="1")
    command = [sys.executable, "-P", "-c", code]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True
    )
    last = done.stderr.rpartition("; as emitted")[2].partition("; optimised")[0]
    return [text.splitlines() for text in re.split(r"^(?=define )", last, flags=re.M)]


_COMPILED = """
pieces = [(i, programs.{piece}) for i in range(150)]
f = lambda x: programs._in_a_row(pieces, x)
jax.jit(f).lower(x).compile()
"""


def test_small_loops_that_differ_are_few_functions():
    functions = _emitted(_COMPILED.format(piece="_scaled"))
    assert 10 < len(functions) < 80
    assert max(map(len, functions)) < 2500


def test_small_loops_that_are_alike_are_one_function():
    functions = _emitted(_COMPILED.format(piece="_alike"))
    steps = [f for f in functions if "@step" in f[0]]
    assert len(steps) < 12


def test_scalars_from_other_functions_are_loaded_where_they_are_read():
    functions = _emitted("""
f = lambda xs: lax.fori_loop(0, 3, lambda _, xs: [x * 2 for x in xs], xs)
jax.jit(f).lower([jnp.float32(i) for i in range(400)]).compile()
""")
    parts = [f for f in functions if "@part" in f[0]]
    assert len(parts) > 8
    for lines in parts:
        entry = lines[: lines.index("")]  # its first block
        assert sum(" = load float" in line for line in entry) < 32


def _carrying(count):
    """A loop that carries many arrays, and what they are at its end."""
    xs = [np.arange(4, dtype=np.float32) + i for i in range(count)]
    step = lambda xs, _: ([x * 0.5 + xs[0] for x in xs], None)  # noqa: E731
    f = jax.jit(lambda xs: lax.scan(step, xs, length=3)[0])
    expected = np.stack(xs)
    for _ in range(3):
        expected = expected * np.float32(0.5) + expected[0]
    return f.lower(xs).compile(), xs, expected


def test_loops_of_more_steps_than_a_part_holds_are_cut():
    # Of more than 512 steps, a program is long for their sake alone.
    few, many = (
        _carrying(count)[0].memory_analysis().generated_code_size_in_bytes
        for count in (300, 900)
    )
    assert many < 1.5 * 3 * few


@pytest.mark.parametrize("count", [127, 512, 513, 900])
def test_loops_that_carry_many_arrays_compute_all_of_them(count):
    compiled, xs, expected = _carrying(count)
    np.testing.assert_array_equal(np.stack(compiled(xs)), expected)


@pytest.mark.parametrize("count", [200, 700])
def test_branches_and_loops_of_many_steps_are_many_functions(count):
    functions = _emitted(f"""
def f(i, xs):
    step = lambda xs: [x * 2 + xs[0] for x in xs]
    ys = lax.cond(i > 0, step, lambda xs: [x - 1 for x in xs], xs)
    return lax.fori_loop(0, 3, lambda _, xs: step(xs), ys)
jax.jit(f).lower(1, [jnp.ones(4) for _ in range({count})]).compile()
""")
    steps = [f for f in functions if "@step" in f[0]]
    assert steps and max(map(len, steps)) < 400
