"""Each version that is written down in several files is the same in all of them."""

import ast
import re

import pytest

from tests.house import tree


def constants(path: str) -> dict[str, object]:
    """The literals that a file of Python or Starlark gives names to."""
    found = {}
    for line in ast.parse((tree.ROOT / path).read_text()).body:
        if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name):
            try:
                found[line.targets[0].id] = ast.literal_eval(line.value)
            except ValueError:
                continue
    return found


BUILT = constants("build/versions.bzl")
JAX = constants("jax/_src/base/version.py") | constants("jax/_src/base/releases.py")
VENDORS = constants("build/accelerators.bzl")


def test_jax_is_of_the_release_that_its_wheel_says():
    assert BUILT["JAX_VERSION"] == JAX["DEFAULT"]
    assert all(part.isdigit() for part in BUILT["JAX_VERSION"].split("."))
    assert JAX["DEFAULT"] in JAX["RELEASES"]


def test_jaxlib_is_of_the_release_that_its_wheel_says_and_that_jax_needs():
    text = (tree.ROOT / "build/BUILD.bazel").read_text()
    (wanted,) = re.findall(r'"jaxlib(>=.*)"', text)
    assert constants("jaxlib/version.py")["__version__"] == BUILT["JAXLIB_VERSION"]
    assert wanted == f">={JAX['JAXLIB_MINIMUM']},<{JAX['JAXLIB_BELOW']}"


@pytest.mark.parametrize("platform", ["cuda", "rocm"])
def test_thin_wheels_are_of_the_release_of_jax(platform):
    told = constants(f"jax_plugins/{platform}/version.py")
    assert told["__version__"] == BUILT["JAX_VERSION"]
    # The vendor's library that is requested is the one that the extras install.
    assert told["LIBRARY_VERSION"] == VENDORS["_LIBRARY"]


def test_programs_are_compiled_ahead_by_the_libraries_that_the_extras_install():
    script = (tree.ROOT / "ci/accelerators").read_text()
    assert f"jax-cuda12-pjrt=={VENDORS['_LIBRARY']}" in script
    assert f"libtpu=={VENDORS['_TPU_LIBRARY']}" in script
