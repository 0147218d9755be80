"""Prints a function's program at each stage of compilation: `jax.tools.explain`."""

import argparse
import ast
import importlib.util
import inspect
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from typing import Any

from jax._src.base import errors
from jax._src.jit import jit as jits
from jax._src.tools import to_ir
from jax._src.transforms import shape_dtype_struct

# The stages in the order of compilation, with what each shows.
STAGES = {
    "python": "the function as you wrote it",
    "jaxpr": "what tracing recorded: one equation for each primitive operation",
    "stablehlo": "what the compiler gets: the jaxpr, lowered",
    "optimised": "after the compiler's rewrites of whole operations",
    "llvm": "what code generation emitted: fused loops, before LLVM's passes",
    "llvm-optimised": "after LLVM's passes: vectors, unrolled loops",
    "assembly": "machine code, disassembled",
}
_DISASSEMBLERS = ("objdump", "llvm-objdump-22", "llvm-objdump")
_EMITTED, _OPTIMISED = "; as emitted\n", "; optimised\n"


def _captured_errors(action: Callable[[], Any]) -> tuple[Any, str]:
    """The result of a function, and what the process wrote to its standard error meanwhile, C++ included."""
    sys.stderr.flush()
    saved = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            result = action()
        finally:
            os.dup2(saved, 2)
            os.close(saved)
        file.seek(0)
        return result, file.read().decode(errors="replace")


def _parts(dumped: str, mark: str) -> str:
    """The modules of LLVM IR behind one of the marks that the compiler writes."""
    pieces = dumped.replace(_EMITTED, "\0e").replace(_OPTIMISED, "\0o").split("\0")
    letter = "e" if mark == _EMITTED else "o"
    return "\n".join(p[1:].strip() for p in pieces if p.startswith(letter))


def _assembly(serialized: bytes) -> str:
    """The machine code inside of a serialized executable as text, or a sentence that says why there is none."""
    start = serialized.find(b"\x7fELF")
    tool = next(filter(None, map(shutil.which, _DISASSEMBLERS)), None)
    if start < 0:
        return "The executable has no machine code of its own."
    if tool is None:
        return f"No disassembler was found: install one of {', '.join(_DISASSEMBLERS)} (package binutils)."
    with tempfile.NamedTemporaryFile(suffix=".o") as file:
        file.write(serialized[start:])
        file.flush()
        command = [tool, "--disassemble", "--no-show-raw-insn", file.name]
        answer = subprocess.run(command, capture_output=True, text=True)
    lines = answer.stdout.splitlines()
    first = next((i for i, line in enumerate(lines) if line.endswith(">:")), 0)
    return "\n".join(lines[first:]) or answer.stderr


def stages(fun: Callable[..., Any], *args: Any, **kwargs: Any) -> dict[str, str]:
    """A function's program at each stage of compilation, as text.

    LLVM IR is written by the CPU compiler if it has compiled nothing before in this
    process, or if `XLA_DUMP_LLVM` was set in the environment; else the two stages are empty.

    Args:
        fun: a function of arrays, jitted or not.
        *args: arrays, or `jax.ShapeDtypeStruct`s that describe them.
        **kwargs: further arguments, by name.

    Returns:
        A dict from the names in `STAGES` to texts, in the order of compilation.

    Raises:
        TypeError: `fun` cannot be traced with these arguments.
    """
    jitted = fun if hasattr(fun, "trace") else jits.jit(fun)
    traced = jitted.trace(*args, **kwargs)
    lowered = traced.lower()
    before = os.environ.get("XLA_DUMP_LLVM")
    os.environ["XLA_DUMP_LLVM"] = "1"
    try:
        compiled, dumped = _captured_errors(lowered.compile)
    finally:
        if before is None:
            del os.environ["XLA_DUMP_LLVM"]
    executable = compiled.runtime_executable()
    _, program = executable.optimized_program()
    try:
        source = inspect.getsource(inspect.unwrap(fun))
    except (OSError, TypeError):
        source = "The source of this function is not in a file."
    optimised = program if isinstance(program, str) else program.decode()
    texts = (
        inspect.cleandoc("\n" + source),
        str(traced.jaxpr),
        lowered.as_text(),
        optimised,
        _parts(dumped, _EMITTED),
        _parts(dumped, _OPTIMISED),
        _assembly(executable.serialize()),
    )
    return {name: text.strip() for name, text in zip(STAGES, texts, strict=True)}


def _load(target: str) -> Callable[..., Any]:
    """The function that `file.py:name` or `module:name` names."""
    file, _, name = target.rpartition(":")
    path = pathlib.Path(file)
    if not file or not name:
        raise SystemExit(f"explain: {target!r} is not of the form FILE.py:FUNCTION.")
    if path.suffix == ".py" and not path.is_file():
        raise SystemExit(f"explain: there is no file {file}.")
    if path.suffix == ".py":
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module
        sys.path.insert(0, str(path.parent))
        spec.loader.exec_module(module)
    else:
        module = importlib.import_module(file)
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            names = [n for n in vars(module) if callable(getattr(module, n))]
            raise SystemExit(
                errors.explain(
                    f"explain: {file} has no {part!r}.",
                    [("functions", ", ".join(n for n in names if n[0] != "_"))],
                )
            )
        found = getattr(found, part)
    return found


def _argument(text: str) -> Any:
    """A type such as ``f32[3,4]``, or a Python literal."""
    if "[" in text and not text.startswith(("[", "(", "{")):
        aval = to_ir.parse_shape_str(text)
        return shape_dtype_struct.ShapeDtypeStruct(aval.shape, aval.dtype)
    return ast.literal_eval(text)


def _missing(fun: Callable[..., Any], given: int) -> list[str]:
    """Parameters without a default beyond those given."""
    parameters = inspect.signature(fun).parameters.values()
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    needed = [p for p in parameters if p.kind in kinds]
    return [p.name for p in needed[given:] if p.default is inspect.Parameter.empty]


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the stages of a function that the command line names.

    Raises:
        SystemExit: there is no such file or function, or arguments are missing.
    """
    parser = argparse.ArgumentParser(
        prog="python -m jax.tools.explain",
        description="Prints a function's program at each stage, from Python to machine code.",
        epilog="Example: python -m jax.tools.explain model.py:loss 'f32[8,3]' 'f32[3]'",
    )
    parser.add_argument("function", help="FILE.py:FUNCTION or MODULE:FUNCTION")
    parser.add_argument(
        "arguments", nargs="*", help="types such as f32[8,3], or Python literals"
    )
    names = ", ".join(STAGES)
    parser.add_argument(
        "--stages", default=names, metavar="A,B", help=f"which of: {names}"
    )
    options = parser.parse_args(argv)
    wanted = [name.strip() for name in options.stages.split(",")]
    unknown = [name for name in wanted if name not in STAGES]
    if unknown:
        parser.error(f"no stage {', '.join(unknown)}; there are {names}")
    # The compiler reads this once, when it compiles first.
    os.environ.setdefault("XLA_DUMP_LLVM", "1")
    fun, before = _captured_errors(lambda: _load(options.function))
    sys.stderr.write("" if _EMITTED in before else before)
    missing = _missing(fun, len(options.arguments))
    if missing:
        raise SystemExit(
            f"explain: the arguments {', '.join(missing)} need types. Give one for each, such as 'f32[8,3]'."
        )
    texts = stages(fun, *map(_argument, options.arguments))
    for name, text in texts.items():
        if name in wanted:
            title = f"{name}: {STAGES[name]}"
            print(f"{title}\n{'=' * len(title)}\n{text}\n")
    return 0


def run_as_program() -> None:
    """Runs `main` on the command line and exits with its status."""
    raise SystemExit(main())
