"""What is logged of tracing, lowering and compiling: the lines that tools look for."""

import functools
import logging
import re

import pytest

import jax
import jax.numpy as jnp
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

TRACED = r"jax._src.dispatch Finished tracing {} for jit in [\d.e-]+ sec"
COMPILING = (
    r"jax._src.interpreters.pxla Compiling jit\({}\) with global shapes and types .*"
)
LOWERED = r"jax._src.dispatch Finished jaxpr to MLIR module conversion jit\({}\) in [\d.e-]+ sec"
COMPILED = r"jax._src.dispatch Finished XLA compilation of jit\({}\) in [\d.e-]+ sec"


@pytest.fixture
def lines(caplog):
    def of(call, level=logging.WARNING):
        caplog.clear()
        call()
        found = [r for r in caplog.records if r.name.startswith("jax._src")]
        assert all(record.levelno == level for record in found)
        return [f"{record.name} {record.getMessage()}" for record in found]

    return of


def assert_match(found, patterns, name):
    assert len(found) == len(patterns)
    for line, pattern in zip(found, patterns, strict=True):
        assert re.fullmatch(pattern.format(re.escape(name)), line)


def scaled(x, y):
    return x * y


STAGES = [TRACED, COMPILING, LOWERED, COMPILED]
X, N = jnp.arange(3.0), jnp.arange(3)
CALLS = {
    "scaled": lambda: jax.jit(scaled)(X, N),
    "<lambda>": lambda: jax.jit(lambda x: x + 2)(X),
    "floor": lambda: jax.lax.floor(jnp.ones(7)),
    "partial": lambda: jax.jit(functools.partial(scaled, y=3.0))(X),
    "outer": lambda: jax.jit(outer)(jnp.ones(11)),
    "batched": lambda: jax.jit(jax.vmap(batched))(X),
}


def outer(x):
    return jax.jit(scaled)(x, x)


def batched(x):
    return x - 1


@pytest.mark.parametrize("name", CALLS)
def test_each_program_logs_its_four_stages_once(name, lines):
    jax.clear_caches()
    jnp.ones(7), jnp.ones(11)
    shown = {"partial": "scaled"}.get(name, name)
    with jax.log_compiles():
        assert_match(lines(CALLS[name]), STAGES, shown)
    again = jax.jit(scaled)
    again(X, X)
    with jax.log_compiles():
        assert lines(lambda: again(X, X)) == []


def test_stages_are_logged_as_far_as_they_go(lines):
    jitted = jax.jit(lambda x: x * 5)
    with jax.log_compiles():
        lowered = []
        assert_match(
            lines(lambda: lowered.append(jitted.lower(X))), STAGES[:3], "<lambda>"
        )
        assert_match(lines(lambda: lowered[0].compile()), STAGES[3:], "<lambda>")


def test_arguments_are_shown_with_types_and_shardings(lines):
    with jax.log_compiles():
        found = lines(lambda: jax.jit(scaled)(X, 2))
    types = "(ShapedArray(float32[3]), ShapedArray(int32[], weak_type=True))"
    assert f"global shapes and types {types}. Argument mapping: " in found[1]
    assert found[1].endswith("(UnspecifiedValue, UnspecifiedValue).")
    rows = NamedSharding(Mesh(jax.devices()[:1], ("i",)), P("i"))
    with jax.log_compiles():
        found = lines(lambda: jax.jit(lambda x: -x, in_shardings=rows)(X))
    assert "Argument mapping: (NamedSharding(mesh=Mesh('i': 1" in found[1]


def test_without_the_option_lines_are_for_debugging_alone(lines, caplog):
    assert lines(lambda: jax.jit(lambda x: x * 7)(X)) == []
    caplog.set_level(logging.DEBUG, "jax")
    found = lines(lambda: jax.jit(lambda x: x * 8)(X), logging.DEBUG)
    assert_match(found, STAGES, "<lambda>")


def test_cache_misses_are_explained_by_the_logger_of_traces(lines):
    with jax.explain_cache_misses():
        found = lines(lambda: jax.jit(lambda x: x * 9)(X))
    assert found[0].startswith("jax._src.interpreters.partial_eval TRACING CACHE MISS")


@pytest.fixture
def shown(capfd):
    """What is on standard error after a call, with a level or with modules."""

    def of(call, **options):
        before = {name: getattr(jax.config, name) for name in options}
        try:
            for name, value in options.items():
                jax.config.update(name, value)
            capfd.readouterr()
            call()
            return capfd.readouterr().err.splitlines()
        finally:
            for name, value in before.items():
                jax.config.update(name, value)

    return of


@pytest.mark.parametrize(
    "options, is_shown",
    [
        ({"jax_logging_level": "DEBUG"}, True),
        ({"jax_logging_level": "INFO"}, False),
        ({"jax_logging_level": None}, False),
        ({"jax_debug_log_modules": "jax._src.dispatch"}, True),
        ({"jax_debug_log_modules": "jax._src.dispatch,jax"}, True),
        ({"jax_debug_log_modules": "jax.other"}, False),
        ({"jax_logging_level": "WARNING", "jax_log_compiles": True}, True),
        ({"jax_logging_level": "ERROR", "jax_log_compiles": True}, False),
    ],
)
def test_a_level_or_a_module_shows_lines_once_and_until_it_is_reset(
    shown, options, is_shown
):
    made = shown(lambda: jax.make_jaxpr(scaled)(X, 3.0), **options)
    lines = [line for line in made if "Finished tracing scaled for jit" in line]
    assert len(lines) == is_shown
    assert logging.getLogger("jax").handlers == []
    assert logging.getLogger("jax").level == logging.NOTSET


def test_a_level_is_one_that_python_has():
    with pytest.raises(ValueError, match="jax_logging_level"):
        jax.config.update("jax_logging_level", "LOUD")
