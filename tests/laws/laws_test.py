"""Every primitive obeys its laws, on every sample of its declaration."""

import json
import pathlib
import re

import pytest

import jax
from jax._src.core import primitive as primitive_lib
from tests.testing import laws

# Samples that the compiler refuses, with the reason. The list may only shrink.
COMPILER_GAPS = json.loads(
    pathlib.Path(__file__).with_name("compiler_gaps.json").read_text()
)
CASES = list(laws.cases())
NAMES = [f"{name}-{number}" for name, number in CASES]
every_sample = pytest.mark.parametrize(("name", "number"), CASES, ids=NAMES)


def skip_without_derivative(primitive, sample, law):
    if not laws.has_derivative(primitive, sample):
        pytest.skip("no derivative to test")
    reason = laws.exemption(primitive, law)
    if reason:
        pytest.skip(reason)


def check_derivative(law, primitive, sample):
    """Only what the declaration calls unsupported may lack a derivative."""
    if sample.derivative is None:
        law(primitive, sample)
        return
    with pytest.raises(NotImplementedError, match=re.escape(sample.derivative.reason)):
        law(primitive, sample)


@every_sample
def test_types_agree_with_the_reference(name, number):
    primitive, sample = laws.sample_of(name, number)
    if "reference" not in primitive.rules:
        pytest.skip("no reference")
    laws.types_agree(primitive, sample)


@every_sample
def test_compiled_agrees_with_the_reference(name, number):
    primitive, sample = laws.sample_of(name, number)
    if "reference" not in primitive.rules:
        pytest.skip("no reference")
    listed = COMPILER_GAPS.get(f"{name}-{number}")
    try:
        laws.compiled_agrees(primitive, sample)
    except jax.errors.JaxRuntimeError as gap:
        if listed is None or not str(gap).startswith("UNIMPLEMENTED"):
            raise
        pytest.skip(f"the compiler lacks it: {listed}")
    assert listed is None, "it compiles now: drop its line from compiler_gaps.json"


@every_sample
def test_jvp_agrees_with_finite_differences(name, number):
    primitive, sample = laws.sample_of(name, number)
    skip_without_derivative(primitive, sample, "jvp")
    check_derivative(laws.jvp_agrees_with_differences, primitive, sample)


@every_sample
def test_transpose_satisfies_the_inner_product(name, number):
    primitive, sample = laws.sample_of(name, number)
    skip_without_derivative(primitive, sample, "transpose")
    check_derivative(laws.transpose_agrees, primitive, sample)


@every_sample
def test_batching_is_a_loop(name, number):
    primitive, sample = laws.sample_of(name, number)
    if not laws.can_batch(primitive, sample):
        pytest.skip("no batching rule")
    reason = laws.exemption(primitive, "batch")
    if reason:
        pytest.skip(reason)
    laws.batch_agrees_with_loop(primitive, sample)


@every_sample
def test_programs_show_the_primitive(name, number):
    primitive, sample = laws.sample_of(name, number)
    laws.prints(primitive, sample)


def test_every_primitive_declares_types_and_lowering():
    gaps = [
        f"{name}: {kind}"
        for name, primitive in primitive_lib.declared_primitives().items()
        for kinds in (
            ("types", "types_and_effects"),
            ("lower", "decompose", "lower_platforms"),
        )
        for kind in [kinds[0]]
        if not any(k in primitive.rules for k in kinds)
    ]
    assert not gaps


def test_compiler_gaps_name_samples():
    assert set(COMPILER_GAPS) <= set(NAMES)
