"""Programs of tests are read from BUILD files: their files, devices and sizes."""

import sys

from tests.house import tree

sys.path.insert(0, str(tree.ROOT / "build"))

from test_programs import Program, programs  # noqa: E402


def test_rules_loops_and_lists_give_programs(tmp_path):
    folder = tmp_path / "tests/some"
    folder.mkdir(parents=True)
    (folder / "found_test.py").touch()
    (folder / "BUILD.bazel").write_text(
        """
load("//build:python.bzl", "jax_test", "jax_tests", "pytest_test", "test_library")

test_library(name = "support", srcs = ["support.py"])

jax_test(name = "one_test", deps = [":support"], devices = 8)

pytest_test(name = "two", size = "large", srcs = ["b_test.py", "c_test.py"])

jax_tests(["three_test"])

[jax_test(name = name) for name in ["four_test"]]

jax_test(name = "five", srcs = glob(["*_test.py"]))
"""
    )
    assert programs(tmp_path, "tests/some") == [
        Program(("tests/some/one_test.py",), 8, False),
        Program(("tests/some/b_test.py", "tests/some/c_test.py"), None, True),
        Program(("tests/some/three_test.py",), None, False),
        Program(("tests/some/four_test.py",), None, False),
        Program(("tests/some/found_test.py",), None, False),
    ]


def test_every_file_of_the_core_is_in_a_program():
    for folder in ("tests/core", "tests/errors", "tests/transforms", "tests/tree"):
        named = [
            file for program in programs(tree.ROOT, folder) for file in program.files
        ]
        there = {
            str(path.relative_to(tree.ROOT))
            for path in (tree.ROOT / folder).glob("*_test.py")
        }
        assert sorted(named) == sorted(there)
