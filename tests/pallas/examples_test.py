"""The examples in the docstrings of kernels' functions run, and what is public is described."""

import doctest
import inspect

import pytest

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu, triton as plgpu
from jax.experimental.pallas.ops.tpu.splash_attention import (
    splash_attention_kernel,
    splash_attention_mask,
)

MODULES = [pl, pltpu, plgpu, splash_attention_kernel, splash_attention_mask]
NAMES = {"jax": jax, "jnp": jnp, "pl": pl, "pltpu": pltpu, "plgpu": plgpu}
FUNCTIONS = {
    f"{module.__name__}.{name}": value
    for module in MODULES
    for name, value in vars(module).items()
    if inspect.isfunction(value) and name[0] != "_"
}


def examples():
    parser = doctest.DocTestParser()
    for name, function in FUNCTIONS.items():
        text = inspect.getdoc(function) or ""
        if ">>>" in text:
            yield parser.get_doctest(text, dict(NAMES), name, None, None)


def test_examples_run():
    found = list(examples())
    assert len(found) >= 4
    runner = doctest.DocTestRunner(verbose=False)
    for example in found:
        runner.run(example)
    assert runner.summarize(verbose=False).failed == 0


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_document_arguments_and_errors(name):
    text = inspect.getdoc(FUNCTIONS[name]) or ""
    assert "Raises:" in text, f"{name} does not say what it raises"
    if "Args:" in text:
        for parameter in inspect.signature(FUNCTIONS[name]).parameters:
            assert parameter[0] == "_" or f"{parameter}:" in text, parameter
