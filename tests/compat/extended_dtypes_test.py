"""Dtypes of libraries: what their rules say of conversions, sums and zeros holds under every transformation."""

import dataclasses
import functools as ft

import numpy as np
import pytest
from jax._src.earray import EArray

import jax
import jax.numpy as jnp
from jax import lax
from jax._src import core, dtypes
from jax._src.interpreters import pxla


class LargestRules:
    """Rules of a dtype whose cotangents are combined by their maximum, as for the largest number that a layer has seen."""

    @staticmethod
    def physical_element_aval(dtype):
        return core.ShapedArray((), np.dtype(np.float32))

    @staticmethod
    def convert_from(dtype, other):
        return other == np.float32

    @staticmethod
    def convert_to(other, dtype):
        return other == np.float32

    @staticmethod
    def add(dtype, x, y):
        x, y = (lax.convert_element_type(a, np.float32) for a in (x, y))
        return lax.convert_element_type(lax.max(x, y), dtype)

    @staticmethod
    def zero(dtype):
        return lax.convert_element_type(np.float32(-np.inf), dtype)

    @staticmethod
    def tangent_dtype(dtype):
        return dtype

    @staticmethod
    def full(shape, fill_value, dtype):
        filled = lax.full(shape, fill_value, np.float32)
        return lax.convert_element_type(filled, dtype)

    @staticmethod
    def global_sharded_result_handler(aval, out_sharding, committed):
        behind = core.physical_aval(aval)
        handlers = pxla.global_result_handlers
        handle = handlers[core.ShapedArray](behind, out_sharding, committed)
        return lambda parts: EArray(aval, handle(parts))


class largest_numbers(dtypes.extended):
    pass


@dataclasses.dataclass(frozen=True)
class Largest(dtypes.ExtendedDType):
    _rules: type = LargestRules
    type: type = largest_numbers

    name = property(lambda self: "largest")


LARGEST = Largest()
to = ft.partial(lax.convert_element_type, new_dtype=LARGEST)
back = ft.partial(lax.convert_element_type, new_dtype=np.float32)
X = jnp.array([1.0, 5.0, 3.0])


@pytest.mark.parametrize("run", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_values_are_converted_both_ways(run):
    made = run(to)(X)
    assert isinstance(made, EArray) and isinstance(made, jax.Array)
    assert made.dtype == LARGEST and made.shape == X.shape
    assert jnp.issubdtype(made.dtype, dtypes.extended)
    np.testing.assert_array_equal(run(back)(made), X)


def test_other_conversions_are_refused():
    for x, dtype in ((jnp.arange(3), LARGEST), (to(X), np.int32)):
        with pytest.raises((TypeError, ValueError)):
            lax.convert_element_type(x, dtype)
    with pytest.raises(TypeError):
        jnp.add(to(X), to(X))
    with pytest.raises((TypeError, NotImplementedError)):
        np.asarray(to(X))


MOVES = {
    "jit": jax.jit(lambda x: x),
    "vmap": jax.vmap(lambda x: x),
    "scan": lambda x: lax.scan(lambda c, y: (c, y), x, x)[1],
    "while": lambda x: lax.while_loop(
        lambda s: s[0] < 2, lambda s: (s[0] + 1, s[1]), (0, x)
    )[1],
    "cond": lambda x: lax.cond(True, lambda x: x, lambda x: x, x),
    "slice": jax.jit(lambda x: lax.rev(lax.rev(x, (0,)), (0,))),
    "broadcast": jax.jit(lambda x: lax.broadcast_in_dim(x, (2, 3), (1,))),
    "select": jax.jit(lambda x: lax.select(jnp.array([True, False, True]), x, x)),
    "device_put": lambda x: jax.device_put(x, jax.devices()[0]),
    "block": lambda x: x.block_until_ready(),
    "copy": lambda x: x.copy(),
}


@pytest.mark.parametrize("name", MOVES)
def test_values_are_moved(name):
    moved = MOVES[name](to(X))
    assert moved.dtype == LARGEST
    found = back(moved)
    np.testing.assert_array_equal(found, np.broadcast_to(X, found.shape))


@jax.custom_vjp
def watched(x, largest):
    """x, which reports what it has seen as cotangent of `largest`."""
    return x


watched.defvjp(
    lambda x, largest: (x, x), lambda x, ct: (ct, to(jnp.max(jnp.abs(x))[None]))
)


def seen(f):
    """The largest number that `f(watch, x)` watches."""

    def loss(x, state):
        of_layers = to(state)
        return jnp.sum(f(lambda x: watched(x, of_layers), x))

    return jax.grad(loss, 1)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda watch, x: watch(watch(x) * 2), 10.0),
        (lambda watch, x: watch(watch(x) / 2), 5.0),
        (
            lambda watch, x: lax.scan(lambda c, _: (watch(c) * 2, None), x, None, 3)[0],
            20.0,
        ),
        (lambda watch, x: jax.checkpoint(lambda x: watch(watch(x) * 3))(x), 15.0),
        (lambda watch, x: jax.jit(lambda x: watch(watch(x) * 4))(x), 20.0),
    ],
)
def test_cotangents_are_joined_as_the_rules_say(f, expected, compiled):
    gradient = seen(f)
    if compiled:
        gradient = jax.jit(gradient)
    np.testing.assert_array_equal(gradient(X, jnp.zeros(1)), [expected])


def test_what_is_not_used_has_the_zero_of_the_rules():
    gradient = jax.grad(lambda x, largest: jnp.sum(x), 1, allow_int=True)
    found = gradient(X, to(X))
    assert found.dtype == LARGEST
    np.testing.assert_array_equal(back(found), [-np.inf] * 3)


def test_delete():
    made = to(X + 1)
    made.delete()
    assert made.is_deleted()
