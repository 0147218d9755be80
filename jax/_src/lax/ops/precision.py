"""How precisely to multiply matrices: precisions and algorithms of dots."""

import enum
from typing import NamedTuple

import numpy as np

from jax._src import dtypes
from jax._src.base import options
from jax._src.lax.ops.messages import value_error


class Precision(enum.Enum):
    """How precisely the hardware multiplies matrices.

    `DEFAULT` is the fastest, `HIGHEST` works in the full precision of the operands.
    """

    DEFAULT = 0
    HIGH = 1
    HIGHEST = 2

    @classmethod
    def _missing_(cls, value):
        return _PRECISIONS.get(value if value is None else str(value).lower())

    def __repr__(self):
        return f"{type(self).__name__}.{self.name}"

    def __str__(self):
        return self.name


_PRECISIONS = {
    None: Precision.DEFAULT,
    "default": Precision.DEFAULT,
    "fastest": Precision.DEFAULT,
    "bfloat16": Precision.DEFAULT,
    "high": Precision.HIGH,
    "bfloat16_3x": Precision.HIGH,
    "tensorfloat32": Precision.HIGH,
    "highest": Precision.HIGHEST,
    "float32": Precision.HIGHEST,
}


class DotAlgorithm(NamedTuple):
    """The arithmetic of a dot: element types of operands and of sums.

    A component count above 1 splits each operand into several of lower precision.
    """

    lhs_precision_type: object
    rhs_precision_type: object
    accumulation_type: object
    lhs_component_count: int = 1
    rhs_component_count: int = 1
    num_primitive_operations: int = 1
    allow_imprecise_accumulation: bool = False


class DotAlgorithmPreset(enum.Enum):
    """Usual algorithms of dots, named by operand types, sum type and passes."""

    DEFAULT = 1
    ANY_F8_ANY_F8_F32 = 2
    ANY_F8_ANY_F8_F32_FAST_ACCUM = 3
    ANY_F8_ANY_F8_ANY = 4
    ANY_F8_ANY_F8_ANY_FAST_ACCUM = 5
    F16_F16_F16 = 6
    F16_F16_F32 = 7
    BF16_BF16_BF16 = 8
    BF16_BF16_F32 = 9
    BF16_BF16_F32_X3 = 10
    BF16_BF16_F32_X6 = 11
    BF16_BF16_F32_X9 = 12
    TF32_TF32_F32 = 13
    TF32_TF32_F32_X3 = 14
    F32_F32_F32 = 15
    F64_F64_F64 = 16

    def __repr__(self):
        return f"{type(self).__name__}.{self.name}"

    def __str__(self):
        return self.name

    @property
    def accumulation_type(self):
        """The dtype in which products are summed; ``None`` for that of the result."""
        if self is DotAlgorithmPreset.DEFAULT or "ANY_F8_ANY_F8_ANY" in self.name:
            return None
        word = next(w for w in self.name.split("_")[2:] if w in _ELEMENTS)
        if self.name.startswith("ANY_F8"):
            word = "F32"
        return np.dtype(_ELEMENTS[word])

    @property
    def algorithm_text(self) -> str | None:
        """The attribute of StableHLO for operands that need no further choice."""
        words = self.name.split("_")
        if words[0] not in _STABLEHLO_ELEMENTS:
            return None
        passes = int(words[3][1:]) if len(words) > 3 else 1
        parts = {1: 1, 3: 2, 6: 3, 9: 3}[passes]
        if words[0] == "TF32" and passes == 3:
            parts = 1
        lhs, rhs, accumulate = (_STABLEHLO_ELEMENTS[w] for w in words[:3])
        return algorithm_text(lhs, rhs, accumulate, parts, parts, passes, False)


_ELEMENTS = {
    "F16": np.float16,
    "BF16": dtypes.bfloat16,
    "F32": np.float32,
    "F64": np.float64,
}
_STABLEHLO_ELEMENTS = {
    "F16": "f16",
    "BF16": "bf16",
    "TF32": "tf32",
    "F32": "f32",
    "F64": "f64",
}
_DTYPE_NAMES = {
    np.dtype(np.float16): "f16",
    np.dtype(dtypes.bfloat16): "bf16",
    np.dtype(np.float32): "f32",
    np.dtype(np.float64): "f64",
}


def algorithm_text(lhs, rhs, accumulation, lhs_parts, rhs_parts, passes, imprecise):
    """The attribute `algorithm` of StableHLO's dot_general, as text."""
    return (
        f"#stablehlo.dot_algorithm<lhs_precision_type = {lhs}, "
        f"rhs_precision_type = {rhs}, accumulation_type = {accumulation}, "
        f"lhs_component_count = {lhs_parts}, rhs_component_count = {rhs_parts}, "
        f"num_primitive_operations = {passes}, "
        f"allow_imprecise_accumulation = {str(bool(imprecise)).lower()}>"
    )


def algorithm_of(precision) -> str | None:
    """The text of the algorithm that `precision` names, if it names one."""
    if isinstance(precision, DotAlgorithmPreset):
        return precision.algorithm_text
    if isinstance(precision, DotAlgorithm):
        names = [_DTYPE_NAMES.get(np.dtype(t)) for t in precision[:3]]
        if None in names:
            raise NotImplementedError(
                f"dot algorithm with element types {precision[:3]} is not supported"
            )
        return algorithm_text(*names, *precision[3:])
    return None


PrecisionLike = (
    None
    | str
    | Precision
    | tuple[str, str]
    | tuple[Precision, Precision]
    | DotAlgorithm
    | DotAlgorithmPreset
)


def canonical_precision(precision, default=None):
    """A precision as a parameter: ``None``, a pair, or an algorithm.

    Args:
        precision: what the user gave.
        default: what holds where the user gave nothing.

    Raises:
        ValueError: it is none of the things that name a precision.
    """
    if precision is None:
        if default is None or default == "default":
            return None
        return canonical_precision(default)
    if isinstance(precision, DotAlgorithmPreset):
        is_default = precision is DotAlgorithmPreset.DEFAULT
        return None if is_default else precision
    if isinstance(precision, DotAlgorithm | Precision):
        pair = (precision, precision)
        return pair if isinstance(precision, Precision) else precision
    if isinstance(precision, str):
        if precision.lower() in _PRECISIONS:
            return (Precision(precision),) * 2
        if precision.upper() in DotAlgorithmPreset.__members__:
            return canonical_precision(DotAlgorithmPreset[precision.upper()])
    if isinstance(precision, tuple | list) and len(precision) == 2:
        lhs, rhs = (_one_precision(p) for p in precision)
        if lhs is not None and rhs is not None:
            return (lhs, rhs)
    names = ", ".join(repr(name) for name in _PRECISIONS if name)
    raise value_error(
        "Precision argument must be one of the values listed below.",
        [("precision", repr(precision))],
        f"A precision is None, a lax.Precision, one of {names}, a pair of them, "
        "a lax.DotAlgorithm, or a lax.DotAlgorithmPreset or its name.",
    )


def _checked_default(precision):
    """What `jax_default_matmul_precision` may be."""
    canonical_precision(precision)
    return precision


_checked_default.wanted = "None, or what names a precision"  # type: ignore[attr-defined]
_checked_default.rule = (  # type: ignore[attr-defined]
    "new enum value must be None or in "
    f"{[*filter(None, _PRECISIONS), *DotAlgorithmPreset.__members__]}"
)
options.default_matmul_precision.convert = _checked_default


def _one_precision(precision):
    if isinstance(precision, Precision):
        return precision
    if precision is None or isinstance(precision, str):
        return _PRECISIONS.get(precision and precision.lower())
    return None
