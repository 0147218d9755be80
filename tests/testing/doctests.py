"""Compares what an example in a docstring prints with what it shows."""

import doctest
import re

# A floating-point number that is no part of a name, such as the 32 of float32.
FLOAT = re.compile(r"(?<![\w.])[-+]?\d+\.\d*(?:e[-+]?\d+)?")
# Sums are added in another order on another processor.
RELATIVE, ABSOLUTE = 2e-5, 2e-6


class Checker(doctest.OutputChecker):
    """Takes floating-point numbers as equal that differ in their last digits, as they do between processors."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        if super().check_output(want, got, optionflags):
            return True
        expected, found = FLOAT.findall(want), FLOAT.findall(got)
        if len(expected) != len(found) or not expected:
            return False
        close = all(
            abs(float(a) - float(b)) <= ABSOLUTE + RELATIVE * abs(float(a))
            for a, b in zip(expected, found, strict=True)
        )
        return close and _text(want) == _text(got)


def _text(printed: str) -> str:
    """What stands around the numbers; spaces depend on the width of the numbers."""
    return re.sub(r"\s+", "", FLOAT.sub("#", printed))
