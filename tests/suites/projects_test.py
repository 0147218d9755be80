"""Which files of a project's folder count as its tests."""

import pytest

from tests.suites.projects import PROJECTS, WHEELS, Project


@pytest.fixture
def root(tmp_path):
    for name in (
        "tests/first_test.py",
        "tests/test_second.py",
        "tests/deep/test_third.py",
        "tests/torch/test_fourth.py",
        "tests/helpers.py",
        "other/test_fifth.py",
    ):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return tmp_path


def names(project, root):
    return [str(file) for file in project.files(root)]


def test_both_ways_to_name_a_file_of_tests_count_at_any_depth(root):
    assert names(Project("tests"), root) == [
        "tests/deep/test_third.py",
        "tests/first_test.py",
        "tests/test_second.py",
        "tests/torch/test_fourth.py",
    ]


def test_parts_of_paths_are_left_out_from_the_root_on(root):
    without_folder = names(Project("tests", without=("/torch/",)), root)
    assert without_folder == [
        "tests/deep/test_third.py",
        "tests/first_test.py",
        "tests/test_second.py",
    ]
    assert names(Project("tests", without=("/tests/",)), root) == []


def test_a_name_that_both_patterns_match_counts_once(tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_both_test.py").touch()
    assert names(Project("tests"), tmp_path) == ["tests/test_both_test.py"]


@pytest.mark.parametrize("name", PROJECTS)
def test_a_project_has_one_folder_of_tests_inside_its_root(name):
    project = PROJECTS[name]
    assert project.tests.strip("/.") == project.tests
    assert project.in_wheel is (name in WHEELS)
    assert all(part.startswith("/") for part in project.without)
