"""Names of scopes in lowered programs, and attributes of operations, through transformations."""

import re

import pytest

import jax
import jax.numpy as jnp
from jax.experimental.xla_metadata import set_xla_metadata

X = jnp.arange(4.0)


def names_of(fun):
    """(operation, name) of the operations of a lowered program."""
    text = jax.jit(fun).lower(X).as_text(debug_info=True)
    locations = dict(re.findall(r'^(#loc\d*) = loc\("([^"]*)"', text, re.M))
    found = re.findall(
        r"(?:stablehlo\.(\w+)|(call) @)[^\n]*loc\((#loc\d*)\)$", text, re.M
    )
    return {(op or call, locations.get(loc, "")) for op, call, loc in found}


def scoped(a):
    with jax.named_scope("outer"):
        b = jnp.sin(a)
        with jax.named_scope("inner"):
            return jnp.tanh(b)


@pytest.mark.parametrize(
    "program, expected",
    [
        (lambda a: jax.jit(jnp.sin)(a), ("call", "jit(<lambda>)/jit(sin)")),
        (
            lambda a: jax.named_scope("s")(jax.jit(scoped))(a),
            ("call", "jit(<lambda>)/s/jit(scoped)"),
        ),
        (
            jax.vmap(lambda a: jax.jit(scoped)(a)),
            ("call", "jit(<lambda>)/vmap(jit(scoped))"),
        ),
        (
            lambda a: jax.grad(lambda a: jax.jit(scoped)(a).sum())(a),
            ("call", "jit(<lambda>)/transpose(jvp(jit(scoped)))"),
        ),
        (
            lambda a: jax.grad(lambda a: scoped(a).sum())(a),
            ("add", "jit(<lambda>)/transpose(jvp(outer))/inner/add_any"),
        ),
        (
            lambda a: jax.vjp(scoped, a)[1](a),
            ("add", "jit(<lambda>)/transpose(jvp(outer))/inner/add_any"),
        ),
    ],
)
def test_calls_and_sums_of_cotangents_bear_the_names_of_their_scopes(program, expected):
    assert expected in names_of(program)


def test_what_a_checkpoint_computes_again_is_named_so():
    def program(a):
        return jax.grad(lambda a: jax.checkpoint(scoped)(a).sum())(a)

    again = {name for op, name in names_of(program) if op in ("sine", "tanh", "cosine")}
    scope = "transpose(jvp())/checkpoint/rematted_computation/outer"
    assert any(scope in name for name in again)
    assert not any(
        "rematted_computation" in name
        for op, name in names_of(program)
        if op == "multiply"
    )


def attributes_of(fun):
    text = jax.jit(fun).lower(X).as_text()
    pattern = r"stablehlo\.(\w+)[^\n]*mhlo\.frontend_attributes = (\{[^}]*\})"
    return sorted(re.findall(pattern, text))


def test_none_removes_an_attribute_of_a_block_around():
    def program(a):
        with set_xla_metadata(a="1", b="2"):
            with set_xla_metadata(a=None):
                c = jnp.sin(a)
            with set_xla_metadata(a=None, b=None):
                return jnp.cos(c)

    assert attributes_of(program) == [("sine", '{b = "2"}')]


def test_tangents_of_a_value_have_its_attributes_and_cotangents_none():
    def tagged(a):
        return set_xla_metadata(a * a, k="v") + 1

    forward = attributes_of(lambda a: jax.jvp(tagged, (a,), (a,)))
    assert forward == [("add", '{k = "v"}'), ("multiply", '{k = "v"}')]
    assert attributes_of(lambda a: jax.vjp(tagged, a)[1](a)) == []
    assert attributes_of(tagged) == [("multiply", '{k = "v"}')]


@pytest.mark.parametrize("value", [lambda a: a, "text", {"a": "b"}])
def test_attributes_go_on_arrays_alone(value):
    with pytest.raises(TypeError, match="is not a valid JAX type"):
        set_xla_metadata(value, k="v")
