"""Views of references: parts, other shapes, other dtypes; read and written through."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp

VIEWS = {
    "a row": (lambda r: r.at[1], lambda x: x[1]),
    "a part of a part": (lambda r: r.at[1].at[1:], lambda x: x[1][1:]),
    "the transpose": (lambda r: r.T, lambda x: x.T),
    "axes in an order": (lambda r: r.transpose((1, 0)), lambda x: x.transpose((1, 0))),
    "a row of the transpose": (lambda r: r.T.at[0], lambda x: x.T[0]),
    "another shape": (lambda r: r.reshape(3, 2), lambda x: x.reshape(3, 2)),
    "another shape by a tuple": (lambda r: r.reshape((6,)), lambda x: x.reshape(6)),
    "a part of another shape": (
        lambda r: r.reshape(6).at[::2],
        lambda x: x.reshape(6)[::2],
    ),
    "the bits": (lambda r: r.bitcast(jnp.int32), lambda x: x.view(np.int32)),
}
under = pytest.mark.parametrize("jit", [lambda f: f, jax.jit], ids=["eager", "jit"])


@under
@pytest.mark.parametrize("name", VIEWS)
def test_a_view_shows_and_changes_the_array(name, jit):
    view, same = VIEWS[name]
    x = np.arange(6.0, dtype=np.float32).reshape(2, 3)
    wanted = x.copy()
    same(wanted)[...] = same(x) + same(x)

    def f(array):
        ref = jax.new_ref(array)
        seen = view(ref)
        old = seen.swap(seen[...] + seen.get())
        assert (seen.shape, seen.ndim, seen.size) == (old.shape, old.ndim, old.size)
        assert seen.dtype == old.dtype and seen.type == jax.typeof(old)
        return old, ref[...]

    old, new = jit(f)(jnp.asarray(x))
    np.testing.assert_array_equal(old, same(x))
    np.testing.assert_array_equal(new, wanted)


@under
def test_indices_may_be_given_with_the_value(jit):
    def f(array):
        ref = jax.new_ref(array)
        ref.set(10.0, 0)
        ref.T.addupdate(1.0, 2)
        old = ref.reshape(6).swap(-1.0, 3)
        return old, ref.get(0), ref.get()

    old, first, whole = jit(f)(jnp.arange(6.0).reshape(2, 3))
    assert old == 3.0 and first.tolist() == [10.0, 10.0, 11.0]
    assert whole.tolist() == [[10.0, 10.0, 11.0], [-1.0, 4.0, 6.0]]


def test_views_are_differentiated_through():
    def f(x):
        ref = jax.new_ref(jnp.zeros((2, 2)))
        ref.T.at[0].set(x)
        return (ref[...] ** 2).sum()

    assert jax.grad(f)(jnp.array([1.0, 2.0])).tolist() == [2.0, 4.0]


def test_views_that_cannot_be_are_refused():
    ref = jax.new_ref(jnp.zeros((2, 3)))
    with pytest.raises(ValueError, match="another number of elements"):
        ref.reshape(5)
    with pytest.raises(ValueError, match="not the axes, each once"):
        ref.transpose((0, 0))
    with pytest.raises(ValueError, match="differ in width"):
        jax.new_ref(jnp.zeros(3)).bitcast(jnp.int8)
    with pytest.raises(ValueError, match="differ in width"):
        jax.new_ref(jnp.zeros((3, 2), jnp.int16)).bitcast(jnp.int32)


def test_bitcasts_to_other_widths_change_the_last_axis_but_one():
    ref = jax.new_ref(jnp.arange(6, dtype=jnp.int32).reshape(3, 2))
    halves = ref.bitcast(jnp.int16)
    assert halves.shape == (6, 2)
    assert halves[...].tolist() == [[0, 1], [0, 0], [2, 3], [0, 0], [4, 5], [0, 0]]
    halves[1, 0] = jnp.int16(1)
    assert ref[0].tolist() == [65536, 1]
    assert halves.bitcast(jnp.int32)[...].tolist() == ref[...].tolist()


def test_one_size_of_a_reshaped_view_may_be_left_open():
    ref = jax.new_ref(jnp.arange(6))
    assert ref.reshape(2, -1)[...].tolist() == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(ValueError, match="another number of elements"):
        ref.reshape(4, -1)
    for shape in ((-2, -3), (-1, -2), (-1, -1)):
        with pytest.raises(ValueError, match="number of elements"):
            ref.reshape(shape)


def test_types_of_references():
    from jax.experimental import hijax

    ref = jax.new_ref(jnp.zeros((2, 3)))
    aval = jax.typeof(ref)
    assert aval.inc_rank(4, 0).shape == (4, 2, 3) and aval.dec_rank(2, 0).shape == (3,)
    assert aval.mat is aval.manual_axis_type
    assert aval.lo_ty() == [aval] and aval.update() == aval
    assert aval.update(memory_space="here").memory_space == "here"
    assert isinstance(type(aval).T, hijax.aval_property)
    assert isinstance(type(aval).swap, hijax.aval_method)
    assert type(aval).get.fun(ref).shape == (2, 3)
    view = ref.at[0]
    assert isinstance(view, hijax.TransformedRef) and view.ref is ref
    assert len(view.at[1].transforms) == 2 and not view.multiref
