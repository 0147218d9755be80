"""Annotations of functions may name types that are not there when the function is transformed.

From Python 3.14 on they are evaluated when they are read; before, as text.
"""

import inspect
import sys

import pytest

import jax
import jax.numpy as jnp
from jax._src.base import records

# Names that are there for type checkers alone.
QUOTED = """
def scaled(x: "Missing", y: "Also.missing" = 2.0, *, k: "Gone" = 3.0) -> "Nothing":
    return x * y * k
"""
TEXTS = [QUOTED]
if sys.version_info >= (3, 14):
    TEXTS.append(QUOTED.replace('"', ""))


def with_jvp(f):
    ruled = jax.custom_jvp(f)
    ruled.defjvps(lambda t, out, x, y: t, None)
    return jax.grad(ruled)


def with_vjp(f):
    ruled = jax.custom_vjp(f)
    ruled.defvjp(lambda x, y: (f(x, y), None), lambda _, ct: (ct, ct))
    return jax.grad(ruled)


TRANSFORMATIONS = {
    "jit": jax.jit,
    "jit with names": lambda f: jax.jit(f, static_argnames="k"),
    "grad": jax.grad,
    "value_and_grad": jax.value_and_grad,
    "vmap": lambda f: lambda x: jax.vmap(f)(jnp.ones(2))[0] * x,
    "checkpoint": jax.checkpoint,
    "custom_jvp": lambda f: with_jvp(f),
    "custom_vjp": lambda f: with_vjp(f),
    "named_call": jax.named_call,
    "eval_shape": lambda f: lambda x: jax.eval_shape(f, x),
}


@pytest.mark.parametrize("text", TEXTS, ids=["quoted", "bare"][: len(TEXTS)])
@pytest.mark.parametrize("name", TRANSFORMATIONS)
def test_functions_are_transformed_whatever_their_annotations_name(name, text):
    scope = {}
    exec(text, scope)
    TRANSFORMATIONS[name](scope["scaled"])(1.0)


@pytest.mark.parametrize("text", TEXTS, ids=["quoted", "bare"][: len(TEXTS)])
def test_signatures_of_transformed_functions_can_be_read(text):
    scope = {}
    exec(text, scope)
    if text is QUOTED:
        found = inspect.signature(jax.jit(scope["scaled"]))
        assert list(found.parameters) == ["x", "y", "k"]
    assert jax.jit(scope["scaled"])(1.0, k=2.0) == 4.0


@pytest.mark.parametrize("quote", ['"', ""][: len(TEXTS)])
def test_records_have_their_fields_in_order(quote):
    scope = {"record": records.record}
    exec(f"@record\nclass Point:\n  x: {quote}Missing{quote}\n  y: int = 2\n", scope)
    assert records.fields_of(scope["Point"]) == ("x", "y")
    assert repr(scope["Point"](1)) == "Point(x=1, y=2)"
