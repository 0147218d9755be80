"""What is counted, of what, and where rules are kept."""

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.core import avals as avals_lib, primitive as primitive_lib

ValidRooflineDtype = type | np.dtype | str


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class RooflineShape:
    """Shape and dtype of an operand or a result."""

    shape: tuple[int, ...]
    dtype: ValidRooflineDtype

    @classmethod
    def from_aval(cls, aval: avals_lib.AbstractValue) -> "RooflineShape":
        """Returns the shape and dtype of an abstract value.

        Raises:
            TypeError: the type is not that of an array.
        """
        if not isinstance(aval, avals_lib.ShapedArray):
            raise errors.type_error(
                "RooflineShape: this is not the type of an array.",
                [("wanted", "ShapedArray"), ("found", type(aval).__name__)],
            )
        return cls(shape=aval.shape, dtype=aval.dtype)

    @property
    def size(self) -> int:
        """How many elements."""
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        """How many bytes they take."""
        dtype: Any = self.dtype
        itemsize = getattr(dtype, "itemsize", None)
        return self.size * (
            itemsize if isinstance(itemsize, int) else np.dtype(dtype).itemsize
        )

    @classmethod
    def total_bytes(cls, avals: Sequence[avals_lib.AbstractValue]) -> int:
        """The bytes of values of some types together."""
        return sum(cls.from_aval(aval).bytes for aval in avals)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class RooflineRuleContext:
    """What a rule is told of an operation besides its operands and parameters."""

    name_stack: Any
    primitive: primitive_lib.Primitive
    avals_in: Sequence[avals_lib.AbstractValue]
    avals_out: Sequence[avals_lib.AbstractValue]
    jaxpr_eqn_ctx: Any
    mesh: Any
    pin_lhs_in_vmem: bool
    pin_rhs_in_vmem: bool


def _sum_by_axis(a, b):
    return {axis: a.get(axis, 0) + b.get(axis, 0) for axis in {**a, **b}}


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class RooflineResult:
    """What an operation or a program needs.

    Attributes:
        flops: operations of products of matrices, which no fusion takes away.
        unfused_flops: operations of all that was counted.
        ici_bytes: bytes sent along each axis of the mesh.
        ici_latency: steps from device to device along each axis, one after another.
        hbm_bytes: bytes read and written by products of matrices.
        peak_hbm_bytes: the bytes of all values that are alive together, at most.
        unfused_hbm_bytes: bytes read and written if no operations were fused.
    """

    flops: int = 0
    unfused_flops: int = 0
    ici_bytes: dict[str, int] = dataclasses.field(default_factory=dict)
    ici_latency: dict[str, int] = dataclasses.field(default_factory=dict)
    hbm_bytes: int = 0
    peak_hbm_bytes: int = 0
    unfused_hbm_bytes: int = 0

    @classmethod
    def zeros(cls) -> "RooflineResult":
        """Nothing."""
        return cls()

    def __add__(self, other: "RooflineResult") -> "RooflineResult":
        """Both, one after the other."""
        return RooflineResult(
            flops=self.flops + other.flops,
            unfused_flops=self.unfused_flops + other.unfused_flops,
            ici_bytes=_sum_by_axis(self.ici_bytes, other.ici_bytes),
            ici_latency=_sum_by_axis(self.ici_latency, other.ici_latency),
            hbm_bytes=self.hbm_bytes + other.hbm_bytes,
            peak_hbm_bytes=max(self.peak_hbm_bytes, other.peak_hbm_bytes),
            unfused_hbm_bytes=self.unfused_hbm_bytes + other.unfused_hbm_bytes,
        )

    def __mul__(self, constant: int | float) -> "RooflineResult":
        """Each number, multiplied."""
        scaled: dict[str, Any] = {}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            scaled[field.name] = (
                {axis: int(n * constant) for axis, n in value.items()}
                if isinstance(value, dict)
                else int(value * constant)
            )
        return RooflineResult(**scaled)

    __rmul__ = __mul__


Rule = Callable[..., RooflineResult]
rules: dict[primitive_lib.Primitive, Rule] = {}


def register_roofline(prim: primitive_lib.Primitive) -> Callable[[Rule], Rule]:
    """A decorator: the rule of a primitive.

    Args:
        prim: the primitive.

    Returns:
        A decorator of ``rule(ctx, *shapes, **params)``, which gets a
        `RooflineRuleContext`, a `RooflineShape` for each operand and the parameters, and
        returns a `RooflineResult`.
    """

    def register(rule: Rule) -> Rule:
        rules[prim] = rule
        return rule

    return register


def register_standard_roofline(prim: primitive_lib.Primitive) -> None:
    """Registers that a primitive needs nothing, as `roofline` counts.

    Args:
        prim: the primitive.
    """
    rules[prim] = lambda ctx, *shapes, **params: RooflineResult.zeros()
