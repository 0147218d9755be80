"""HLO programs mean what the StableHLO programs mean that they are made of.

The real XLA reads their bytes, compiles them and computes what it computes from StableHLO.
"""

import pathlib
import tempfile

import numpy as np
import pytest

import jax
from jax._src.interpreters import mlir
from jax._src.interpreters.hlo import programs
from jax._src.lib import client
from jax._src.lib.mlir import ir
from tests.testing import laws, real_plugin

real_plugin.select(pathlib.Path(tempfile.mkdtemp()))

# Functions for which the real XLA has an instruction, and no code for CPUs.
_LACKS = {"acos", "acosh", "asin", "asinh", "atanh", "cosh", "sinh"}
# Neighbouring samples differ in dtypes or shapes: a third of them has every instruction.
_CASES = [case for case in laws.cases() if case[1] % 3 == 0 and case[0] not in _LACKS]

_compile = client.Client.compile


# How often programs went through HLO.
_converted = []


def _compile_as_hlo(self, program, format="mlir", **options):
    _converted.append(format)
    with mlir.make_ir_context() as context:
        found = programs.of_stablehlo(ir.Module.parse(program, context))
    return _compile(
        self, found.as_serialized_hlo_module_proto(), format="hlo", **options
    )


def _is_custom(lowered):
    return "custom-call(" in lowered.as_text("hlo")


def _leaves(compiled, args):
    return [np.asarray(x) for x in jax.tree.leaves(compiled(*args))]


@pytest.mark.parametrize(("name", "number"), _CASES, ids=str)
def test_samples_compute_the_same(name, number, monkeypatch):
    primitive, sample = laws.sample_of(name, number)
    lowered = jax.jit(laws.apply(primitive, sample)).lower(*sample.args)
    if _is_custom(lowered):
        pytest.skip("the real XLA has no handler of this call")
    wanted = _leaves(lowered.compile(), sample.args)
    monkeypatch.setattr(client.Client, "compile", _compile_as_hlo)
    before = len(_converted)
    found = _leaves(lowered.compile(), sample.args)
    assert len(_converted) > before
    for one, other in zip(found, wanted, strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape
        if one.dtype.kind in "fcV":
            one, other = (x.astype(np.complex128) for x in (one, other))
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)
        else:
            np.testing.assert_array_equal(one, other)


def test_compiled_programs_of_another_compiler_are_shown_as_hlo():
    compiled = jax.jit(lambda x: (x @ x).sum()).lower(np.ones((4, 4), "f4")).compile()
    text = compiled.as_text()
    assert text.startswith("HloModule ") and "ENTRY %main" in text
    assert " dot(%" in text or "custom-call(" in text
    program = programs.of_executable(compiled.runtime_executable())
    data = program.as_serialized_hlo_module_proto()
    again = programs.of_bytes(data, has_config=False)
    assert again.to_string() == program.to_string()
