"""Attributes for the compiler stand on the operations that they are meant for."""

import re

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental.compute_on import compute_on, compute_on2
from jax.experimental.scheduling_groups import scheduling_group, xla_metadata_call
from jax.experimental.xla_metadata import (
    fuse_limit,
    must_fuse_call,
    set_xla_metadata,
    xla_metadata_call2,
)

X = jnp.arange(3.0)


def _attributes(fun, *args):
    """Operation -> its attributes, in a lowered program that also runs."""
    compiled = jax.jit(fun)
    text = compiled.lower(*args).as_text()
    np.testing.assert_allclose(compiled(*args), fun(*args), rtol=1e-6)
    pattern = r"= (?:stablehlo\.|func\.)?(\w+).*?mhlo.frontend_attributes = \{(.*?)\}"
    return dict(re.findall(pattern, text))


def _marked(x):
    with set_xla_metadata(a=1, b=True):
        y = jnp.sin(x) * 2
    return y + 1


BOTH = 'a = "1", b = "true"'


def test_a_block():
    assert _attributes(_marked, X) == {"sine": BOTH, "multiply": BOTH}


def test_attributes_go_through_transformations():
    slope = jax.grad(lambda x: _marked(x).sum())
    assert _attributes(slope, X) == {"cosine": BOTH, "multiply": BOTH}
    assert _attributes(jax.vmap(_marked), jnp.ones((2, 3))) == {
        "sine": BOTH,
        "multiply": BOTH,
    }
    steps = lambda x: jax.lax.scan(lambda c, _: (_marked(c), None), x, None, 2)[0]  # noqa: E731
    assert _attributes(steps, X) == {"sine": BOTH, "multiply": BOTH}
    kept = jax.grad(lambda x: jax.checkpoint(_marked)(x).sum())
    assert _attributes(kept, X)["cosine"] == BOTH


def test_blocks_inside_win_and_functions_inside_have_them_too():
    inner = jax.jit(jnp.cos)

    def nested(x):
        with set_xla_metadata(a=1):
            with set_xla_metadata(a=2, c="z"):
                y = inner(x)
            return y + jnp.sin(x)

    assert _attributes(nested, X) == {
        "call": 'a = "2", c = "z"',
        "cosine": 'a = "2", c = "z"',
        "sine": 'a = "1"',
        "add": 'a = "1"',
    }


def test_a_function_that_was_traced_before():
    inner = jax.jit(jnp.cos)
    assert _attributes(lambda x: inner(x), X) == {}

    def marked(x):
        with set_xla_metadata(late=1):
            return inner(x)

    assert _attributes(marked, X)["cosine"] == 'late = "1"'
    assert _attributes(lambda x: inner(x), X) == {}


def test_a_block_around_the_call():
    with set_xla_metadata(outer=1):
        text = jax.jit(lambda x: x + 1).lower(X).as_text()
    assert 'outer = "1"' in text


def test_a_decorator_keeps_lower():
    marked = set_xla_metadata(q="w")(jax.jit(jnp.cos))
    assert 'q = "w"' in marked.lower(X).as_text()
    assert _attributes(marked, X)["cosine"] == 'q = "w"'


def test_a_value():
    def fun(x):
        tagged = set_xla_metadata({"y": jnp.sin(x)}, k="v")["y"]
        return set_xla_metadata(tagged, k="later", m=2) + x

    assert _attributes(fun, X) == {"sine": 'k = "v", m = "2"'}
    assert _attributes(lambda x: set_xla_metadata(x, k="v") + 1, X) == {}


def test_groups():
    group = scheduling_group(name="one")(lambda x: jnp.sin(x) * 2)
    found = _attributes(lambda x: group(x) + 1, X)
    assert found["call"] == 'scheduling_group = "one"' and "add" not in found
    assert (
        _attributes(xla_metadata_call(jnp.cos, foo="bar"), X)["call"] == 'foo = "bar"'
    )
    with pytest.raises(NotImplementedError, match="no text"):
        xla_metadata_call(jnp.cos, foo=1)


def test_computation_on_the_host():
    @compute_on("device_host")
    @jax.jit
    def doubled(x):
        return x * 2

    host = '_xla_compute_type = "host"'
    found = _attributes(lambda x: doubled(x) + 1, X)
    assert found == {"call": host, "multiply": host}
    assert "compute_type" not in str(_attributes(compute_on("device")(jnp.cos), X))
    with pytest.raises(ValueError, match=r"(?s)no such type.*gpu_stream"):
        compute_on("moon")
    with pytest.raises(TypeError, match="no text"):
        compute_on(1)


def doubled(x):
    return {"a": x * 2}


def test_a_call_computes_on_the_host_as_one():
    there = compute_on2(
        doubled, compute_type="device_host", out_memory_spaces=jax.memory.Space.Device
    )
    assert there(1.5) == {"a": 3.0}
    assert jax.grad(lambda x: there(x)["a"])(1.0) == 2.0
    assert jax.vmap(there)(jnp.ones(3))["a"].shape == (3,)
    text = jax.jit(there).lower(1.0).as_text()
    assert "call @compute_on" in text and '_xla_compute_type = "host"' in text


def test_calls_that_compute_on_the_host_do_not_nest():
    device = jax.memory.Space.Device
    inner = compute_on2(doubled, compute_type="device_host", out_memory_spaces=device)
    for kind in ("device_host", "tpu_sparsecore"):
        outer = compute_on2(inner, compute_type=kind, out_memory_spaces=device)
        if kind == "device_host":
            assert jax.jit(outer)(1.0) == {"a": 2.0}
            continue
        with pytest.raises(ValueError, match="Nesting `compute_on`"):
            jax.jit(outer)(2)
    with pytest.raises(ValueError, match="no such type of computation"):
        compute_on2(doubled, compute_type="x", out_memory_spaces=device)
    with pytest.raises(NotImplementedError, match="compiler options"):
        compute_on2(
            doubled,
            compute_type="device",
            out_memory_spaces=device,
            compiler_options={"a": 1},
        )


def sine_doubled(x):
    return jnp.sin(x) * 2


def attributes_of(fun, *args):
    """Operation -> the attributes that it has in the program."""
    text = jax.jit(fun).lower(*args).as_text()
    found = re.findall(
        r"stablehlo\.(\w+) .*?(?:frontend_attributes = ({.*?})|: )", text
    )
    return {name: attributes for name, attributes in found if name != "constant"}


def test_a_function_to_be_fused_and_a_block_not_to_be_have_their_attributes():
    fused = attributes_of(must_fuse_call("7")(sine_doubled), 1.0)
    assert fused == {"sine": '{MUST_FUSE = "7"}', "multiply": '{MUST_FUSE = "7"}'}

    def limited(x):
        with fuse_limit():
            return jnp.sin(x)

    assert attributes_of(limited, 1.0) == {"sine": '{FUSE_LIMIT = "true"}'}


@pytest.mark.parametrize(
    ("ad", "expected"),
    [("same", '{a = "1"}'), ("drop", ""), ({"b": True}, '{b = "true"}')],
)
def test_the_derivative_of_a_call_has_attributes_of_its_own(ad, expected):
    call = xla_metadata_call2(sine_doubled, {"a": 1}, ad_metadata=ad)
    assert attributes_of(call, 1.0)["sine"] == '{a = "1"}'
    slope = attributes_of(jax.grad(call), 1.0)
    assert slope == {"cosine": expected, "multiply": expected}
    np.testing.assert_allclose(jax.grad(call)(1.0), 2 * np.cos(1.0), rtol=1e-6)
    np.testing.assert_allclose(
        jax.jvp(jax.vmap(call), (jnp.ones(2),), (jnp.ones(2),))[1],
        [2 * np.cos(1.0)] * 2,
        rtol=1e-6,
    )


def test_attributes_of_calls_are_text_or_numbers():
    with pytest.raises(TypeError, match="must be str, bool, int, or float"):
        must_fuse_call(sine_doubled)(sine_doubled)
    with pytest.raises(TypeError, match="must be 'same', 'drop', or a dict"):
        xla_metadata_call2(sine_doubled, {"a": "1"}, ad_metadata="x")
