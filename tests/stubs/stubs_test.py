"""Type checkers and editors understand the public interface: stubs agree with the code, and editors complete names."""

import ast
import importlib.util
import json
import os
import pathlib
import re
import runpy
import shutil
import subprocess
import sys

import jedi
import pytest

from tests.stubs import completed

ROOT = pathlib.Path(__file__).resolve().parents[2]
CALLS = ROOT / "tests/stubs/typed_calls.py"
EXAMPLES = sorted((ROOT / "examples").rglob("*.py"))


def generator():
    spec = importlib.util.spec_from_file_location("stubs", ROOT / "tools/stubs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


STUBS = generator()


def test_stubs_are_what_the_generator_writes():
    stale = [
        str(path) for path, text in STUBS.stubs().items() if path.read_text() != text
    ]
    assert not stale, f"run `python tools/stubs.py`: {stale}"


def defined(text):
    """The public names that a stub defines, without what it imports for annotations."""
    found = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            found.add(node.target.id)
        elif isinstance(node, ast.Assign):
            found.add(node.targets[0].id)
        elif isinstance(node, ast.ImportFrom):
            found |= {a.name for a in node.names if a.name == a.asname}
    return {name for name in found if not name.startswith("_")}


@pytest.mark.parametrize("name", STUBS.MODULES)
def test_every_public_name_is_in_the_stub_and_every_name_there_is_public(name):
    module = importlib.import_module(name)
    stub = defined(pathlib.Path(module.__file__).with_suffix(".pyi").read_text())
    public = {
        n
        for n in STUBS.names(module)
        if not STUBS.inspect.ismodule(getattr(module, n)) or n in stub
    }
    assert stub == public


def test_the_typed_calls_give_the_types_they_state():
    values = runpy.run_path(str(CALLS))
    text = CALLS.read_text()
    arrays = re.findall(r"^(v\d+): Array", text, re.MULTILINE)
    assert len(re.findall(r"^\w+: .* = ", text, re.MULTILINE)) >= 200
    wrong = [name for name in arrays if not isinstance(values[name], STUBS.jax.Array)]
    assert not wrong


def package_folder(tmp_path):
    """A folder with the packages as an installation has them, and with the typed file; no other source is beside them."""
    folder = tmp_path / "packages"
    folder.mkdir()
    (folder / "jax").symlink_to(ROOT / "jax")
    (folder / "jaxlib").symlink_to(ROOT / "jaxlib")
    shutil.copyfile(CALLS, tmp_path / "typed_calls.py")
    return folder


def package_paths():
    """The folders in which the packages of the examples are."""
    found = []
    for name in ("numpy", "matplotlib", "tqdm", "flax", "optax", "aiohttp"):
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin:
            found.append(pathlib.Path(spec.origin).parents[1])
    return dict.fromkeys(found)


def has_imports(path):
    """Whether the packages are here that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module.partition(".")[0])
    return all(importlib.util.find_spec(name) for name in found)


def examples_folder(tmp_path):
    """The examples of one file whose packages are here, without those that are packages of their own."""
    folder = tmp_path / "examples"
    folder.mkdir()
    for path in EXAMPLES:
        if path.parent.name in ("examples", "cpp", "kubernetes") and has_imports(path):
            shutil.copyfile(path, folder / path.name)
    assert len(list(folder.iterdir())) >= 16
    return folder


@pytest.mark.parametrize("checked", ["typed_calls.py", "examples"])
def test_mypy_in_its_strict_mode_finds_no_error(tmp_path, checked):
    packages = package_folder(tmp_path)
    if checked == "examples":
        examples_folder(tmp_path)
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent"]
    # Packages without types, and those that only some examples need.
    command += ["--ignore-missing-imports", "--config-file="]
    answer = subprocess.run(
        [*command, f"--cache-dir={tmp_path / 'cache'}", checked],
        cwd=tmp_path,
        env=os.environ | {"MYPYPATH": str(packages)},
        capture_output=True,
        text=True,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr


@pytest.mark.parametrize("checked", ["typed_calls.py", "examples"])
def test_pyright_in_its_strict_mode_finds_no_error(tmp_path, checked):
    packages = package_folder(tmp_path)
    if checked == "examples":
        examples_folder(tmp_path)
    matplotlib = importlib.util.find_spec("matplotlib")
    completed.write(tmp_path / "typings", pathlib.Path(matplotlib.origin).parent)
    options = {
        "include": [checked],
        "typeCheckingMode": "strict",
        "stubPath": str(tmp_path / "typings"),
        # The folders of packages too: the checker does not look where Bazel puts them.
        "extraPaths": [str(packages), *map(str, package_paths())],
        "pythonVersion": "3.11",
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(options))
    answer = subprocess.run(
        [sys.executable, "-m", "basedpyright", "-p", str(tmp_path), "--outputjson"],
        cwd=tmp_path,
        env=os.environ | {"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    found = json.loads(answer.stdout)["generalDiagnostics"]
    errors = [x for x in found if x["severity"] == "error"]
    assert not errors, json.dumps(errors, indent=1)[-4000:]


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    """The language server's cache in a folder that can be written."""
    monkeypatch.setattr(jedi.settings, "cache_directory", str(tmp_path / "jedi"))


def editor(text):
    project = jedi.Project(ROOT, added_sys_path=[str(ROOT)])
    return jedi.Script(text, project=project)


def test_an_editor_completes_names_of_modules():
    found = {c.name for c in editor("import jax.numpy as jnp\njnp.lin").complete()}
    assert {"linspace", "linalg"} <= found


def test_an_editor_completes_methods_of_arrays():
    text = "import jax.numpy as jnp\nx = jnp.sin(jnp.ones(3))\nx.re"
    assert {"reshape", "real"} <= {c.name for c in editor(text).complete()}


def test_an_editor_shows_signature_and_first_paragraph():
    text = "import jax.numpy as jnp\njnp.matmul"
    (name,) = editor(text).help(2, 8)
    assert "precision" in name.docstring()
    assert "The product of matrices" in name.docstring()
