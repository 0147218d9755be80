"""Arrays are written and read by tensorstore; what it is told of them."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax._src.checkpoints import specs

ts = pytest.importorskip("tensorstore", reason="needs the package tensorstore")
serialization = pytest.importorskip(
    "jax.experimental.array_serialization.serialization"
)
impl = pytest.importorskip("jax.experimental.array_serialization.tensorstore_impl")

HERE = jax.sharding.SingleDeviceSharding(jax.devices()[0])
VALUES = {
    "floats": jnp.arange(12.0).reshape(3, 4),
    "bfloat16": jnp.arange(5, dtype=jnp.bfloat16),
    "number": jnp.int8(3),
    "complex": jnp.array([1 + 2j]),
    "booleans": jnp.array([True, False]),
    "nothing": jnp.zeros((0, 2)),
}


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("driver", ["zarr", "zarr3"])
def test_an_array_is_read_as_it_was_written(name, driver, tmp_path):
    value = VALUES[name]
    spec = impl.get_tensorstore_spec(str(tmp_path / "x"), ocdbt=False, driver=driver)
    serialization.run_serialization([value], [spec])
    (found,) = serialization.run_deserialization([HERE], [spec])
    assert found.dtype == value.dtype and found.sharding == HERE
    np.testing.assert_array_equal(found, value)


def test_another_shape_and_dtype_are_cut_or_filled(tmp_path):
    spec = serialization.get_tensorstore_spec(str(tmp_path / "x"))
    serialization.run_serialization([VALUES["floats"]], [spec])
    (found,) = serialization.run_deserialization([HERE], [spec], [(2, 6)], [np.int32])
    wanted = np.zeros((2, 6), np.int32)
    wanted[:, :4] = np.arange(8).reshape(2, 4)
    np.testing.assert_array_equal(found, wanted)
    assert found.dtype == np.int32


def test_a_manager_writes_beside_the_program(tmp_path):
    manager = serialization.GlobalAsyncCheckpointManager()
    paths = [str(tmp_path / name) for name in ("a", "b")]
    arrays = [VALUES["floats"], VALUES["number"]]
    done = []
    manager.serialize_with_paths(
        arrays, paths, on_commit_callback=lambda: done.append(1)
    )
    manager.wait_until_finished()
    assert done == [1]
    found = manager.deserialize_with_paths([HERE, HERE], paths)
    for a, b in zip(found, arrays, strict=True):
        np.testing.assert_array_equal(a, b)


def test_errors_come_out_once(tmp_path):
    def fail():
        raise KeyError("oh")

    manager = serialization.GlobalAsyncCheckpointManager()
    manager.serialize_with_paths(
        [VALUES["number"]], [str(tmp_path / "x")], on_commit_callback=fail
    )
    with pytest.raises(KeyError, match="oh"):
        manager.wait_until_finished()
    manager.check_for_errors()


def test_what_has_no_form_in_files_is_refused(tmp_path):
    spec = serialization.get_tensorstore_spec(str(tmp_path / "x"))
    with pytest.raises(ValueError, match="random keys"):
        serialization.run_serialization([jax.random.key(0)], [spec])
    with pytest.raises(ValueError, match="no sharding is given"):
        serialization.run_deserialization([None], [spec])
    with pytest.raises(ValueError, match="must be positive"):
        serialization.AsyncManager(0)


def test_specifications_name_files_buckets_and_databases():
    old, new = serialization.get_tensorstore_spec, impl.get_tensorstore_spec
    assert old("/t/a") == {
        "driver": "zarr",
        "kvstore": {"driver": "file", "path": "/t/a"},
    }
    assert old("gs://b/c")["kvstore"] == {"driver": "gcs", "bucket": "b", "path": "c"}
    base = {"driver": "file", "path": "/t/process_0"}
    assert new("/t/b", process_idx=0) == {
        "driver": "zarr3",
        "kvstore": {"driver": "ocdbt", "base": base, "path": "b"},
    }
    metadata = new("/t/b", arr=VALUES["bfloat16"])["metadata"]
    assert (metadata["shape"], metadata["data_type"]) == ((5,), "bfloat16")
    with pytest.raises(ValueError, match="names no array in a database"):
        old("gs://b/c", ocdbt=True)


@pytest.mark.parametrize(
    ("spec", "is_remote"),
    [
        ({"driver": "zarr", "kvstore": {"driver": "gcs"}}, True),
        ({"base": {"kvstore": {"driver": "s3"}}}, True),
        ({"driver": "ocdbt", "base": "s3://x"}, True),
        ({"kvstore": {"driver": "file", "path": ""}}, False),
    ],
)
def test_buckets_are_remote(spec, is_remote):
    assert specs.is_remote_storage(spec) is is_remote
    assert specs.is_tensorstore_spec_leaf(None)
    assert not specs.is_tensorstore_spec_leaf({"path": "x"})
