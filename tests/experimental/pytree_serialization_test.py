"""Trees of arrays are saved to folders, and read from them; files are those of others."""

import asyncio
import base64
import collections
import json

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental.layout import Format, Layout

pytest.importorskip("tensorstore", reason="needs the package tensorstore")
trees = pytest.importorskip("jax.experimental.array_serialization.pytree_serialization")
utils = pytest.importorskip(
    "jax.experimental.array_serialization.pytree_serialization_utils"
)
impl = pytest.importorskip("jax.experimental.array_serialization.tensorstore_impl")

HERE = jax.sharding.SingleDeviceSharding(jax.devices()[0])
TREE = {"a": [jnp.ones(3), jnp.float32(2.5), None], "b": (jnp.arange(4),)}
# What upstream 0.10.2 writes of TREE.
OF_OTHERS = (
    "EAAAAAAACgAQAA8ACAAEAAoAAAAMAAAAJAAAAAAAAAQCAAAAEAAAAAQAAAABAAAAYgAAAAEAAABhAAAAAgAAACgA"
    "AAAEAAAA6P///wgAAAAAAAACAQAAAAQAAADQ////CAAMAAsABAAIAAAACAAAAAAAAAMDAAAAGAAAAAwAAAAEAAAA"
    "+P////z///8EAAQABAAAAA=="
)
NAMES = ["Array(float32[3])", "Array(float32[])", None, "Array(int32[4])"]


def same(a, b):
    assert jax.tree.structure(a) == jax.tree.structure(b)
    for x, y in zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True):
        assert x.dtype == y.dtype and x.sharding == HERE
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize(
    "data",
    [
        TREE,
        {},
        None,
        [[], (), [None]],
        jnp.zeros((0, 3), jnp.bfloat16),
        collections.OrderedDict(b=jnp.arange(2), a=np.eye(3, dtype=np.int8)),
        {"z": {"y": ({"x": jnp.array([True, False])},)}, "c": jnp.array([1 + 2j])},
    ],
    ids=str,
)
def test_a_tree_is_read_as_it_was_saved(data, tmp_path):
    trees.save(data, tmp_path / "here")
    same(trees.load(tmp_path / "here", HERE), jax.tree.map(jnp.asarray, data))
    types = trees.load_pytreedef(tmp_path / "here")
    assert jax.tree.map(lambda x: (x.shape, x.dtype), types) == jax.tree.map(
        lambda x: (x.shape, x.dtype), data
    )


def test_the_structure_is_written_as_others_do(tmp_path):
    trees.save(TREE, tmp_path)
    written = json.loads((tmp_path / "pytreedef.json").read_text())
    assert written["__jax_leaf_ids"] == NAMES
    is_leaf = {"is_leaf": lambda x: x is None}
    theirs = utils.deserialize_pytreedef({"__jax_pytreedef_repr": OF_OTHERS})
    assert theirs == jax.tree.structure(TREE, **is_leaf)
    assert utils.deserialize_pytreedef(written) == theirs
    # Their file instead of ours.
    written["__jax_pytreedef_repr"] = OF_OTHERS
    (tmp_path / "pytreedef.json").write_text(json.dumps(written))
    same(trees.load(tmp_path, HERE), TREE)


def test_structures_alone():
    for data in (TREE, 1, None, ([], {})):
        found = utils.serialize_pytreedef(jax.tree.structure(data))
        assert json.loads(json.dumps(found)) == found
        assert utils.deserialize_pytreedef(found) == jax.tree.structure(data)
    with pytest.raises(TypeError, match=r"jax\.tree\.structure"):
        utils.serialize_pytreedef(TREE)
    for bad in ("", base64.b64encode(b"nothing").decode(), "?"):
        with pytest.raises(ValueError, match="damaged"):
            utils.deserialize_pytreedef({"__jax_pytreedef_repr": bad})


def test_ordered_dictionaries_are_written_as_others_do():
    # What upstream 0.10.2 writes of OrderedDict(b=1, a=2).
    text = (
        "FAAAAAAADgAUABMADAAAAAgABAAOAAAAEAAAABwAAAA0AAAAAAAABQoAAABbImIiLCAiYSJdAAAXAAAA"
        "Y29sbGVjdGlvbnMuT3JkZXJlZERpY3QAAgAAABAAAAAEAAAA/P///wQABAAEAAAA"
    )
    wanted = jax.tree.structure(collections.OrderedDict(b=1, a=2))
    assert utils.deserialize_pytreedef({"__jax_pytreedef_repr": text}) == wanted
    assert utils.deserialize_pytreedef(utils.serialize_pytreedef(wanted)) == wanted
    with pytest.raises(TypeError, match="no string"):
        utils.serialize_pytreedef(jax.tree.structure(collections.OrderedDict({1: 2})))


def test_a_mask_reads_a_part(tmp_path):
    trees.save(TREE, tmp_path)
    found = trees.load(tmp_path, HERE, mask={"a": [True, False, None], "b": False})
    assert found["a"][1:] == [None, None] and found["b"] == (None,)
    np.testing.assert_array_equal(found["a"][0], np.ones(3))
    future = trees.nonblocking_load(tmp_path, HERE, mask={"a": False, "b": True})
    assert future.pytree["a"] == [None] * 3 and future.pytree["b"][0].shape == (4,)
    np.testing.assert_array_equal(future.result()["b"][0], range(4))


def test_types_cut_append_and_convert(tmp_path):
    trees.save({"a": jnp.arange(12.0).reshape(3, 4)}, tmp_path)
    wanted = np.zeros((2, 6), np.int32)
    wanted[:, :4] = np.arange(8).reshape(2, 4)
    struct = jax.ShapeDtypeStruct((2, 6), jnp.int32, sharding=HERE)
    found = trees.load(tmp_path, struct)["a"]
    assert found.dtype == np.int32
    np.testing.assert_array_equal(found, wanted)


def test_values_are_copied_before_the_future_comes_back(tmp_path):
    x = jnp.arange(1000.0)
    future = trees.nonblocking_save({"x": x}, tmp_path)
    x.delete()
    assert future.pytree["x"].shape == (1000,)
    assert future.result() is None and future.done()
    np.testing.assert_array_equal(trees.load(tmp_path, HERE)["x"], np.arange(1000))


def test_specifications_of_the_caller(tmp_path):
    x = jnp.arange(12.0).reshape(3, 4)
    grid = {"name": "regular", "configuration": {"chunk_shape": [1, 4]}}
    metadata = {"shape": [3, 4], "data_type": "float32", "chunk_grid": grid}
    for spec in ({"driver": "zarr3", "metadata": metadata}, {"driver": "zarr"}):
        given = {"a": spec, "b": None}
        trees.save({"a": x, "b": x + 1}, tmp_path, ts_specs=given)
        spec.pop("metadata", None)
        found = trees.load(tmp_path, HERE, ts_specs=given)
        np.testing.assert_array_equal(found["a"], x)
        np.testing.assert_array_equal(found["b"], x + 1)


def test_folders_and_leaves_that_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="no checkpoint"):
        trees.load(tmp_path / "nowhere", HERE)
    with pytest.raises(ValueError, match=r"leaf\['k'\]\[1\]"):
        trees.save({"k": [jnp.ones(1), 3]}, tmp_path / "new")
    assert not (tmp_path / "new").exists()
    with pytest.raises(TypeError, match="no string"):
        trees.save({1: jnp.ones(1)}, tmp_path / "new")
    with pytest.raises(ValueError, match="no name"):
        trees.save(TREE, "")
    with pytest.raises(NotImplementedError, match="GlobalAsyncCheckpointManager"):
        trees.save(TREE, "gs://bucket/folder")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(RuntimeError, match=r"letter\.txt"):
        trees.save(TREE, tmp_path / "mine")
    trees.save(TREE, tmp_path / "one")
    with pytest.raises(ValueError, match="overwrite=True"):
        trees.save(TREE, tmp_path / "one", overwrite=False)
    trees.save({"other": jnp.ones(2)}, tmp_path / "one")
    assert list(trees.load(tmp_path / "one", HERE)) == ["other"]
    with pytest.raises(ValueError, match="prefix"):
        trees.load(tmp_path / "one", {"b": HERE})


def test_specifications_are_merged_and_held_against_arrays(tmp_path):
    merge = impl.merge_nested_ts_specs
    assert merge({"a": {"x": 1}}, {"a": {"y": 2}}) == {"a": {"y": 2}, "kvstore": {}}
    stores = [{"kvstore": {"driver": d, "path": d}} for d in "ab"]
    del stores[1]["kvstore"]["path"]
    assert merge(*stores) == {"kvstore": {"driver": "b", "path": "a"}}
    assert merge(stores[0], None) == stores[0]

    x = jnp.ones((3, 4))
    path = str(tmp_path / "x")
    shared = impl.get_tensorstore_spec(path, True, None, x)
    alone = impl.get_tensorstore_spec(path, False, None, x)
    impl.verify_tensorstore_spec(shared, x, str(tmp_path), True)
    impl.verify_tensorstore_spec(alone, x, path, False)
    impl.verify_tensorstore_spec(alone, x[:2], path, False, check_metadata=False)
    for spec, arr, target, ocdbt, what in (
        (shared, x, path, True, "path"),
        (alone, x, path, True, "driver"),
        (alone, x[:2], path, False, "shape"),
        (alone, x.astype(int), path, False, "dtype"),
    ):
        with pytest.raises(ValueError, match=f"the {what}.*not match"):
            impl.verify_tensorstore_spec(spec, arr, target, ocdbt)


def test_stores_are_combined(tmp_path):
    values = {"x": jnp.arange(3), "y": jnp.ones(2)}
    for name, value in values.items():
        spec = impl.get_tensorstore_spec(str(tmp_path / name / name), True, None, value)
        asyncio.run(impl.async_serialize(value, spec))
    parts = [f"file://{tmp_path / name}/" for name in ("all", *values)]
    stores = [{"driver": "ocdbt", "base": part} for part in parts]
    asyncio.run(impl.combine_kvstores(stores[0], stores[1:]))
    for name, value in values.items():
        spec = impl.get_tensorstore_spec(str(tmp_path / "all" / name))
        found = asyncio.run(impl.async_deserialize(HERE, spec))
        np.testing.assert_array_equal(found, value)
        layout = Layout(tuple(reversed(range(np.ndim(value)))))
        turned = asyncio.run(impl.async_deserialize(Format(layout, HERE), spec))
        assert turned.format.layout.major_to_minor == layout.major_to_minor
        np.testing.assert_array_equal(turned, value)
