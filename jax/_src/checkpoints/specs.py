"""Specifications of arrays for tensorstore: path, format, chunks."""

import posixpath
import re
from typing import Any

import numpy as np

from jax._src.base import errors

_BUCKETS = {"gs": "gcs", "s3": "s3"}
_REMOTE = frozenset(_BUCKETS.values())


def _store_of(path):
    """The key-value store of a path: a file's, or that of a bucket."""
    found = re.fullmatch(r"(gs|s3)://([^/]*)/(.*)", path)
    if found is None:
        return {"driver": "file", "path": path}
    scheme, bucket, rest = found.groups()
    return {"driver": _BUCKETS[scheme], "bucket": bucket, "path": rest}


def get_tensorstore_spec(
    ckpt_path: str,
    ocdbt: bool = True,
    process_idx: int | None = None,
    arr: Any = None,
    driver: str = "zarr3",
) -> dict[str, Any]:
    """The specification of an array in a file or bucket.

    Args:
        ckpt_path: its path; ``gs://bucket/…`` and ``s3://bucket/…`` are buckets.
        ocdbt: whether many arrays share a database, the folder above the path.
        process_idx: the process that writes it, into whose own folder it goes.
        arr: an array whose shape, dtype and parts the format is made for.
        driver: tensorstore's name of the format.

    Raises:
        ValueError: with `ocdbt`, the path names no folder and array in it.
    """
    path = ckpt_path.rstrip("/")
    folder, name = posixpath.split(path)
    if process_idx is not None:
        folder = posixpath.join(folder, f"process_{process_idx}")
        path = posixpath.join(folder, name)
    spec: dict[str, Any] = {"driver": driver}
    if ocdbt:
        if not folder or re.fullmatch(r"\w+:/?/?[^/]*", folder):
            raise errors.value_error(
                "get_tensorstore_spec: this path names no array in a database.",
                [("path", ckpt_path)],
                "With ocdbt, a path is a folder and the name of an array in it; in "
                "a bucket, its name, a folder and the array's name.",
            )
        base = _store_of(folder)
        spec["kvstore"] = {"driver": "ocdbt", "base": base, "path": name}
    else:
        spec["kvstore"] = _store_of(path)
    if arr is not None:
        spec["metadata"] = metadata_of(arr)
    return spec


def metadata_of(arr: Any) -> dict[str, Any]:
    """What the format zarr3 is told of an array: its parts are chunks."""
    part = arr.sharding.shard_shape(arr.shape)
    grid = {
        "name": "regular",
        "configuration": {"chunk_shape": [*map(_at_least, part)]},
    }
    return {
        "codecs": [],
        "shape": arr.shape,
        "data_type": np.dtype(arr.dtype).name,
        "chunk_grid": grid,
    }


def _at_least(size):
    return max(size, 1)


def is_remote_storage(tspec: dict[str, Any] | str) -> bool:
    """Whether a specification names a bucket."""
    if isinstance(tspec, str):
        return re.match(r"(gs|s3)://", tspec) is not None
    return tspec.get("driver") in _REMOTE or any(
        is_remote_storage(tspec[key]) for key in ("base", "kvstore") if key in tspec
    )


def is_tensorstore_spec_leaf(leaf: Any) -> bool:
    """Whether a value is a specification, or None, which stands for the default one."""
    return leaf is None or (isinstance(leaf, dict) and "driver" in leaf)


def merge_nested_ts_specs(
    dict1: dict[str, Any], dict2: dict[str, Any] | None
) -> dict[str, Any]:
    """A specification with what another says instead; their stores are merged too.

    Args:
        dict1: the specification.
        dict2: what goes over it; None: nothing.
    """
    if dict2 is None:
        return dict1
    store = {**dict1.get("kvstore", {}), **dict2.get("kvstore", {})}
    return {**dict1, **dict2, "kvstore": store}


def _location_of(spec, ocdbt):
    """The path that a specification names: that of the array, or of its database."""
    store = spec.get("kvstore", {})
    if not ocdbt:
        return store.get("path")
    base = store.get("base", {})
    return re.sub(r"^file://", "", base) if isinstance(base, str) else base.get("path")


def verify_tensorstore_spec(
    spec: dict[str, Any], arr: Any, path: str, ocdbt: bool, check_metadata: bool = True
) -> None:
    """Checks a specification against an array and its path.

    Args:
        spec: the specification.
        arr: the array.
        path: of the array, or, with `ocdbt`, of the folder of the database.
        ocdbt: whether arrays share a database.
        check_metadata: whether shape and dtype must be said, and be those of `arr`.

    Raises:
        ValueError: they do not fit.
    """
    store = spec.get("kvstore", {})
    metadata = spec.get("metadata", {}) if check_metadata else {}
    checks = [
        ("path", str(path).rstrip("/"), str(_location_of(spec, ocdbt)).rstrip("/"))
    ]
    if ocdbt:
        checks.insert(0, ("driver of the store", "ocdbt", store.get("driver")))
    if check_metadata:
        shape = tuple(metadata.get("shape", ("absent",)))
        dtype = metadata.get("data_type", metadata.get("dtype", "absent"))
        checks.append(("shape", tuple(arr.shape), shape))
        checks.append(("dtype", np.dtype(arr.dtype).name, dtype))
    for what, wanted, found in checks:
        if wanted != found:
            raise errors.value_error(
                f"verify_tensorstore_spec: the {what} does not match.",
                [("wanted", str(wanted)), ("specification", str(found))],
            )
