"""Links of pages to files outside of the site become names of those files; links to examples lead to their pages.

Pages in docs/ are read in the repository, too, where a link to a source file or to a folder's README works. The site
has a page with the source of each example, and no copy of other files, so it shows their names.
"""

import os
import pathlib
import re

from pygments.lexers.special import TextLexer

LINK = re.compile(r"(?<!!)\[([^\]\n]+)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def _outside(app, folder: pathlib.Path, target: str) -> bool:
    """Whether a link leads out of the site's pages; one to a page that is missing does not, and stays an error."""
    if target.startswith(("http:", "https:", "mailto:")):
        return False
    file = (folder / target).resolve()
    inside = file.is_relative_to(pathlib.Path(app.srcdir).resolve())
    return not inside or (file.suffix != ".md" and not file.is_file())


def _example(app, folder: pathlib.Path, target: str) -> str | None:
    """The page, seen from a folder, that has the source of an example."""
    root = pathlib.Path(app.srcdir).resolve()
    file = (folder / target).resolve()
    if not file.is_relative_to(root.parent / "examples"):
        return None
    page = root / f"{file.relative_to(root.parent)}.md"
    return os.path.relpath(page, folder.resolve()) if page.is_file() else None


def _read(app, page: str, source: list[str]) -> None:
    folder = pathlib.Path(app.srcdir, page).parent

    def name(found: re.Match[str]) -> str:
        page = _example(app, folder, found[2])
        if page is not None:
            return f"[{found[1]}]({page})"
        return found[1] if _outside(app, folder, found[2]) else found[0]

    source[0] = LINK.sub(name, source[0])


def setup(app) -> dict[str, object]:
    app.add_lexer("mlir", TextLexer)
    app.connect("source-read", _read)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
