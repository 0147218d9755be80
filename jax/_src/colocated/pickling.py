"""Functions and values as bytes, with devices by the numbers of their CPUs.

Functions that have no importable name need cloudpickle, where it is installed.
"""

import io
import pickle
from typing import Any

from jax._src.colocated import functions, reducing
from jax._src.core import mesh as mesh_lib, shardings

try:
    from cloudpickle import CloudPickler as _Base  # type: ignore[import-not-found]
except ModuleNotFoundError:
    _Base = pickle.Pickler

_REDUCED = {
    mesh_lib.Mesh: reducing.reduce_mesh,
    functions.DeviceList: reducing.reduce_device_list,
    shardings.SingleDeviceSharding: reducing.reduce_single_device_sharding,
}


class _Pickler(_Base):
    def reducer_override(self, obj: Any) -> Any:
        reduce = _REDUCED.get(type(obj))
        if reduce is not None:
            return reduce(obj)
        inherited = getattr(super(), "reducer_override", None)
        return NotImplemented if inherited is None else inherited(obj)


def serialize(obj: Any) -> bytes:
    """The bytes of an object, in which one that occurs twice is written once."""
    file = io.BytesIO()
    _Pickler(file).dump(obj)
    return file.getvalue()


def deserialize(serialized: bytes) -> Any:
    """The object that `serialize` wrote, on the CPU devices of this process."""
    return pickle.loads(serialized)
