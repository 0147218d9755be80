"""Links of pages to files outside of the site become names of those files.

Pages in docs/ are read in the repository, too, where a link to a source file or to a folder's README works. The site
has no copy of those, so it shows their names.
"""

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


def _read(app, page: str, source: list[str]) -> None:
    folder = pathlib.Path(app.srcdir, page).parent

    def name(found: re.Match[str]) -> str:
        return found[1] if _outside(app, folder, found[2]) else found[0]

    source[0] = LINK.sub(name, source[0])


def setup(app) -> dict[str, object]:
    app.add_lexer("mlir", TextLexer)
    app.connect("source-read", _read)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
