"""What tensorstore is told of an array: where it lies, its format, its chunks."""

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
        process_idx: the process that writes it, whose files lie in a folder of their own.
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
            raise ValueError(
                errors.explain(
                    "get_tensorstore_spec: this path names no array in a database.",
                    [("path", ckpt_path)],
                    "With ocdbt, a path is a folder and the name of an array in it; in "
                    "a bucket, its name, a folder and the array's name.",
                )
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
