"""Every block of Python in the README and the docs runs, or says beside it why it cannot.

The site's build runs cells, `tests/errors/error_pages_test.py` the programs of error pages; the others run here, a page as
one program. A block that cannot run follows a comment ``<!-- not run: the reason -->``.
"""

import pathlib
import re
import typing

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_NOT_RUN = 0.03
BLOCK = re.compile(
    r"(?:^<!-- not run: (?P<reason>[^\n]+) -->\n+)?^```(?P<kind>\{code-cell\}[^\n]*|python)\n(?P<code>.*?)^```",
    re.DOTALL | re.MULTILINE,
)


class Block(typing.NamedTuple):
    """A block of Python: where it runs ("site", "errors" or "here"), or why it does not."""

    page: str
    code: str
    runs: str
    reason: str | None


def blocks():
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    for path in pages:
        page = str(path.relative_to(ROOT))
        for found in BLOCK.finditer(path.read_text()):
            is_cell = found["kind"] != "python"
            is_error = page.startswith("docs/errors/")
            runs = "site" if is_cell else "errors" if is_error else "here"
            yield Block(page, found["code"], runs, found["reason"])


ALL = list(blocks())
PAGES = sorted({b.page for b in ALL if b.runs == "here" and b.reason is None})


def test_nearly_every_block_runs():
    left_out = [block for block in ALL if block.reason is not None]
    counts = {
        where: sum(b.runs == where and b.reason is None for b in ALL)
        for where in ("site", "errors", "here")
    }
    print(f"blocks that run: {counts}; not run: {len(left_out)} of {len(ALL)}")
    assert len(ALL) > 250
    assert len(left_out) <= MOST_NOT_RUN * len(ALL)
    assert all(len(block.reason) > 10 for block in left_out)


def test_no_cell_is_skipped():
    """Tags that keep a cell from running, or hide that it fails, are for blocks with a reason."""
    for block in ALL:
        if block.runs == "site" and block.reason is None:
            assert "skip-execution" not in block.code, block.page


@pytest.mark.parametrize("page", PAGES)
def test_the_blocks_of_a_page_run_one_after_the_other(page):
    known: dict[str, object] = {"__name__": "page"}
    for block in ALL:
        if block.page == page and block.reason is None:
            exec(compile(block.code, page, "exec"), known)


def test_every_fence_says_its_language():
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        fences = re.findall(r"(?m)^```(.*)$", path.read_text())
        assert all(fences[::2]), f"{path}: a block without a language"
