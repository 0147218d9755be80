"""What counts as a difference between two outcomes of a statement."""

import base64
import dataclasses

import ml_dtypes
import numpy as np

# Relative to the largest number of a result; programs are short, so errors do not grow far.
TOLERANCE = {
    "float64": 1e-8,
    "complex128": 1e-8,
    "float32": 2e-4,
    "complex64": 2e-4,
    "float16": 2e-2,
    "bfloat16": 1e-1,
}
SMALL = 0.3  # floating types of 8 bits and fewer


@dataclasses.dataclass(frozen=True, slots=True)
class Difference:
    """The statement that differs, in which respect, and the facts."""

    name: str
    sort: str
    facts: str

    def __str__(self) -> str:
        return f"{self.name}: {self.sort}: {self.facts}"


def _dtype(name: str) -> np.dtype:
    if hasattr(ml_dtypes, name):
        return np.dtype(getattr(ml_dtypes, name))
    return np.dtype([("float0", "V")] if name.startswith("[") else name)


def numbers(leaf: dict) -> np.ndarray | None:
    """A leaf's numbers as doubles; None where it has none."""
    if leaf["dtype"].startswith("["):
        return None
    if leaf["dtype"].startswith("key<"):
        return np.frombuffer(base64.b64decode(leaf["bytes"]), np.uint32)
    kind = _dtype(leaf["dtype"])
    array = np.frombuffer(base64.b64decode(leaf["bytes"]), kind)
    return array.astype(np.complex128 if kind.kind == "c" else np.float64)


def _is_inexact(name: str) -> bool:
    return name.startswith(("float", "bfloat", "complex"))


def distance(a: np.ndarray, b: np.ndarray) -> float:
    """The largest distance relative to the largest number; infinite where only one is finite."""
    with np.errstate(all="ignore"):
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        if np.any(~same & ~(np.isfinite(a) & np.isfinite(b))):
            return float("inf")
        finite = np.isfinite(a)
        scale = max(float(np.abs(a[finite]).max(initial=0)), 1e-3)
        return float(np.where(same, 0, np.abs(a - b)).max(initial=0)) / scale


def _values(mine: dict, their: dict) -> float:
    """The distance of values as a multiple of the allowed one; 0 if they agree."""
    a, b = numbers(mine), numbers(their)
    if a is None or mine["bytes"] == their["bytes"]:
        return 0.0
    name = mine["dtype"]
    if not _is_inexact(name):
        return float("inf")
    far = distance(a, b) / TOLERANCE.get(name, SMALL)
    return far if far > 1 else 0.0


def _leaf(mine: dict, their: dict) -> tuple[str, str] | None:
    for name in ("dtype", "shape", "weak", "kind", "is", "in", "out"):
        if name == "kind" and "traced" in (mine["kind"], their["kind"]):
            continue  # which numbers a trace knows is an implementation's affair
        if name == "kind" and mine.get("dtype", "").startswith("["):
            continue  # float0: no numbers, whatever holds them
        if name == "weak" and (name in mine) != (name in their):
            continue
        if mine.get(name) != their.get(name):
            return name, f"{mine.get(name)}, theirs {their.get(name)}"
    if "bytes" in mine and _values(mine, their):
        return "value", f"{_shown(mine)}, theirs {_shown(their)}"
    return None


def _shown(leaf: dict) -> str:
    array = numbers(leaf)
    with np.printoptions(precision=8, threshold=12, edgeitems=4):
        return f"{leaf['dtype']}{leaf['shape']} " + " ".join(str(array).split())


def difference(name: str, mine: dict, their: dict) -> Difference | None:
    if "error" in mine or "error" in their:
        return _errors(name, mine, their)
    if mine["tree"] != their["tree"]:
        return Difference(name, "tree", f"{mine['tree']}, theirs {their['tree']}")
    for number, pair in enumerate(zip(mine["leaves"], their["leaves"], strict=True)):
        if found := _leaf(*pair):
            return Difference(name, found[0], f"leaf {number}: {found[1]}")
    return None


def _errors(name: str, mine: dict, their: dict) -> Difference | None:
    a, b = mine.get("error"), their.get("error")
    if a == b or (a and b in ("AssertionError", "IndexError", "KeyError")):
        return None  # what upstream asserts, or stumbles over, is no promise
    if a is None:
        facts = f"{b}: {their['message']}"
        return Difference(name, f"theirs refuses, {b}", facts)
    facts = f"{a}: {mine['message']}"
    if b is None:
        return Difference(name, f"ours refuses, {a}", facts)
    facts = f"ours {facts}\n  theirs {b}: {their['message']}"
    return Difference(name, f"class of error, {a} for {b}", facts)


def differences(mine: list, their: list) -> list[Difference]:
    """All differences of a program, in its order; what follows from an earlier one is left out."""
    died = [("ours", mine), ("theirs", their)]
    for side, outcomes in died:
        if outcomes and outcomes[-1][1].get("error") in ("died", "TookTooLong"):
            return [
                Difference(
                    outcomes[-1][0], f"{side} refuses, {outcomes[-1][1]['error']}", ""
                )
            ]
    by_name = dict(map(tuple, their))
    found = []
    for name, outcome in mine:
        other = by_name.get(name)
        if other is None:
            found.append(Difference(name, "missing", "theirs has no outcome"))
            continue
        if "NameError" in (outcome.get("error"), other.get("error")):
            continue
        if what := difference(name, outcome, other):
            found.append(what)
    return found
