"""Types of arrays: fields, normal form, text, and that equal ones are one object."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

from jax._src.base import options
from jax._src.core import (
    avals,
    mesh as mesh_lib,
    mesh_usage,
    partition_spec,
    shardings,
)
from tests.testing import patience

P = partition_spec.PartitionSpec
EXPLICIT = mesh_lib.AxisType.Explicit
MESH = mesh_lib.AbstractMesh((4, 2), ("x", "y"), (EXPLICIT, EXPLICIT))


def mat(**sets):
    return avals.ManualAxisType(
        **{name: frozenset(axes) for name, axes in sets.items()}
    )


def array(shape, spec=None, dtype=np.float32, mesh=MESH, **rest):
    sharding = None if spec is None else shardings.NamedSharding(mesh, spec)
    return avals.ShapedArray(shape, np.dtype(dtype), sharding=sharding, **rest)


def test_a_type_of_no_mesh_has_the_empty_sharding_of_its_rank():
    aval = array((3, 4))
    assert aval.sharding.mesh.empty
    assert aval.sharding.spec == P(None, None)
    assert aval.sharding is array((5, 6)).sharding
    assert aval.mat is aval.manual_axis_type is mat()
    assert not aval.is_placed
    assert aval.memory_space is avals.MemorySpace.Device


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (P("x"), "float32[8@x,4]"),
        (P(None, "y"), "float32[8,4@y]"),
        (P(("x", "y")), "float32[8@(x,y),4]"),
        (P(), "float32[8,4]"),
        (P("y", unreduced={"x"}), "float32[8@y,4]{U:x}"),
        (P(reduced={"y", "x"}), "float32[8,4]{R:(x,y)}"),
    ],
)
def test_a_type_shows_its_spec(spec, text):
    aval = array((8, 4), spec)
    assert str(aval) == text
    assert repr(aval) == f"ShapedArray({text})"
    assert aval.sharding.spec == P(
        *spec.partitions,
        *(None,) * (2 - len(spec.partitions)),
        unreduced=spec.unreduced,
        reduced=spec.reduced,
    )
    assert aval.str_short(short_dtypes=True, mesh_axis_types=True) == (
        text.replace("float32", "f32") + "({Explicit: ('x', 'y')})"
    )


def test_specs_of_types_name_explicit_axes_alone():
    half = MESH.update_axis_types({"x": mesh_lib.AxisType.Auto})
    assert array((8, 8), P("x", "y"), mesh=half).sharding.spec == P(None, "y")
    assert array((8, 8), P(("x", "y")), mesh=half).sharding.spec == P("y", None)
    assert array((8, 8), P(P.UNCONSTRAINED), mesh=half).sharding.spec == P(None, None)


def test_equal_types_are_one_object():
    assert array((8, 4), P("x")) is array((8, 4), P("x", None))
    assert array((8, 4), P("x")) != array((8, 4))
    assert array((8, 4), P()) != array((8, 4))
    placed = array((8, 4), P("y", unreduced={"x"}))
    for aval in (placed, array((8, 4))):
        assert pickle.loads(pickle.dumps(aval)) is aval
        assert copy.deepcopy(aval) is aval
        assert hash(pickle.loads(pickle.dumps(aval))) == hash(aval)


def test_a_type_with_a_sharding_marks_meshes_as_in_use():
    array((8, 4), P("x"))
    assert mesh_usage.is_used


def test_update_keeps_the_split_of_axes_by_their_index():
    aval = array((8, 4), P("x", "y"))
    assert aval.update(shape=(8,)) is array((8,), P("x"))
    assert aval.update(shape=(8, 4, 3)) is array((8, 4, 3), P("x", "y"))
    assert aval.update(dtype=np.dtype(np.int32)) is array((8, 4), P("x", "y"), np.int32)
    assert aval.update(sharding=None) is array((8, 4))
    assert aval.without_sharding() is array((8, 4))
    with pytest.raises(ValueError, match="does not evenly divide the dimension size 7"):
        aval.update(shape=(7, 4))


def test_cotangents_swap_unreduced_and_reduced():
    aval = array((8, 4), P("y", unreduced={"x"}))
    assert aval.to_tangent_aval() is aval
    assert aval.to_cotangent_aval() is array((8, 4), P("y", reduced={"x"}))
    assert aval.to_ct_aval().to_ct_aval() is aval
    integers = array((8, 4), P("x"), np.int32)
    assert str(integers.to_tangent_aval()) == "float0[8@x,4]"


def test_manual_axes_are_shown_in_the_order_of_the_mesh():
    manual = dict.fromkeys(("x", "y"), mesh_lib.AxisType.Manual)
    mesh = mesh_lib.AbstractMesh((2, 2, 2), ("x", "y", "z"), (EXPLICIT,) * 3)
    mesh = mesh.update_axis_types(manual)
    both = array((8, 8), P("z"), mesh=mesh, manual_axis_type=mat(varying="yx"))
    assert str(both) == "float32[8@z,8]{V:(x,y)}"
    assert both.vma == {"x", "y"}
    due = array((8,), P(), mesh=mesh, manual_axis_type=mat(varying="y", unreduced="x"))
    assert str(due) == "float32[8]{V:y, U:x}"
    assert str(due.to_cotangent_aval()) == "float32[8]{V:y, R:x}"
    assert due.update(dtype=np.dtype(np.int8)).vma == {"y"}
    with pytest.raises(ValueError, match="should be of type Manual"):
        array((8,), P(), mesh=mesh, manual_axis_type=mat(varying="z"))


def test_host_memory_is_shown():
    aval = array((8, 4), memory_space=avals.MemorySpace.Host)
    assert str(aval) == "float32<host>[8,4]"
    assert aval != array((8, 4))


@pytest.mark.parametrize(
    ("make", "kind", "fact"),
    [
        (lambda: array((7, 4), P("x")), ValueError, "dimension size 7"),
        (lambda: array((8,), P("x", "y")), ValueError, "more entries"),
        (lambda: avals.ShapedArray((8,), np.float32, sharding=P("x")), TypeError, "P("),
        (lambda: mat(varying="x", unreduced="x"), ValueError, "common mesh axes"),
        (lambda: avals.ManualAxisType(varying="x"), TypeError, "set of mesh axes"),
    ],
)
def test_types_that_cannot_be(make, kind, fact):
    with pytest.raises(kind) as caught:
        make()
    assert fact in str(caught.value)


def test_manual_axis_types_are_one_object_if_equal():
    assert mat(varying="xy") is mat(varying="yx")
    assert pickle.loads(pickle.dumps(mat(varying="x"))) is mat(varying="x")
    assert mat(unreduced="x").to_ct() is mat(reduced="x")
    assert repr(mat(varying="x")) == (
        "ManualAxisType(varying=frozenset({'x'}), unreduced=frozenset(), "
        "reduced=frozenset())"
    )


def test_the_first_mesh_marks_meshes_as_in_use():
    program = (
        "from jax._src.core import mesh, mesh_usage as m; import jax.numpy as jnp;"
        "assert not m.is_used; jnp.zeros(3) + 1; assert not m.is_used;"
        "mesh.AbstractMesh((2,), ('x',)); assert m.is_used"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("is_short", [False, True, False])
def test_types_can_leave_out_mesh_axes_of_one_device(is_short):
    mesh = mesh_lib.AbstractMesh((8, 1), ("x", "y"), (EXPLICIT, EXPLICIT))
    for spec, short in {
        P("x", "y"): P("x", None),
        P(("y", "x"), None): P("x", None),
        P("y", None): P(None, None),
    }.items():
        with options.remove_size_one_mesh_axis_from_type(is_short):
            made = avals.ShapedArray((8, 8), np.dtype("float32"))
            made = made.update(sharding=shardings.NamedSharding(mesh, spec))
        assert made.sharding.spec == (short if is_short else spec)


def test_masked_arrays_are_refused_without_loading_their_module_for_others():
    script = """
import sys
import numpy as np
import jax, jax.numpy as jnp
jax.jit(lambda x, y: x + y)(np.float32(1), np.int8(2)), jnp.asarray(np.float32(3))
print("numpy.ma" in sys.modules)
try:
    jnp.asarray(np.ma.array([1.0, 2.0], mask=[True, False]))
except ValueError as error:
    print(str(error).splitlines()[0])
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        timeout=patience.LIMIT_S,
    )
    first, second = done.stdout.splitlines()
    assert first == "False"
    assert second == "A masked NumPy array is not a valid JAX array."
