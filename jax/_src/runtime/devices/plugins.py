"""The plugins that may provide devices: which there are, and by which names."""

import importlib
import logging
import os
import pkgutil
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jax._src.base import errors, options, records, version
from jax._src.lib import fit
from jax._src.runtime.devices import client_options, machine, packages, tpu

_log = logging.getLogger("jax.plugins")

PATHS_VARIABLE = "PJRT_NAMES_AND_LIBRARY_PATHS"
_HOST_COUNT_FLAG = re.compile(r"--xla_force_host_platform_device_count=(\d+)")

# Names that stand for several platforms.
ALIASES = {"gpu": ("cuda", "rocm", "oneapi")}
# Packages of plugins whose Python half was written for another jaxlib: ours drives the
# library in them. By the module that does, and the wheel that has it.
_DRIVEN = {
    "xla_cuda12": ("cuda", "jax-cuda-plugin", "cuda12"),
    "xla_cuda13": ("cuda", "jax-cuda-plugin", "cuda13"),
    "xla_rocm7": ("rocm", "jax-rocm-plugin", "rocm"),
}
# The modules that drive them, and the wheels that these come in: each is of one release of jax.
_THIN = {
    "jax_plugins.cuda": ("jax-cuda-plugin", "cuda12"),
    "jax_plugins.rocm": ("jax-rocm-plugin", "rocm"),
}


@records.record
class PluginSpec:
    """A plugin that was not started yet."""

    name: str
    # None: the CPU plugin that is linked into jaxlib.
    library_path: str | None
    # Or a function that returns them when the client starts.
    options: Mapping[str, Any] | Callable[[], Mapping[str, Any]]
    # Among plugins that are not requested by name, the highest is the default.
    priority: int
    # Returns why there is nothing to run on; None: nothing speaks against it. The plugin
    # is passed over quietly then, unless it is requested by name.
    absence: Callable[[], str | None] | None = None
    # Does what must happen before the library is loaded.
    prepare: Callable[[], None] | None = None
    # Makes the client, instead of a library.
    factory: Callable[[], Any] | None = None
    # Whether it is an error that it cannot start, though nobody asks for it by name.
    is_needed: bool = False

    @property
    def origin(self) -> str:
        """Where it comes from, for messages."""
        if self.factory is not None:
            return "a function that makes its client"
        return self.library_path or "linked into jaxlib"


_lock = threading.RLock()
_registered: dict[str, PluginSpec] = {}
# By platform: why packages that were found give no plugin.
_notes: dict[str, str] = {}
_discovered = False


def register_plugin(
    plugin_name: str,
    *,
    priority: int = 400,
    library_path: str | None = None,
    options: Mapping[str, Any] | Callable[[], Mapping[str, Any]] | None = None,
    absence: Callable[[], str | None] | None = None,
    prepare: Callable[[], None] | None = None,
) -> None:
    """Makes a PJRT plugin known, to be started when devices are used.

    Args:
        plugin_name: the name by which users select it, as in `JAX_PLATFORMS`.
        priority: the plugin of the highest priority gives the default devices.
        library_path: the shared library (None: what is linked into jaxlib), or a ``.json`` file with the keys
            ``library_path`` and ``create_options``.
        options: options for its client, or a function that returns them when it starts.
        absence: returns why this machine has no device for it, or None. It is passed
            over then, unless the user asks for it by name.
        prepare: called once before the library is loaded, for what it needs.

    Raises:
        ValueError: there is no such library, or another plugin has the name.
    """
    spec = _spec(plugin_name, library_path, options, priority)
    spec = records.replace(spec, absence=absence, prepare=prepare)
    with _lock:
        other = _registered.get(plugin_name)
        if other is not None and other.library_path not in (None, spec.library_path):
            raise errors.value_error(
                f"Two plugins are named {plugin_name!r}.",
                [("first", other.origin), ("second", spec.origin)],
                "Users choose plugins by their names.",
                f"Uninstall one, or choose: {PATHS_VARIABLE}={plugin_name}:/path.",
            )
        _registered[plugin_name] = spec


def register_backend_factory(
    name: str,
    factory: Callable[[], Any],
    *,
    priority: int = 0,
    fail_quietly: bool = True,
    experimental: bool = False,
    make_topology: Any = None,
    c_api: Any = None,
) -> None:
    """Makes a backend known whose client a function of the caller's makes.

    Args:
        name: the name by which users select it.
        factory: returns the client, as `jax.extend.backend.get_backend` does; called when
            devices are used, and again after `clear_backends`.
        priority: the backend of the highest priority gives the default devices.
        fail_quietly: whether a factory that raises is passed over with a warning, unless
            the user asks for the backend by name; else it is an error.
        experimental: whether a warning says so when it starts.
        make_topology: must be None: `jax.experimental.topologies` describes machines.
        c_api: must be None: `register_plugin` takes libraries.

    Raises:
        NotImplementedError: `make_topology` or `c_api` is given.
    """
    given = {"make_topology": make_topology, "c_api": c_api}
    for option, value in given.items():
        if value is not None:
            raise errors.not_implemented(
                f"register_backend_factory: {option} is not used.",
                [("backend", name)],
                "A factory makes a client; libraries describe themselves.",
                "For a library: jax._src.xla_bridge.register_plugin.",
            )

    def make():
        if experimental:
            _log.warning("The backend %r is experimental.", name)
        return factory()

    spec = PluginSpec(
        name, None, {}, priority, factory=make, is_needed=not fail_quietly
    )
    with _lock:
        _registered[name] = spec


def _spec(name, library_path, given, priority):
    """A plugin's description, checked."""
    if library_path is not None and library_path.endswith(".json"):
        library_path, given = _read_description(library_path, given)
    if library_path is not None and not os.path.isfile(library_path):
        raise errors.value_error(
            f"The plugin {name!r} has no library.",
            [("library_path", library_path)],
            "It must name a file.",
            f"Correct the path, for example in {PATHS_VARIABLE}.",
        )
    return PluginSpec(
        name, library_path, given if callable(given) else dict(given or {}), priority
    )


def _read_description(path, given):
    try:
        with open(path, encoding="utf-8") as file:
            text = importlib.import_module("json").load(file)
        given = given() if callable(given) else given
        found = {**text.get("create_options", {}), **(given or {})}
        return text["library_path"], found
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise errors.value_error(
            "The description of a plugin cannot be read.",
            [("file", path), ("error", f"{type(error).__name__}: {error}")],
            'It holds {"library_path": "...", "create_options": {...}}.',
        ) from None


def cpu_device_count() -> int:
    """The number of virtual CPU devices that the user requested; 1 if none."""
    count = options.num_cpu_devices.value
    if count > 0:
        return count
    flag = _HOST_COUNT_FLAG.search(os.environ.get("XLA_FLAGS", ""))
    return max(1, int(flag[1])) if flag else 1


def registered(wanted: Sequence[str] = ()) -> dict[str, PluginSpec]:
    """All plugins known, by name, the one of the highest priority first.

    Args:
        wanted: the only ones that matter, if not all: where the linked CPU plugin is
            enough, packages of others are not even looked at.
    """
    global _discovered
    with _lock:
        if not _discovered and set(wanted) != {"cpu"}:
            _discovered = True
            _discover()
        elif not _discovered:
            _discover_linked()
            _discover_variable()
        ordered = sorted(_registered.values(), key=lambda s: (-s.priority, s.name))
        return {spec.name: spec for spec in ordered}


def notes() -> dict[str, str]:
    """By platform: why a package that was found gives no plugin."""
    return dict(_notes)


def note(platform: str, text: str) -> None:
    """Keeps why a platform has no devices, for messages."""
    with _lock:
        _notes[platform] = text


def expand(names: Sequence[str], known: Mapping[str, Any]) -> list[str]:
    """The names of plugins, with aliases as what is known of what they stand for."""
    found: list[str] = []
    for name in names:
        if name not in known:
            found += [p for p in ALIASES.get(name, ()) if p in known] or [name]
        else:
            found.append(name)
    return list(dict.fromkeys(found))


def _discover():
    _discover_linked()
    _discover_packages()
    path = tpu.library_path()
    if path is not None and "tpu" not in _registered:
        try:
            register_plugin(
                "tpu",
                priority=tpu.PRIORITY,
                library_path=path,
                options=tpu.client_options,
                absence=machine.no_tpu,
                prepare=tpu.prepare,
            )
        except ValueError as error:
            _failed("tpu", "libtpu", error)
    _discover_variable()


def _discover_linked():
    _registered.setdefault("cpu", _spec("cpu", None, None, 0))


def _discover_variable():
    """Reads `name:/path.so,...` from the environment; comes last, and wins."""
    for item in filter(None, os.environ.get(PATHS_VARIABLE, "").split(",")):
        name, colon, path = item.partition(":")
        if not (name and colon and path):
            raise errors.value_error(
                f"{PATHS_VARIABLE} cannot be read.",
                [("entry", item)],
                "Entries are name:/path/to/plugin.so, separated by commas.",
            )
        _registered[name] = _spec(name, path, None, 400)


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
    for point in packages.entry_points("jax_plugins"):
        found.setdefault(point.value, point.load)
    for name, load in sorted(found.items()):
        short = name.rpartition(".")[2]
        if short in _DRIVEN:
            _note_undriven(short, found)
            continue
        try:
            if name in _THIN:
                _check_release(*_THIN[name])
            load().initialize()
        # One broken plugin must not take the others' devices away.
        except Exception as error:  # noqa: BLE001
            _failed(short, name, error)


def _check_release(wheel, extra):
    """Compares the release of a thin wheel with that of jax, before anything of it is run.

    Raises:
        RuntimeError: it is another.
    """
    found = packages.version_of(wheel)
    if found is None:
        return  # From a source tree, not from a wheel.
    if found.partition("+")[0] != version.__version__:
        raise errors.runtime_error(
            f"{wheel} {found} and jax {version.__version__} do not fit together.",
            [(wheel, found), ("jax", version.__version__)],
            "Both must be of one release.",
            f'pip install "jax[{extra}]=={version.__version__}"',
        )


def _note_undriven(short, found):
    """Says what is missing beside a vendor's library, where nothing drives it."""
    platform, wheel, extra = _DRIVEN[short]
    if f"jax_plugins.{platform}" not in found:
        note(
            platform,
            f"the package jax_plugins.{short} is there, and {wheel}, which drives it, "
            f'is not: pip install "jax[{extra}]"',
        )


def _failed(platform, package, error):
    text = f"The plugin package {package} could not be set up: {error}"
    if isinstance(error, ImportError) and "jaxlib" in str(error):
        text += (
            f". It was written for another jaxlib: this one is {fit.JAXLIB_VERSION}."
        )
    note(platform, text)
    _log.warning("%s", text)


def option_values(spec: PluginSpec) -> dict[str, Any]:
    """The options for a client of this plugin, the user's included."""
    given = spec.options() if callable(spec.options) else spec.options
    values = dict(given)
    if spec.name == "cpu":
        values.setdefault("cpu_device_count", cpu_device_count())
    return values | client_options.given_by_user()
