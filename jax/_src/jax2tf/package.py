"""TensorFlow, which few have: loaded where a function of it is needed."""

import importlib
from typing import Any

from jax._src.base import errors


def tensorflow() -> Any:
    """TensorFlow's module.

    Raises:
        ModuleNotFoundError: it is not installed.
    """
    return _loaded("tensorflow")


def tf2xla() -> Any:
    """TensorFlow's operations that hold compiled programs.

    Raises:
        ModuleNotFoundError: TensorFlow is not installed.
    """
    return _loaded("tensorflow.compiler.tf2xla.python.xla")


def _loaded(name):
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            errors.explain(
                "jax2tf needs TensorFlow, which is not installed.",
                [("module", name), ("error", str(error))],
                ways="Install it:  pip install tensorflow",
            ),
            name=error.name,
        ) from None
