"""Whether the bound of compile times holds is read off the figures of one run."""

import importlib.util
import pathlib
import sys
import types

import pytest

HERE = pathlib.Path(__file__).resolve().parent


@pytest.fixture
def compile_times(monkeypatch):
    """The script, without the programs that it measures."""
    for name in ("machines", "programs"):
        whole = f"tests.accelerators.{name}"
        stub = types.ModuleType(whole)
        stub.Program = tuple
        monkeypatch.setitem(sys.modules, whole, stub)
    spec = importlib.util.spec_from_file_location("times", HERE / "compile_times.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_ptxas_takes_counts_as_ours(compile_times):
    text, is_fine = compile_times.table(
        {"digits_classifier": 1.0}, {"digits_classifier": [0.3, 0.3]}
    )
    assert text.splitlines()[1].split() == [
        "digits_classifier", "1.00", "0.30", "0.30", "0.60",
    ]  # fmt: skip
    assert not is_fine


def test_half_is_enough(compile_times):
    vendor = dict.fromkeys(compile_times.BOUNDED, 2.0)
    ours = dict.fromkeys(compile_times.BOUNDED, [0.5, 0.5])
    assert compile_times.table(vendor, ours)[1]


def test_programs_without_a_bound_do_not_fail(compile_times):
    _, is_fine = compile_times.table(
        {"mlp_train_step": 1.0}, {"mlp_train_step": [1, 1]}
    )
    assert is_fine


def test_the_least_of_the_rounds_is_taken(compile_times, monkeypatch):
    clock = iter([0, 5, 10, 12, 20, 29])
    monkeypatch.setattr(compile_times, "seconds", lambda: next(clock))
    assert compile_times.least(3, lambda: None) == 2
