"""The plugin of the real XLA, from the xla-cpu-pjrt wheel: a counterpart that others wrote."""

import importlib.util
import json
import os
import pathlib

VARIABLE = "PJRT_NAMES_AND_LIBRARY_PATHS"


def path() -> str:
    """The plugin's shared library."""
    spec = importlib.util.find_spec("xla_plugins.xla_cpu_pjrt")
    (folder,) = spec.submodule_search_locations
    return str(pathlib.Path(folder) / "xla_cpu_pjrt.so")


def select(
    folder: pathlib.Path, *, device_count: int = 1, library: str | None = None
) -> None:
    """Makes it the default backend of this process. Before jax starts one.

    Args:
        folder: for the description of the plugin.
        device_count: how many devices it shall have.
        library: another CPU plugin instead.
    """
    description = pathlib.Path(folder) / "plugin.json"
    create_options = {"cpu_device_count": device_count}
    description.write_text(
        json.dumps(
            {"library_path": library or path(), "create_options": create_options}
        )
    )
    os.environ[VARIABLE] = f"xla:{description}"
    os.environ["JAX_PLATFORMS"] = "xla"
