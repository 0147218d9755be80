"""Names of modules, and uses of functions, that libraries announce to be going: they warn, or raise already."""

import functools as ft
import warnings
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

# Each announced use, and whether it raises already. The first are upstream's: here they warn or are refused without it.
_raises: dict[str, bool] = dict.fromkeys(
    [
        "jax-array-numpy-dtype",
        "jax-array-positional-args",
        "jax-nn-one-hot-float-input",
        "jax-numpy-astype-complex-to-real",
        "jax-pallas-call-mgpu",
        "jax-pallas-mgpu-shapes-types",
    ],
    False,
)


def deprecation_getattr(
    module: str, deprecations: Mapping[str, tuple[str, Any]]
) -> Callable[[str], Any]:
    """A module's ``__getattr__`` for names that are to go.

    Args:
        module: the module's name.
        deprecations: for each name the message, and the object; None: the name is gone.
    """

    @ft.cache
    def get(name: str) -> Any:
        if name not in deprecations:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        message, found = deprecations[name]
        if found is None:
            raise AttributeError(message)
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return found

    return get


def accelerate_getattr_deprecation(module: ModuleType, name: str) -> None:
    """Makes a name of a module's ``_deprecations`` be gone from now on."""
    module._deprecations[name] = (module._deprecations[name][0], None)


def is_accelerated_attribute(module: ModuleType, name: str) -> bool:
    """Whether a name of a module's ``_deprecations`` is gone."""
    return module._deprecations[name][1] is None


def _check_known(deprecation_id):
    if deprecation_id not in _raises:
        raise ValueError(f"{deprecation_id=!r} not registered.")


def register(deprecation_id: str) -> None:
    """Announces that a use is to go: it warns."""
    _raises[deprecation_id] = False


def unregister(deprecation_id: str) -> None:
    """Takes an announcement back; ValueError if there is none."""
    _check_known(deprecation_id)
    del _raises[deprecation_id]


def accelerate(deprecation_id: str) -> None:
    """Makes an announced use raise; ValueError if it was not announced."""
    _check_known(deprecation_id)
    _raises[deprecation_id] = True


def is_accelerated(deprecation_id: str) -> bool:
    """Whether an announced use raises; ValueError if it was not announced."""
    _check_known(deprecation_id)
    return _raises[deprecation_id]


def warn(
    deprecation_id: str,
    message: str,
    stacklevel: int,
    *,
    error_class: type[Exception] = ValueError,
) -> None:
    """Warns of an announced use, or raises `error_class` where it raises already."""
    if is_accelerated(deprecation_id):
        raise error_class(message)
    warnings.warn(message, DeprecationWarning, stacklevel=stacklevel + 1)
