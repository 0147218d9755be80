"""How the outputs of programs with other libraries are read and compared, and how failures are named."""

import pathlib
import re
import sys

import pytest

from tests.suites import libraries

LOCK = pathlib.Path(__file__).parents[2] / "third_party/python/libraries_lock.txt"
PRINTED = '"""numpyro 0.22.0: says a number."""\n\nprint(1)\n\n# Upstream prints:\n#   1 a\n#\n#   [2 3]\n'


@pytest.fixture
def file(tmp_path):
    file = tmp_path / "says_a_number.py"
    file.write_text(PRINTED)
    return file


def test_a_program_names_its_package_and_what_it_prints(file):
    program = libraries.read_program(file)
    assert (program.package, program.version) == ("numpyro", "0.22.0")
    assert program.printed == "1 a\n\n[2 3]"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("numpyro 0.22.0", "numpyro"),
        ("# Upstream prints:", "# Prints:"),
        ("#   [2 3]\n", "print(2)\n"),
    ],
)
def test_a_program_without_its_header_or_its_output_is_refused(file, old, new):
    file.write_text(PRINTED.replace(old, new))
    with pytest.raises(ValueError, match=file.stem):
        libraries.read_program(file)


@pytest.mark.parametrize(
    ("printed", "wanted"),
    [
        ("1.0001 a", "1.0 a"),
        ("[ 1.  2.]\n", "[1. 2.]"),
        ("1e-7", "0.0"),
        ("-0.5 nan inf", "-0.5 nan inf"),
        ("<A object at 0x12ab>", "<A object at 0x77>"),
        ("[1 2\n 3]", "[1 2 3]"),
    ],
)
def test_rounding_addresses_and_breaks_of_lines_make_no_difference(printed, wanted):
    assert libraries.difference(printed, wanted) == ""


@pytest.mark.parametrize(
    ("printed", "wanted", "told"),
    [
        ("1.01 a", "1.0 a", "1.01, not 1.0"),
        ("1 b", "1 a", "'b', not 'a'"),
        ("1", "1 2 3", "less output: 2 3"),
        ("1 2", "1", "more output: 2"),
        ("float32", "float64", "'float32', not 'float64'"),
        ("nan", "1.0", "'nan', not '1.0'"),
        ("[1 2]", "[[1 2]]", "1, not ["),
    ],
)
def test_other_values_words_dtypes_and_shapes_make_one(printed, wanted, told):
    found = libraries.difference(printed, wanted)
    assert found.replace("'", "") == told.replace("'", "")


def test_a_failure_is_named_by_its_exception(tmp_path):
    (tmp_path / "broken_module.py").write_text("import missing_part\n")
    (tmp_path / "whole_module.py").write_text("print('loud')\n")
    told = libraries.import_reason(sys.executable, "broken_module", tmp_path)
    assert told == "ModuleNotFoundError: No module named 'missing_part'"
    assert libraries.import_reason(sys.executable, "whole_module", tmp_path) == ""
    assert libraries.reason("") == "no message"


def test_a_program_is_compared_with_what_it_printed(file):
    folder = file.parent
    program = libraries.read_program(file)
    assert (
        libraries.program_reason(sys.executable, program, folder)
        == "less output: a [ 2 3 ]"
    )
    file.write_text(PRINTED.replace("print(1)", "print('1 a [2 3]')"))
    assert libraries.program_reason(sys.executable, program, folder) == ""


def test_modules_and_programs_are_of_packages_that_the_lock_pins():
    pinned = dict(re.findall(r"^([a-z0-9-]+)==(\S+)", LOCK.read_text(), re.MULTILINE))
    hashes = LOCK.read_text().count("--hash=sha256:")
    assert hashes >= len(pinned) >= 150
    pairs = libraries.modules()
    assert len(set(pairs)) == len(pairs) >= 100
    assert {package for package, _ in pairs} <= pinned.keys()
    programs = libraries.programs()
    assert len(programs) >= 50
    for program in programs:
        assert pinned[program.package] == program.version, program.file
