"""Programs in processes of their own, where plugins are as a test wants them."""

import os
import pathlib
import subprocess
import sys
import textwrap

from tests.testing import patience

LIBRARY = os.path.abspath(os.environ["FAKE_GPU_LIBRARY"])
ENGINE = os.path.abspath(os.environ["FAKE_GPU_ENGINE"])
DEVICES = "import jax; print([d.platform for d in jax.devices()])"


def environment(settings: dict[str, str]) -> dict[str, str]:
    """This process's, without what chooses plugins, and with these settings."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("JAX_", "PJRT_", "XLA_", "FAKE_GPU_"))
    }
    return kept | {"FAKE_GPU_ENGINE": ENGINE} | settings


def run(program: str, *, folder: pathlib.Path | None = None, **settings: str):
    """Runs a program.

    Args:
        program: Python.
        folder: packages that it finds besides.
        **settings: environment variables.

    Returns:
        The completed process, with its texts.
    """
    variables = environment(settings)
    paths = [str(folder)] if folder else []
    variables["PYTHONPATH"] = os.pathsep.join(paths + [p for p in sys.path if p])
    return subprocess.run(
        # -P: packages of a test come before those of the folder that it runs in.
        [sys.executable, "-P", "-c", textwrap.dedent(program)],
        env=variables,
        capture_output=True,
        text=True,
        timeout=patience.LIMIT_S,
    )


def on_gpu(program: str, **settings: str):
    """Runs a program on the fake GPU, which it asks for by name."""
    chosen = {
        "PJRT_NAMES_AND_LIBRARY_PATHS": f"cuda:{LIBRARY}",
        "JAX_PLATFORMS": "cuda",
        **settings,
    }
    return run(program, **chosen)


def package(folder: pathlib.Path, name: str, text: str) -> pathlib.Path:
    """Writes a plugin's package into a folder of packages; returns the folder."""
    package = folder / "jax_plugins" / name
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(textwrap.dedent(text))
    return folder


def registering(**arguments: str) -> str:
    """The text of a package that registers the fake GPU.

    Args:
        **arguments: those of `register_plugin`, as Python.
    """
    given = {"library_path": repr(LIBRARY)} | arguments
    name = given.pop("plugin_name", "'cuda'")
    words = ", ".join(f"{key}={value}" for key, value in given.items())
    return f"""
from jax._src import xla_bridge
def initialize():
    xla_bridge.register_plugin({name}, {words})
"""
