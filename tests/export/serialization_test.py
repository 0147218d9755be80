"""Trees, dtypes and versions in the bytes of exported programs."""

import collections

import ml_dtypes
import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import export
from jax._src.export import flat_tables as ft, serialization
from tests.export import cases

X = np.float32([1, 2])
Field = serialization.Field
cases.register(jax)


def identity(*args):
    return export.export(jax.jit(lambda *xs: xs))(*args)


def again(exported):
    return export.deserialize(exported.serialize())


@pytest.mark.parametrize(
    "argument",
    [
        X,
        None,
        (),
        [X, (X, [])],
        {"b": X, "a": {"": None}},
        cases.Pair(X, {"k": (X,)}),
        cases.Tagged([X, None], "data"),
        cases.Pair(cases.Tagged(X, ""), cases.Pair(None, X)),
    ],
    ids=lambda argument: type(argument).__name__,
)
def test_trees_come_back(argument):
    exported = identity(argument)
    read = again(exported)
    assert read.in_tree == exported.in_tree
    assert read.out_tree == exported.out_tree
    assert jax.tree.structure(read.call(argument)) == jax.tree.structure((argument,))


@pytest.mark.parametrize(
    "name",
    "bool int8 int16 int32 uint8 uint16 uint32 float16 float32 complex64 bfloat16 int4 uint4 "
    "float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e4m3 "
    "float8_e3m4 float8_e8m0fnu float4_e2m1fn".split(),
)
def test_dtypes_come_back(name):
    x = jnp.asarray([0.5, 1, 2]).astype(name)
    read = again(identity(x))
    assert read.in_avals[0].dtype == jnp.dtype(name)
    (out,) = read.call(x)
    assert out.dtype == x.dtype
    np.testing.assert_array_equal(
        *[np.asarray(a).astype(np.complex64) for a in (out, x)]
    )


def test_wide_dtypes_come_back():
    with jax.enable_x64(True):
        x = [np.float64(2), np.int64(2**40), np.uint64(2**63), np.complex128(1j)]
        assert again(identity(*x)).call(*x) == tuple(x)


def test_dtypes_without_a_code_are_refused():
    with pytest.raises(NotImplementedError, match="int2"):
        identity(jnp.asarray(X).astype(ml_dtypes.int2)).serialize()


def test_classes_must_be_registered():
    other = collections.namedtuple("other", "a")
    with pytest.raises(ValueError, match="unregistered class"):
        identity(other(X)).serialize()
    with pytest.raises(TypeError, match="string"):
        identity({1: X}).serialize()
    with pytest.raises(ValueError, match="no class of named tuples"):
        export.register_namedtuple_serialization(dict, serialized_name="tests.dict")
    with pytest.raises(ValueError, match="register_pytree_node first"):
        export.register_pytree_node_serialization(
            type("Unknown", (), {}),
            serialized_name="tests.Unknown",
            serialize_auxdata=str.encode,
            deserialize_auxdata=bytes.decode,
        )


@pytest.mark.parametrize(
    ("cls", "name"), [(cases.Pair, "tests.fresh"), (None, "tests.Pair")]
)
def test_classes_and_names_are_registered_once(cls, name):
    cls = cls or collections.namedtuple("cls", "a")
    with pytest.raises(ValueError, match="Duplicate serialization registration"):
        export.register_namedtuple_serialization(cls, serialized_name=name)


def test_a_class_may_build_its_nodes_itself():
    class Celsius(tuple):
        pass

    jax.tree_util.register_pytree_node(
        Celsius, lambda c: (tuple(c), None), lambda _, children: Celsius(children)
    )
    export.register_pytree_node_serialization(
        Celsius,
        serialized_name="tests.Celsius",
        serialize_auxdata=lambda data: b"",
        deserialize_auxdata=lambda data: None,
        from_children=lambda data, children: Celsius(children),
    )
    argument = Celsius([X, (None, X)])
    read = again(identity(argument))
    assert read.in_tree == jax.tree.structure(((argument,), {}))


def changed(**fields):
    """The bytes of an exported program with other fields."""
    table = serialization.write(identity(X), None)
    return ft.write(table | {Field[name]: value for name, value in fields.items()})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"ORDERED_EFFECTS": [{0: "SomeEffect"}]}, "SomeEffect"),
        ({"UNORDERED_EFFECTS": [{0: "SomeEffect"}]}, "SomeEffect"),
        ({"UNIQUE_AVALS": [{1: ["2"], 3: ft.Number("b", 2)}]}, "memory"),
    ],
)
def test_what_is_not_offered_is_refused(fields, message):
    with pytest.raises(NotImplementedError, match=message):
        export.deserialize(changed(**fields))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"CALLING_CONVENTION": ft.Number("H", 8)}, "calling convention version 8"),
        ({"CALLING_CONVENTION": ft.Number("H", 11)}, "calling convention version 11"),
        ({"UNIQUE_AVALS": [{1: ["2"], 2: ft.Number("b", 99)}]}, "dtype 99"),
        ({"UNIQUE_AVALS": [{1: ["b+"], 2: ft.Number("b", 10)}]}, "a shape is no shape"),
        ({"UNIQUE_AVALS": [{1: ["9" * 30]}]}, "size 9999"),
        ({"IN_AVAL_NUMBERS": ft.Numbers("I", (7,))}, "has no type"),
        ({"KEPT": ft.Numbers("H", (0, 0))}, "module_kept_var_idx"),
        ({"KEPT": ft.Numbers("H", (3,))}, "module_kept_var_idx"),
        ({"IN_TREE": {0: ft.Number("b", 0)}}, "no pair"),
        ({"IN_TREE": {0: ft.Number("b", 1)}}, "number of leaves"),
        ({"OUT_TREE": {0: ft.Number("b", 7)}}, "kind 7"),
        ({"OUT_TREE": None}, "missing"),
        ({"OUT_TREE": {0: ft.Number("b", 5), 3: "tests.nobody"}}, "tests.nobody"),
        ({"PLATFORMS": []}, "no platform"),
        ({"DISABLED_CHECKS": [{0: ft.Number("b", 9)}]}, "kind 9"),
    ],
)
def test_what_contradicts_itself_is_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        export.deserialize(changed(**fields))


def test_a_derivative_of_another_function_is_refused():
    other = serialization.write(identity(X, X).vjp(), None)
    with pytest.raises(ValueError, match="derivative does not fit"):
        export.deserialize(changed(VJP=other))


def test_artifacts_of_the_first_versions_are_read():
    old = {
        name: None
        for name in "DEVICES UNIQUE_AVALS UNIQUE_MESHES UNIQUE_SHARDINGS IN_AVAL_NUMBERS "
        "OUT_AVAL_NUMBERS IN_SHARDING_NUMBERS OUT_SHARDING_NUMBERS".split()
    }
    np.testing.assert_array_equal(export.deserialize(changed(**old)).call(X)[0], X)


def test_too_deep_trees_are_refused():
    deep = X
    for _ in range(300):
        deep = [deep]
    with pytest.raises(ValueError, match="deeper than"):
        identity(deep).serialize()
    table = {0: ft.Number("b", 0)}
    for _ in range(300):
        table = {0: ft.Number("b", 3), 1: [table]}
    with pytest.raises(ValueError, match="deeper than"):
        export.deserialize(changed(OUT_TREE=table))


def test_a_named_tuple_with_other_fields_is_refused():
    first = collections.namedtuple("first", "a b")
    export.register_namedtuple_serialization(first, serialized_name="tests.first")
    exported = identity(first(X, X))
    data = bytes(exported.serialize()).replace(b'["a", "b"]', b'["a", "c"]')
    with pytest.raises(ValueError, match="other fields"):
        export.deserialize(data)
