"""References among the arguments of `shard_map`, on eight devices."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

GRID = np.array(jax.devices()).reshape(4, 2)
MESH = Mesh(GRID, ("x", "y"))
X = np.arange(8, dtype=np.float32)

wraps = pytest.mark.parametrize("wrap", [lambda f: f, jax.jit], ids=["eager", "jit"])
checks = pytest.mark.parametrize("check_vma", [True, False])


def mapped(f, in_specs, out_specs=None, **options):
    return jax.shard_map(
        f, mesh=MESH, in_specs=in_specs, out_specs=out_specs, **options
    )


@wraps
@checks
def test_each_device_writes_its_part(wrap, check_vma):
    ref = jax.new_ref(jnp.ones(8))

    def body(x, r):
        before = r[...]
        r[...] += x
        jax.ref.addupdate(r, ..., x)
        return before

    out = wrap(mapped(body, (P("x"), P("x")), P("x"), check_vma=check_vma))(X, ref)
    np.testing.assert_array_equal(out, np.ones(8))
    np.testing.assert_array_equal(ref[...], 1 + 2 * X)
    assert ref[...].sharding.is_equivalent_to(NamedSharding(MESH, P("x")), 1)


@wraps
@checks
def test_what_is_the_same_on_every_device_may_be_written_to_one_without_axes(
    wrap, check_vma
):
    ref = jax.new_ref(jnp.zeros(2))

    def body(x, r):
        r[...] += lax.psum(x, "x")

    wrap(mapped(body, (P("x"), P()), check_vma=check_vma))(X, ref)
    np.testing.assert_array_equal(ref[...], [12, 16])


def test_a_value_that_varies_is_refused_where_the_spec_has_no_axis():
    ref = jax.new_ref(jnp.zeros(2))

    def body(x, r):
        r[...] = x

    with pytest.raises(ValueError, match="require replication") as error:
        mapped(body, (P("x"), P()))(X, ref)
    assert "written to r" in str(error.value)
    np.testing.assert_array_equal(ref[...], [0, 0])


@wraps
def test_loops_derivatives_rows_and_trees_pass_references_on(wrap):
    refs = {"a": jax.new_ref(jnp.zeros(8)), "b": jax.new_ref(jnp.zeros((3, 8)))}

    def body(x, r):
        lax.fori_loop(0, 3, lambda i, _: r.__setitem__(..., r[...] + x), None)

    wrap(mapped(body, (P("x"), P("x"))))(X, refs["a"])
    np.testing.assert_array_equal(refs["a"][...], 3 * X)

    def both(x, rs):
        rs["a"][...] = x
        return x * rs["b"][0]

    specs = {"a": P("x"), "b": P(None, "x")}
    wrap(mapped(both, (P("x"), specs), P("x")))(X, refs)
    np.testing.assert_array_equal(refs["a"][...], X)

    def write(x, r):
        r[...] = x

    wrap(jax.vmap(mapped(write, (P("x"), P("x")))))(jnp.ones((3, 8)), refs["b"])
    np.testing.assert_array_equal(refs["b"][...], np.ones((3, 8)))

    def loss(x):
        def body(x, r):
            y = jnp.sin(x)
            r[...] = lax.stop_gradient(y)
            return y

        return mapped(body, (P("x"), P("x")), P("x"))(x, refs["a"]).sum()

    np.testing.assert_allclose(wrap(jax.grad(loss))(X), np.cos(X), rtol=1e-5)
    np.testing.assert_allclose(refs["a"][...], np.sin(X), rtol=1e-5)


@pytest.mark.parametrize(
    ("in_specs", "count", "message"),
    [
        ((P("x"), P("x", "y")), 1, "too long"),
        ((P("x"), P(("x", "y"))), 1, "shapes do not fit"),
        ((P("x"), P("x"), P("x")), 2, "two names"),
    ],
)
def test_mistakes_are_refused_as_with_arrays(in_specs, count, message):
    ref = jax.new_ref(jnp.zeros(8))

    def body(x, *refs):
        refs[0][...] += x

    with pytest.raises((ValueError, TypeError), match=message):
        mapped(body, in_specs)(X, *[ref] * count)


def test_references_are_neither_returned_nor_used_from_outside():
    ref = jax.new_ref(jnp.zeros(8))
    with pytest.raises(ValueError, match="returned a mutable array reference"):
        mapped(lambda r: r, (P("x"),), P("x"))(ref)
    with pytest.raises(NotImplementedError, match="from outside"):
        mapped(lambda x: x + ref[0], (P("x"),), P("x"))(X)


@wraps
def test_over_explicit_axes_a_reference_stays_where_it_was_made(wrap):
    mesh = jax.make_mesh((4, 2), ("x", "y"))
    with jax.set_mesh(mesh):
        ref = jax.new_ref(jax.device_put(X, NamedSharding(mesh, P("x"))))
        assert str(jax.typeof(ref)) == "Ref{float32[8@x]}"

        def body(x, r):
            r[...] += x

        here = jax.device_put(X, NamedSharding(mesh, P("x")))
        wrap(jax.shard_map(body, in_specs=(P("x"), P("x")), out_specs=None))(here, ref)
        np.testing.assert_array_equal(ref[...], 2 * X)
        wrap(lambda r, x: r.__setitem__(..., x))(ref, jnp.ones(8))
        assert jax.typeof(ref[...]).sharding.spec == P("x")
