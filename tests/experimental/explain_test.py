"""`jax.tools.explain` shows a program at each stage of compilation."""

import os
import shutil
import subprocess
import sys

import pytest

import jax
import jax.numpy as jnp
from jax.tools import explain

PROGRAM = """
import jax.numpy as jnp

def loss(x, w):
    return jnp.sum(jnp.tanh(x @ w))

def plain(n=3):
    return jnp.arange(n)
"""


@pytest.fixture
def program(tmp_path):
    file = tmp_path / "model.py"
    file.write_text(PROGRAM)
    return str(file)


def run(*arguments):
    paths = [path for path in sys.path if path]
    return subprocess.run(
        [sys.executable, "-m", "jax.tools.explain", *arguments],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths), "JAX_PLATFORMS": "cpu"},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_the_command_prints_every_stage_in_order(program):
    answer = run(f"{program}:loss", "f32[4,3]", "f32[3]")
    assert answer.returncode == 0, answer.stderr
    starts = [answer.stdout.find(f"{name}: ") for name in explain.STAGES]
    assert starts == sorted(starts) and -1 not in starts
    for part in ("return jnp.sum(jnp.tanh(x @ w))", "dot_general", "stablehlo.tanh"):
        assert part in answer.stdout
    assert "define i32 @xla_main" in answer.stdout
    if shutil.which("objdump"):
        assert "<xla_main>:" in answer.stdout


def test_the_command_prints_the_stages_that_are_named(program):
    answer = run(f"{program}:plain", "--stages", "jaxpr")
    assert answer.returncode == 0, answer.stderr
    assert "iota" in answer.stdout and "stablehlo" not in answer.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{file}:nothing"], "functions  loss, plain"),
        (["{file}:loss"], "the arguments x, w need types"),
        (["{file}"], "FILE.py:FUNCTION"),
        (["absent.py:f"], "there is no file absent.py"),
        (["{file}:loss", "--stages", "hlo5"], "no stage hlo5"),
    ],
)
def test_mistakes_of_the_command_line_are_explained(program, arguments, message):
    answer = run(*(argument.format(file=program) for argument in arguments))
    assert answer.returncode != 0
    assert message in answer.stderr and "Traceback" not in answer.stderr


def test_stages_takes_functions_that_are_jitted_or_not_and_types_for_arrays():
    x = jax.ShapeDtypeStruct((3,), jnp.float32)
    for fun in (jnp.sin, jax.jit(lambda x: jnp.sin(x))):
        texts = explain.stages(fun, x)
        assert list(texts) == list(explain.STAGES)
        assert "sin" in texts["jaxpr"] and "stablehlo.sine" in texts["stablehlo"]
