"""What belongs to another runtime: its names are there, and say so when used."""

import types
from typing import Any, NoReturn

from jax._src.base import errors


def _refusing(name):
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise errors.not_implemented(
            f"jax.extend.ifrt_programs: {name} cannot be made here.",
            [("runtime", "PJRT plugins")],
            "IFRT programs are run by servers of another runtime.",
            "Compile a function for the devices that are there: jax.jit.",
        )

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


ifrt_programs = types.SimpleNamespace(
    **{
        name: _refusing(name)
        for name in (
            "make_hlo_program",
            "make_colocated_python_program",
            "make_plugin_program",
            "make_colocated_python_compile_options",
            "make_plugin_compile_options",
            "make_xla_compile_options",
        )
    }
)
