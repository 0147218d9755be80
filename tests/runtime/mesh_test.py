"""Meshes with and without devices, the current mesh, specs, and `pmap`."""

import copy
import pickle

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import sharding as js
from jax.sharding import PartitionSpec as P


@pytest.fixture
def mesh():
    return jax.make_mesh((1,), ("x",), axis_types=(js.AxisType.Auto,))


def test_equal_specs_are_one_object():
    spec = P("a", None, ("b",))
    assert spec is P("a", None, "b") is P("a", [], ["b"])
    assert spec != ("a", None, "b") and not isinstance(spec, tuple)
    assert P("a") != P("a", None)
    assert P("a").padded(2) is P("a", None)
    assert repr(spec) == "P('a', None, 'b')"
    assert repr(P("a")) == "P('a',)"
    assert spec + ("c",) == P("a", None, "b", "c")
    assert ("z",) + P("a") == P("z", "a")
    assert spec.update(partitions=("q",)) == P("q")
    assert pickle.loads(pickle.dumps(spec)) is spec
    assert copy.deepcopy(spec) is spec
    assert P(P.UNCONSTRAINED).names_of(0) == ()
    assert (spec[0], len(spec), list(spec)) == ("a", 3, ["a", None, "b"])
    assert (spec.index("b"), spec.count(None)) == (2, 1)
    with pytest.raises(TypeError, match="cannot be subclassed"):
        type("Q", (P,), {})
    with pytest.raises(ValueError, match="tuple of tuples"):
        P((("a", "b"), "c"))


def test_sums_of_a_spec_are_not_lost():
    spec = P("a", unreduced={"b"})
    with pytest.raises(ValueError, match=r"Take spec\.partitions"):
        list(spec)
    for join in (lambda: ("c",) + spec, lambda: spec + ("c",)):
        with pytest.raises(TypeError, match="joined with a PartitionSpec"):
            join()
    assert spec + P("c", reduced={"d"}) is P("a", "c", unreduced={"b"}, reduced={"d"})
    with pytest.raises(TypeError, match="takes a set"):
        P(unreduced=["a"])
    for wrong in ({"unreduced": {None}}, {"unreduced": {"a"}, "reduced": {"a"}}):
        with pytest.raises(ValueError, match="cannot contain None|two meanings"):
            P(**wrong)
    with pytest.raises(ValueError, match="two meanings"):
        P("a", reduced={"a"})


def test_sums_that_are_due_change_sides_in_cotangents():
    spec = P("a", unreduced={"b"})
    assert repr(spec) == "P('a', unreduced={'b'})"
    assert spec != P("a")
    assert spec.to_ct_spec().reduced == {"b"}


def test_axes_without_devices():
    mesh = js.AbstractMesh((2, 3), ("a", "b"), (js.AxisType.Explicit,) * 2)
    assert (mesh.size, mesh.shape_tuple) == (6, (("a", 2), ("b", 3)))
    assert mesh.are_all_axes_explicit
    half = mesh.update_axis_types({"a": js.AxisType.Auto})
    assert (half.auto_axes, half.explicit_axes) == (("a",), ("b",))
    assert mesh is js.AbstractMesh((2, 3), ("a", "b"), mesh.axis_types)
    assert pickle.loads(pickle.dumps(mesh)) is mesh
    assert repr(half) == "AbstractMesh('a': 2, 'b': 3, axis_types=(Auto, Explicit))"
    with pytest.raises(ValueError, match="does not implement devices"):
        _ = mesh.devices
    with pytest.raises(ValueError, match="given 1 sizes"):
        js.AbstractMesh((2,), ("a", "b"))


def test_a_mesh_knows_its_axes(mesh):
    assert mesh.abstract_mesh.axis_names == ("x",)
    assert mesh.abstract_mesh.abstract_device.platform == mesh.devices.flat[0].platform
    assert mesh.local_mesh is mesh
    assert mesh.update(axis_names=("z",)).axis_names == ("z",)
    assert mesh is js.Mesh(mesh.devices, ("x",))
    assert repr(mesh) == "Mesh(axis_sizes=(1,), axis_names=('x',), axis_types=(Auto,))"
    assert str(mesh) == "Mesh('x': 1, axis_types=(Auto,))"
    device = mesh.devices.flat[0]
    assert js.Mesh(device, ()).is_scalar and js.Mesh(device, ()).size == 1
    with pytest.raises(ValueError, match="cannot be None"):
        js.Mesh([device], (None,))
    with pytest.raises(TypeError, match="members of jax.sharding.AxisType"):
        js.Mesh([device], "x", 3)
    with pytest.warns(DeprecationWarning, match="Use `with jax.set_mesh"):
        with mesh:
            pass
    assert jax.make_mesh((1,), ("x",)).are_all_axes_explicit


def test_what_there_is_not_is_not_changed(mesh):
    for held in (mesh, mesh.abstract_mesh, js.NamedSharding(mesh, P())):
        with pytest.raises(TypeError, match="unexpected keyword"):
            held.update(axes_types=())


def test_the_current_mesh(mesh):
    assert js.get_abstract_mesh().empty
    assert js.get_mesh().empty
    with jax.set_mesh(mesh):
        assert js.get_mesh() is mesh
        assert js.get_abstract_mesh() == mesh.abstract_mesh
        assert jax.jit(lambda x: x * js.get_abstract_mesh().size)(2.0) == 2.0
        with pytest.raises(ValueError, match="while a function is traced"):
            jax.jit(lambda x: js.get_mesh() and x)(1.0)
    assert js.get_mesh().empty
    abstract = js.AbstractMesh((2,), ("a",))
    with js.use_abstract_mesh(abstract):
        assert js.get_abstract_mesh() is abstract
        with pytest.raises(ValueError, match="cannot change the size"):
            with js.use_abstract_mesh(js.AbstractMesh((3,), ("a",))):
                pass
    jax.set_mesh(mesh)
    assert js.get_mesh() is mesh
    jax.set_mesh(None)
    assert js.get_abstract_mesh().empty
    with pytest.raises(ValueError, match="contains manual axes"):
        jax.set_mesh(mesh.update(axis_types=js.AxisType.Manual))
    with pytest.raises(ValueError, match="takes a jax.sharding.Mesh"):
        jax.set_mesh(abstract)


@pytest.mark.parametrize("name", ["in_shardings", "out_shardings"])
@pytest.mark.parametrize("specs", [P(), (P(),), P("x")])
def test_specs_of_a_program_need_a_mesh(mesh, name, specs):
    function = jax.jit(lambda x: (x,), **{name: specs})
    for call in (function, function.lower):
        with pytest.raises(RuntimeError, match=f"{name}.*needs a mesh"):
            call(np.ones(6))
    with jax.set_mesh(mesh):
        function(np.ones(6))


def test_a_spec_is_no_sharding():
    wrong = {P(): "by itself(.|\n)*jax.set_mesh"} | dict.fromkeys(
        (3, "a"), "only accepts `None`"
    )
    for sharding, message in wrong.items():
        with pytest.raises(ValueError, match=message):
            jax.device_put(np.ones(2), sharding)


def test_constraints_keep_values(mesh):
    x = jnp.arange(4.0)
    constrain = jax.lax.with_sharding_constraint
    named = js.NamedSharding(mesh, P("x"))
    assert constrain(x, named).sharding == named
    assert jax.jit(lambda x: constrain(x, named) + 1)(x).tolist() == [1, 2, 3, 4]
    with jax.set_mesh(mesh):
        assert js.reshard(x, P()).tolist() == x.tolist()
    with pytest.raises(RuntimeError, match="needs a mesh"):
        constrain(x, P("x"))
    with pytest.raises(ValueError, match="rank at least 2"):
        constrain(x, js.NamedSharding(mesh, P(None, "x")))


def test_axes_change_hands_around_a_function(mesh):
    double = js.auto_axes(lambda x: x * 2, out_sharding=js.NamedSharding(mesh, P()))
    assert double(jnp.ones(2)).tolist() == [2.0, 2.0]
    with pytest.raises(TypeError, match="in_sharding"):
        js.explicit_axes(lambda x: x + 1)(jnp.ones(2))
    with js.set_mesh(mesh):
        more = js.explicit_axes(lambda x: x + 1, in_sharding=P("x"))
        assert more(jnp.ones(2)).tolist() == [2.0, 2.0]
