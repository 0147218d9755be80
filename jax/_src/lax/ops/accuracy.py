"""How accurate a transcendental function must be: the keyword `accuracy`."""

import enum

from jax._src.lax.ops.messages import not_implemented, value_error


class AccuracyMode(enum.Enum):
    """Which implementation of a function to use."""

    HIGHEST = 1
    DEFAULT = 2


class Tolerance:
    """Bounds of the error of a function; an implementation may be more accurate.

    Args:
        atol: bound of the absolute error.
        rtol: bound of the relative error.
        ulps: bound of the error in units in the last place (ULP).
    """

    __slots__ = ("atol", "rtol", "ulps")

    def __init__(self, atol: float = 0.0, rtol: float = 0.0, ulps: int = 0):
        if atol < 0 or rtol < 0 or ulps < 0:
            raise value_error(
                "lax.Tolerance: a bound is negative.",
                [("atol", atol), ("rtol", rtol), ("ulps", ulps)],
                "Bounds of errors are at least 0.",
            )
        self.atol = atol
        self.rtol = rtol
        self.ulps = ulps

    def _key(self):
        return (self.atol, self.rtol, self.ulps)

    def __eq__(self, other):
        return isinstance(other, Tolerance) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def __repr__(self):
        return f"Tolerance(atol={self.atol}, rtol={self.rtol}, ulps={self.ulps})"


def check_accuracy(name: str, accuracy):
    """The accuracy as a parameter; NotImplementedError for what is none."""
    if accuracy is None or isinstance(accuracy, Tolerance | AccuracyMode):
        return accuracy
    raise not_implemented(
        f"lax.{name}: this is not an accuracy.",
        [("accuracy", accuracy)],
        "An accuracy is a lax.Tolerance, a lax.AccuracyMode or None.",
    )
