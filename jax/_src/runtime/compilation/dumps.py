"""Programs as files, where `jax_dump_ir_to` names a folder."""

import itertools
import os
import re
from typing import Any

from jax._src.base import options, standard
from jax._src.core import jaxpr
from jax._src.interpreters import mlir

_modules = itertools.count()
_jaxprs = itertools.count()


def _folder() -> Any:
    """Where to write; ``sponge``: the folder that a test runner keeps. None: nowhere."""
    named = options.dump_ir_to.value
    if named == "sponge":
        named = os.environ.get("TEST_UNDECLARED_OUTPUTS_DIR", "")
    return standard.Path(named) if named else None


def write(module: Any, program: jaxpr.ClosedJaxpr) -> None:
    """Writes a program that is about to be compiled, in the requested forms.

    Args:
        module: the module.
        program: what it was made from.
    """
    folder = _folder()
    if folder is None:
        return
    name = module.operation.attributes["sym_name"].value
    modes = {mode.strip() for mode in options.dump_ir_modes.value.split(",")}
    folder.mkdir(parents=True, exist_ok=True)
    if "stablehlo" in modes:
        text = mlir.module_to_string(
            module, enable_debug_info=options.include_debug_info_in_dumps.value
        )
        plain = re.sub(r"[^\w.-]", "_", name)
        path = folder / f"jax_ir{next(_modules):04}_{plain}_compile.mlir"
        path.write_text(text)
    if "jaxpr" in modes:
        plain = name.removeprefix("jit_").replace("/", "_")
        path = folder / f"jax_{next(_jaxprs):06}_{plain}.jaxpr.txt"
        path.write_text(f"{program}\n")
