"""Every C++ source and header is built by a rule of its folder's BUILD file, or by one of another folder that names it."""

import ast
import fnmatch
import pathlib
import re

from tests.house import tree

ATTRIBUTES = ("srcs", "hdrs", "textual_hdrs", "data")


def unit_files(name):
    """thread_pool -> ThreadPool.h and ThreadPool.cpp, as native_unit has it."""
    stem = "".join(part.capitalize() for part in name.split("_"))
    return [stem + ".h", stem + ".cpp"]


class Names(dict):
    """A dictionary whose keys are a list, as Bazel's language has it."""

    def keys(self):
        return list(self)


class Package:
    """The files that the rules of one BUILD file take, found by running it with stand-ins for the rules."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        self.taken = set()
        code = ast.parse((folder / "BUILD.bazel").read_text())
        names = {
            node.id: self.other_rule
            for node in ast.walk(code)
            if isinstance(node, ast.Name)
        }
        rules = {
            "native_library": self.rule,
            "native_binary": self.rule,
            "native_precompiled": self.other_rule,
            "native_test": self.test,
            "native_unit": self.unit,
            "pybind_extension": self.rule,
            "fuzz_target": self.rule,
            "cc_library": self.rule,
            "exports_files": lambda srcs, **kwargs: self.take(srcs),
            "genrule": self.rule,
            "glob": self.glob,
            "sources": self.sources,
            "dialect_files": lambda *args, **kwargs: Names(),
        }
        exec(
            compile(code, str(folder), "exec"),
            {**names, **rules},
        )

    def take(self, labels):
        self.taken |= {label.lstrip(":") for label in labels or ()}

    def rule(self, name, **attributes):
        for attribute in ATTRIBUTES:
            self.take(attributes.get(attribute))

    def unit(self, name, **attributes):
        self.take(unit_files(name))
        self.rule(name, **attributes)

    def test(self, name, srcs=None, **attributes):
        self.take(srcs or unit_files(name)[1:])
        self.rule(name, **attributes)

    def other_rule(self, *args, **kwargs):
        return ""

    def glob(self, include, exclude=(), **kwargs):
        found = (
            path.relative_to(self.folder).as_posix()
            for pattern in include
            for path in self.folder.glob(pattern)
        )
        return sorted(
            {
                name
                for name in found
                if not any(fnmatch.fnmatch(name, pattern) for pattern in exclude)
            }
        )

    def sources(self, stems=("*",), exclude=()):
        include = [stem + end for stem in stems for end in (".cpp", ".h")]
        tests = ["*Fuzz.cpp", "*Test.cpp"]
        return self.glob(include, [*tests, *self.taken, *exclude])


def untaken(folder):
    """The sources below a folder, down to the next BUILD file, that no rule of it takes."""
    taken = Package(folder).taken
    for path in folder.rglob("*"):
        home = next(
            parent for parent in path.parents if (parent / "BUILD.bazel").exists()
        )
        if path.suffix in (".cpp", ".h") and home == folder:
            if path.relative_to(folder).as_posix() not in taken:
                yield path


def test_every_source_has_a_rule():
    builds = [
        *tree.files(".bazel", below="xla"),
        *tree.files(".bazel", below="jaxlib"),
    ]
    named = "".join(path.read_text() for path in builds)
    wrong = [
        tree.name(path)
        for build in builds
        for path in untaken(build.parent)
        if f":{path.name}" not in named
    ]
    assert len(builds) > 25 and not wrong, "no rule takes: " + ", ".join(wrong)


def test_a_source_without_a_rule_is_found(tmp_path):
    (tmp_path / "BUILD.bazel").write_text(
        'load("//build:native.bzl", "native_library", "native_unit", "sources")\n'
        'native_unit(name = "thread_pool")\n'
        'native_library(name = "x", srcs = sources(["A*"]), hdrs = ["A.h"])\n'
    )
    for name in (
        "ThreadPool.cpp",
        "ThreadPool.h",
        "A.cpp",
        "A.h",
        "B.cpp",
        "ATest.cpp",
    ):
        (tmp_path / name).touch()
    assert {path.name for path in untaken(tmp_path)} == {"B.cpp", "ATest.cpp"}


def test_every_configuration_that_is_named_is_defined():
    bazelrc = (tree.ROOT / ".bazelrc").read_text()
    defined = set(re.findall(r"^build:([\w-]+) ", bazelrc, re.MULTILINE))
    texts = [
        tree.ROOT / ".bazelrc",
        *tree.files(".md", ".py"),
        *sorted((tree.ROOT / "ci").iterdir()),
    ]
    wrong = [
        f"{tree.name(path)}: --config={name}"
        for path in texts
        for name in re.findall(r"--config=([\w-]+)", path.read_text(errors="replace"))
        if name not in defined
    ]
    assert len(defined) > 4 and not wrong, "no such line in .bazelrc: " + str(wrong)
