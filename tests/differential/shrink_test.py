"""A program that shows something is made small."""

import os
import re

import numpy as np
import pytest

from tests.differential import executors, generate, shrink


@pytest.fixture(scope="module")
def reference():
    path = os.path.abspath(os.environ["CPU_PLUGIN"])
    with executors.opened(path, ["reference"]) as opened:
        yield opened["reference"]


def big_program_with(operation):
    """The first random program of twenty operations or more that holds one, outside of loops and branches."""
    inside = re.compile(rf'^ {{5,}}.*"stablehlo\.{operation}"', re.MULTILINE)
    for seed in range(10_000):
        program = generate.generate(seed)
        is_there = operation in program.operations and not inside.search(program.text)
        if is_there and len(program.operations) >= 20:
            return program
    raise AssertionError(f"no program has {operation}")


@pytest.mark.parametrize("operation", ["dot_general", "while", "convolution"])
def test_a_wrong_operation_is_all_that_is_left(reference, operation):
    """Simulates a compiler with one wrong operation: every program that holds it is interesting."""
    program = big_program_with(operation)
    case = shrink.Case(program.text, tuple(program.arguments))

    def is_wrong(case):
        reference.run(case.text, list(case.arrays))  # it must be a program at all
        return f"stablehlo.{operation}" in case.text

    small = shrink.shrink(
        case, is_wrong, lambda case: reference.run(case.text, list(case.arrays))
    )
    main = small.text.split("return")[0] if operation != "while" else small.text
    assert main.count(" = stablehlo.") + main.count(' = "stablehlo.') <= (
        1 if operation != "while" else 8
    )
    assert small.size[1] < case.size[1]


def test_arguments_keep_the_values_that_matter(reference):
    """Only a negative element of the sine is wrong: its argument keeps one."""
    text = """
    func.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %0 = stablehlo.subtract %x, %y : tensor<8xf32>
      %1 = stablehlo.sine %0 : tensor<8xf32>
      %2 = stablehlo.add %1, %x : tensor<8xf32>
      %3 = stablehlo.multiply %y, %y : tensor<8xf32>
      return %2, %3 : tensor<8xf32>, tensor<8xf32>
    }"""
    x, y = np.arange(8, dtype=np.float32), np.full(8, 2.5, np.float32)

    def is_wrong(case):
        if "stablehlo.sine" not in case.text:
            return False
        if "stablehlo.subtract" in case.text:
            return True
        return any((array < 0).any() for array in case.arrays)

    small = shrink.shrink(
        shrink.Case(text, (x, y)),
        is_wrong,
        lambda case: reference.run(case.text, list(case.arrays)),
    )
    assert small.text.count("stablehlo.") == 1
    (argument,) = small.arrays
    assert argument.min() < 0


def test_arguments_may_be_aliased_with_results(reference):
    text = """
    func.func @main(%x: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
      %0 = stablehlo.slice %x [0:1] : (tensor<4xf32>) -> tensor<1xf32>
      %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<1xf32>) -> tensor<4xf32>
      return %1 : tensor<4xf32>
    }"""
    small = shrink.shrink(
        shrink.Case(text, (np.arange(4, dtype=np.float32),)),
        lambda case: "stablehlo.broadcast_in_dim" in case.text,
        lambda case: reference.run(case.text, list(case.arrays)),
    )
    assert small.text.count("stablehlo.") == 1
    assert small.size[1] == 1


def test_what_is_not_interesting_is_refused(reference):
    case = shrink.Case("func.func @main() { return }", ())
    with pytest.raises(ValueError, match="nothing to shrink"):
        shrink.shrink(case, lambda case: False, lambda case: [])
