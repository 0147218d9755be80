"""`jax.extend.mlir`: the bindings themselves, and portable artifacts."""

import importlib

import pytest

import jax
import jax.extend
import jax.numpy as jnp
from jax.extend import mlir


@pytest.mark.parametrize(
    "name", ["arith", "func", "math", "memref", "scf", "sdy", "stablehlo", "vector"]
)
def test_dialects_are_those_of_the_bindings(name):
    module = importlib.import_module(f"jax.extend.mlir.dialects.{name}")
    assert module is importlib.import_module(f"jaxlib.mlir.dialects.{name}")
    assert getattr(jax.extend.mlir.dialects, name) is module


def test_modules():
    ir = importlib.import_module("jax.extend.mlir.ir")
    assert ir.Context is importlib.import_module("jaxlib.mlir.ir").Context
    assert mlir.passmanager.PassManager


def _module():
    return jax.jit(lambda x: jnp.sin(x) + jax.lax.erf_inv(x)).lower(1.0).compiler_ir()


def test_artifacts_are_read_back():
    module = _module()
    data = mlir.serialize_portable_artifact(module, "1.9.0")
    assert data.startswith(b"ML\xefR")
    assert mlir.serialize_portable_artifact(str(module), "1.9.0")
    again = mlir.deserialize_portable_artifact(data)
    text = str(again)
    assert "stablehlo.sine" in text and "chlo" not in text
    with again.context as context:
        inside = mlir.deserialize_portable_artifact(data)
        assert inside.context is context or inside.context == context


def test_what_cannot_be_an_artifact():
    with pytest.raises(NotImplementedError, match="not for 0.0.1"):
        mlir.serialize_portable_artifact(_module(), "0.0.1")
    with pytest.raises(mlir.ir.MLIRError, match="cannot be read"):
        mlir.deserialize_portable_artifact(b"ML\xefRbroken")
    with pytest.raises(NotImplementedError, match="StableHLO alone"):
        mlir.serialize_portable_artifact(_module(), "1.9.0", True)


@pytest.mark.parametrize(
    "call",
    [
        lambda: mlir.refine_polymorphic_shapes(b""),
        lambda: mlir.hlo_to_stablehlo(b""),
    ],
)
def test_what_is_not_supported_says_so(call):
    with pytest.raises(NotImplementedError, match="not supported"):
        call()
