"""A function's program in a file: `jax.tools.jax_to_ir`."""

import ast
import importlib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from jax._src.base import absl_flags, errors, scalars
from jax._src.core import avals
from jax._src.dtypes import known
from jax._src.interpreters import mlir
from jax._src.jit import jit as jits
from jax._src.transforms import shape_dtype_struct

# What TensorFlow's formats need, and is not here.
tf = None
jax2tf = None


def _short_names():
    by_name = {"pred": np.dtype(np.bool_)}
    for dtype in known.array_dtypes:
        by_name[scalars.short_name(dtype)] = np.dtype(dtype)
        by_name[scalars.short_name(dtype).replace("i", "s", 1)] = np.dtype(dtype)
    return by_name


def parse_shape_str(s: str) -> avals.ShapedArray:
    """The type that a text such as ``f32[1,2]`` stands for.

    Raises:
        ValueError: it stands for none.
    """
    found = re.fullmatch(r"\s*(\w+)\[((?:\d+(?:,\d+)*)?)\]\s*", s)
    dtypes = _short_names()
    if found is None or found[1] not in dtypes:
        raise errors.value_error(
            f"Invalid shape {s}.",
            [("dtypes", ", ".join(dtypes))],
            'Write a dtype and sizes, such as "f32[1,2,3]" or "s8[]".',
        )
    sizes = tuple(int(size) for size in found[2].split(",") if size)
    return avals.ShapedArray(sizes, dtypes[found[1]])


def _with_constants(fn, input_shapes, constants):
    names = [name for name, _ in input_shapes]
    both = sorted(set(names) & set(constants))
    if both:
        raise errors.value_error(
            f"Arguments appear in both `input_shapes` and `constants`: "
            f"{', '.join(both)}.",
            ways="An argument is an input of the program, or has a value in it.",
        )

    def program(*args):
        return fn(**dict(zip(names, args, strict=True)), **constants)

    program.__name__ = getattr(fn, "__name__", "program")
    return program


def jax_to_ir(
    fn: Callable[..., Any],
    input_shapes: Sequence[tuple[str, Any]],
    *,
    constants: Mapping[str, Any] | None = None,
    format: str,
) -> tuple[bytes, str]:
    """A function's program, for machines and for people.

    Args:
        fn: the function; arguments are passed by name.
        input_shapes: names and types of the arguments that are inputs of the program.
        constants: the values of the remaining arguments.
        format: ``"STABLEHLO"``: a portable artifact, and the text of the module.

    Raises:
        ValueError: an argument is an input and a constant, or there is no such format.
        NotImplementedError: ``"HLO"``, whose protocol buffers are not written here, and
            ``"TF"``, which takes TensorFlow's bridge.
    """
    if format in ("HLO", "TF"):
        raise errors.not_implemented(
            f"jax_to_ir: programs are not written as {format}.",
            [("function", getattr(fn, "__name__", repr(fn)))],
            "HLO's protocol buffers and TensorFlow's graphs are formats of other "
            "compilers.",
            'Ask for format="STABLEHLO"; the text of HLO is '
            'jax.jit(f).lower(...).as_text("hlo").',
        )
    if format != "STABLEHLO":
        raise errors.value_error(
            f"jax_to_ir: there is no format {format!r}.", [("formats", "STABLEHLO")]
        )
    program = _with_constants(fn, input_shapes, dict(constants or {}))
    types = [
        shape_dtype_struct.struct_of(avals.ShapedArray(t.shape, t.dtype), None)
        for _, t in input_shapes
    ]
    module = jits.jit(program).lower(*types).compiler_ir()
    return mlir.module_to_bytecode(module), mlir.module_to_string(module, False)


def jax_to_hlo(
    fn: Callable[..., Any],
    input_shapes: Sequence[tuple[str, Any]],
    *,
    constants: Mapping[str, Any] | None = None,
    format: str = "HLO",
) -> tuple[bytes, str]:
    """`jax_to_ir`; its default format is refused as there."""
    return jax_to_ir(fn, input_shapes, constants=constants, format=format)


def jax_to_tf(
    fn: Callable[..., Any],
    input_shapes: Sequence[tuple[str, Any]],
    *,
    constants: Mapping[str, Any] | None = None,
    format: str = "TF",
) -> tuple[bytes, str]:
    """`jax_to_ir` for TensorFlow, which is refused.

    Raises:
        NotImplementedError: always.
    """
    return jax_to_ir(fn, input_shapes, constants=constants, format=format)


def tf_wrap_with_input_names(f: Callable[..., Any], input_shapes: Any) -> Callable:
    """Names the inputs of a graph of TensorFlow, which is refused.

    Raises:
        NotImplementedError: always.
    """
    return jax_to_tf(f, input_shapes)  # type: ignore[return-value]


def set_up_flags() -> None:
    """Defines the flags of `main`; needs absl.

    Raises:
        ImportError: absl is not installed.
    """
    flags = absl_flags.load()
    flags.DEFINE_string("fn", None, "The function: module.name")
    flags.DEFINE_string("input_shapes", None, 'Inputs: [("x", "f32[1,2]"), ...]')
    flags.DEFINE_string("constants", "{}", "Values of other arguments, by name")
    flags.DEFINE_string("evaled_constants", "{}", "The same, as Python literals")
    flags.DEFINE_string("ir_format", "STABLEHLO", "The format")
    flags.DEFINE_string("ir_dest", None, "The file to write")
    flags.DEFINE_string("ir_human_dest", None, "The file for people")


def main(argv: Sequence[str]) -> None:
    """Writes the files that the flags ask for.

    Raises:
        ValueError: the flags name no function and inputs, or no file.
    """
    flags = absl_flags.load().FLAGS
    for name in ("fn", "input_shapes"):
        if not getattr(flags, name):
            raise ValueError(f"jax_to_ir: --{name} is needed.")
    if not (flags.ir_dest or flags.ir_human_dest):
        raise ValueError("jax_to_ir: --ir_dest or --ir_human_dest is needed.")
    module, _, name = flags.fn.rpartition(".")
    fn = getattr(importlib.import_module(module), name)
    inputs = [(n, parse_shape_str(s)) for n, s in ast.literal_eval(flags.input_shapes)]
    constants = {
        **ast.literal_eval(flags.constants),
        **ast.literal_eval(flags.evaled_constants),
    }
    values = {n: np.asarray(value) for n, value in constants.items()}
    data, text = jax_to_ir(fn, inputs, constants=values, format=flags.ir_format)
    if flags.ir_dest:
        with open(flags.ir_dest, "wb") as file:
            file.write(data)
    if flags.ir_human_dest:
        with open(flags.ir_human_dest, "w") as file:
            file.write(text)


def run_as_program() -> None:
    """Defines the flags, parses the command line, and runs `main`."""
    set_up_flags()
    absl_flags.run(main)
