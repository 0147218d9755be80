"""Calls that must be refused: one table for each file of tests."""

from collections.abc import Callable, Iterable

import pytest


def each(
    rows: Iterable[tuple[Callable[[], object], type[Exception], str]],
) -> Callable[..., None]:
    """A test of every row: the call raises an error of the class, and its message holds the text."""

    def test(call, kind, text):
        with pytest.raises(kind) as caught:
            call()
        assert text in str(caught.value)

    return pytest.mark.parametrize(("call", "kind", "text"), list(rows))(test)
