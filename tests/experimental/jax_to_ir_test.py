"""Programs in files, by the tool for the command line."""

import subprocess
import sys

import pytest

import jax.numpy as jnp
from jax.tools import jax_to_ir


def weigh(x, w):
    return jnp.tanh(x @ w)


@pytest.mark.parametrize(
    ("text", "shape", "dtype"),
    [
        ("f32[1,2]", (1, 2), "float32"),
        ("s8[]", (), "int8"),
        ("pred[3]", (3,), "bool"),
        ("bf16[2]", (2,), "bfloat16"),
        ("c64[0]", (0,), "complex64"),
        ("u32[4]", (4,), "uint32"),
    ],
)
def test_types_are_read(text, shape, dtype):
    found = jax_to_ir.parse_shape_str(text)
    assert (found.shape, found.dtype.name) == (shape, dtype)


@pytest.mark.parametrize("text", ["f32", "zz[1]", "f32[a]", "f32[1,]"])
def test_what_is_no_type_is_refused(text):
    with pytest.raises(ValueError, match="Invalid shape"):
        jax_to_ir.parse_shape_str(text)


def inputs(**types):
    return [(name, jax_to_ir.parse_shape_str(t)) for name, t in types.items()]


def test_a_program_has_inputs_and_constants():
    data, text = jax_to_ir.jax_to_ir(
        weigh,
        inputs(x="f32[2,3]"),
        constants={"w": jnp.ones((3, 4))},
        format="STABLEHLO",
    )
    assert "func.func public @main(%arg0: tensor<2x3xf32>)" in text
    assert data.startswith(b"ML\xefR")
    both = {"x": jnp.ones((2, 3))}
    with pytest.raises(ValueError, match="both `input_shapes` and `constants`: x"):
        jax_to_ir.jax_to_ir(
            weigh, inputs(x="f32[2,3]"), constants=both, format="STABLEHLO"
        )


def test_other_formats_are_refused():
    types = inputs(x="f32[2,3]", w="f32[3]")
    with pytest.raises(ValueError, match="no format 'ZZ'"):
        jax_to_ir.jax_to_ir(weigh, types, format="ZZ")
    for f in (
        jax_to_ir.jax_to_hlo,
        jax_to_ir.jax_to_tf,
        jax_to_ir.tf_wrap_with_input_names,
    ):
        with pytest.raises(NotImplementedError, match='format="STABLEHLO"'):
            f(weigh, types)
    text = jax_to_ir.jax_to_hlo(weigh, types, format="STABLEHLO")[1]
    assert "stablehlo.tanh" in text


def test_the_command_line_writes_files(tmp_path):
    pytest.importorskip("absl.flags", reason="needs the package absl-py")
    out, human = tmp_path / "out", tmp_path / "human"
    program = [sys.executable, "-m", "jax.tools.jax_to_ir"]
    wanted = ["--fn=jax.nn.sigmoid", "--input_shapes=[('x', 'f32[2]')]"]
    subprocess.run(
        [*program, *wanted, f"--ir_dest={out}", f"--ir_human_dest={human}"], check=True
    )
    assert "stablehlo.divide" in human.read_text()
    assert out.read_bytes().startswith(b"ML\xefR")
    answer = subprocess.run([*program, *wanted], capture_output=True, text=True)
    assert "--ir_dest or --ir_human_dest is needed" in answer.stderr
