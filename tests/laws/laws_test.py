"""Every primitive obeys its laws, on every sample of its declaration."""

import pytest

import jax
from jax._src.core import primitive as pr
from tests.testing import laws

CASES = list(laws.cases())
NAMES = [f"{name}-{number}" for name, number in CASES]
every_sample = pytest.mark.parametrize(("name", "number"), CASES, ids=NAMES)


def skip_without_derivative(primitive, sample, law):
    if not laws.has_derivative(primitive, sample):
        pytest.skip("no derivative to test")
    reason = laws.exemption(primitive, law)
    if reason:
        pytest.skip(reason)


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
    try:
        laws.compiled_agrees(primitive, sample)
    except jax.errors.JaxRuntimeError as gap:
        if not str(gap).startswith("UNIMPLEMENTED"):
            raise
        pytest.skip(str(gap).splitlines()[0])


@every_sample
def test_jvp_agrees_with_finite_differences(name, number):
    primitive, sample = laws.sample_of(name, number)
    skip_without_derivative(primitive, sample, "jvp")
    try:
        laws.jvp_agrees_with_differences(primitive, sample)
    except NotImplementedError as gap:
        pytest.skip(str(gap))


@every_sample
def test_transpose_satisfies_the_inner_product(name, number):
    primitive, sample = laws.sample_of(name, number)
    skip_without_derivative(primitive, sample, "transpose")
    try:
        laws.transpose_agrees(primitive, sample)
    except NotImplementedError as gap:
        pytest.skip(str(gap))


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
        for name, primitive in pr.declared_primitives().items()
        for kinds in (
            ("types", "types_and_effects"),
            ("lower", "decompose", "lower_platforms"),
        )
        for kind in [kinds[0]]
        if not any(k in primitive.rules for k in kinds)
    ]
    assert not gaps
