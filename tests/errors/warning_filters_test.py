"""Programs filter warnings by their first words: those words stay."""

import re
import warnings

import numpy as np
import pytest

import jax
import jax.numpy as jnp

# By the words that a program's filter has: the class of the warning, and a call that warns.
WARNINGS = {
    "Explicitly requested dtype float64": (
        UserWarning,
        lambda: jnp.zeros(2, "float64"),
    ),
    "Explicitly requested dtype int64": (UserWarning, lambda: jnp.array([1], "int64")),
    "Explicitly requested dtype": (
        UserWarning,
        lambda: jax.random.normal(jax.random.key(0), (2,), "float64"),
    ),
    "Some donated buffers were not usable": (
        UserWarning,
        lambda: jax.jit(lambda x: x[0] > 0, donate_argnums=0)(jnp.ones(3)),
    ),
    "scatter inputs have incompatible types": (
        FutureWarning,
        lambda: jnp.zeros(2, int).at[0].set(1.5),
    ),
    ".*cannot safely cast": (FutureWarning, lambda: jnp.zeros(2, int).at[0].add(1.5)),
    "Casting from complex to real dtypes": (
        DeprecationWarning,
        lambda: jnp.array([1 + 2j]).astype("float32"),
    ),
    "Casting complex values to real discards the imaginary part": (
        np.exceptions.ComplexWarning,
        lambda: jnp.array(jnp.array([1 + 2j]), dtype="float32"),
    ),
    "Casting complex values to real": (
        np.exceptions.ComplexWarning,
        lambda: jax.lax.convert_element_type(jnp.array([1 + 2j]), "float32"),
    ),
    "backend and device argument on jit is deprecated": (
        DeprecationWarning,
        lambda: jax.jit(abs, backend="cpu"),
    ),
}


@pytest.mark.parametrize("words", WARNINGS)
def test_a_filter_by_first_words_holds(words):
    category, call = WARNINGS[words]
    with jax.enable_x64(False), warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call()
    assert [w.category for w in seen] == [category]
    assert re.match(words, str(seen[0].message), re.IGNORECASE)


def test_arguments_that_the_program_does_not_use_are_not_donated():
    x, y, z = jnp.ones(3), jnp.ones(4), jnp.ones(4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        jax.jit(lambda a: 1.0, donate_argnums=0)(x)
        jax.jit(lambda a, b: b * 2, donate_argnums=(0, 1))(x, y)
    assert not x.is_deleted() and y.is_deleted()
    kept = jax.jit(lambda a: 1.0, donate_argnums=0, keep_unused=True)
    with pytest.warns(UserWarning, match="Some donated buffers were not usable"):
        kept(z)
