"""The plugins that may provide devices: which there are, and by which names."""

import importlib
import json
import logging
import os
import pkgutil
import re
import threading
from collections.abc import Mapping
from typing import Any

from jax._src.base import errors, options, records

_log = logging.getLogger("jax.plugins")

PATHS_VARIABLE = "PJRT_NAMES_AND_LIBRARY_PATHS"
_HOST_COUNT_FLAG = re.compile(r"--xla_force_host_platform_device_count=(\d+)")


@records.record
class PluginSpec:
    """A plugin that was not started yet."""

    name: str
    # None: the CPU plugin that is linked into jaxlib.
    library_path: str | None
    options: Mapping[str, Any]
    # Among plugins that are not asked for by name, the highest is the default.
    priority: int

    @property
    def origin(self) -> str:
        """Where it comes from, for messages."""
        return self.library_path or "linked into jaxlib"


_lock = threading.RLock()
_registered: dict[str, PluginSpec] = {}
_discovered = False


def register_plugin(
    plugin_name: str,
    *,
    priority: int = 400,
    library_path: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> None:
    """Makes a PJRT plugin known, to be started when devices are asked for.

    Args:
        plugin_name: the name by which users select it, as in `JAX_PLATFORMS`.
        priority: the plugin of the highest priority gives the default devices.
        library_path: the shared library (None: what is linked into jaxlib), or a ``.json`` file with the keys
            ``library_path`` and ``create_options``.
        options: options for its client.

    Raises:
        ValueError: there is no such library.
    """
    if library_path is not None and library_path.endswith(".json"):
        library_path, options = _read_description(library_path, options)
    if library_path is not None and not os.path.isfile(library_path):
        raise ValueError(
            errors.explain(
                f"The plugin {plugin_name!r} has no library.",
                [("library_path", library_path)],
                "It must name a file.",
                f"Correct the path, for example in {PATHS_VARIABLE}.",
            )
        )
    with _lock:
        _registered[plugin_name] = PluginSpec(
            plugin_name, library_path, dict(options or {}), priority
        )


def _read_description(path, given):
    try:
        with open(path, encoding="utf-8") as file:
            text = json.load(file)
        found = {**text.get("create_options", {}), **(given or {})}
        return text["library_path"], found
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise ValueError(
            errors.explain(
                "The description of a plugin cannot be read.",
                [("file", path), ("error", f"{type(error).__name__}: {error}")],
                'It holds {"library_path": "...", "create_options": {...}}.',
            )
        ) from None


def cpu_device_count() -> int:
    """How many virtual CPU devices the user asked for; 1 if not at all."""
    count = options.num_cpu_devices.value
    if count > 0:
        return count
    flag = _HOST_COUNT_FLAG.search(os.environ.get("XLA_FLAGS", ""))
    return max(1, int(flag[1])) if flag else 1


def registered() -> dict[str, PluginSpec]:
    """All plugins known, by name, the one of the highest priority first."""
    global _discovered
    with _lock:
        if not _discovered:
            _discovered = True
            _discover()
        ordered = sorted(_registered.values(), key=lambda s: (-s.priority, s.name))
        return {spec.name: spec for spec in ordered}


def _discover():
    register_plugin("cpu", priority=0)
    _discover_packages()
    _discover_variable()


def _discover_variable():
    """Reads `name:/path.so,...` from the environment; comes last, so that it wins."""
    for item in filter(None, os.environ.get(PATHS_VARIABLE, "").split(",")):
        name, colon, path = item.partition(":")
        if not (name and colon and path):
            raise ValueError(
                errors.explain(
                    f"{PATHS_VARIABLE} cannot be read.",
                    [("entry", item)],
                    "Entries are name:/path/to/plugin.so, separated by commas.",
                )
            )
        register_plugin(name, library_path=path)


def _discover_packages():
    """Calls `initialize()` of what the package `jax_plugins` holds and of entry points."""
    found = {}
    try:
        namespace = importlib.import_module("jax_plugins")
        for module in pkgutil.iter_modules(
            namespace.__path__, namespace.__name__ + "."
        ):
            found[module.name] = lambda name=module.name: importlib.import_module(name)
    except ModuleNotFoundError:
        pass
    # Slow to load, and wanted only here.
    metadata = importlib.import_module("importlib.metadata")
    for point in metadata.entry_points(group="jax_plugins"):
        found[point.value] = point.load
    for name, load in found.items():
        try:
            load().initialize()
        # One broken plugin must not take the others' devices away.
        except Exception as error:  # noqa: BLE001
            _log.warning("The plugin package %s could not be set up: %s", name, error)


def option_values(spec: PluginSpec) -> dict[str, Any]:
    """The options for a client of this plugin, the user's included."""
    values = dict(spec.options)
    if spec.name == "cpu":
        values.setdefault("cpu_device_count", cpu_device_count())
    given = options.pjrt_client_create_options.value
    values.update(given if isinstance(given, Mapping) else _parse_options(given))
    return values


def _parse_options(text):
    """Reads `name:value;name:value`, as the environment has it."""
    out = {}
    for item in filter(None, (text or "").split(";")):
        name, colon, value = item.partition(":")
        if not colon:
            raise ValueError(
                errors.explain(
                    "jax_pjrt_client_create_options cannot be read.",
                    [("entry", item)],
                    "Entries are name:value, separated by semicolons.",
                )
            )
        out[name] = _parse_value(value)
    return out


def _parse_value(text):
    if text in ("true", "True", "false", "False"):
        return text.lower() == "true"
    try:
        return int(text)
    except ValueError:
        return text
