"""Mistakes outside of every trace: the traceback ends at the user's line."""

import pathlib
import traceback
import warnings

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.base import options

ONES = np.ones(3, "f4")
CALLS = {
    "an operator": lambda: jnp.ones(2) + jnp.ones(3),
    "a swapped operator": lambda: np.ones(2) - jnp.ones(3),
    "a unary operator": lambda: -jnp.ones(2, bool),
    "an index": lambda: jnp.ones(3)[1.5],
    "an update": lambda: jnp.ones(3).at[0].set(jnp.ones(2)),
    "a method": lambda: jnp.ones(3).reshape(2),
    "a compiled function": lambda: jnp.sum([1, 2]),
    "a Python function": lambda: jnp.pad(ONES, -1),
    "creation": lambda: jnp.linspace(0, 1, -1),
    "a binary operation of lax": lambda: lax.add(ONES, np.ones(2, "f4")),
    "a unary operation of lax": lambda: lax.sin(np.ones(2, bool)),
    "a structural operation of lax": lambda: lax.concatenate([ONES, np.eye(2)], 0),
    "control flow": lambda: lax.scan(lambda c, x: (jnp.int32(1), x), 0.0, ONES),
    "a sampler": lambda: jax.random.normal(jnp.ones(2)),
    "an activation": lambda: jax.nn.softmax(np.ones(2, bool)),
    "attention": lambda: jax.nn.dot_product_attention(ONES, ONES, ONES),
    "a vectorized function": lambda: jnp.vectorize(abs, signature="n")(ONES),
    "segments": lambda: jax.ops.segment_sum(ONES, ONES),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_traceback_ends_at_the_users_line(name):
    with pytest.raises(Exception) as caught:  # noqa: PT011  (the frames are the point)
        CALLS[name]()
    files = [f.filename for f in traceback.extract_tb(caught.value.__traceback__)]
    assert not [f for f in files if "/jax/_src/" in f], files
    assert pathlib.Path(files[-1]).name == "eager_test.py"


def test_a_list_is_shown_as_the_user_wrote_it_not_as_it_was_traced():
    with pytest.raises(TypeError, match=r"argument +\[int32\[\], float32\[\]\]"):
        jnp.sum([1, 2.0])


def test_frames_can_be_requested():
    with options.traceback_filtering("off"):
        with pytest.raises(TypeError) as caught:
            jnp.ones(3).reshape(2)
    files = [f.filename for f in traceback.extract_tb(caught.value.__traceback__)]
    assert any("/jax/_src/" in f for f in files)


def test_a_users_function_stays_in_the_traceback():
    def mistaken(x):
        return x + jnp.ones(7)

    with pytest.raises(TypeError) as caught:
        jnp.apply_along_axis(mistaken, 0, jnp.ones((2, 2)))
    names = [f.name for f in traceback.extract_tb(caught.value.__traceback__)]
    assert names[-1] == "mistaken"


def test_warnings_name_the_users_line():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        jnp.ones(2, "complex64").astype("float32")
    assert [pathlib.Path(w.filename).name for w in caught] == ["eager_test.py"]
