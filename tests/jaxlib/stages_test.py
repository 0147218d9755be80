"""The stages of a call: options for the compiler, and its reports."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp

X = jnp.ones(3)


def _double(x):
    return x * 2


def _ways(options):
    """The two calls that take options."""
    yield lambda: jax.jit(_double, compiler_options=options)(X)
    yield lambda: jax.jit(_double).lower(X).compile(compiler_options=options)(X)


GOOD = [
    {},
    {"xla_cpu_enable_fast_min_max": False, "xla_backend_optimization_level": 2},
    {"xla_cpu_enable_fast_min_max": "True"},
    {"xla_backend_optimization_level": np.int32(1)},
]


@pytest.mark.parametrize("options", GOOD, ids=str)
def test_options_that_the_compiler_knows(options):
    for run in _ways(options):
        np.testing.assert_array_equal(run(), [2, 2, 2])


BAD = [
    ({"nonsense": 1}, "No such .*nonsense"),
    ({"xla_cpu_enable_fast_min_max": 3}, "xla_cpu_enable_fast_min_max.*3"),
    ({"xla_cpu_enable_fast_min_max": "maybe"}, "maybe.*boolean: True or False"),
    ({"xla_backend_optimization_level": 2.5}, r"2\.5.*an integer from 0 to 3"),
    ({"xla_backend_optimization_level": False}, "False, a boolean.*an integer"),
    ({"xla_backend_optimization_level": 9}, "9, an integer.*leave the option out"),
    ({"xla_backend_optimization_level": 2**70}, "an integer from 0 to 3"),
    ({"xla_enable_fast_maths": True}, "Did you mean xla_enable_fast_math[?]"),
]


@pytest.mark.parametrize(("options", "message"), BAD, ids=str)
def test_options_that_it_does_not_know(options, message):
    for run in _ways(options):
        with pytest.raises(jax.errors.JaxRuntimeError, match=f"(?s)INVALID.*{message}"):
            run()


def test_what_the_compiler_lacks_has_another_way():
    for run in _ways({"xla_dump_to": "somewhere"}):
        with pytest.raises(jax.errors.JaxRuntimeError, match=r"UNIMPL(?s:.*)as_text"):
            run()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("xla_enable_fast_math", "must be a dict"),
        ({"xla_enable_fast_math": None}, "a NoneType"),
        ({"xla_enable_fast_math": [True]}, "a list"),
        ({1: True}, "Names are strings"),
    ],
    ids=str,
)
def test_options_of_no_type_that_options_have(options, message):
    with pytest.raises(TypeError, match=message):
        jax.jit(_double, compiler_options=options)(X)


def test_later_options_go_before_earlier_ones():
    def compiled(first, second):
        lowered = jax.jit(_double, compiler_options=first).lower(X)
        return lowered.compile(compiler_options=second)

    level = "xla_backend_optimization_level"
    assert compiled({level: 99}, {level: 1})(X)[0] == 2
    with pytest.raises(jax.errors.JaxRuntimeError, match="nonsense"):
        compiled({"nonsense": 1}, {level: 1})


def test_options_are_for_whole_programs():
    inner = jax.jit(_double, compiler_options={"xla_enable_fast_math": False})
    np.testing.assert_array_equal(jax.vmap(inner)(X), [2, 2, 2])
    with pytest.raises(ValueError, match=r"outermost jit"):
        jax.jit(lambda x: inner(x) + 1)(X)
