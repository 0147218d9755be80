"""What is installed: the same answers as `importlib.metadata`, which is loaded only where it is needed."""

import importlib.metadata
import sys
import zipfile

import pytest

from jax._src.runtime.devices import packages

POINTS = "[console_scripts]\nrun = m:main\n\n[our_group]\nfirst = module.of_it\n"


def install(folder, name, version, points=None, kind="dist-info"):
    info = folder / f"{name}-{version}.{kind}"
    info.mkdir(parents=True)
    file = "METADATA" if kind == "dist-info" else "PKG-INFO"
    text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    (info / file).write_text(text)
    if points is not None:
        (info / "entry_points.txt").write_text(points)


@pytest.fixture
def packages_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    return tmp_path


def no_metadata(monkeypatch):
    def called(*_, **__):
        raise AssertionError("importlib.metadata was called")

    for name in ("entry_points", "version", "distributions"):
        monkeypatch.setattr(importlib.metadata, name, called)


@pytest.mark.parametrize("kind", ["dist-info", "egg-info"])
def test_entry_points_are_those_of_importlib(packages_folder, kind):
    install(packages_folder, "some_package", "1.0", POINTS, kind)
    found = packages.entry_points("our_group")
    assert found == list(importlib.metadata.entry_points(group="our_group"))
    assert [point.value for point in found] == ["module.of_it"]


def test_without_the_group_nothing_is_loaded(packages_folder, monkeypatch):
    install(packages_folder, "some_package", "1.0", POINTS)
    (packages_folder / "a_file-1.dist-info").write_text("")
    no_metadata(monkeypatch)
    assert packages.entry_points("no_such_group") == []


def test_an_archive_may_have_some(packages_folder, monkeypatch):
    with zipfile.ZipFile(packages_folder / "archive.zip", "w") as archive:
        archive.writestr("p-1.dist-info/METADATA", "Name: p\nVersion: 1\n")
        archive.writestr("p-1.dist-info/entry_points.txt", POINTS)
    monkeypatch.setattr(sys, "path", [*sys.path, str(packages_folder / "archive.zip")])
    assert [p.value for p in packages.entry_points("our_group")] == ["module.of_it"]
    assert packages.version_of("p") == "1"


def test_a_finder_of_others_is_called(packages_folder, monkeypatch):
    install(packages_folder / "apart", "hidden", "3", POINTS)

    class Finder:
        @staticmethod
        def find_spec(*_):
            return None

        @staticmethod
        def find_distributions(context=None):
            return iter(
                [
                    importlib.metadata.PathDistribution(
                        packages_folder / "apart" / "hidden-3.dist-info"
                    )
                ]
            )

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder])
    assert [p.value for p in packages.entry_points("our_group")] == ["module.of_it"]


@pytest.mark.parametrize("name", ["Some.Package", "some-package", "some_package"])
@pytest.mark.parametrize("written", ["some_package", "Some.Package"])
def test_versions(packages_folder, monkeypatch, name, written):
    install(packages_folder, written, "1.2+local")
    install(packages_folder, "some_package_of_another_name", "7")
    no_metadata(monkeypatch)
    assert packages.version_of(name) == "1.2+local"
    assert packages.version_of("no_such_package") is None


def test_the_version_of_an_old_kind_of_package(packages_folder):
    install(packages_folder, "old_package", "4", kind="egg-info")
    assert packages.version_of("old-package") == "4"
