"""Artifacts that upstream's JAX 0.10.2 wrote are read and computed here: `data/make.py`."""

import pathlib

import numpy as np
import pytest

import jax
from jax import export
from tests.export import cases

DATA = pathlib.Path(__file__).with_name("data")
EXPECTED = np.load(DATA / "expected.npz")
CASES = cases.all_cases(jax)
cases.register(jax)


def expected_of(case):
    prefix = f"{case.name}/"
    return {
        k.removeprefix(prefix): EXPECTED[k] for k in EXPECTED if k.startswith(prefix)
    }


def check(case, call):
    found, wanted = cases.results(jax, case, call), expected_of(case)
    assert found.keys() == wanted.keys()
    for name, value in wanted.items():
        assert found[name].dtype == value.dtype
        np.testing.assert_allclose(found[name], value, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_upstreams_artifacts_compute_what_upstream_computes(case):
    exported = export.deserialize((DATA / f"{case.name}.bin").read_bytes())
    check(case, exported.call)
    check(case, jax.jit(exported.call))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_our_artifacts_compute_what_upstream_computes(case):
    made = export.export(jax.jit(case.function), platforms=case.platforms)(*case.args())
    read = export.deserialize(made.serialize(vjp_order=case.vjp_order))
    check(case, read.call)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_upstreams_artifacts_can_be_written_again(case):
    first = export.deserialize((DATA / f"{case.name}.bin").read_bytes())
    again = export.deserialize(first.serialize(vjp_order=case.vjp_order))
    assert again.mlir_module_serialized == first.mlir_module_serialized
    assert (again.in_avals, again.out_avals) == (first.in_avals, first.out_avals)
    assert (again.in_tree, again.out_tree) == (first.in_tree, first.out_tree)
    assert again.has_vjp() == (case.vjp_order > 0)


def test_every_artifact_has_a_case():
    assert {path.stem for path in DATA.glob("*.bin")} == {case.name for case in CASES}
