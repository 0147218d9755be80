"""Sizes in bytes, as people write them: "4GiB", "500 MB", 2**30."""

import operator
import re
from typing import Any

_UNITS = {
    "": 1,
    "B": 1,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "KIB": 2**10,
    "MIB": 2**20,
    "GIB": 2**30,
    "TIB": 2**40,
}
_WRITTEN = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([A-Za-z]*)\s*")


def parse(value: Any) -> int:
    """The bytes that a size says; 0 for None and for "".

    Args:
        value: a whole number of bytes, or a number with a unit: B, KB, MB, GB, TB (powers
            of 1,000), KiB, MiB, GiB or TiB (powers of 1,024).

    Raises:
        ValueError: it is no such size.
    """
    if value is None or value == "":
        return 0
    if isinstance(value, bool):
        raise ValueError(value)
    if not isinstance(value, str):
        count = operator.index(value)
    else:
        found = _WRITTEN.fullmatch(value)
        if found is None or found[2].upper() not in _UNITS:
            raise ValueError(value)
        count = round(float(found[1]) * _UNITS[found[2].upper()])
        if found[2] == "" and "." in found[1]:
            raise ValueError(value)
    if not 0 <= count < 2**63:
        raise ValueError(value)
    return count


parse.wanted = 'bytes, as 2**30, "4GiB" or "500 MB"; 0 or "" for no limit'  # type: ignore[attr-defined]
parse.rule = "a size is a whole number of bytes, or a number and a unit"  # type: ignore[attr-defined]
