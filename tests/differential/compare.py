"""Whether two executors' results are the same, as far as a program determines them."""

import numpy as np

from tests.differential.elements import PART, Element
from tests.differential.facts import Fact
from tests.differential.program import Value


def difference(value: Value, a: np.ndarray, b: np.ndarray) -> str | None:
    """What differs between two results of a program, or None."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return f"{a.dtype}{a.shape} and {b.dtype}{b.shape}"
    element = value.element
    if element.kind == "c":
        for part in ("real", "imag"):
            found = _floats_differ(
                value.fact, PART[element], getattr(a, part), getattr(b, part)
            )
            if found:
                return f"{part}: {found}"
        return None
    if element.kind == "f":
        return _floats_differ(value.fact, element, a, b)
    return _first(a != b, a, b)


def bits_difference(a: np.ndarray, b: np.ndarray) -> str | None:
    """What differs between two results whose bits, those of NaNs aside, should be the same."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return f"{a.dtype}{a.shape} and {b.dtype}{b.shape}"
    if bits_of(a) == bits_of(b):
        return None
    wrong = np.frombuffer(bits_of(a), np.uint8) != np.frombuffer(bits_of(b), np.uint8)
    return _first(wrong.reshape(*a.shape, -1).any(-1), a, b)


def bits_of(x: np.ndarray) -> bytes:
    """The bytes of an array, of which all NaNs are one."""
    if x.dtype.kind in "fcV" or "float" in x.dtype.name:
        x = np.where(np.isnan(x), np.full_like(x, np.nan), x)
    return x.tobytes()


def _first(wrong: np.ndarray, a: np.ndarray, b: np.ndarray) -> str | None:
    if not wrong.any():
        return None
    index = tuple(int(i) for i in np.argwhere(wrong)[0])
    return (
        f"{int(wrong.sum())} of {a.size}, first at {index}: {a[index]} and {b[index]}"
    )


def _floats_differ(fact: Fact, element: Element, a, b) -> str | None:
    """Elements farther apart than twice the error each may have; zeros' signs where determined."""
    x, y = np.asarray(a, np.float64), np.asarray(b, np.float64)
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    if not fact.is_exact:
        same |= _is_near(fact, element, x, y)
    if fact.raw:
        same &= (x != 0) | (np.signbit(x) == np.signbit(y))
    return _first(~same, a, b)


def _is_near(fact: Fact, element: Element, x, y):
    # An overflow may begin a rounding earlier in one of them.
    edge = element.maximum * (1 - 16 * element.epsilon) / (1 + fact.relative)
    both_huge = (np.abs(x) >= edge) & (np.abs(y) >= edge) & (np.sign(x) == np.sign(y))
    with np.errstate(all="ignore"):
        size = np.maximum(np.abs(x), np.abs(y))
        tolerance = 2 * fact.error + 2 * fact.relative * size + 4 * element.tiny
        near = np.abs(x - y) <= tolerance
    return near & np.isfinite(x) & np.isfinite(y) | both_huge
