"""The wheels install with pip alone and run a program that uses grad, jit and vmap."""

import json
import os
import pathlib
import re
import shutil
import site
import subprocess
import sys
import tomllib
import zipfile

import pytest

PROGRAM = """
import jax
import jax.numpy as jnp

def loss(w, x, y):
    return jnp.mean((jnp.tanh(x @ w) - y) ** 2)

x = jnp.arange(12.0).reshape(4, 3) / 12
y = jnp.ones(4)
w = jnp.zeros(3)
gradient = jax.jit(jax.grad(loss))(w, x, y)
each = jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))(w, x[:, None], y[:, None])
assert jnp.allclose(gradient, each.mean(0), atol=1e-6), (gradient, each)
print(jax.__version__, jax.devices()[0].platform, gradient)
"""
LARGEST_JAXLIB_BYTES = 60e6


@pytest.fixture(scope="module")
def wheels():
    found = {
        name: next(pathlib.Path("build").glob(f"{name}-*.whl"), None)
        for name in ("jax", "jaxlib")
    }
    assert all(found.values()), found
    return found


@pytest.fixture(scope="module")
def interpreter(wheels, tmp_path_factory):
    """A new environment that holds the wheels, and sees the locked packages that they require."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / "bin/python"
    pip = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*pip, *wheels.values()], check=True)
    packages = next(folder.glob("lib/python*/site-packages"))
    (packages / "locked.pth").write_text("\n".join(site.getsitepackages()) + "\n")
    return python


def run(*command, cwd, **variables):
    """What a command prints that knows nothing of this test's environment."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("JAX_", "PJRT_", "PYTHON"))
    }
    answer = subprocess.run(
        command,
        cwd=cwd,
        env=environment | variables,
        capture_output=True,
        text=True,
    )
    assert answer.returncode == 0, answer.stderr + answer.stdout
    return answer.stdout


def test_a_program_runs_on_the_installed_wheels(interpreter, tmp_path):
    printed = run(interpreter, "-c", PROGRAM, cwd=tmp_path)
    assert printed.startswith("0.10.2"), printed


NATIVE_FUNCTIONS = (
    "rows [[0.46299999952316284, 0.9259999990463257, 1.3890000581741333], "
    "[0.7900000214576721, 0.9869999885559082, 1.184000015258789]]\n"
    "numbers [5, 6, 7]\n"
    "refused INVALID_ARGUMENT: count: counting starts at 0 or above\n"
)


@pytest.fixture
def native_functions(tmp_path):
    """The sources of the example, where a build may write."""
    if shutil.which("c++") is None:
        pytest.skip("needs a C++ compiler: there is no c++ on this machine")
    source = tmp_path / "source"
    shutil.copytree("examples/ffi", source)
    return source


def test_cmake_builds_native_functions_against_the_wheel(
    interpreter, native_functions, tmp_path
):
    if shutil.which("cmake") is None:
        pytest.skip("needs cmake, which is not on this machine")
    build, out = tmp_path / "build", tmp_path / "out"
    options = (f"-DPython_EXECUTABLE={interpreter}", f"-DCMAKE_INSTALL_PREFIX={out}")
    run("cmake", "-S", native_functions, "-B", build, *options, cwd=tmp_path)
    run("cmake", "--build", build, cwd=tmp_path)
    run("cmake", "--install", build, cwd=tmp_path)
    printed = run(interpreter, "-m", "native_functions", cwd=out)
    assert printed == NATIVE_FUNCTIONS


def test_setuptools_builds_native_functions_against_the_wheel(
    interpreter, native_functions, tmp_path
):
    has_setuptools = (
        "import importlib.util as i; print(bool(i.find_spec('setuptools')))"
    )
    if run(interpreter, "-c", has_setuptools, cwd=tmp_path) != "True\n":
        pytest.skip("needs setuptools, which new environments of this Python lack")
    run(
        interpreter,
        "setup.py",
        "--quiet",
        "build_ext",
        "--inplace",
        cwd=native_functions,
    )
    printed = run(interpreter, "-m", "native_functions", cwd=native_functions)
    assert printed == NATIVE_FUNCTIONS


def test_jaxlib_stays_small(wheels):
    assert wheels["jaxlib"].stat().st_size <= LARGEST_JAXLIB_BYTES


def test_wheels_hold_their_own_package_alone(wheels):
    for name, path in wheels.items():
        folders = {entry.split("/")[0] for entry in zipfile.ZipFile(path).namelist()}
        assert all(f == name or f.startswith(f"{name}-") for f in folders), folders


def test_jaxlib_says_what_others_made_of_it(wheels):
    wheel = zipfile.ZipFile(wheels["jaxlib"])
    (info,) = {n.split("/")[0] for n in wheel.namelist() if ".dist-info/" in n}
    bill = json.loads(wheel.read(f"{info}/sboms/jaxlib.cdx.json"))
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5")
    parts = {part["name"]: part for part in bill["components"]}
    assert all(part["version"] and part["licenses"] for part in parts.values())
    # What the library itself says it was made with.
    native = next(n for n in wheel.namelist() if n.endswith(".so"))
    said = set(re.findall(rb"LLVM(\d+\.\d+\.\d+)", wheel.read(native)))
    assert said and all(v.decode() in parts["llvm"]["version"] for v in said)
    texts = {n for n in wheel.namelist() if n.startswith(f"{info}/licenses/")}
    metadata = wheel.read(f"{info}/METADATA").decode()
    for text in texts:
        name = text.removeprefix(f"{info}/licenses/")
        assert f"License-File: {name}\n" in metadata
        assert len(wheel.read(text)) > 1000
    # Licences that ask for their text to go with binaries.
    wanted = {n for n, p in parts.items() if "BSD" in p["licenses"][0]["expression"]}
    found = {pathlib.Path(text).stem for text in texts}
    assert wanted <= found and "LICENSE" in found


def test_each_library_that_llvm_needs_is_in_the_bill():
    components = tomllib.loads(pathlib.Path("build/components.toml").read_text())
    known = {lib for row in components["component"] for lib in row["libraries"]}
    source = pathlib.Path("third_party/llvm/make_build.py").read_text()
    linked = set(re.findall(r"-l:(lib\w+\.a)", source))
    assert linked and linked <= known


def test_the_metadata_names_the_versions_that_the_packages_report(
    interpreter, tmp_path
):
    program = (
        "import importlib.metadata as m, jax, jaxlib.version as v;"
        "print(m.version('jax').split('+')[0] == jax.__version__.split('+')[0],"
        " m.version('jaxlib') == v.__version__)"
    )
    answer = subprocess.run(
        [interpreter, "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.split() == ["True", "True"]
