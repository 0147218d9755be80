"""Trees of arrays in a folder: a database of arrays, and the tree's structure as JSON."""

import asyncio
import json
import os
import pathlib
import re
import shutil
import threading
from collections.abc import Callable
from concurrent import futures
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.base import errors
from jax._src.checkpoints import arrays, specs, treedefs
from jax._src.core import trace
from jax._src.runtime.devices import backends
from jax._src.runtime.transfers import device_put_get
from jax._src.transforms.shape_dtype_struct import ShapeDtypeStruct

_STRUCTURE, _STORE = "pytreedef.json", "array_store"
# Arrays are read so many bytes at a time.
_AT_A_TIME = 32 * 10**9


class PyTreeFuture(futures.Future):
    """What a save or a load will give, and the types of the leaves that it has."""

    def __init__(self, pytree: Any):
        super().__init__()
        self.pytree = pytree

    def __repr__(self) -> str:
        return f"PyTreeFuture(done={self.done()}, pytree={self.pytree})"


def _is_none(leaf):
    return leaf is None


def _folder_of(directory):
    """A folder of this machine, for the one process that there is."""
    path = os.fspath(directory)
    if backends.process_count() > 1 or specs.is_remote_storage(path):
        raise errors.not_implemented(
            "pytree_serialization: trees are written to folders by one process.",
            [
                ("directory", repr(path)),
                ("processes", str(backends.process_count())),
            ],
            ways="Write the leaves with jax.experimental.array_serialization."
            "serialization.GlobalAsyncCheckpointManager.",
        )
    if not path:
        raise errors.value_error(
            "pytree_serialization: the directory has no name.",
            [("directory", repr(path))],
            ways="Pass the path of a folder, which may not be there yet.",
        )
    return pathlib.Path(path).absolute()


def _array_of(path, leaf):
    """A leaf that can be written."""
    if leaf is None:
        return None
    if isinstance(leaf, np.ndarray):
        return device_put_get.device_put(leaf)
    if isinstance(leaf, trace.Tracer) or not hasattr(leaf, "addressable_shards"):
        raise errors.value_error(
            "For serialization, all leaves must be either None or arrays.",
            [(f"leaf{tree.keystr(path)}", f"{leaf!r:.60}, {type(leaf).__name__}")],
            ways="Convert numbers: jax.numpy.asarray(x); save outside of jit.",
        )
    return leaf


def _make_room(folder, overwrite):
    """Makes the folder, and takes an older checkpoint out of it."""
    found = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    foreign = [name for name in found if name not in (_STRUCTURE, _STORE)]
    if foreign:
        raise errors.runtime_error(
            "save: the folder holds something that is no checkpoint.",
            [("directory", str(folder)), ("found", ", ".join(foreign[:5]))],
            ways="Choose another folder, or remove these.",
        )
    if found and not overwrite:
        raise errors.value_error(
            "save: there is a checkpoint, and overwrite=False.",
            [("directory", str(folder))],
            ways="Choose another folder, or pass overwrite=True.",
        )
    (folder / _STRUCTURE).unlink(missing_ok=True)
    shutil.rmtree(folder / _STORE, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)


def _spec_of(folder, index, leaf, given):
    """The file of a leaf, with what the caller says of it; without `leaf`, to be read."""
    path = str(folder / _STORE / str(index))
    # Other formats describe an array in other words: tensorstore finds them itself.
    own = given is None or given.get("driver", "zarr3") == "zarr3"
    return specs.merge_nested_ts_specs(
        specs.get_tensorstore_spec(path, True, None, leaf if own else None), given
    )


def _given_specs(structure, ts_specs):
    """What the caller says of each leaf."""
    whole = structure.unflatten(range(structure.num_leaves))
    return tree.broadcast_prefix(
        ts_specs, whole, is_leaf=specs.is_tensorstore_spec_leaf
    )


def _beside(future: PyTreeFuture, work: Callable[[], Any]) -> PyTreeFuture:
    """Does work in a thread of its own, whose result the future gets."""

    def run():
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    future.set_running_or_notify_cancel()
    threading.Thread(target=run).start()
    return future


def _name_of(leaf):
    shape = ", ".join(map(str, leaf.shape))
    return f"Array({np.dtype(leaf.dtype).name}[{shape}])"


def _type_of_name(name):
    """The type that a name in a file means."""
    if name is None:
        return None
    found = re.fullmatch(r"Array\((\w+)\[([\d, ]*)\]\)", str(name))
    if found is None:
        raise errors.value_error(
            "load: the description of a leaf is damaged.", [("leaf", repr(name))]
        )
    shape = tuple(int(size) for size in found[2].split(",") if size.strip())
    return ShapeDtypeStruct(shape, np.dtype(found[1]))


def nonblocking_save(
    data: Any,
    directory: str | os.PathLike,
    *,
    overwrite: bool = True,
    ts_specs: Any = None,
) -> PyTreeFuture:
    """Starts to save a tree; its values are copied when this returns.

    Args:
        data: the tree; its leaves are arrays or None.
        directory: the folder.
        overwrite: whether a checkpoint that is there goes; else it is an error.
        ts_specs: a tree that is a prefix of `data`, of tensorstore's specifications,
            which go over those that are made here; None: nothing.

    Returns:
        A future, done when all is in place; ``future.pytree`` has the types of the leaves.

    Raises:
        ValueError: a leaf is no array, or there is a checkpoint and `overwrite` is False.
        RuntimeError: the folder holds something else.
        NotImplementedError: a bucket, or a program of several processes.
    """
    folder = _folder_of(directory)
    found = tree.tree_leaves_with_path(data, is_leaf=_is_none)
    leaves = [_array_of(path, leaf) for path, leaf in found]
    structure = tree.tree_structure(data, is_leaf=_is_none)
    written = treedefs.serialize_pytreedef(structure)
    written[treedefs.LEAVES] = [x if x is None else _name_of(x) for x in leaves]
    _make_room(folder, overwrite)
    given = _given_specs(structure, ts_specs)
    rows = [
        (leaf, _spec_of(folder, i, leaf, given[i]))
        for i, leaf in enumerate(leaves)
        if leaf is not None
    ]
    pending: list[Any] = []

    async def copy():
        await asyncio.gather(*(arrays.async_serialize(*row, pending) for row in rows))

    # A thread: this one may be inside of an event loop.
    with futures.ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: asyncio.run(copy())).result()

    def commit():
        for future in pending:
            future.result()
        # Last: where this file is, all else is.
        (folder / _STRUCTURE).write_text(json.dumps(written, indent=2))

    types = structure.unflatten([_type_of_name(x) for x in written[treedefs.LEAVES]])
    return _beside(PyTreeFuture(types), commit)


def save(
    data: Any,
    directory: str | os.PathLike,
    *,
    overwrite: bool = True,
    ts_specs: Any = None,
) -> None:
    """`nonblocking_save`, and waits until all is in place."""
    nonblocking_save(data, directory, overwrite=overwrite, ts_specs=ts_specs).result()


def load_pytreedef(directory: str | os.PathLike) -> Any:
    """The tree that a folder holds, with types as leaves.

    Raises:
        FileNotFoundError: there is no checkpoint.
        ValueError: it is damaged, or has classes that are not registered here.
    """
    file = _folder_of(directory) / _STRUCTURE
    if not file.is_file():
        raise FileNotFoundError(
            errors.explain(
                "load: there is no checkpoint in this folder.",
                [("directory", str(file.parent)), ("missing", _STRUCTURE)],
            )
        )
    written = json.loads(file.read_text())
    structure = treedefs.deserialize_pytreedef(written)
    types = [_type_of_name(name) for name in written.get(treedefs.LEAVES, ())]
    if len(types) != structure.num_leaves:
        raise errors.value_error(
            "load: the descriptions of the leaves do not fit the tree.",
            [("leaves", str(structure.num_leaves)), ("described", str(len(types)))],
        )
    return structure.unflatten(types)


def nonblocking_load(
    directory: str | os.PathLike,
    shardings: Any,
    *,
    mask: Any = None,
    ts_specs: Any = None,
) -> PyTreeFuture:
    """Starts to read a tree.

    Args:
        directory: the folder.
        shardings: a tree that is a prefix of the saved one, of shardings, or of
            `jax.ShapeDtypeStruct` with shardings: a shape that is shorter cuts, a longer
            one appends zeros, another dtype converts.
        mask: a tree that is a prefix of the saved one, of booleans: where it is False,
            leaves are None and nothing is read.
        ts_specs: as `nonblocking_save` was told.

    Returns:
        A future of the tree; ``future.pytree`` has the types of the leaves.

    Raises:
        FileNotFoundError: there is no checkpoint.
        ValueError: a tree is no prefix of the saved one.
    """
    folder = _folder_of(directory)
    types = load_pytreedef(folder)
    targets = iter(tree.broadcast_prefix(shardings, types))
    wanted = iter(tree.broadcast_prefix(True if mask is None else mask, types))
    leaves, structure = tree.tree_flatten(types, is_leaf=_is_none)
    given = _given_specs(structure, ts_specs)
    described = [
        (i, next(targets), next(wanted), _spec_of(folder, i, None, given[i]))
        for i, leaf in enumerate(leaves)
        if leaf is not None
    ]
    rows = [(i, target, spec) for i, target, keep, spec in described if keep]
    kept = {i for i, _, _ in rows}
    types = structure.unflatten(
        [x if i in kept else None for i, x in enumerate(leaves)]
    )

    async def read():
        limiter = arrays.ByteLimiter(_AT_A_TIME)
        return await asyncio.gather(
            *(
                arrays.async_deserialize(target, spec, byte_limiter=limiter)
                for _, target, spec in rows
            )
        )

    def work():
        outs: list[Any] = [None] * len(leaves)
        for (i, _, _), array in zip(rows, asyncio.run(read()), strict=True):
            outs[i] = array
        return structure.unflatten(outs)

    return _beside(PyTreeFuture(types), work)


def load(
    directory: str | os.PathLike,
    shardings: Any,
    *,
    mask: Any = None,
    ts_specs: Any = None,
) -> Any:
    """`nonblocking_load`, and waits for the tree."""
    return nonblocking_load(directory, shardings, mask=mask, ts_specs=ts_specs).result()
