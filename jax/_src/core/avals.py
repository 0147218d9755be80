"""The types of values: what a trace knows of an array without its elements."""

import enum
import math
import operator
import sys
import threading
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from jax._src.base import caches, errors, options, scalars, traceback_filter
from jax._src.core import (
    abstract_value,
    aval_shardings,
    manual_axes as manual_axes_lib,
    mesh_usage,
    shardings,
    slots,
    wide_values,
)
from jax._src.core.manual_axes import ManualAxisType

AbstractValue = abstract_value.AbstractValue
MappingSpec = abstract_value.MappingSpec


# One object per array type, so that comparing two is most often `is`.
_interned: dict[tuple, "ShapedArray"] = {}
_intern_lock = threading.Lock()
_INTERN_LIMIT = 1 << 16

caches.register("core.avals", _interned.clear)


class MemorySpace(enum.Enum):
    """The memories of a device: its own, the host's, or either."""

    Device = enum.auto()
    Host = enum.auto()
    Any = enum.auto()

    def __repr__(self) -> str:
        return f"MemorySpace.{self.name}"


_NO_MANUAL_AXES = manual_axes_lib.none
_DEVICE = MemorySpace.Device


class _AutoLayout:
    """The layout of types: what the compiler chooses."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "AutoLayout"

    def __reduce__(self) -> str:
        return "AUTO_LAYOUT"


AUTO_LAYOUT = _AutoLayout()


class ShapedArray(AbstractValue):
    """The type of an array: shape, dtype, weak type, sharding and memory space.

    Equal types are nearly always one object, so that comparisons are cheap.

    Args:
        shape: the sizes.
        dtype: the type of elements.
        weak_type: whether the dtype gives way to others.
        sharding: a `NamedSharding` of an `AbstractMesh`; None: on no mesh.
        manual_axis_type: along which manual mesh axes values vary.
        memory_space: the memory space of the values.
        layout: must be `AUTO_LAYOUT`, the one layout of types.
    """

    __slots__ = (
        "_hash",
        "_size",
        "dtype",
        "is_placed",
        "manual_axis_type",
        "memory_space",
        "shape",
        "sharding",
        "weak_type",
    )

    shape: tuple[int, ...]
    dtype: Any
    weak_type: bool
    sharding: shardings.NamedSharding
    manual_axis_type: ManualAxisType
    memory_space: MemorySpace
    # Whether the type has a sharding, varying axes or a memory space of its own.
    is_placed: bool
    _hash: int
    _size: int

    def __new__(
        cls,
        shape: Any,
        dtype: Any,
        weak_type: bool = False,
        *,
        sharding: Any = None,
        manual_axis_type: ManualAxisType = _NO_MANUAL_AXES,
        memory_space: MemorySpace = _DEVICE,
        layout: Any = AUTO_LAYOUT,
    ) -> "ShapedArray":
        if layout is not AUTO_LAYOUT:
            raise errors.not_implemented(
                "ShapedArray: types of arrays have no layout of their own.",
                [("layout", repr(layout))],
                "Layouts belong to compiled programs.",
                "Give in_shardings or out_shardings of jit a Format.",
            )
        if (
            sharding is None
            and manual_axis_type is _NO_MANUAL_AXES
            and memory_space is _DEVICE
        ):
            key: tuple = (shape, dtype, weak_type)
        elif options.remove_size_one_mesh_axis_from_type.value:
            key = ()  # not looked up: the option makes a shorter type of these arguments
        else:
            key = (shape, dtype, weak_type, sharding, manual_axis_type, memory_space)
        try:
            found = _interned.get(key)
        except TypeError:
            found = None
        if found is not None:
            return found
        return _make_shaped_array(
            shape, dtype, weak_type, sharding, manual_axis_type, memory_space
        )

    def __init__(self, *args: Any, **kwargs: Any):
        pass

    @property
    def layout(self) -> Any:
        """The layout of values: always the compiler's choice."""
        return AUTO_LAYOUT

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(
            f"the type {self} cannot be changed; use .update({name}=…)"
        )

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._size

    @property
    def itemsize(self) -> int:
        """The bytes of an element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """The bytes of all elements."""
        return self._size * self.dtype.itemsize

    @property
    def mat(self) -> ManualAxisType:
        """The short name of `manual_axis_type`."""
        return self.manual_axis_type

    @property
    def vma(self) -> frozenset:
        """The mesh axes along which the value varies: none outside `shard_map`."""
        return self.manual_axis_type.varying

    def __bool__(self) -> bool:
        # `__len__` is that of the array; a type is true even where it is 0.
        return True

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def update(
        self,
        shape: Any = None,
        dtype: Any = None,
        weak_type: bool | None = None,
        **changes: Any,
    ) -> "ShapedArray":
        if shape is dtype is weak_type is None and not changes:
            return self
        shape = self.shape if shape is None else shape
        dtype = self.dtype if dtype is None else dtype
        weak_type = self.weak_type if weak_type is None else weak_type
        if not self.is_placed and not changes:
            return ShapedArray(shape, dtype, weak_type)
        if "sharding" in changes:
            sharding = changes.pop("sharding")
        else:
            sharding = _sharding_of_axes(self.sharding, shape)
        manual = changes.pop("manual_axis_type", self.manual_axis_type)
        space = changes.pop("memory_space", self.memory_space)
        if changes:
            raise TypeError(f"array types have no field {', '.join(changes)}")
        return ShapedArray(
            shape,
            dtype,
            weak_type,
            sharding=sharding,
            manual_axis_type=manual,
            memory_space=space,
        )

    def update_manual_axis_type(self, mat: ManualAxisType) -> "ShapedArray":
        """Returns this type for values that vary along the manual mesh axes of `mat`."""
        return self.update(manual_axis_type=mat)

    def inc_rank(self, size: Any, spec: int | None) -> "ShapedArray":
        """Returns the type of `size` values of this type, stacked along a new axis `spec`; this type if `spec` is None."""
        return self if spec is None else self.with_axis(spec, size)

    def dec_rank(self, size: Any, spec: int | None) -> "ShapedArray":
        """Returns the type without the axis `spec`, which has `size` elements; this type if `spec` is None."""
        if spec is None:
            return self
        if size is not None and self.shape[spec] != size:
            raise errors.value_error(
                "dec_rank: the axis has another size.",
                [("type", str(self)), ("axis", str(spec)), ("size", str(size))],
            )
        return self.without_axis(spec)

    def shard(
        self, mesh: Any, manual_axes: frozenset, check_vma: bool, spec: Any
    ) -> "ShapedArray":
        return slots.part_type(self, spec, mesh, manual_axes, check_vma)

    def unshard(self, mesh: Any, check_vma: bool, spec: Any) -> "ShapedArray":
        return slots.whole_type(self, spec, mesh, check_vma)

    def nospec(self, mesh: Any, check_vma: bool, all_names: Sequence[Hashable]) -> Any:
        """Returns the spec of a result of `shard_map` without `out_specs`: split over the axes along which it varies."""
        return slots.open_spec(self, mesh, check_vma, all_names)

    def with_axis(self, axis: int, size: Any, entry: Any = None) -> "ShapedArray":
        """The type with a further axis, split over the mesh axes of `entry`."""
        shape = (*self.shape[:axis], size, *self.shape[axis:])
        if not self.is_placed:
            return ShapedArray(shape, self.dtype, self.weak_type)
        known = self.sharding.spec.partitions
        return self._split_by(shape, (*known[:axis], entry, *known[axis:]))

    def without_axis(self, axis: int) -> "ShapedArray":
        """The type without one of its axes."""
        shape = self.shape[:axis] + self.shape[axis + 1 :]
        if not self.is_placed:
            return ShapedArray(shape, self.dtype, self.weak_type)
        known = self.sharding.spec.partitions
        return self._split_by(shape, known[:axis] + known[axis + 1 :])

    def _split_by(self, shape, entries):
        if self.sharding.mesh.empty:
            return self.update(shape=shape, sharding=None)
        spec = self.sharding.spec.update(partitions=entries)
        return self.update(shape=shape, sharding=self.sharding.update(spec=spec))

    def without_sharding(self) -> "ShapedArray":
        """The type of an array of the same shape and dtype without sharding, on no mesh."""
        if not self.is_placed:
            return self
        return ShapedArray(self.shape, self.dtype, self.weak_type)

    def strip_weak_type(self) -> "ShapedArray":
        return self.update(weak_type=False) if self.weak_type else self

    def to_tangent_aval(self) -> "ShapedArray":
        dtype = scalars.tangent_dtype(self.dtype)
        if dtype is self.dtype:
            return self
        return self.update(dtype=dtype, weak_type=False)

    def to_cotangent_aval(self) -> "ShapedArray":
        tangent = self.to_tangent_aval()
        if not self.is_placed:
            return tangent
        # Along an axis where values are parts of a sum, cotangents are the same.
        spec = self.sharding.spec
        if not (spec.unreduced or spec.reduced):
            sharding = self.sharding
        else:
            sharding = self.sharding.update(
                spec=spec.with_sums(spec.reduced, spec.unreduced)
            )
        manual = self.manual_axis_type.to_ct()
        return tangent.update(sharding=sharding, manual_axis_type=manual)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return (
            type(other) is ShapedArray
            and self.shape == other.shape
            and self.dtype == other.dtype
            and self.weak_type == other.weak_type
            and self.sharding == other.sharding
            and self.manual_axis_type is other.manual_axis_type
            and self.memory_space is other.memory_space
        )

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self):
        if not self.is_placed:
            return _unpickle, (self.shape, self.dtype, self.weak_type)
        placement = (self.sharding, self.manual_axis_type, self.memory_space)
        return _unpickle, (self.shape, self.dtype, self.weak_type, *placement)

    def str_short(
        self, short_dtypes: bool = False, mesh_axis_types: bool = False, **_: Any
    ) -> str:
        dtype = self.dtype
        name = scalars.short_name(dtype) if short_dtypes else _long_name(dtype)
        if not self.is_placed:
            return f"{name}[{','.join(map(str, self.shape))}]"
        space = self.memory_space
        memory = "" if space is _DEVICE else f"<{space.name.lower()}>"
        sizes = aval_shardings.dimensions_text(self.shape, self.sharding)
        sums = aval_shardings.sums_text(self.sharding, self.manual_axis_type)
        kinds = (
            aval_shardings.axis_types_text(self.sharding.mesh)
            if mesh_axis_types
            else ""
        )
        return f"{name}{memory}[{sizes}]{sums}{kinds}"

    def __repr__(self) -> str:
        weak = ", weak_type=True" if self.weak_type else ""
        return f"ShapedArray({self.str_short()}{weak})"

    def __str__(self) -> str:
        return f"~{self.str_short()}" if self.weak_type else self.str_short()


ShapedArray.__module__ = "jax.core"


def _unpickle(shape, dtype, weak_type, sharding=None, manual=None, space=_DEVICE):
    return ShapedArray(
        shape,
        dtype,
        weak_type,
        sharding=sharding,
        manual_axis_type=manual or _NO_MANUAL_AXES,
        memory_space=space,
    )


def _sharding_of_axes(sharding, shape):
    """The sharding after the shape changed: new axes are the last, and not split."""
    ndim, known = len(shape), sharding.spec.partitions
    if sharding.mesh.empty:
        return None
    if ndim == len(known):
        return sharding
    entries = (*known[:ndim], *(None,) * (ndim - len(known)))
    return sharding.update(spec=sharding.spec.update(partitions=entries))


def _long_name(dtype):
    return "float0" if dtype == scalars.float0 else dtype.name


def _make_shaped_array(shape, dtype, weak_type, sharding, manual, space):
    shape = canonical_shape(shape)
    if not isinstance(dtype, np.dtype | scalars.ExtendedDType):
        dtype = np.dtype(dtype)
    weak_type = bool(weak_type)
    sharding = (
        aval_shardings.replicated(len(shape))
        if sharding is None
        else aval_shardings.normal_sharding(sharding, shape)
    )
    is_placed = not (sharding.mesh.empty and manual.is_empty and space is _DEVICE)
    key: tuple = (shape, dtype, weak_type)
    if is_placed:
        aval_shardings.check_manual(sharding.mesh, manual)
        key = (*key, sharding, manual, space)
        mesh_usage.mark_used()
    if dtype in scalars.WIDE:
        wide_values.begin()
    with _intern_lock:
        found = _interned.get(key)
        if found is not None:
            return found
        made = object.__new__(ShapedArray)
        put = object.__setattr__
        put(made, "shape", shape)
        put(made, "dtype", dtype)
        put(made, "weak_type", weak_type)
        put(made, "sharding", sharding)
        put(made, "manual_axis_type", manual)
        put(made, "memory_space", space)
        put(made, "is_placed", is_placed)
        put(made, "_hash", hash(key))
        put(made, "_size", math.prod(shape))
        if len(_interned) >= _INTERN_LIMIT:
            _interned.clear()
        _interned[key] = made
    return made


class AbstractToken(AbstractValue):
    """The type of tokens, which order effects and hold no data."""

    __slots__ = ()

    def str_short(self, short_dtypes: bool = False, **_: Any) -> str:
        return "Tok"

    def to_tangent_aval(self) -> "AbstractToken":
        return self

    # A token has no axes, so batching and splitting leave it as it is.
    def inc_rank(self, size: Any, spec: Any) -> "AbstractToken":
        return self

    def dec_rank(self, size: Any, spec: Any) -> "AbstractToken":
        return self

    def shard(
        self, mesh: Any, manual_axes: frozenset, check_vma: bool, spec: Any
    ) -> "AbstractToken":
        return self

    def unshard(self, mesh: Any, check_vma: bool, spec: Any) -> "AbstractToken":
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AbstractToken)

    def __hash__(self) -> int:
        return hash(AbstractToken)

    def __repr__(self) -> str:
        return "AbstractToken()"


abstract_token = AbstractToken()


_GREATEST_SIZE = 2**63 - 1


def _told_by(error):
    """Takes the text of an error about a traced number apart: facts, why the number is not known, ways out."""
    lines = str(error).splitlines()
    rows = [line.strip().partition("  ") for line in lines if line.startswith("  ")]
    facts = [(name, text.strip()) for name, _, text in rows if text]
    rules = [line for line in lines if line.startswith("This concrete value")]
    ways = [line for line in lines if "static_argnames=" in line]
    return facts, "\n".join(rules), ways


def canonical_shape(shape: Any) -> tuple[int, ...]:
    """A shape as a tuple of Python integers.

    Raises:
        TypeError: an entry is not a whole number; a ConcretizationTypeError if it is traced.
        ValueError: an entry is negative.
    """
    try:
        sizes = tuple(d if type(d) is int else _dimension(d) for d in shape)
    except TypeError as error:
        is_traced = isinstance(error, errors.ConcretizationTypeError)
        facts, rule, ways = _told_by(error) if is_traced else ([], "", [])
        way = (
            "Under jit, sizes must be known: take them from x.shape, or mark the argument "
            "with static_argnums."
        )
        raise (errors.ConcretizationTypeError if is_traced else TypeError)(
            errors.explain(
                "Shapes must be 1D sequences of concrete values of integer type, got "
                f"{shape!r}.",
                facts,
                rule,
                "\n".join([way, *ways]),
            )
        ) from None
    for size in sizes:
        if type(size) is int and size > _GREATEST_SIZE:
            raise OverflowError(
                errors.explain(
                    "A shape has a size that is too large.",
                    [("shape", repr(sizes))],
                    "Sizes are numbers of 64 bits with a sign.",
                )
            )
        if type(size) is int and size < 0:
            raise errors.value_error(
                "A shape has a negative size.",
                [("shape", repr(sizes))],
                "Sizes are 0 or more.",
            )
    return sizes


# Classes of symbolic dimensions, which `jax.export` registers.
_symbolic_dimensions: list[type] = []


def register_symbolic_dimension(kind: type) -> None:
    """Allows objects of this class as sizes in shapes."""
    _symbolic_dimensions.append(kind)


def _dimension(size):
    if isinstance(size, tuple(_symbolic_dimensions)):
        return size
    return operator.index(size)


def placed(aval: ShapedArray, sharding: Any) -> ShapedArray:
    """Returns the type `aval` with the sharding and memory of a sharding of any kind."""
    return _placed(aval, sharding, options.remove_size_one_mesh_axis_from_type.value)


@caches.memoize(None)
def _placed(aval, sharding, is_short):
    # `normal_spec` reads the option; the parameter makes it a part of the cache's key.
    del is_short
    space = space_of_kind(sharding.memory_kind)
    if space is not aval.memory_space:
        aval = aval.update(memory_space=space)
    if not isinstance(sharding, shardings.NamedSharding) or sharding.mesh.empty:
        return aval
    mesh = sharding.mesh.abstract_mesh
    spec = aval_shardings.normal_spec(mesh, sharding.spec, aval.ndim)
    return aval.update(sharding=shardings.NamedSharding(mesh, spec))


def space_of_kind(memory_kind: str | None) -> MemorySpace:
    """Returns the memory space that types record for a kind of memory."""
    return MemorySpace.Host if memory_kind == "pinned_host" else MemorySpace.Device


# Type of value -> function from value to aval.
_aval_of_type: dict[type, Callable[[Any], AbstractValue]] = {}


def register_value_type(kind: type, aval_of: Callable[[Any], AbstractValue]) -> None:
    """Lets every trace take objects of the class `kind` as values."""
    _aval_of_type[kind] = aval_of


def type_table() -> dict[type, Callable[[Any], AbstractValue]]:
    """The table from classes of values to their types, which libraries add to."""
    return _aval_of_type


def is_value(x: Any) -> bool:
    """Whether `x` can be given to a primitive: an array, a scalar or a traced value."""
    return _lookup(type(x)) is not None


valid_jaxtype = is_value


def _lookup(kind):
    found = _aval_of_type.get(kind)
    if found is None:
        for base in kind.__mro__[1:]:
            found = _aval_of_type.get(base)
            if found is not None:
                return found
    return found


def is_as_its_base(kind: type) -> bool:
    """Whether values of a class are treated as the NumPy array or Python number that the class derives from.

    Those of `numpy.memmap` and of enumerations of integers are; masked arrays are not.
    """
    plain = (_aval_of_numpy, _aval_of_python_scalar)
    return _lookup(kind) in plain and not _is_masked(kind)


def _is_masked(kind):
    """Whether a class is one of NumPy's masked arrays.

    Does not import their module, which is slow to load: before that there are no such classes.
    """
    masked = getattr(sys.modules.get("numpy.ma"), "MaskedArray", None)
    return masked is not None and issubclass(kind, masked)


def physical_aval(aval: Any) -> Any:
    """The type of the array behind a value of an extended dtype, such as random keys; any other itself."""
    dtype = getattr(aval, "dtype", None)
    # Plain types first: an abstract class takes longer to ask.
    if isinstance(dtype, np.dtype) or not isinstance(dtype, scalars.ExtendedDType):
        return aval
    shape, plain = dtype.physical(aval.shape)
    return ShapedArray(shape, plain)


def is_float0(aval: AbstractValue) -> bool:
    """Whether a type is that of the tangents of what does not vary."""
    return isinstance(aval, ShapedArray) and aval.dtype == scalars.float0


def same_form(a: Any, b: Any, any_dtype: bool = False) -> bool:
    """Whether two types are the same up to weakness, sharding and memory.

    Args:
        a, b: the types.
        any_dtype: whether arrays may differ in dtype.
    """
    if a.is_high or b.is_high:
        return a == b
    return a.shape == b.shape and (any_dtype or a.dtype == b.dtype)


def get_aval(x: Any) -> AbstractValue:
    """The type of a value.

    Raises:
        TypeError: `x` is not a value.
    """
    aval_of = _aval_of_type.get(type(x)) or _lookup(type(x))
    if aval_of is None:
        raise not_a_value(x)
    return aval_of(x)


_aval_of_description: dict[type, Callable[[Any], AbstractValue]] = {}


def register_description(kind: type, aval_of: Callable[[Any], AbstractValue]) -> None:
    """Registers a class whose objects describe the type of a value, and are no values."""
    _aval_of_description[kind] = aval_of


def describes_type(x: Any) -> bool:
    """Whether `x` describes a type, as a `jax.ShapeDtypeStruct` does, and is no value."""
    return any(kind in _aval_of_description for kind in type(x).__mro__)


@traceback_filter.hides_frames
def typeof(x: Any) -> AbstractValue:
    """The type of a value: its shape, its dtype, and whether the dtype gives way.

    Of a `jax.ShapeDtypeStruct`, the type that it describes.

    Raises:
        TypeError: `x` is not a value.
    """
    described = _aval_of_description.get(type(x))
    return get_aval(x) if described is None else described(x)


def not_a_value(x: Any, where: str = "") -> TypeError:
    """Returns the error for an object that is no array."""
    kind = type(x)
    ways = {
        str: "Strings cannot be traced: pass them through static_argnames.",
        type(None): "None is an empty tree, not an array: leave the argument out.",
        list: "Turn a list into one array with jnp.array(...).",
        tuple: "Turn a tuple into one array with jnp.array(...).",
    }.get(
        kind,
        "Convert it with jnp.asarray(...), register its class with "
        "jax.tree_util.register_pytree_node, or make the argument static.",
    )
    facts = [
        ("value", _short_repr(x)),
        ("type", f"{kind.__module__}.{kind.__qualname__}"),
    ]
    if where:
        facts.append(("argument", where))
    return errors.type_error(
        f"Argument {_short_repr(x)} of type {kind} is not a valid JAX type.",
        facts[1:],
        "Arrays, NumPy scalars and Python numbers are.",
        ways,
    )


def _short_repr(x):
    text = repr(x)
    return text if len(text) <= 60 else text[:57] + "..."


def _aval_of_python_scalar(x):
    kind = type(x) if type(x) in scalars.PYTHON_SCALARS else _kind(x)
    aval = _weak_scalar_avals(kind)
    if kind is int and not -(2**31) <= x < 2**31:
        _check_that_it_fits(x, aval.dtype)
    return aval


def _check_that_it_fits(number: int, dtype) -> None:
    bounds = np.iinfo(dtype)
    if not bounds.min <= number <= bounds.max:
        raise OverflowError(
            f"Python int {_short_repr(number)} too large to convert to {dtype}: it does "
            "not fit.\n"
            "Give it a wider dtype, as np.int64(...) under jax_enable_x64, or a "
            "floating-point one."
        )


def _kind(x):
    return next(k for k in (bool, int, float, complex) if isinstance(x, k))


def _weak_scalar_avals(kind):
    return ShapedArray((), scalars.python_scalar_dtype(kind), kind is not bool)


def _aval_of_numpy(x):
    dtype = x.dtype
    if type(x) is not np.ndarray and _is_masked(type(x)):
        raise errors.value_error(
            "A masked NumPy array is not a valid JAX array.",
            [("dtype", str(dtype)), ("shape", str(x.shape))],
            "JAX arrays have no masks: the masked elements would count.",
            "Fill them first, as x.filled(0), or pass x.data and x.mask.",
        )
    if dtype.kind in "OSUVMm" and dtype != scalars.float0 and dtype.isbuiltin != 2:
        raise errors.type_error(
            f"A NumPy array with dtype {dtype} is not a valid JAX array type. Only arrays "
            "of numeric types are supported by JAX.",
            [("dtype", str(dtype)), ("shape", str(x.shape))],
            "Numbers and truth values are such types.",
        )
    return ShapedArray(x.shape, scalars.narrow(dtype))


for _scalar in scalars.PYTHON_SCALARS:
    register_value_type(_scalar, _aval_of_python_scalar)
register_value_type(np.ndarray, _aval_of_numpy)
register_value_type(np.generic, _aval_of_numpy)
