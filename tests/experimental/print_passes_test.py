"""`python -m jax._src.tools.print_passes`: what each pass of the compiler makes of a function."""

import subprocess
import sys

import jax


def half_of_squares(x):
    return (x * x).sum() / 2


PROGRAM = [sys.executable, "-m", "jax._src.tools.print_passes"]


def run(*arguments):
    return subprocess.run([*PROGRAM, *arguments], capture_output=True, text=True)


def test_modules_are_printed_under_the_names_of_passes_in_order():
    answer = run("jax.numpy.matrix_transpose", "f32[2,3]")
    assert answer.returncode == 0, answer.stderr
    first, _, rest = answer.stdout.partition("// after --xla-inline-calls")
    assert "// after --xla-import-vhlo" in first
    assert "tensor<2x3xf32>" in first
    assert "stablehlo.transpose" in rest or "stablehlo.transpose" in first


def test_the_llvm_flag_prints_llvm_modules_too():
    answer = run("jax.nn.relu", "f32[5]", "--llvm")
    assert answer.returncode == 0, answer.stderr
    assert "// after --xla-" in answer.stdout
    assert "; as emitted" in answer.stdout
    assert "define" in answer.stdout


def test_a_type_that_is_none_is_refused_with_an_example():
    answer = run("jax.nn.relu", "float[5]")
    assert answer.returncode != 0
    assert "Invalid shape float[5]" in answer.stderr
    assert "f32[1,2,3]" in answer.stderr


def test_text_and_report_that_are_made_on_demand_are_those_of_the_compiled_program():
    compiled = jax.jit(half_of_squares).lower(jax.ShapeDtypeStruct((8,), "float32"))
    compiled = compiled.compile()
    assert compiled(jax.numpy.ones(8)) == 4
    first = compiled.as_text()
    assert first == compiled.as_text()
    assert "reduce(" in first
    assert "xla_cpu." not in first
    assert compiled.cost_analysis()["flops"] > 0
