"""Texts that break into lines where they must, in the form of upstream's printer."""

from collections.abc import Sequence
from typing import Any

from jax._src.core import document


class Doc:
    """A text, or several side by side, that is laid out when its width is known."""

    __slots__ = ("_body",)

    def __init__(self, body: Any):
        self._body = body

    def __add__(self, other: "Doc") -> "Doc":
        return Doc((self._body, _body(other)))

    def format(
        self,
        width: int = 80,
        *,
        use_color: bool = False,
        annotation_prefix: str = " # ",
        source_map: Any = None,
    ) -> str:
        """The text in lines of at most `width` columns where possible.

        Args:
            width: the number of columns.
            use_color: accepted: texts have no colours.
            annotation_prefix: accepted: texts have no annotations.
            source_map: accepted: nothing is written to it.
        """
        return document.render(self._body, width)

    def __str__(self) -> str:
        return self.format()

    __repr__ = __str__


def _body(doc):
    return doc._body if isinstance(doc, Doc) else doc


def nil() -> Doc:
    """The empty text."""
    return Doc(())


def text(s: str, annotation: str | None = None) -> Doc:
    """A text that does not break."""
    return Doc(s)


def concat(docs: Sequence[Doc]) -> Doc:
    """Several texts side by side."""
    return Doc(tuple(map(_body, docs)))


def brk(text: str = " ") -> Doc:
    """A line break, or `text` where the group around fits on its line."""
    return Doc(document.Line(text))


def group(doc: Doc) -> Doc:
    """A text whose own line breaks are all taken, or none where it fits on its line."""
    return Doc(document.Group(_body(doc)))


def nest(n: int, doc: Doc) -> Doc:
    """A text whose lines, after the first one, are indented by `n` columns more."""
    return Doc(document.Nest(n, _body(doc)))


def color(
    child: Doc, foreground: Any = None, background: Any = None, intensity: Any = None
) -> Doc:
    """A text; its colours are left out."""
    return child


def source_map(doc: Doc, source: Any) -> Doc:
    """A text; what it was made of is not recorded."""
    return doc


def join(sep: Doc, docs: Sequence[Doc]) -> Doc:
    """Texts with `sep` between them."""
    return Doc(document.join(_body(sep), [_body(d) for d in docs]))
