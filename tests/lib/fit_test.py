"""Builds and versions that do not fit are refused, with the command that mends it."""

import importlib.util
import pathlib

import pytest

from jax._src.base import version
from jax._src.lib import fit
from jaxlib import _native, version as jaxlib_version


def test_what_is_installed_fits():
    assert fit.check()


def test_the_three_versions_of_the_interface_agree():
    assert _native.interface == jaxlib_version.native_interface
    assert _native.interface == version.NATIVE_INTERFACE
    assert _native.version == jaxlib_version.__version__


@pytest.mark.parametrize("found", ["0.10.2", "0.12.0", "0.4.38", "1.0"])
def test_another_jaxlib_is_refused_with_both_versions_and_the_command(found):
    with pytest.raises(ImportError) as caught:
        fit.check_versions(found, version.NATIVE_INTERFACE)
    text = str(caught.value)
    assert found in text
    assert version.__version__ in text
    assert "pip install" in text
    assert f"jaxlib>={version.JAXLIB_MINIMUM},<{version.JAXLIB_BELOW}" in text


@pytest.mark.parametrize("found", ["0.11.0", "0.11.7", "0.11.0+build5"])
def test_a_jaxlib_in_the_range_is_accepted(found):
    fit.check_versions(found, version.NATIVE_INTERFACE)


def test_another_interface_is_refused():
    with pytest.raises(ImportError, match="native interface 77") as caught:
        fit.check_versions("0.11.0", 77)
    assert "pip install" in str(caught.value)


def test_wheels_of_different_builds_are_refused():
    with pytest.raises(ImportError, match="different builds") as caught:
        fit.check_builds("aaaa", "bbbb", "bbbb")
    text = str(caught.value)
    assert "aaaa" in text and "bbbb" in text and "pip install" in text
    with pytest.raises(ImportError, match="different builds"):
        fit.check_builds("aaaa", "aaaa", "cccc")
    fit.check_builds("aaaa", "aaaa", "aaaa")
    fit.check_builds(None, None, "aaaa")


def test_the_check_runs_before_the_extension_is_loaded(monkeypatch):
    loaded = []
    monkeypatch.setattr(fit, "_import_native", lambda: loaded.append(1))
    monkeypatch.setattr(jaxlib_version, "__version__", "0.1.0")
    with pytest.raises(ImportError, match=r"0\.1\.0"):
        fit.check()
    assert not loaded


def test_nothing_native_is_imported_before_the_check():
    reexport = pathlib.Path(importlib.util.find_spec("jax._src.lib").origin)
    imports = [l for l in reexport.read_text().splitlines() if l.startswith("from ")]
    assert imports[0] == "from jax._src.lib.fit import CHECKED as CHECKED"
    # The layer of `base` is below that of `lib`, and has nothing native.
    assert all(line.startswith("from jax._src.base ") for line in imports[1:])
