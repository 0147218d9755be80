"""What every type of values answers; what a type of a library may say."""

import abc
from typing import Any

from jax._src.base import errors
from jax._src.core import slots


class MappingSpec:
    """The batch dimension of a hi-type value; subclasses hold what their type needs.

    `vmap` takes them in `in_axes` and `out_axes`, and hands them to the methods `inc_rank`
    and `dec_rank` of types. They are compared and hashed.
    """


class AbstractValue(metaclass=abc.ABCMeta):
    """The type of a value. Immutable and hashable."""

    __slots__ = ()

    @abc.abstractmethod
    def str_short(self, short_dtypes: bool = False, **_: Any) -> str:
        """The type in a few characters, such as ``f32[3]`` or ``float32[3]``."""

    def to_tangent_aval(self) -> "AbstractValue":
        """The type of the tangents of values of this type."""
        raise NotImplementedError(f"values of type {self} have no tangents")

    def to_cotangent_aval(self) -> "AbstractValue":
        """The type of the cotangents of values of this type."""
        return self.to_tangent_aval()

    def vspace_add(self, x: Any, y: Any) -> Any:
        """The sum of two values of this type, where it is that of tangents."""
        return slots.add_cotangents(x, y)

    def normalize(self) -> "AbstractValue":
        """The one of equal types that stands for all: this one."""
        return self

    # Types of third-party libraries that are lowered to others, or change while a program runs: none is.
    is_high = False

    def lo_ty(self) -> list["AbstractValue"]:
        """The types to which this one is lowered: itself alone."""
        return [self]

    def lo_ty_qdd(self, qdd: Any) -> list["AbstractValue"]:
        """Returns the array types that a mutable value is made of while its state has the type `qdd`."""
        raise errors.not_implemented(
            f"{type(self).__name__}.lo_ty_qdd: there is no state.",
            [("type", str(self))],
            "Only types whose values change (`has_qdd`) are lowered by their state.",
            "Ask lo_ty().",
        )

    def lower_val(self, val: Any) -> list[Any]:
        """The values of `lo_ty` of which a value is made: itself."""
        return [val]

    def raise_val(self, val: Any) -> Any:
        """The value that is made of one of `lo_ty`."""
        return val

    has_qdd = False

    # Whether the type has a sharding over a mesh.
    is_placed = False

    def strip_weak_type(self) -> "AbstractValue":
        """Returns this type without weakness: its dtype no longer gives way to others."""
        return self

    def update_manual_axis_type(self, mat: Any) -> "AbstractValue":
        """Returns this type for values that vary along the manual mesh axes of `mat`."""
        return self

    def update(self, **changes: Any) -> "AbstractValue":
        """Returns this type with some fields changed."""
        raise NotImplementedError(f"{type(self).__name__} cannot be changed")

    def inc_rank(self, size: Any, spec: Any) -> "AbstractValue":
        """The type of `size` such values along a new axis `spec`; None: of each alone."""
        raise self._lacks("inc_rank", "vmap and scan stack values")

    def dec_rank(self, size: Any, spec: Any) -> "AbstractValue":
        """The type of one of `size` values along an axis `spec`; None: there is no axis."""
        raise self._lacks("dec_rank", "vmap and scan take values apart")

    def leading_axis_spec(self) -> Any:
        """What `inc_rank` is told for a new axis before all others."""
        return 0

    def shard(
        self, mesh: Any, manual_axes: frozenset, check_vma: bool, spec: Any
    ) -> "AbstractValue":
        """The type, in the body of a `shard_map`, of the parts of a value.

        Args:
            mesh: its mesh.
            manual_axes: the axes of which the body sees one part.
            check_vma: whether types record which values vary along them.
            spec: how values are split.
        """
        raise self._lacks("shard", "shard_map splits values")

    def unshard(self, mesh: Any, check_vma: bool, spec: Any) -> "AbstractValue":
        """The type of the whole value whose parts have this type in the body."""
        raise self._lacks("unshard", "shard_map joins values")

    def _lacks(self, method, why):
        return errors.not_implemented(
            f"{type(self).__name__} does not define {method}.",
            [("type", self.str_short())],
            f"{why} by what their type says.",
            f"Define {method} in the class of the type.",
        )
