"""The page about meshes shows what its programs print.

`WRITE_PAGES=1` in the environment writes today's output into the page instead.
"""

import contextlib
import io
import os
import pathlib
import re

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "parallelism.md"
BLOCK = re.compile(r"```(python|text)\n(.*?)```\n", re.DOTALL)


def shown(page):
    """The page with what its programs print, run one after the other."""
    names = {"__name__": "__main__"}
    printed = ""

    def run(match):
        nonlocal printed
        if match[1] == "text":
            return f"```text\n{printed}```\n"
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile(match[2], "train.py", "exec"), names)
        printed = output.getvalue()
        return match[0]

    return BLOCK.sub(run, page)


def test_the_page_shows_what_its_programs_print():
    page = PAGE.read_text()
    now = shown(page)
    if os.environ.get("WRITE_PAGES"):
        PAGE.write_text(now)
    else:
        assert page == now
