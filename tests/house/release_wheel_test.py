"""The wheel of another release says its version, and its table of releases has it as the default."""

import base64
import hashlib
import sys
import zipfile

import pytest

from tests.house import tree

sys.path.insert(0, str(tree.ROOT / "build"))

import machine  # noqa: E402
import release_wheel  # noqa: E402

TABLE = "jax/_src/base/releases.py"


@pytest.fixture
def wheel(tmp_path):
    path = tmp_path / "jax-0.10.2-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(TABLE, (tree.ROOT / TABLE).read_text())
        file.writestr("jax/__init__.py", "")
        file.writestr(
            "jax-0.10.2.dist-info/METADATA",
            "Name: jax\nVersion: 0.10.2\nRequires-Dist: jaxlib<0.12\n",
        )
        file.writestr("jax-0.10.2.dist-info/WHEEL", "Tag: py3-none-any\n")
        file.writestr("jax-0.10.2.dist-info/RECORD", "old")
    return path


def test_metadata_default_and_record_are_of_the_release(wheel):
    made = release_wheel.make(wheel, "0.12.0")
    assert made.name == "jax-0.12.0.1-py3-none-any.whl"
    with zipfile.ZipFile(made) as file:
        files = {name: file.read(name) for name in file.namelist()}
    folder = "jax-0.12.0.1.dist-info"
    assert b"\nVersion: 0.12.0.1\n" in files[f"{folder}/METADATA"]
    scope = {"__name__": "releases"}
    exec(files[TABLE], scope)
    assert scope["DEFAULT"] == "0.12.0"
    rows = [row.split(",") for row in files[f"{folder}/RECORD"].decode().splitlines()]
    assert {name for name, *_ in rows} == set(files)
    for name, hashed, size in rows[:-1]:
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest())
        assert hashed == f"sha256={digest.decode().rstrip('=')}"
        assert int(size) == len(files[name])


def test_a_wheel_with_another_default_is_refused(wheel, tmp_path):
    other = release_wheel.make(wheel, "0.12.0")
    again = tmp_path / wheel.name
    other.rename(again)
    with pytest.raises(machine.BuildError, match="not in the wheel once"):
        release_wheel.make(again, "0.12.0")
