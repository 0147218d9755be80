"""Operators of an array and a list, tuple, set or dictionary are refused, on either side."""

import operator

import pytest

import jax
import jax.numpy as jnp

OPERATORS = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.matmul,
    operator.and_,
    operator.or_,
    operator.xor,
    operator.lshift,
    operator.rshift,
    operator.eq,
    operator.ne,
    operator.lt,
    operator.ge,
    divmod,
]
CONTAINERS = [[1, 2], (1, 2), {1}, {}]


@pytest.mark.parametrize("container", CONTAINERS, ids=str)
@pytest.mark.parametrize("operate", OPERATORS, ids=lambda f: f.__name__)
def test_containers_are_refused(operate, container):
    """Python would repeat a list as often as a scalar says."""
    for x in (jnp.int32(2), jnp.arange(2), jnp.float32(1.5)):
        for operands in ((x, container), (container, x)):
            with pytest.raises(TypeError, match="not supported|unsupported operand"):
                operate(*operands)


def test_traced_arrays_refuse_them_too():
    with pytest.raises(TypeError, match=r"for \*: 'list' and '.*Tracer'"):
        jax.jit(lambda n: [1, 2] * n)(3)


def test_the_message_names_the_types_and_the_way_out():
    with pytest.raises(
        TypeError,
        match=r"unsupported operand type\(s\) for \+: 'ArrayImpl' and 'tuple'"
        r"(?s:.*)int32\[3\](?s:.*)jnp.asarray",
    ):
        jnp.arange(3) + (1, 2, 3)


def test_other_classes_may_take_arrays():
    class Right:
        def __rmul__(self, other):
            return "mine"

    assert jnp.int32(2) * Right() == "mine"


@pytest.mark.parametrize("exponent", [jnp.arange(3), jnp.ones((2, 1), jnp.int8)])
def test_a_weak_base_to_strong_exponents_is_strong(exponent):
    assert not (2.0**exponent).weak_type
    assert not jnp.power(jnp.asarray(2.0), exponent).weak_type
    weak = jax.lax.full((3,), 2)
    assert (2.0 ** jnp.asarray(3)).weak_type
    assert (2.0**weak).weak_type == weak.weak_type
