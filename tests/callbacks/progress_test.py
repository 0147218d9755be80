"""`jax.debug.progress` draws one bar for a loop, whatever is transformed around it."""

import sys
import types
import warnings

import pytest

import jax
import jax.numpy as jnp
from jax import lax


@pytest.fixture
def bars(monkeypatch):
    """The bars that are drawn: their options, how far they came, whether they ended."""
    made = []

    class Bar:
        def __init__(self, **options):
            self.options = options
            self.done = []
            self.is_closed = False
            made.append(self)

        def update(self, count):
            self.done.append(count)

        def close(self):
            self.is_closed = True

    fake = types.ModuleType("tqdm.auto")
    fake.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm.auto", fake)
    return made


def scan(x, n=5):
    def body(c, _):
        return jnp.sin(c) + 1, None

    return lax.scan(jax.debug.progress(n, "scan")(body), x, None, length=n)[0]


def fori(x):
    body = jax.debug.progress(5, "fori")(lambda i, c: c + i)
    return lax.fori_loop(0, 5, body, x)


def while_(x):
    body = jax.debug.progress(5, "while")(lambda c: (c[0] + 1, c[1] * 2))
    return lax.while_loop(lambda c: c[0] < 5, body, (0, x))[1]


def mapped(x):
    return lax.map(jax.debug.progress(5, "map")(lambda c: c * x), jnp.arange(5.0)).sum()


LOOPS = {"scan": scan, "fori": fori, "while": while_, "map": mapped}
AROUND = {
    "alone": (lambda f: f, 0.5),
    "jit": (jax.jit, 0.5),
    "vmap": (lambda f: jax.jit(jax.vmap(f)), jnp.arange(3.0)),
    "vmap alone": (jax.vmap, jnp.arange(3.0)),
}


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("loop", LOOPS)
def test_a_loop_has_one_bar_that_comes_to_its_end(bars, loop, around):
    transform, x = AROUND[around]
    jax.block_until_ready(transform(LOOPS[loop])(x))
    jax.effects_barrier()
    assert len(bars) == 1
    assert bars[0].options == {"total": 5, "desc": loop}
    assert sum(bars[0].done) == 5
    assert bars[0].is_closed


def test_results_and_gradients_are_those_of_the_body(bars):
    def plain(x):
        return lax.scan(lambda c, _: (jnp.sin(c) + 1, None), x, None, length=5)[0]

    assert scan(0.5) == plain(0.5)
    assert jax.jit(jax.grad(scan))(0.5) == jax.jit(jax.grad(plain))(0.5)
    jax.effects_barrier()
    assert [sum(bar.done) for bar in bars] == [5, 5]


def test_each_call_of_a_compiled_loop_has_a_bar(bars):
    body = jax.debug.progress(4)(lambda i, c: c + i)
    f = jax.jit(lambda x: lax.fori_loop(0, 4, body, x))
    for _ in range(3):
        f(1).block_until_ready()
    jax.effects_barrier()
    assert [sum(bar.done) for bar in bars] == [4, 4, 4]


def test_quick_loops_are_drawn_seldom(bars):
    jax.jit(lambda x: scan(x, 200_000))(0.5).block_until_ready()
    jax.effects_barrier()
    (bar,) = bars
    assert sum(bar.done) == 200_000
    # Distances grow until a drawing takes a tenth of a second.
    assert bar.done[0] == 1
    assert len(bar.done) < 30


def test_options_go_to_the_package_that_draws(bars):
    body = jax.debug.progress(2, leave=False)(lambda i, c: c)
    lax.fori_loop(0, 2, body, 0)
    jax.effects_barrier()
    assert bars[0].options == {"total": 2, "desc": None, "leave": False}


@pytest.mark.parametrize("n", [0, -1, 2.0, "5", True, 2**31])
def test_what_is_no_number_of_iterations_is_refused(bars, n):
    with pytest.raises(ValueError, match="must be a positive integer"):
        jax.debug.progress(n)


def test_without_the_package_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(ImportError, match="pip install tqdm"):
        jax.debug.progress(3)


def test_a_notebook_without_widgets_gets_a_bar_without_a_warning(monkeypatch):
    tqdm = pytest.importorskip("tqdm")
    fake = types.ModuleType("tqdm.auto")
    fake.tqdm = tqdm.tqdm

    def load(name):
        warnings.warn("IProgress not found. Please update jupyter.", stacklevel=2)
        return fake

    monkeypatch.setattr("jax._src.debugging.progress.importlib.import_module", load)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        jax.debug.progress(3)
