"""What the compiler makes of a function, pass by pass.

    python -m jax._src.tools.print_passes jax.nn.softmax 'f32[8,16]'

prints the module after each pass that changes it, under the pass's name
(`xla/pipeline/Pipeline.cpp` lists them).
"""

import argparse
import importlib
import os
from collections.abc import Sequence

from jax._src.core import avals
from jax._src.jit import jit as jits
from jax._src.tools import to_ir
from jax._src.transforms import shape_dtype_struct


def _struct_of(text):
    aval = to_ir.parse_shape_str(text)
    return shape_dtype_struct.struct_of(avals.ShapedArray(aval.shape, aval.dtype), None)


def main(argv: Sequence[str] | None = None) -> None:
    """Compiles the function that the command line names, and prints its modules.

    Raises:
        ValueError: an argument's type is not like ``f32[8,16]``.
    """
    parser = argparse.ArgumentParser(
        prog="python -m jax._src.tools.print_passes",
        description="Prints what each pass of the compiler makes of a function.",
    )
    parser.add_argument("function", help="a function's name: module.function")
    parser.add_argument("types", nargs="*", help="its arguments' types: f32[8,16]")
    parser.add_argument(
        "--llvm", action="store_true", help="print LLVM's modules as well"
    )
    options = parser.parse_args(argv)
    module, _, name = options.function.rpartition(".")
    function = getattr(importlib.import_module(module), name)
    lowered = jits.jit(function).lower(*map(_struct_of, options.types))
    # The compiler reads these once, when it first compiles.
    os.environ["XLA_DUMP_PASSES"] = "1"
    if options.llvm:
        os.environ["XLA_DUMP_LLVM"] = "1"
    os.dup2(1, 2)  # it prints to standard error
    lowered.compile()


if __name__ == "__main__":
    main()
