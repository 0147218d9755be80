"""`jax.ShapeDtypeStruct` says how arrays are sharded and along which mesh axes they vary."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental import io_callback
from jax.experimental.layout import Format, Layout
from jax.sharding import ManualAxisType, Mesh, NamedSharding, PartitionSpec as P

X = np.arange(64, dtype=np.float32).reshape(8, 8)
ROWS = ManualAxisType(varying={"x"})
BOTH = ManualAxisType(varying={"x", "y"})


def described(**fields):
    return jax.ShapeDtypeStruct((8, 8), jnp.float32, **fields)


@pytest.fixture(scope="module")
def mesh():
    return Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"))


def test_a_spec_is_over_the_mesh_that_is_set(mesh):
    with jax.set_mesh(mesh):
        struct = described(sharding=P("x"))
        assert jax.jit(jnp.sin).lower(struct).compile()(X).shape == (8, 8)
    assert struct.sharding == NamedSharding(mesh, P("x"))
    assert struct.update(shape=(4, 4)).sharding == struct.sharding


def test_a_format_is_a_sharding_and_a_layout(mesh):
    sharding = NamedSharding(mesh, P("x"))
    struct = described(sharding=Format(Layout((1, 0)), sharding))
    assert struct.sharding == sharding
    assert struct.format.layout == Layout((1, 0))
    assert struct.update(weak_type=True).format == struct.format
    assert struct != described(sharding=sharding)


def test_a_description_of_an_array_has_its_sharding(mesh):
    sharding = NamedSharding(mesh, P("x"))
    assert jax.ShapeDtypeStruct.like(jax.device_put(X, sharding)).sharding == sharding
    assert jax.ShapeDtypeStruct.like(jnp.asarray(X)).sharding is None


@pytest.mark.parametrize(
    ("fields", "error", "facts"),
    [
        ({"sharding": P("x")}, TypeError, ["no mesh is set", "jax.set_mesh"]),
        ({"sharding": "x"}, ValueError, ["should be an instance of", "Got x", "str"]),
        ({"manual_axis_type": 3}, TypeError, ["manual_axis_type", "int"]),
    ],
)
def test_mistakes_are_explained(fields, error, facts):
    with pytest.raises(error) as caught:
        described(**fields)
    assert all(fact in str(caught.value) for fact in facts)


def test_a_sharding_has_no_more_axes_than_the_array(mesh):
    with pytest.raises(ValueError, match="more axes than there are"):
        described(sharding=NamedSharding(mesh, P(None, None, "x")))


def test_a_reference_may_be_meant():
    struct = described(is_ref=True)
    assert struct != described()
    assert "is_ref=True" in repr(struct)
    assert jax.eval_shape(lambda ref: ref[0], struct).shape == (8,)


def test_types_in_a_body_show_what_varies(mesh):
    seen = []

    def body(x):
        seen.append(jax.eval_shape(jnp.sin, x).manual_axis_type)
        return x

    f = jax.shard_map(body, mesh=mesh, in_specs=P("x"), out_specs=P("x"))
    jax.eval_shape(f, X)
    assert seen == [ROWS]
    assert jax.eval_shape(f, X).manual_axis_type is None


@pytest.mark.parametrize("call", [jax.pure_callback, io_callback])
@pytest.mark.parametrize("check_vma", [True, False])
def test_results_of_callbacks_vary_as_they_are_told(mesh, call, check_vma):
    def body(x):
        struct = jax.ShapeDtypeStruct(x.shape, x.dtype, manual_axis_type=BOTH)
        return call(np.negative, struct, x)

    f = jax.shard_map(
        body, mesh=mesh, in_specs=P("x"), out_specs=P("x", "y"), check_vma=check_vma
    )
    np.testing.assert_array_equal(jax.jit(f)(X), np.concatenate([-X, -X], 1))


def test_results_without_operands_may_vary(mesh):
    def body():
        struct = jax.ShapeDtypeStruct((3,), np.float32, manual_axis_type=ROWS)
        out = jax.pure_callback(lambda: np.ones(3, np.float32), struct)
        assert jax.typeof(out).mat == ROWS
        return out

    f = jax.shard_map(body, mesh=mesh, in_specs=(), out_specs=P("x"))
    np.testing.assert_array_equal(jax.jit(f)(), np.ones(12))


def test_an_axis_that_is_not_there_is_refused(mesh):
    struct = jax.ShapeDtypeStruct(
        (2, 8), np.float32, manual_axis_type=ManualAxisType(varying={"z"})
    )
    f = jax.shard_map(
        lambda x: jax.pure_callback(np.negative, struct, x),
        mesh=mesh,
        in_specs=P("x"),
        out_specs=P("x"),
    )
    with pytest.raises(ValueError, match="no Manual mesh axis"):
        f(X)
