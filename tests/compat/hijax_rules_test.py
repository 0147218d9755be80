"""Rules of operations of libraries that follow from other rules of theirs."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental import hijax as hj


class Product(hj.HiPrim):
    """Has the rule `jvp`; the others follow."""

    def __init__(self, x, y):
        self.in_avals, self.out_aval, self.params = (x, y), x, {}
        super().__init__()

    def expand(self, x, y):
        return x * y

    def jvp(self, primals, tangents):
        x, y = primals
        dx, dy = map(hj.instantiate_zeros, tangents)
        return self(x, y), dx * y + x * dy

    lin, linearized = hj.linearize_from_jvp
    vjp_fwd, vjp_bwd_retval = hj.vjp_from_jvp

    def batch(self, axis_data, args, dims):
        args = hj.bdims_at_front(axis_data, args, dims)
        return hj.vmap_rule(axis_data, self.expand, (0, 0), 0)(*args), 0


class Sine(hj.HiPrim):
    """Has `lin` and `linearized`; the others follow."""

    def __init__(self, x):
        self.in_avals, self.out_aval, self.params = (x,), x, {}
        super().__init__()

    def expand(self, x):
        return jnp.sin(x)

    def lin(self, nzs_in, x):
        return self(x), jnp.cos(x)

    def linearized(self, cos_x, dx):
        return dx * cos_x

    jvp = hj.jvp_from_lin
    vjp_fwd, vjp_bwd_retval = hj.vjp_from_lin


def product(x, y):
    return Product(jax.typeof(x), jax.typeof(y))(x, y)


def sine(x):
    return Sine(jax.typeof(x))(x)


X, Y = jnp.arange(1.0, 4.0), jnp.arange(2.0, 5.0)
PAIRS = {
    "product": (product, jnp.multiply, (X, Y)),
    "square": (lambda x: product(x, x), jnp.square, (X,)),
    "sine": (sine, jnp.sin, (X,)),
}


@pytest.mark.parametrize("name", PAIRS)
def test_rules_that_follow_give_the_derivatives(name):
    ours, same, args = PAIRS[name]
    for transform in (
        lambda f: jax.jvp(f, args, args),
        lambda f: jax.linearize(f, *args)[1](*args),
        lambda f: jax.vjp(f, *args)[1](X),
        lambda f: jax.jit(jax.grad(lambda *a: f(*a).sum()))(*args),
    ):
        for found, wanted in zip(
            jax.tree.leaves(transform(ours)),
            jax.tree.leaves(transform(same)),
            strict=True,
        ):
            np.testing.assert_allclose(found, wanted, rtol=1e-6)


@pytest.mark.parametrize("axes", [(0, None), (None, 1), (1, 0)])
def test_a_batch_rule_brings_axes_to_the_front(axes):
    args = [
        jnp.arange(3.0 * (2 if a is not None else 1)).reshape(
            {None: (3,), 0: (2, 3), 1: (3, 2)}[a]
        )
        for a in axes
    ]
    found = jax.vmap(product, axes)(*args)
    np.testing.assert_array_equal(found, jax.vmap(jnp.multiply, axes)(*args))


class Axis:
    """What the rule `batch` gets as the axis."""

    size, name, spmd_name, mesh_axis = 2, None, None, None


def test_types_of_stacked_values():
    avals = {"a": jax.typeof(X), "b": jax.typeof(X)}
    found = hj.unmap_avals(Axis, avals, {"a": 1, "b": None})
    assert (found["a"].shape, found["b"].shape) == ((3, 2), (3,))


def test_zeros_pass_through_a_mapped_rule():
    zero = hj.Zero(jax.typeof(jnp.ones((2, 3))))
    mapped = hj.vmap_rule(Axis, lambda x, t: (x + 1, t), (None, 0), (None, 0))
    x, t = mapped(jnp.ones(()), zero)
    assert x == 2.0
    assert isinstance(t, hj.Zero) and t.aval.shape == (2, 3)


def test_a_result_that_is_batched_where_it_should_not_is_refused_or_summed():
    rows = jnp.arange(4.0).reshape(2, 2)
    with pytest.raises(ValueError, match="batched along axis 0"):
        hj.vmap_rule(Axis, lambda x: x, (0,), None)(rows)
    total = hj.vmap_rule(Axis, lambda x: x, (0,), None, sum_match=True)(rows)
    assert total.tolist() == [2.0, 4.0]


def test_accumulators_of_values_and_references():
    aval = jax.typeof(X)
    value, reference, nothing = (
        kind(aval) for kind in (hj.ValAccum, hj.RefAccum, hj.NullAccum)
    )
    for accum in (value, reference, nothing):
        assert isinstance(accum.freeze(), hj.Zero)
        accum.accum(None)
        accum.accum(hj.Zero(aval))
        assert isinstance(accum.freeze(), hj.Zero)
        accum.accum(X)
        accum.accum(X)
    assert value.freeze().tolist() == reference.freeze().tolist() == [2.0, 4.0, 6.0]
    assert isinstance(nothing.freeze(), hj.Zero)
    ref = jax.new_ref(X)
    hj.RefAccum(aval, ref).accum(X)
    assert ref[...].tolist() == [2.0, 4.0, 6.0]
