"""The link checker finds what it is there for."""

import importlib.util
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]


def checker():
    spec = importlib.util.spec_from_file_location("links", ROOT / "docs/site/links.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def problems(folder, **pages):
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text)
    return checker().check(folder)


def test_links_between_pages_and_to_anchors_are_right(tmp_path):
    one = '<a href="two.html#here">x</a> <a href="#top">y</a> <p id="top"></p>'
    assert problems(tmp_path, one=one, two='<p id="here"></p>') == []


def test_a_link_to_a_missing_page_is_found(tmp_path):
    (found,) = problems(tmp_path, one='<a href="three.html">x</a>')
    assert "three.html" in found


def test_a_link_to_a_missing_anchor_is_found(tmp_path):
    (found,) = problems(tmp_path, one='<a href="#there">x</a>')
    assert "no such anchor" in found


def test_a_request_to_the_web_is_found_and_a_link_to_it_is_none(tmp_path):
    text = (
        '<script src="https://doi.org/a.js"></script><a href="https://doi.org/b">x</a>'
    )
    (found,) = problems(tmp_path, one=text)
    assert "a.js from the web" in found
