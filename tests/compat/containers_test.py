"""Containers of third-party libraries that `vmap` takes apart by functions of theirs."""

import dataclasses

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.interpreters import batching


@dataclasses.dataclass
class Named:
    """An array whose axes have names."""

    names: list
    data: object


@dataclasses.dataclass(frozen=True)
class Rows:
    """Which axis is mapped, and where it goes."""

    name: str
    axis: int


def to_element(row, index, value, spec):
    names = [name for name in value.names if name != spec.name]
    return Named(names, row(value.data, spec.axis))


def from_element(stack, size, element, spec):
    names = list(element.names)
    names.insert(spec.axis, spec.name)
    return Named(names, stack(size, element.data, spec.axis))


@pytest.fixture
def named():
    batching.register_vmappable(Named, Rows, int, to_element, from_element, None)
    yield Named(["i", "j"], jnp.arange(6.0).reshape(2, 3))
    batching.unregister_vmappable(Named)


def double(value):
    return Named(value.names, value.data * 2)


def test_rows_go_where_the_container_wants_them(named):
    mapped = jax.vmap(double, Rows("i", 0), Rows("k", 1), axis_size=2)
    found = mapped(named)
    assert found.names == ["j", "k"]
    np.testing.assert_array_equal(found.data, 2 * np.arange(6.0).reshape(2, 3).T)


def test_containers_stand_beside_arrays_and_in_trees(named):
    def f(tree, y):
        return {"out": Named(tree["a"].names, tree["a"].data * y)}, y + 1

    axes = ({"a": Rows("j", 1)}, 0)
    out_axes = ({"out": Rows("j", 1)}, 0)
    tree, rest = jax.vmap(f, axes, out_axes)({"a": named}, jnp.arange(3.0))
    assert tree["out"].names == ["i", "j"]
    np.testing.assert_array_equal(tree["out"].data, named.data * np.arange(3.0))
    np.testing.assert_array_equal(rest, [1.0, 2.0, 3.0])


def test_a_result_that_is_the_same_for_all_rows_is_repeated(named):
    mapped = jax.vmap(
        lambda v: Named(["j"], jnp.ones(3)), Rows("i", 0), Rows("i", 0), axis_size=2
    )
    np.testing.assert_array_equal(mapped(named).data, np.ones((2, 3)))


def test_containers_under_other_transformations(named):
    def total(data):
        mapped = jax.vmap(double, Rows("i", 0), Rows("i", 0), axis_size=2)
        return (mapped(Named(["i", "j"], data)).data ** 2).sum()

    for transform in (jax.grad, lambda f: jax.jit(jax.grad(f))):
        np.testing.assert_allclose(transform(total)(named.data), 8 * named.data)


def test_the_number_of_the_row():
    def with_index(row, index, value, spec):
        return row(value.data, spec.axis) * index()

    class Counted(Named):
        """Another class."""

    batching.register_vmappable(Counted, Rows, int, with_index, from_element, None)
    value = Counted(["i"], jnp.ones(3))
    found = jax.vmap(lambda x: x, Rows("i", 0), axis_size=3)(value)
    batching.unregister_vmappable(Counted)
    np.testing.assert_array_equal(found, [0.0, 1.0, 2.0])


def test_what_is_described_wrongly_is_refused(named):
    same = lambda x: x  # noqa: E731
    with pytest.raises(TypeError, match="(?s)rows of a value.*Named.*int: 0"):
        jax.vmap(same, Rows("i", 0), 0, axis_size=2)(named)
    with pytest.raises(TypeError, match="(?s)rows of a value.*Rows"):
        jax.vmap(same, 0, Rows("i", 0))(jnp.ones(2))
    with pytest.raises(ValueError, match="registered in another way"):
        batching.register_vmappable(Named, Rows, int, to_element, to_element, None)
    with pytest.raises(NotImplementedError, match="no integers"):
        batching.register_vmappable(Named, Rows, str, to_element, from_element, None)


def test_what_is_not_registered_is_no_array():
    with pytest.raises(TypeError, match="Named"):
        jax.vmap(double)(Named(["i"], jnp.ones(2)))
