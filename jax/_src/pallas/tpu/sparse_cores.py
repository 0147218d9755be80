"""The sparse cores of TPUs: their meshes, and what kernels on them are written with.

What has a meaning for any array is computed; the instructions that only sparse cores have
refuse to run, by name.
"""

import collections
import dataclasses
import enum
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.lax.ops import cumulative
from jax._src.numpy import lax_api as lax, numpy_api as jnp
from jax._src.pallas import helpers
from jax._src.pallas.tpu.memory import MemorySpace
from jax._src.pallas.tpu.params import CoreType
from jax._src.pallas.unsupported import refusing

# The sparse cores of a TPU v7, and the subcores of each.
_CORES = 2
_SUBCORES = 16


class PackFormat(enum.Enum):
    """How elements of two arrays are packed into words."""

    COMPRESSED = "compressed"
    INTERLEAVED = "interleaved"


@dataclasses.dataclass(frozen=True)
class Indices:
    """Indices of a gather or a scatter.

    Args:
        values: the indices.
        ignored_value: the index that stands for no element.
    """

    values: Any
    ignored_value: int | None = None


def _semantics(shape):
    return ("core_parallel", *["subcore_parallel"] * (len(shape) - 1))


@dataclasses.dataclass(frozen=True, kw_only=True)
class ScalarSubcoreMesh:
    """The scalar subcores of sparse cores.

    Args:
        axis_name: the name of the axis of cores.
        num_cores: the number of cores.
    """

    axis_name: str
    num_cores: int = dataclasses.field(default=_CORES)

    @property
    def core_type(self) -> CoreType:
        """The kind of its cores."""
        return CoreType.SC_SCALAR_SUBCORE

    @property
    def default_memory_space(self) -> MemorySpace:
        """The memory space of references without one."""
        return MemorySpace.HBM

    @property
    def shape(self) -> collections.OrderedDict[str, int]:
        """The number of cores along each axis."""
        return collections.OrderedDict({self.axis_name: self.num_cores})

    @property
    def size(self) -> int:
        """The number of cores."""
        return self.num_cores

    @property
    def dimension_semantics(self) -> Sequence[str]:
        """How the cores share steps along each axis."""
        return _semantics(self.shape)


@dataclasses.dataclass(frozen=True, kw_only=True)
class VectorSubcoreMesh:
    """The vector subcores of sparse cores.

    Args:
        core_axis_name: the name of the axis of cores.
        subcore_axis_name: the name of the axis of subcores.
        num_cores: the number of cores.
        num_subcores: the number of subcores of each.
    """

    core_axis_name: str
    subcore_axis_name: str
    num_cores: int = dataclasses.field(default=_CORES)
    num_subcores: int = dataclasses.field(default=_SUBCORES)

    @property
    def core_type(self) -> CoreType:
        """The kind of its cores."""
        return CoreType.SC_VECTOR_SUBCORE

    @property
    def default_memory_space(self) -> MemorySpace:
        """The memory space of references without one."""
        return MemorySpace.HBM

    @property
    def shape(self) -> collections.OrderedDict[str, int]:
        """The number of cores and subcores along each axis."""
        sizes = (self.num_cores, self.num_subcores)
        names = (self.core_axis_name, self.subcore_axis_name)
        return collections.OrderedDict(zip(names, sizes, strict=True))

    @property
    def size(self) -> int:
        """The number of subcores of all cores."""
        return self.num_cores * self.num_subcores

    @property
    def dimension_semantics(self) -> Sequence[str]:
        """How the subcores share steps along each axis."""
        return _semantics(self.shape)


def addupdate(ref: Any, x: Any) -> None:
    """Adds to what a reference or view holds.

    Args:
        ref: the reference or view.
        x: array of its shape and dtype.

    Raises:
        ValueError: shape or dtype do not fit.
    """
    ref[...] = ref[...] + x


def load_gather(ref: Any, indices: Sequence[Any], *, mask: Any = None) -> Any:
    """Elements of a reference at index arrays.

    Args:
        ref: the reference.
        indices: an index array for each dimension.
        mask: where it is False, the result is zero.

    Raises:
        ValueError: the indices do not fit.
    """
    found = ref[tuple(indices)]
    return found if mask is None else jnp.where(mask, found, jnp.zeros_like(found))


def store_scatter(
    ref: Any, indices: Sequence[Any], x: Any, *, mask: Any = None
) -> None:
    """Writes to elements of a reference at index arrays.

    Args:
        ref: the reference.
        indices: an index array for each dimension.
        x: array of their shape.
        mask: where it is False, nothing is written.

    Raises:
        ValueError: the indices or `x` do not fit.
    """
    ref[...] = ref[...].at[_kept(ref, indices, mask)].set(x, mode="drop")


def addupdate_scatter(
    ref: Any, indices: Sequence[Any], x: Any, *, mask: Any = None
) -> None:
    """Adds to elements of a reference at index arrays; repeated ones get every addend.

    Args:
        ref: the reference.
        indices: an index array for each dimension.
        x: array of their shape.
        mask: where it is False, nothing is added.

    Raises:
        ValueError: the indices or `x` do not fit.
    """
    ref[...] = ref[...].at[_kept(ref, indices, mask)].add(x, mode="drop")


def _kept(ref, indices, mask):
    """The indices, beyond the end where a mask is False."""
    first, *rest = indices
    if mask is None:
        return (first, *rest)
    return (jnp.where(mask, first, ref.shape[0]), *rest)


def bitcast(x: Any, dtype: Any) -> Any:
    """The bits of an array as elements of another dtype along its last axis.

    Args:
        x: array.
        dtype: the dtype of the result; the last axis grows or shrinks by the ratio.

    Raises:
        ValueError: the last axis does not divide.
    """
    wanted = np.dtype(dtype)
    before, after = x.dtype.itemsize, wanted.itemsize
    if before < after:
        x = x.reshape(*x.shape[:-1], -1, after // before)
    found = lax.bitcast_convert_type(x, wanted)
    return found.reshape(*found.shape[:-2], -1) if before > after else found


def cumsum(x: Any, *, mask: Any = None) -> Any:
    """Running sums along the last axis, of the elements where `mask` is True."""
    return jnp.cumsum(_or(x, mask, 0), axis=-1, dtype=x.dtype)


def cummax(x: Any, *, mask: Any = None) -> Any:
    """Running maxima along the last axis, of the elements where `mask` is True."""
    is_float = dtypes.issubdtype(x.dtype, np.floating)
    least = -np.inf if is_float else dtypes.iinfo(x.dtype).min
    return cumulative.cummax(_or(x, mask, least), axis=x.ndim - 1)


def _or(x, mask, other):
    return x if mask is None else jnp.where(mask, x, jnp.asarray(other, x.dtype))


def parallel_loop(
    lower: Any, upper: Any, step: Any = 1, *, unroll: int = 1, carry: Any = None
) -> Callable[[Callable[..., Any]], Any]:
    """A loop whose iterations may overlap; here they run one after the other; a decorator.

    Args:
        lower: the first index.
        upper: the end of the indices.
        step: the distance of indices.
        unroll: how many iterations are written out.
        carry: what the body takes beside the index, and returns; None: nothing.
    """
    return helpers.loop(lower, upper, init_carry=carry, step=step, unroll=unroll)


def _only_there(
    template: Callable[..., Any], name: str, doc: str
) -> Callable[..., Any]:
    signature = inspect.signature(template)
    return refusing(name, signature, doc, module="plsc", where="sparse cores of TPUs")


addupdate_compressed = _only_there(
    lambda ref, x, *, mask: None,
    "addupdate_compressed",
    "Adds chosen elements to the first of a reference.",
)
all_reduce_ffs = _only_there(
    lambda x, *, reduce=1: None,
    "all_reduce_ffs",
    "The index of the first True element.",
)
all_reduce_population_count = _only_there(
    lambda x, *, reduce=1: None,
    "all_reduce_population_count",
    "The number of True elements.",
)
fetch_and_add = _only_there(
    lambda x_ref, value, *, subcore_id: None,
    "fetch_and_add",
    "Adds to memory of another subcore, and returns what was there.",
)
get_sparse_core_info = _only_there(
    lambda: None, "get_sparse_core_info", "Facts of the sparse cores of the device."
)
load_expanded = _only_there(
    lambda ref, *, mask: None,
    "load_expanded",
    "Loads the first elements to where a mask is True.",
)
pack = _only_there(
    lambda a, b, /, *, format, preferred_element_type=None: None,
    "pack",
    "Packs elements of two arrays into words.",
)
scan_count = _only_there(
    lambda x, mask=None: None, "scan_count", "How often each element came before."
)
sort_key_val = _only_there(
    lambda keys, values, *, mask=None, descending=False: None,
    "sort_key_val",
    "Sorts keys, and values with them.",
)
store_compressed = _only_there(
    lambda ref, x, *, mask: None,
    "store_compressed",
    "Stores chosen elements one behind the other.",
)
subcore_barrier = _only_there(
    lambda: None, "subcore_barrier", "Waits for all subcores of the core."
)
unpack = _only_there(
    lambda ab, /, *, format, preferred_element_type=None: None,
    "unpack",
    "Unpacks the elements of two arrays out of words.",
)
