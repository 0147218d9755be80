"""Each example is whole: it has help, a progress bar, a picture, a section of the gallery, a row in the table, and a test."""

import ast
import importlib.util
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples"
# Not programs of one file: functions in C++ with their package, and a template of a vendor's plugin.
PACKAGES = ("ffi", "plugin")
EXAMPLES = {
    path.relative_to(FOLDER).as_posix(): path
    for path in sorted(FOLDER.rglob("*.py"))
    if path.relative_to(FOLDER).parts[0] not in PACKAGES
}
PICTURE = {".png": b"\x89PNG\r\n\x1a\n", ".gif": b"GIF89a"}


def sections():
    """The sections of the gallery page, by the sources that they link."""
    text = (ROOT / "docs/gallery.md").read_text()
    found = {}
    for section in re.split(r"(?m)^## ", text)[1:]:
        for source in re.findall(r"\]\(\.\./examples/([^)#]+)\)", section):
            assert source not in found, f"two sections link {source}"
            found[source] = section
    return found


def strings(path):
    """The strings that a program writes, its docstrings and the parts of f-strings too."""
    nodes = ast.walk(ast.parse(path.read_text()))
    return [n.value for n in nodes if isinstance(n, ast.Constant) and type(n.value) is str]  # fmt: skip


def test_the_examples_are_found():
    assert len(EXAMPLES) >= 19
    assert {"digits_classifier.py", "ray_train.py", "cpp/export_model.py", "kubernetes/train.py"} <= set(EXAMPLES)  # fmt: skip


@pytest.mark.parametrize("name", EXAMPLES)
def test_it_explains_its_options(name, capsys):
    spec = importlib.util.spec_from_file_location("program", EXAMPLES[name])
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except ModuleNotFoundError as error:
        if error.name not in ("flax", "optax", "aiohttp"):
            raise
        pytest.skip(f"the example needs {error.name}")
    with pytest.raises(SystemExit) as ended:
        module.main(["--help"])
    printed = capsys.readouterr().out
    assert ended.value.code == 0
    assert module.__doc__.strip().splitlines()[0] in printed
    # Each option says what it is for, or what it is without being given.
    options = re.findall(r"(?m)^  (--[\w-]+)(.*(?:\n {8,}.*)*)", printed)
    assert options
    silent = [option for option, text in options if not re.search(r" {2,}\S", text)]
    assert not silent


@pytest.mark.parametrize("name", EXAMPLES)
def test_it_shows_its_progress(name):
    called = {
        node.func.id
        for node in ast.walk(ast.parse(EXAMPLES[name].read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert "tqdm" in called


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_gallery_shows_a_picture_that_it_draws(name):
    section = sections()[name]
    pictures = re.findall(r"!\[([^\]]+)\]\((images/[\w.]+)\)", section)
    assert pictures
    written = " ".join(strings(EXAMPLES[name]))
    for text, picture in pictures:
        path = ROOT / "docs" / picture
        assert len(text.split()) >= 4
        assert path.name in written
        assert path.read_bytes().startswith(PICTURE[path.suffix])


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_gallery_says_how_it_is_started(name):
    section = sections()[name]
    (commands,) = re.findall(r"(?s)```sh\n(.*?)```", section)
    stem = pathlib.PurePath(name).with_suffix("").as_posix()
    folder = pathlib.PurePath(name).parent.as_posix()
    assert (
        re.search(rf"build\.py run {stem}\b", commands)
        or f"examples/{name}" in commands
        # The manifest of the job names the program.
        or (folder == "kubernetes" and f"examples/{folder}/" in commands)
    )


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_table_of_examples_has_it(name):
    rows = re.findall(r"(?m)^\| `([^`]+)` \|", (FOLDER / "README.md").read_text())
    parent = pathlib.PurePath(name).parent.as_posix()
    assert name in rows or f"{parent}/" in rows


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_test_runs_it(name):
    path = pathlib.PurePath(name)
    tested = {
        text
        for test in (ROOT / "tests/end_to_end").glob("*_test.py")
        for text in strings(test)
    }
    assert path.stem in tested or any(text.endswith(path.name) for text in tested)


def test_no_picture_is_left_over():
    shown = set(re.findall(r"images/([\w.]+)", "".join(sections().values())))
    assert {path.name for path in (ROOT / "docs/images").iterdir()} == shown
