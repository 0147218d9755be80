"""64-bit values while `jax_enable_x64` is off.

An array keeps its dtype when the block ends under whose setting it was made. Rules write
constants in the dtypes of their operands, and the setting would narrow these; so rules
run with the setting on as soon as an operand has 64 bits. Rules that users wrote run as
the user has it.
"""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from jax._src.base import config, options, scalars
from jax._src.core import slots

# Set by the first 64-bit type or setting, and never reset. Traces read it for every operation.
begun = False

_NOTHING: Any = contextlib.nullcontext()
# Among the values of the context: whether a rule, and not the user, turned x64 on.
_BY_RULE = "x64 for a rule"


def begin() -> None:
    """Records that a 64-bit type exists."""
    global begun
    begun = True


def _begin_if(is_on: bool) -> None:
    if is_on:
        begin()


options.enable_x64.on_update.append(_begin_if)
options.enable_x64.on_block.append(_begin_if)


def is_wide(aval: Any) -> bool:
    """Whether a type has 64 bits."""
    return getattr(aval, "dtype", None) in scalars.WIDE


def is_narrowed(aval: Any, wide: Any) -> bool:
    """Whether a type is the one to which the setting narrows the 64-bit type `wide`."""
    return is_wide(wide) and scalars.NARROW[wide.dtype] == aval.dtype


def are_among(values: Sequence[Any]) -> bool:
    """Whether a value has 64 bits that the setting does not allow."""
    for x in values:
        dtype = getattr(x, "dtype", None)
        if dtype in scalars.WIDE and not isinstance(x, np.ndarray | np.generic):
            return not options.enable_x64.value
    return False


def agree(values: Sequence[Any]) -> bool:
    """Whether all arrays among values have 64 bits, those that are boolean or weakly typed left aside."""
    for x in values:
        dtype = getattr(x, "dtype", None)
        if dtype is None or getattr(x, "weak_type", False) or dtype == scalars.BOOL:
            continue
        if dtype not in scalars.WIDE or isinstance(x, np.ndarray | np.generic):
            return False
    return True


def allowed() -> config.Setting:
    """Returns a context manager that allows 64-bit types in a rule."""
    return config.Setting({"jax_enable_x64": True, _BY_RULE: True})


def dtype_scope(types: Sequence[Any]) -> Any:
    """Returns a context manager that allows 64-bit types if `types` has one."""
    if options.enable_x64.value:
        return _NOTHING
    return allowed() if any(map(is_wide, types)) else _NOTHING


def as_the_user_has_it() -> Any:
    """Returns a context manager in which the setting is the user's, for rules that users wrote."""
    if not _is_by_rule():
        return _NOTHING
    return config.Setting({"jax_enable_x64": False, _BY_RULE: False})


def for_users(values: Sequence[Any]) -> Sequence[Any]:
    """Returns operands for a rule that a user wrote; numbers of 64 bits become arrays, which stay so."""
    return kept(values) if _is_by_rule() else values


def _is_by_rule():
    overrides = config.overrides_variable.get()
    return overrides is not None and bool(overrides.get(_BY_RULE))


def settled(values: Sequence[Any]) -> list[Any]:
    """Returns operands for a rule, with NumPy's and Python's numbers narrowed as outside of the rule."""
    return [_settled(x) for x in values]


def _settled(x):
    if isinstance(x, np.ndarray | np.generic):
        return x.astype(scalars.NARROW[x.dtype]) if x.dtype in scalars.WIDE else x
    if type(x) in (int, float, complex):
        narrow = scalars.NARROW[scalars.python_scalar_dtype(type(x))]
        return slots.convert(x, narrow, True)
    return x


def as_typed(values: Sequence[Any], types: Sequence[Any]) -> tuple[Any, ...]:
    """Returns values of a program, with NumPy's and Python's numbers converted to the program's types.

    The dtype of such a number depends on the setting, which may have been another one when
    the program was traced.
    """
    return tuple(map(_as_typed, values, types))


@contextlib.contextmanager
def replayed(operands: Sequence[Any], types: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Gives the operands converted to a program's types, for a block that allows these types.

    The setting may be another one than when the program was traced.
    """
    if not begun:
        yield operands
        return
    with dtype_scope(types):
        yield as_typed(operands, types)


def _as_typed(x, aval):
    kind = type(x)
    if kind in (int, float, complex):
        dtype = scalars.python_scalar_dtype(kind)
    elif isinstance(x, np.ndarray | np.generic):
        dtype = scalars.narrow(x.dtype)
    else:
        return x
    wanted = getattr(aval, "dtype", dtype)
    if wanted == dtype or not {wanted, dtype} & scalars.WIDE:
        return x
    weak = kind in (int, float, complex) and aval.weak_type
    if not weak and wanted not in scalars.WIDE:
        return np.asarray(x, wanted)[()]
    with allowed():
        return slots.convert(x, wanted, weak)


def kept(values: Sequence[Any]) -> list[Any]:
    """Returns results of a rule with numbers converted to arrays, which keep their 64 bits."""
    return [_kept(x) for x in values]


def matched(values: Sequence[Any]) -> list[Any] | None:
    """Returns the operands, with numbers converted to the dtype of the 64-bit array among them.

    Returns None if there is no such array, or no number.
    """
    if not begun or not are_among(values):
        return None
    numbers = np.ndarray | np.generic | int | float | complex
    if not any(isinstance(x, numbers) for x in values):
        return None
    kinds = {
        x.dtype
        for x in values
        if not isinstance(x, numbers) and getattr(x, "dtype", None) in scalars.WIDE
    }
    if len(kinds) > 1:
        return None
    (dtype,) = kinds
    with allowed():
        return [
            slots.convert(np.asarray(x, dtype), dtype, False)
            if type(x) in (int, float, complex)
            or getattr(x, "dtype", None) == dtype
            and isinstance(x, numbers)
            else x
            for x in values
        ]


def kept_scalar(x: Any) -> Any:
    """Returns a NumPy scalar, as an array if it has 64 bits and the setting would narrow it."""
    if not begun or x.dtype not in scalars.WIDE or options.enable_x64.value:
        return x
    with allowed():
        return slots.convert(x, x.dtype, False)


def _kept(x):
    if isinstance(x, np.ndarray | np.generic):
        return slots.convert(x, x.dtype, False) if x.dtype in scalars.WIDE else x
    if type(x) in (int, float, complex):
        return slots.convert(x, scalars.python_scalar_dtype(type(x)), True)
    return x
