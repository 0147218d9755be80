"""Functions to cross: small, random, of numbers near 1, from the grammar of `tests.programs`."""

import contextlib
import random

import jax
import jax.numpy as jnp
from tests.programs import body, prelude
from tests.programs.holes import Filler
from tests.programs.scope import Book, Scope, Unsuited
from tests.programs.vocabulary import control

SHAPES = ((), (2,), (3,), (2, 3), (3, 3))


def _write(scope: Scope) -> str:
    for _ in range(scope.choose.randint(1, 3)):
        with contextlib.suppress(Unsuited):
            if scope.maybe(0.65):
                scope.bind(Filler(scope).fill(scope.choose.choice(body.SMOOTH)))
            else:
                body.statement(scope, control.CONTROL)
    return body.returned(scope)


def text_of(seed: int) -> str:
    """The program of a seed: it defines `function` and a tuple of `arguments`."""
    scope = Scope(Book(random.Random(f"crossing {seed}")))
    params = [jax.ShapeDtypeStruct(scope.choose.choice(SHAPES), "float32")]
    if scope.maybe(0.4):
        dtype = scope.one("float32", "float32", "int32", "complex64", "bool")
        params.append(jax.ShapeDtypeStruct(scope.choose.choice(SHAPES), dtype))
    name = scope.function(params, _write)
    texts = [scope.constant(a.shape, str(a.dtype)) for a in params]
    last = f"function, arguments = {name}, ({', '.join(texts)},)"
    return "\n".join([*scope.lines, last]) + "\n"


def made(text: str, wiggle: float = 0.0):
    """The function of a program and its arguments, made anew.

    Args:
        text: the program.
        wiggle: by how much arguments are moved, relative to them.
    """
    names = prelude.namespace()
    names["WIGGLE"] = wiggle
    exec(compile(text, "<sample>", "exec"), names)
    return names["function"], names["arguments"]


WIDE = {"float32": "float64", "int32": "int64", "complex64": "complex128"}


def widened(arguments):
    """The arguments with 64 bits; where `jax_enable_x64` is on."""
    return jax.tree.map(
        lambda a: jnp.asarray(a, WIDE.get(str(a.dtype), a.dtype)), arguments
    )
