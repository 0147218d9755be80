"""What `jax_explain_cache_misses` logs: why a function is traced, and not found among its traces."""

import os
import subprocess
import sys

import pytest

import jax
import jax.numpy as jnp


@pytest.fixture
def logged(caplog):
    """The message that one call logs; None if there is none."""

    def of(call):
        caplog.clear()
        with jax.explain_cache_misses(True):
            call()
        found = [r for r in caplog.records if "TRACING CACHE MISS" in r.getMessage()]
        assert len(found) < 2
        assert all(r.levelname == "WARNING" for r in found)
        return found[0].getMessage() if found else None

    return of


X = jnp.arange(3.0)


def loss(x, y=1):
    return x + y


def test_a_function_is_new_or_traced_already(logged):
    f = jax.jit(lambda x: x * 2)
    text = logged(lambda: f(X))
    assert "never seen function:" in text
    assert "cache_misses_test.py" in text.splitlines()[0]
    assert "defined at" in text
    assert logged(lambda: f(X)) is None


def test_a_function_that_is_defined_again_and_again_is_named(logged):
    texts = [logged(lambda: jax.jit(lambda x: x * 3)(X)) for _ in range(2)]
    assert "another function defined on the same line" not in texts[0]
    assert "another function defined on the same line" in texts[1]


@pytest.mark.parametrize(
    "first, second, facts",
    [
        (
            X,
            jnp.ones(4),
            ["different input types", "at x, now f32[4] and before f32[3]"],
        ),
        (X, X > 1, ["different input types", "at x, now bool[3] and before f32[3]"]),
        (X[0], 1.0, ["f32[]{weak_type=True} and before f32[]{weak_type=False}"]),
        ({"a": X}, {"b": X}, ["different input pytree", "'b'", "'a'"]),
        ([X], [X, X], ["different input pytree"]),
    ],
)
def test_the_argument_that_differs_is_named(logged, first, second, facts):
    f = jax.jit(lambda x: jax.tree.map(lambda a: a, x))
    f(first)
    text = logged(lambda: f(second))
    assert "all previously seen cache keys differ" in text
    for fact in facts:
        assert fact in text
    assert logged(lambda: f(first)) is None


def test_static_values_are_compared_with_the_closest_call(logged):
    f = jax.jit(lambda x, n, mode: x * n, static_argnums=1, static_argnames="mode")
    f(X, 1, mode="a")
    f(X, 2, mode="b")
    text = logged(lambda: f(X, 2, mode="c"))
    assert "different value of static args" in text
    assert "at mode, now 'c' and before 'b'" in text
    assert "at 1," not in text


@pytest.mark.parametrize(
    "name, setting, now",
    [
        (
            "jax_default_matmul_precision",
            lambda: jax.default_matmul_precision("float32"),
            "now float32 and before None",
        ),
        ("jax_enable_x64", lambda: jax.enable_x64(True), "now True and before False"),
        (
            "jax_numpy_rank_promotion",
            lambda: jax.numpy_rank_promotion("warn"),
            "now warn and before allow",
        ),
    ],
)
def test_the_setting_that_differs_is_named(logged, name, setting, now):
    f = jax.jit(lambda x: loss(x))
    f(X)

    def again():
        with setting():
            f(X)

    text = logged(again)
    assert "Tracing context doesn't match" in text
    assert f"{name} differs: {now}" in text


def test_functions_of_the_library_itself_are_not_explained(logged):
    assert logged(lambda: jnp.cosh(jnp.ones((7, 1)))) is None


def test_a_program_of_the_command_line_is_explained_too():
    program = "import jax; f = jax.jit(lambda x: 2 * x); f(1.0); f(1)"
    answer = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ
        | {"JAX_EXPLAIN_CACHE_MISSES": "1", "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stderr.count("TRACING CACHE MISS") == 2
    assert "at x, now i32[]" in answer.stderr and "before f32[]" in answer.stderr
