"""The extras of the jax wheel, and the thin wheels of accelerators that they install."""

import importlib.metadata
import json
import os
import pathlib
import re
import subprocess
import sys
import zipfile

import pytest

BUILD = pathlib.Path("build").resolve()
NAMES = ("jax", "jaxlib", "jax_cuda_plugin", "jax_rocm_plugin")
# What each extra brings besides jax and what it always needs.
EXTRAS = {
    "cuda12": {
        "jax-cuda-plugin",
        "jax-cuda12-pjrt",
        "nvidia-cudnn-cu12",
        "nvidia-cuda-nvcc-cu12",
    },
    "cuda13": {
        "jax-cuda-plugin",
        "jax-cuda13-pjrt",
        "nvidia-cudnn-cu13",
        "nvidia-nvvm",
    },
    "cuda12-local": {"jax-cuda-plugin", "jax-cuda12-pjrt"},
    "cuda13-local": {"jax-cuda-plugin", "jax-cuda13-pjrt"},
    "rocm": {"jax-rocm-plugin", "jax-rocm7-pjrt"},
    "rocm7-local": {"jax-rocm-plugin", "jax-rocm7-pjrt"},
    "tpu": {"libtpu", "requests"},
    "minimum-jaxlib": set(),
}


@pytest.fixture(scope="module")
def wheels():
    found = {name: next(BUILD.glob(f"{name}-*.whl"), None) for name in NAMES}
    assert all(found.values()), found
    return found


def metadata(wheel: pathlib.Path):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [n for n in archive.namelist() if n.endswith("/METADATA")]
        return importlib.metadata.PathDistribution(
            zipfile.Path(archive, name.removesuffix("METADATA"))
        ).metadata


def stub(folder: pathlib.Path, requirement: str) -> None:
    """An empty wheel that fulfils a requirement, in place of one of gigabytes."""
    name = re.match(r"[\w.-]+", requirement)[0].replace("-", "_")
    version = re.search(r"(?:==|>=)([\w.]+)", requirement)
    stem = f"{name}-{version[1] if version else '1.0'}"
    with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as archive:
        info = f"{stem}.dist-info"
        number = stem.partition("-")[2]
        archive.writestr(
            f"{info}/METADATA",
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {number}\n",
        )
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")


@pytest.fixture(scope="module")
def index(wheels, tmp_path_factory):
    """A folder with our wheels, and stubs of all that they may require."""
    folder = tmp_path_factory.mktemp("index")
    for wheel in wheels.values():
        (folder / wheel.name).symlink_to(wheel)
        for requirement in metadata(wheel).get_all("Requires-Dist") or ():
            if not requirement.startswith(
                ("jaxlib", "jax-cuda-plugin", "jax-rocm-plugin", "jax==")
            ):
                stub(folder, requirement)
    return folder


def test_names_sizes_and_versions(wheels):
    version = metadata(wheels["jax"])["Version"]
    for name in ("jax_cuda_plugin", "jax_rocm_plugin"):
        told = metadata(wheels[name])
        assert told["Version"] == version
        assert told.get_all("Requires-Dist") == [f"jax=={version}"]
        assert "-py3-none-manylinux_" in wheels[name].name
        assert wheels[name].stat().st_size <= 40_000_000
        platform = name.split("_")[1]
        with zipfile.ZipFile(wheels[name]) as archive:
            names = archive.namelist()
            text = archive.read(f"{name}-{version}.dist-info/entry_points.txt")
        assert f"{platform} = jax_plugins.{platform}" in text.decode()
        inside = [n for n in names if ".dist-info/" not in n]
        assert all(n.startswith(f"jax_plugins/{platform}/") for n in inside)
        assert f"jax_plugins/{platform}/pjrt_c_api_{platform}_plugin.so" in inside
    assert set(EXTRAS) <= set(metadata(wheels["jax"]).get_all("Provides-Extra"))


@pytest.mark.parametrize("extra", EXTRAS)
def test_each_extra_resolves_to_our_wheels_and_the_vendors(
    extra, wheels, index, tmp_path
):
    report = tmp_path / "report.json"
    version = metadata(wheels["jax"])["Version"]
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run"]
        + ["--ignore-installed", "--no-index", "--find-links", str(index)]
        + ["--report", str(report), f"jax[{extra}]=={version}"],
        check=True,
    )
    found = {
        item["metadata"]["name"].replace("_", "-"): item["metadata"]["version"]
        for item in json.loads(report.read_text())["install"]
    }
    assert EXTRAS[extra] <= set(found)
    assert found["jax"] == version and found["jaxlib"].startswith("0.11.")
    others = {
        name for name in found if name.startswith(("jax-cuda", "jax-rocm", "libtpu"))
    }
    assert others <= EXTRAS[extra]


def test_both_stand_beside_each_other_and_are_quiet(wheels, tmp_path):
    for name in ("jax_cuda_plugin", "jax_rocm_plugin"):
        with zipfile.ZipFile(wheels[name]) as archive:
            archive.extractall(tmp_path)

    def run(platforms):
        path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
        return subprocess.run(
            [sys.executable, "-c", "import jax; print(jax.devices())"],
            env=os.environ | {"PYTHONPATH": path, "JAX_PLATFORMS": platforms},
            capture_output=True,
            text=True,
        )

    quiet = run("")
    assert quiet.returncode == 0 and "CpuDevice" in quiet.stdout, quiet.stderr
    assert not quiet.stderr
    for platform, extra in ("cuda", "cuda12"), ("rocm", "rocm"):
        ended = run(platform)
        assert ended.returncode == 1
        assert f"jax-{platform}-plugin is installed" in ended.stderr
        assert f'pip install "jax[{extra}]"' in ended.stderr
