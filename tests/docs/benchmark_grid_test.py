"""The page of run times against sizes, of a few points."""

import importlib.util
import json
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

SCRIPT = pathlib.Path(__file__).parents[2] / "benchmarks/grid.py"


@pytest.fixture(scope="module")
def grid():
    spec = importlib.util.spec_from_file_location("benchmark_grid", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def times(ours, peer, first=1.0):
    return {
        "ours": {"us": ours, "cpu": 2 * ours, "first": 0.01},
        "peer": {"us": peer, "cpu": peer, "first": 0.01 * first},
    }


@pytest.fixture
def results(tmp_path):
    path = tmp_path / "points.json"
    points = {
        "el_exp:100": times(1, 4, first=2.0),
        "el_exp:1000": times(2, 1, first=8.0),
        "ax_sum_3x4_ax1:12": times(1, 1),
        "scan_<b>:7": times(1, 20),
        "failed:7": {"ours": {"error": "ValueError"}, "peer": {"us": 1.0}},
    }
    path.write_text(json.dumps(points))
    return path


def test_figures_are_of_points_that_both_sides_computed(grid, results):
    figures = grid.summary(grid.read_results(results))
    assert figures["points"] == 4
    assert figures["geometric mean"] == pytest.approx((4 * 0.5 * 1 * 20) ** 0.25)
    assert figures["first call"] == pytest.approx(16**0.25)
    assert figures["below 1"] == figures["below 0.9"] == 1
    assert figures["share of at least 0.8 of the best"] == 0.75
    assert grid.summary(grid.read_results(results, "cpu"))["below 1"] == 2


def test_the_page_stands_alone_and_says_each_ratio_in_words_and_colours(grid, results):
    points = grid.read_results(results)
    text = grid.page(points)
    assert not re.search(r"(src|href)=|@import|url\(", text)
    assert "<b>" not in text and "scan_&lt;b&gt;" in text
    worst = text[text.index("The worst points") :]
    assert worst.index("▼ 0.50") < worst.index("4.00")
    for colour in ("#f1a340", "#f7f7f7", "#67a9cf", "#2166ac"):
        assert worst.count(f"background:{colour}") >= 2  # in the list and in the grid


def test_libraries_compute_elementwise_families_on_numbers_that_they_are_defined_for(
    grid,
):
    x = np.linspace(-3, 3, 7, dtype=np.float32)
    for name in grid.ELEMENTWISE:
        argument = abs(x) if name in ("log", "log1p", "sqrt") else x
        with np.errstate(invalid="raise", divide="ignore"):  # of zero, log is infinite
            got = grid.program_of(f"el_{name}")(np, x)
            np.testing.assert_array_equal(got, getattr(np, name)(argument))
        assert not np.isnan(got).any(), name


def test_the_worst_of_before_are_shown_as_they_are_now(grid, results, tmp_path):
    older = tmp_path / "older.json"
    older.write_text(json.dumps({"el_exp:100": times(100, 1), "el_exp:9": times(1, 1)}))
    text = grid.page(grid.read_results(results), grid.read_results(older))
    before = text[text.index("The worst of before") :]
    assert "0.01" in before and "4.00" in before


def test_libraries_run_the_programs_of_which_they_have_an_equal(grid, results):
    pytest.importorskip("numpy")
    points = grid.with_libraries(
        grid.read_results(results), ["numpy", "no_such_library"], kind="us", seconds=0.0
    )
    measured = {p.family for p in points if "numpy" in p.times}
    assert measured == {"el_exp", "ax_sum_3x4_ax1"}
    assert all(0 < p.of_best <= 1 for p in points)


@pytest.mark.parametrize(
    "name",
    ["mm_3x4x5", "mmT_3x4x5", "mmNT_3x4x5", "bmm_2x3x4x5", "ix_sort", "red_argmax"],
)
def test_programs_are_found_by_their_families_names(grid, name):
    np = pytest.importorskip("numpy")
    arrays = [np.ones(s, np.float32) for s in grid._operands(name, 6)]
    result = grid.program_of(name)(np, *arrays)
    if "mm" in name:
        assert result.shape[-2:] == (3, 5) and (result == 4).all()


def test_the_command_writes_a_page(results, tmp_path):
    output = tmp_path / "grid.html"
    command = [sys.executable, SCRIPT, results, "--output", output]
    done = subprocess.run(
        [*command, "--libraries", "", "--time", "cpu"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "points 4" in done.stdout
    assert "processor time" in output.read_text()
