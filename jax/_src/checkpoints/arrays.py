"""Writing arrays to tensorstore, part by part, and reading those that are needed."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import numpy as np
import tensorstore as ts

from jax._src.base import errors, scalars
from jax._src.checkpoints import specs
from jax._src.core import shardings as shardings_lib
from jax._src.runtime.arrays import array as runtime_array, layouts
from jax._src.runtime.devices import backends
from jax._src.runtime.transfers import device_put_get

Future = ts.Future
Transaction = ts.Transaction
TS_CONTEXT = ts.Context({"file_io_concurrency": {"limit": 128}})


class ByteLimiter:
    """Lets readers in as long as they need no more bytes together than a limit."""

    def __init__(self, limit: int):
        self._limit = self._free = limit
        self._changed = asyncio.Condition()

    async def take(self, count: int) -> int:
        """Waits for that many bytes, or all of them where that is less."""
        wanted = min(count, self._limit)
        async with self._changed:
            await self._changed.wait_for(lambda: self._free >= wanted)
            self._free -= wanted
        return wanted

    async def give(self, count: int) -> None:
        """Gives bytes back."""
        async with self._changed:
            self._free += count
            self._changed.notify_all()


def _old_metadata(arr):
    """What the older format is told of an array."""
    dtype = np.dtype(arr.dtype)
    part = [max(size, 1) for size in arr.sharding.shard_shape(arr.shape)]
    name = "bfloat16" if dtype.name == "bfloat16" else dtype.str
    return {
        "compressor": {"id": "zstd"},
        "shape": list(arr.shape),
        "chunks": part,
        "dtype": name,
    }


async def async_serialize(
    arr_inp: Any,
    tensorstore_spec: dict[str, Any],
    commit_future: list[Any] | None = None,
    context: Any = TS_CONTEXT,
    chunk_layout: Any = None,
    primary_host: int | None = None,
    replica_id: int = 0,
    transaction: Any = None,
) -> None:
    """Writes an array.

    Args:
        arr_inp: the array.
        tensorstore_spec: where, as `get_tensorstore_spec` says it.
        commit_future: gets the futures of writes that are copied and not yet finished;
            None: waits until they are.
        context: tensorstore's context.
        chunk_layout: tensorstore's layout of chunks.
        primary_host: the process that makes the file; None: each, which is the same
            where all give it the same value.
        replica_id: of equal parts, the one that is written.
        transaction: the transaction in which it is written.

    Raises:
        ValueError: the array is of random keys; or it is one of this process alone, and
            there are others, which would write another one to the same path.
    """
    if isinstance(arr_inp.dtype, scalars.ExtendedDType):
        raise errors.value_error(
            "async_serialize: random keys have no form in files.",
            [("dtype", str(arr_inp.dtype))],
            ways="Write jax.random.key_data(keys); read with wrap_key_data.",
        )
    if backends.process_count() > 1 and arr_inp.is_fully_addressable:
        raise ValueError(_of_one_process(arr_inp))
    spec = dict(tensorstore_spec)
    if "metadata" not in spec:
        old = spec.get("driver") == "zarr"
        spec["metadata"] = _old_metadata(arr_inp) if old else specs.metadata_of(arr_inp)
    if "dtype" not in spec:
        spec["dtype"] = np.dtype(arr_inp.dtype).name
    options = {} if chunk_layout is None else {"chunk_layout": chunk_layout}
    makes = primary_host is None or primary_host == backends.process_index()
    how = {"create": True} if makes else {"assume_metadata": True}
    opened = await ts.open(
        ts.Spec(spec),
        open=True,
        context=context,
        transaction=transaction,
        **how,
        **options,
    )
    writes = [
        opened[shard.index].write(np.asarray(shard.data))
        for shard in arr_inp.addressable_shards
        if shard.replica_id == replica_id
    ]
    for write in writes:
        await write.copy
    if commit_future is None:
        for write in writes:
            await write.commit
    else:
        commit_future.extend(write.commit for write in writes)


def _of_one_process(arr):
    return errors.explain(
        "async_serialize: an array of one process was to be written by several.",
        [
            ("array", f"{arr.dtype}{list(arr.shape)}"),
            ("sharding", repr(arr.sharding)),
            ("processes", str(backends.process_count())),
        ],
        "Each process would write its own array to the same path.",
        "Write an array over all devices: jax.device_put(x, NamedSharding(mesh, P())).",
    )


def estimate_read_memory_footprint(t: Any, domain: Any) -> int:
    """The bytes that reading a domain takes: those of all chunks that it touches."""
    itemsize = t.dtype.numpy_dtype.itemsize
    chunk = t.chunk_layout.read_chunk.shape
    if not chunk:
        return itemsize
    total = itemsize
    for axis, size in zip(domain, chunk, strict=True):
        if axis.exclusive_max <= axis.inclusive_min:
            return 0
        first = axis.inclusive_min // size
        total *= size * (-(-axis.exclusive_max // size) - first)
    return total


async def async_deserialize(
    in_type: Any,
    tensorstore_spec: Any,
    global_shape: Sequence[int] | None = None,
    dtype: Any = None,
    byte_limiter: ByteLimiter | None = None,
    context: Any = TS_CONTEXT,
    chunk_layout: Any = None,
    assume_metadata: bool = False,
) -> Any:
    """Reads an array, of which each device gets its part alone.

    Args:
        in_type: a sharding, a `Format`, or a type that has one.
        tensorstore_spec: the file to read.
        global_shape: the shape of the result; where the stored array is larger, its
            beginning is read, where it is smaller, zeros follow. None: the stored one.
        dtype: the dtype of the result; None: the stored one.
        byte_limiter: how much may be read at a time.
        context: tensorstore's context.
        chunk_layout: tensorstore's layout of chunks.
        assume_metadata: whether to trust the specification without asking the store.

    Raises:
        ValueError: `in_type` has no sharding.
    """
    sharding = getattr(in_type, "sharding", in_type)
    layout = getattr(getattr(in_type, "format", in_type), "layout", None)
    if not isinstance(sharding, shardings_lib.Sharding):
        raise errors.value_error(
            "async_deserialize: no sharding is given.",
            [("in_type", repr(in_type))],
            ways="Pass a sharding, or a ShapeDtypeStruct with one.",
        )
    options = {} if chunk_layout is None else {"chunk_layout": chunk_layout}
    opened = await ts.open(
        tensorstore_spec,
        open=True,
        context=context,
        assume_metadata=assume_metadata,
        **options,
    )
    if global_shape is None:
        global_shape = getattr(in_type, "shape", opened.shape)
    shape = tuple(global_shape)
    dtype = np.dtype(dtype or getattr(in_type, "dtype", opened.dtype.numpy_dtype))

    async def read(index):
        bounds = [s.indices(size)[:2] for s, size in zip(index, shape, strict=True)]
        wanted = ts.IndexDomain(
            inclusive_min=[low for low, _ in bounds],
            exclusive_max=[high for _, high in bounds],
        )
        inside = wanted.intersect(ts.IndexDomain(shape=opened.shape))
        count = estimate_read_memory_footprint(opened, inside)
        taken = await byte_limiter.take(count) if byte_limiter else 0
        try:
            stored = await opened[inside].read()
        finally:
            if byte_limiter:
                await byte_limiter.give(taken)
        part = np.zeros(wanted.shape, dtype)
        here = ts.array(part)[ts.d[:].translate_to[wanted.origin]]
        await here[inside].write(stored.astype(dtype))
        return part

    devices = sharding.addressable_devices_indices_map(shape)
    parts = await asyncio.gather(*(read(index) for index in devices.values()))
    arrays = [
        device_put_get.device_put(
            part, layouts.Format(layout, shardings_lib.of_device(device))
        )
        for part, device in zip(parts, devices, strict=True)
    ]
    return runtime_array.make_array_from_single_device_arrays(shape, sharding, arrays)


async def combine_kvstores(
    combined_kvstore: dict[str, Any],
    kvstores: Sequence[dict[str, Any]],
    context: Any = TS_CONTEXT,
) -> None:
    """Copies the contents of some stores into one.

    Args:
        combined_kvstore: tensorstore's specification of the store that gets it.
        kvstores: the stores to copy from, which stay as they are.
        context: tensorstore's context.
    """
    target = await ts.KvStore.open(ts.KvStore.Spec(combined_kvstore), context=context)
    for each in kvstores:
        source = await ts.KvStore.open(ts.KvStore.Spec(each), context=context)
        keys = await source.list()
        found = await asyncio.gather(*(source.read(key) for key in keys))
        pairs = zip(keys, found, strict=True)
        await asyncio.gather(*(target.write(key, read.value) for key, read in pairs))


def _run_all(make: Callable[..., Awaitable[Any]], rows: Sequence[tuple]) -> list[Any]:
    async def gather():
        return await asyncio.gather(*(make(*row) for row in rows))

    return asyncio.run(gather())


def run_serialization(arrays: Sequence[Any], tensorstore_specs: Sequence[Any]) -> None:
    """Writes arrays, and waits until they are in place."""
    _run_all(async_serialize, list(zip(arrays, tensorstore_specs, strict=True)))


def run_deserialization(
    shardings: Sequence[Any],
    tensorstore_specs: Sequence[Any],
    global_shapes: Sequence[Any] | None = None,
    dtypes: Sequence[Any] | None = None,
    concurrent_gb: int = 32,
) -> list[Any]:
    """Reads arrays, so many gigabytes at a time."""
    count = len(tensorstore_specs)
    shapes = [None] * count if global_shapes is None else global_shapes
    kinds = [None] * count if dtypes is None else dtypes

    async def gather():
        limiter = ByteLimiter(concurrent_gb * 10**9)
        rows = zip(shardings, tensorstore_specs, shapes, kinds, strict=True)
        return await asyncio.gather(*(async_deserialize(*r, limiter) for r in rows))

    return asyncio.run(gather())
