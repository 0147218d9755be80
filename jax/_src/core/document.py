"""Text that breaks into lines where it must: a small layout algebra.

A document is a string, `LINE`, or a tuple: concatenation, `nest`, `group`. A group is
laid out on one line when it fits, and is broken at all its own lines when not.
After P. Wadler, "A prettier printer" (2003), in the greedy form of D. Lindig.
"""

from collections.abc import Iterable
from typing import Any

from jax._src.base import records


@records.record
class Line:
    """A line break, or the text `flat` where the line is not broken."""

    flat: str = " "


@records.record
class Nest:
    """Indents the lines broken inside by `by` more columns."""

    by: int
    body: Any


@records.record
class Group:
    """Lays its body out on one line when that fits."""

    body: Any


@records.record
class Fill:
    """Breaks only those of its separators behind which the next item does not fit."""

    items: tuple


def join(separator: Any, items: Iterable[Any]) -> tuple:
    """The items with `separator` between them."""
    out: list[Any] = []
    for index, item in enumerate(items):
        if index:
            out.append(separator)
        out.append(item)
    return tuple(out)


def _fits(stack, room):
    """Whether what is on the stack fits into `room` columns up to its next line break."""
    stack = list(stack)
    while stack:
        if room < 0:
            return False
        flat, doc = stack.pop()
        if isinstance(doc, str):
            if "\n" in doc:
                return len(doc.split("\n", 1)[0]) <= room
            room -= len(doc)
        elif isinstance(doc, tuple):
            stack.extend((flat, part) for part in reversed(doc))
        elif isinstance(doc, Line):
            if not flat:
                return True
            room -= len(doc.flat)
        elif isinstance(doc, Fill):
            stack.extend((flat, p) for p in reversed(join(Line(), doc.items)))
        else:
            stack.append((True if isinstance(doc, Group) else flat, doc.body))
    return room >= 0


def render(doc: Any, width: int = 80) -> str:
    """The text of a document in lines of at most `width` columns where possible."""
    out: list[str] = []
    column = 0
    stack: list[tuple[int, bool, Any]] = [(0, False, doc)]
    while stack:
        indent, flat, doc = stack.pop()
        if isinstance(doc, str):
            out.append(doc)
            last = doc.rfind("\n")
            column = column + len(doc) if last < 0 else len(doc) - last - 1
        elif isinstance(doc, tuple):
            stack.extend((indent, flat, part) for part in reversed(doc))
        elif isinstance(doc, Line):
            if flat:
                out.append(doc.flat)
                column += len(doc.flat)
            else:
                out.append("\n" + " " * indent)
                column = indent
        elif isinstance(doc, Nest):
            stack.append((indent + doc.by, flat, doc.body))
        elif isinstance(doc, Fill):
            stack.extend(
                (indent, flat, part) for part in reversed(_fill_parts(doc.items))
            )
        else:
            fits = flat or _fits([(True, doc.body)], width - column)
            stack.append((indent, fits, doc.body))
    return "".join(out)


def _fill_parts(items):
    """Items where each separator is grouped with the item behind it."""
    return tuple(
        item if index == 0 else Group((Line(), item))
        for index, item in enumerate(items)
    )
