"""The type of an array without the array: `jax.ShapeDtypeStruct`."""

from collections.abc import Sequence
from typing import Any

from jax._src.base import errors, releases
from jax._src.core import (
    avals as avals_lib,
    mesh_context,
    partition_spec,
    shardings as shardings_lib,
    vma,
)
from jax._src.lib import client
from jax._src.runtime.arrays import layouts
from jax._src.transforms import differentiate


def _sharding_and_layout(sharding, shape):
    """A sharding with its mesh, and the layout where a `Format` says one."""
    layout = None
    if isinstance(sharding, layouts.Format):
        sharding, layout = sharding.sharding, sharding.layout
        if layout is layouts.AUTO:
            raise errors.type_error(
                "ShapeDtypeStruct: the layout is left to a compiler.",
                [("sharding", f"Format({layout!r}, {sharding!r})")],
                "A described array has one layout, or the default one.",
                "Give a Layout, or Layout.AUTO in in_shardings of jax.jit.",
            )
        if layout is not None:
            layout.check_compatible_aval(shape)
    if isinstance(sharding, partition_spec.PartitionSpec):
        sharding = shardings_lib.NamedSharding(_current_mesh(sharding), sharding)
    elif not isinstance(sharding, shardings_lib.Sharding | None):
        raise errors.value_error(
            "sharding should be an instance of `jax.sharding.Sharding`, "
            "`jax.sharding.PartitionSpec` or `jax.experimental.layout.Format`. Got "
            f"{sharding} of type {type(sharding)}.",
            [],
            ways="Write NamedSharding(mesh, P('x')), or P('x') on the current mesh.",
        )
    if isinstance(sharding, shardings_lib.NamedSharding) and len(sharding.spec) > len(
        shape
    ):
        raise errors.value_error(
            "ShapeDtypeStruct: the sharding speaks of more axes than there are.",
            [("shape", repr(shape)), ("sharding", repr(sharding))],
            "A PartitionSpec has at most one entry for each axis.",
        )
    return sharding, layout


def _current_mesh(spec):
    mesh = mesh_context.concrete_mesh()
    if mesh is None:
        raise errors.type_error(
            "ShapeDtypeStruct: sharding is a PartitionSpec where no mesh is set.",
            [("sharding", repr(spec))],
            "A PartitionSpec names axes of the current mesh.",
            "Set one with jax.set_mesh(mesh), or pass NamedSharding(mesh, spec).",
        )
    return mesh


class ShapeDtypeStruct:
    """The type of an array, without the array.

    Args:
        shape: sequence of sizes.
        dtype: anything that names a dtype.
        sharding: how it is spread over devices: a sharding, a `PartitionSpec` on the mesh
            that is set, or a `Format`.
        weak_type: whether its dtype gives way to others.
        manual_axis_type: a `jax.sharding.ManualAxisType`: in `jax.shard_map`, along
            which mesh axes it varies.
        is_ref: whether a reference to such an array is meant.

    Raises:
        TypeError: `manual_axis_type` is none, or no mesh is set for a `PartitionSpec`.
        ValueError: there is no dtype, `sharding` is no sharding or has too many axes.
    """

    __slots__ = (
        "__weakref__",
        "_layout",
        "dtype",
        "is_ref",
        "manual_axis_type",
        "shape",
        "sharding",
        "weak_type",
    )

    def __init__(
        self,
        shape: Sequence[int],
        dtype: Any,
        *,
        sharding: Any = None,
        weak_type: bool = False,
        manual_axis_type: Any = None,
        is_ref: bool = False,
        _memory_space: Any = None,
    ):
        if dtype is None:
            raise ValueError("ShapeDtypeStruct: dtype must be specified.")
        if not isinstance(manual_axis_type, vma.ManualAxisType | None):
            raise errors.type_error(
                "ShapeDtypeStruct: manual_axis_type is of another type.",
                [
                    ("manual_axis_type", repr(manual_axis_type)),
                    ("type", type(manual_axis_type).__name__),
                ],
                ways="Write jax.sharding.ManualAxisType(varying={'x'}).",
            )
        if isinstance(shape, tuple | list) and None in shape:
            raise releases.rule("shapes_with_none")(
                errors.explain(
                    f"Shapes must be 1D sequences of concrete values of integer type, got "
                    f"{shape}.",
                    [],
                    "None is no size.",
                    "For sizes that are not known: jax.export.symbolic_shape.",
                )
            )
        aval = avals_lib.ShapedArray(shape, dtype)
        self.shape = aval.shape
        self.dtype = aval.dtype
        self.sharding, self._layout = _sharding_and_layout(sharding, aval.shape)
        self.weak_type = weak_type
        self.manual_axis_type = manual_axis_type
        self.is_ref = is_ref

    @classmethod
    def like(cls, x: Any) -> "ShapeDtypeStruct":
        """The description of an array, or of anything with `shape` and `dtype`."""
        sharding = x.sharding if isinstance(x, ShapeDtypeStruct) else None
        if isinstance(x, client.Array) and x.committed:
            sharding = x.sharding
        weak_type = bool(getattr(x, "weak_type", False))
        return cls(x.shape, x.dtype, sharding=sharding, weak_type=weak_type)

    @property
    def format(self) -> layouts.Format:
        """The format of the array: its sharding, and a layout, None where that is open."""
        return layouts.Format(self._layout, self.sharding)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return avals_lib.ShapedArray(self.shape, self.dtype).size

    def update(self, **changes: Any) -> "ShapeDtypeStruct":
        """A copy with some fields changed."""
        fields = {
            "sharding": self.sharding if self._layout is None else self.format,
            "weak_type": self.weak_type,
            "manual_axis_type": self.manual_axis_type,
            "is_ref": self.is_ref,
        }
        shape = changes.pop("shape", self.shape)
        dtype = changes.pop("dtype", self.dtype)
        return ShapeDtypeStruct(shape, dtype, **{**fields, **changes})

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def _key(self) -> tuple:
        return (
            self.shape,
            self.dtype,
            self.sharding,
            self._layout,
            self.weak_type,
            self.manual_axis_type,
            self.is_ref,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ShapeDtypeStruct) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        said = {
            "shape": self.shape,
            "dtype": self.dtype.name,
            "sharding": self.sharding,
            "format": self._layout,
            "weak_type": self.weak_type or None,
            "manual_axis_type": self.manual_axis_type,
            "is_ref": self.is_ref or None,
        }
        listed = [f"{k}={v}" for k, v in said.items() if v is not None]
        return f"ShapeDtypeStruct({', '.join(listed)})"


ShapeDtypeStruct.__module__ = "jax"
avals_lib.register_description(ShapeDtypeStruct, differentiate.shaped_aval)


def struct_of(aval: avals_lib.ShapedArray, sharding: Any = None) -> ShapeDtypeStruct:
    """Returns the public description of a type, with its sharding if that is known."""
    if aval.is_high:
        return aval  # type: ignore[return-value]
    # An aval's fields are in their final form already.
    struct = object.__new__(ShapeDtypeStruct)
    struct.shape, struct.dtype = aval.shape, aval.dtype
    # Of Auto axes types say nothing.
    own = aval.sharding if aval.sharding.mesh.explicit_axes else None
    struct.sharding = own if sharding is None else sharding
    struct.weak_type = aval.weak_type
    struct._layout, struct.is_ref = None, False
    manual = vma.of_type(aval)
    struct.manual_axis_type = None if manual is vma.NONE else manual
    return struct
