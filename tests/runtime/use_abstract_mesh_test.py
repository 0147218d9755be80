"""Blocks of `use_abstract_mesh`: the same devices along other axes, inside of a program."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P, use_abstract_mesh

VALUES = np.arange(64, dtype="f4").reshape(8, 8)
KINDS = [AxisType.Auto, AxisType.Explicit]


def mesh(sizes, names, kind=AxisType.Explicit):
    return jax.make_mesh(sizes, tuple(names), axis_types=(kind,) * len(sizes))


def flat(kind=AxisType.Explicit):
    return mesh((8,), "i", kind)


def square(kind=AxisType.Explicit):
    return mesh((4, 2), "ab", kind)


def move(x, spec, kind):
    """`x` cut as `spec` says over axes of a kind."""
    if kind is AxisType.Explicit:
        return jax.reshard(x, spec)
    return jax.lax.with_sharding_constraint(x, spec)


@pytest.mark.parametrize("inside", KINDS)
@pytest.mark.parametrize("outside", KINDS)
def test_a_result_is_named_by_the_axes_of_its_block(outside, inside):
    @jax.jit
    def program(x):
        with use_abstract_mesh(square(inside).abstract_mesh):
            return move(x, P("a", "b"), inside) * 2

    with jax.set_mesh(flat(outside)):
        y = program(jnp.asarray(VALUES))
    np.testing.assert_array_equal(y, VALUES * 2)
    assert y.sharding == NamedSharding(square(inside), P("a", "b"))


@pytest.mark.parametrize("kind", KINDS)
def test_results_of_several_blocks_have_a_mesh_each(kind):
    cube = mesh((2, 2, 2), "klm", kind)

    @jax.jit
    def program(x):
        with use_abstract_mesh(square(kind).abstract_mesh):
            y = move(x, P("a", "b"), kind)
            with use_abstract_mesh(cube.abstract_mesh):
                z = move(y, P("k", ("l", "m")), kind)
            w = move(z, P(("a", "b")), kind)
        return y, z, w, move(w, P(None, "i"), kind)

    with jax.set_mesh(flat(kind)):
        outs = program(jax.device_put(VALUES, P("i")))
        for out in outs:
            np.testing.assert_array_equal(out, VALUES)
    assert [out.sharding.mesh.axis_names for out in outs] == [
        ("a", "b"),
        ("k", "l", "m"),
        ("a", "b"),
        ("i",),
    ]
    for out, spec in zip(
        outs,
        [P("a", "b"), P("k", ("l", "m")), P(("a", "b")), P(None, "i")],
        strict=True,
    ):
        assert out.sharding.is_equivalent_to(NamedSharding(out.sharding.mesh, spec), 2)


def test_results_of_a_block_go_into_other_programs():
    def program(x):
        with use_abstract_mesh(square().abstract_mesh):
            return jax.reshard(x, P("a", "b"))

    x = jax.device_put(VALUES, NamedSharding(flat(), P("i")))
    y = jax.jit(program)(x)  # The mesh is that of the argument: none is set.
    assert y.sharding == NamedSharding(square(), P("a", "b"))
    assert jax.jit(jnp.sin)(y).sharding == y.sharding
    np.testing.assert_array_equal(y + 1, VALUES + 1)


def test_out_shardings_may_name_another_mesh_than_the_block():
    def program(x):
        with use_abstract_mesh(square().abstract_mesh):
            return jax.reshard(x, P("a", "b"))

    wanted = NamedSharding(flat(), P("i"))
    with jax.set_mesh(flat()):
        y = jax.jit(program, out_shardings=wanted)(jnp.asarray(VALUES))
    np.testing.assert_array_equal(y, VALUES)
    assert y.sharding.is_equivalent_to(wanted, 2)


@pytest.mark.parametrize("inside", KINDS)
@pytest.mark.parametrize("outside", KINDS)
def test_derivatives_go_back_through_a_block(outside, inside):
    def loss(x):
        with use_abstract_mesh(square(inside).abstract_mesh):
            y = move(x, P("a", "b"), inside)
            y = y * y
            if outside is AxisType.Auto:
                return y.sum()
        return jax.reshard(y, P("i")).sum()

    if (outside, inside) == (AxisType.Explicit, AxisType.Auto):
        with jax.set_mesh(flat(outside)):
            gradient = jax.jit(jax.grad(loss))(jnp.asarray(VALUES))
    else:
        with jax.set_mesh(flat(outside)):
            gradient = jax.jit(jax.grad(loss))(jax.device_put(VALUES, P("i")))
    np.testing.assert_array_equal(gradient, VALUES * 2)
    assert isinstance(gradient.sharding, NamedSharding)


def test_a_block_outside_of_programs_moves_arrays_at_once():
    with jax.set_mesh(flat()), use_abstract_mesh(square().abstract_mesh):
        y = jax.reshard(jnp.asarray(VALUES), P("a", "b"))
    np.testing.assert_array_equal(y, VALUES)
    assert y.sharding == NamedSharding(square(), P("a", "b"))


def test_loops_and_inner_programs_in_a_block():
    inner = jax.jit(lambda c: jax.reshard(c, P("a", "b")) * 2)

    @jax.jit
    def program(x):
        with use_abstract_mesh(square().abstract_mesh):
            return jax.lax.scan(lambda c, _: (inner(c), c.sum(0)), inner(x), length=2)

    with jax.set_mesh(flat()):
        last, sums = program(jax.device_put(VALUES, P("i")))
    np.testing.assert_array_equal(last, VALUES * 8)
    np.testing.assert_array_equal(sums, np.stack([VALUES.sum(0) * k for k in (2, 4)]))
    assert last.sharding == NamedSharding(square(), P("a", "b"))
    assert sums.sharding == NamedSharding(square(), P(None, "b"))
