"""The documentation site builds without a warning; every cell of its pages runs; links lead somewhere."""

import os
import pathlib
import re
import subprocess
import sys
import urllib.parse

import pytest

from tests.testing import browser

ROOT = pathlib.Path(__file__).resolve().parents[2]
SITE = ROOT / "docs/site"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The site's folder, and what its build printed."""
    folder = tmp_path_factory.mktemp("docs")
    paths = [str(SITE), *(path for path in sys.path if path)]
    command = [sys.executable, SITE / "build_site.py", "--out", folder / "site"]
    answer = subprocess.run(
        [*command, "--cache", folder / "cache"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=800,
    )
    printed = answer.stdout + answer.stderr
    assert answer.returncode == 0, printed[-6000:]
    return folder / "site", printed


def test_the_site_builds_without_warnings_or_dead_links(built):
    site, printed = built
    assert re.search(r"site: \d+ pages, [\d.]+ MB, 0 problems", printed), printed[
        -2000:
    ]
    assert (site / "index.html").is_file()


def test_the_reference_has_every_public_name_of_the_array_functions(built):
    site, _ = built
    page = (site / "reference/jax.numpy.html").read_text()
    for name in ("linspace", "matmul", "sin", "where", "concatenate"):
        assert f'id="jax.numpy.{name}"' in page


def test_the_gallery_leads_to_the_source_of_each_example(built):
    site, _ = built
    page = (site / "gallery.html").read_text()
    linked = set(re.findall(r'href="(examples/[^"#]+)\.html"', page))
    names = {path.stem for path in (ROOT / "examples").glob("*.py")}
    assert {pathlib.PurePath(name).stem for name in linked} >= names
    assert "examples/cpp/run_model.cpp" in linked
    source = (site / "examples/cpp/run_model.cpp.html").read_text()
    assert "PJRT_Client_Create" in source and 'href="../../gallery.html"' in source


@pytest.mark.parametrize("words", ["tracer leak", "vmap in_axes", "out of memory"])
def test_the_search_index_knows(built, words):
    site, _ = built
    index = (site / "searchindex.js").read_text().lower()
    # The index holds stems of words.
    for word in re.split(r"[ _]", words):
        assert word[:4] in index


def searched(site, words, folder):
    """The pages that the site's own search finds, in a browser and without a server."""
    page = (site / "search.html").as_uri() + "?q=" + urllib.parse.quote(words)
    answer = browser.browse(page, folder, "--dump-dom", milliseconds=15000)
    found = answer.stdout.partition('<div id="search-results">')[2]
    return re.findall(r'<li[^>]*><a href="([^"#]*)', found)


@browser.needs_chromium
@pytest.mark.parametrize(
    "words, page",
    [
        ("tracer leak", "guides/debugging.html"),
        ("vmap in_axes", "guides/quickstart.html"),
        ("out of memory", "guides/debugging.html"),
    ],
)
def test_a_browser_finds_the_page(built, tmp_path, words, page):
    found = searched(built[0], words, tmp_path)
    assert found[0] == page
    assert not any(x.startswith(("examples/", "proposals/")) for x in found[:3])
