"""The clients in use, and their devices."""

import threading
import warnings
from collections.abc import Callable
from typing import Any

from jax._src import distributed
from jax._src.base import caches, errors, options, slot
from jax._src.core import avals, mesh_usage, slots
from jax._src.distributed import initialization as distributed_state
from jax._src.lib import client
from jax._src.runtime.devices import plugin_failures, plugins, probing
from jax._src.runtime.processes import job

_lock = threading.RLock()
# By the plugin's name. Filled once; the first is the default.
_started: dict[str, Any] = {}
_failures: dict[str, str] = {}
# Whether clients were dropped before the present ones started.
_has_let_go = False
_listeners: list[Callable[[Any], None]] = []
# Options that each client's compiler needs, besides those of the user.
_compile_options: dict[Any, dict[str, Any]] = {}
# By client: the device of arrays that name none.
_first_devices: dict[Any, Any] = {}
# Clients of plugins that are not jaxlib's.
_foreign: set[Any] = set()
# XLA's own CPU compiler drops NaN in minimum and maximum unless it is told not to.
_FOREIGN_CPU = {"xla_cpu_enable_fast_min_max": False}


def _wanted_names() -> list[str]:
    """Returns the platforms that the user chose, the default first; empty for all that there are."""
    text = options.platforms.value or options.platform_name.value or ""
    return [name.strip() for name in text.split(",") if name.strip()]


def backends() -> dict[str, Any]:
    """All clients by name, started on the first call; the default one first.

    Raises:
        RuntimeError: none can be started, or not the one that the user named.
    """
    if _started:
        return _started
    with _lock:
        if not _started:
            _start_all()
        return _started


def _start_all():
    chosen = _wanted_names()
    known = plugins.registered(chosen)
    found = {}
    for name in plugins.expand(chosen, known) if chosen else known:
        spec = known.get(name)
        if spec is None:
            raise RuntimeError(plugin_failures.unknown_platform(name, known))
        absent = None if name in chosen or not spec.absence else spec.absence()
        if absent is not None:
            plugins.note(name, absent)
            continue
        try:
            found[name] = _start(spec)
        except (RuntimeError, ValueError, TypeError) as error:
            message = plugin_failures.cannot_start(spec, error)
            if name in chosen or spec.is_needed:
                raise RuntimeError(message) from None
            _failures[name] = message
            warnings.warn(message, stacklevel=2)
    if not found and chosen:
        raise RuntimeError(plugin_failures.unknown_platform(chosen[0], known))
    if not found:
        raise RuntimeError(plugin_failures.no_backend(known, _failures))
    _started.update(found)


def load_plugin(spec: plugins.PluginSpec) -> Any:
    """The library of a plugin, loaded; no client is made.

    Raises:
        RuntimeError: it cannot be loaded.
    """
    if spec.library_path is None:
        return client.linked_plugin()
    probing.check(spec.name, spec.library_path)
    if spec.prepare is not None:
        spec.prepare()
    return client.load_plugin(spec.library_path)


def _made_by_factory(spec):
    made = spec.factory()
    if not isinstance(made, client.Client):
        raise errors.type_error(
            f"The factory of the backend {spec.name!r} returned no client.",
            [("returned", type(made).__name__)],
            "A client is what jax.extend.backend.get_backend() returns.",
        )
    announce(made)
    return made


# Their chips belong to one process at a time, and their clients wait for other machines.
_NOT_TRIED = ("tpu",)


def _start(spec):
    if spec.factory is not None:
        return _made_by_factory(spec)
    before = set(probing.loaded_libraries()) if spec.library_path else set()
    plugin = load_plugin(spec)
    arguments = job.client_arguments(
        plugins.option_values(spec),
        platform=spec.name,
        is_ours=spec.library_path is None,
    )
    is_alone = "key_value" not in arguments
    if spec.library_path and is_alone and spec.name not in _NOT_TRIED:
        needed = set(probing.loaded_libraries()) - before - {spec.library_path}
        probing.check_client(
            spec.name, spec.library_path, arguments["options"], sorted(needed)
        )
    made = client.make_client(plugin, **arguments)
    job.attach(made)
    if spec.library_path is not None:
        _foreign.add(made)
        if made.platform == "cpu":
            _compile_options[made] = dict(_FOREIGN_CPU)
    if made.platform == "cpu" and options.cpu_threads.value:
        made.threads = options.cpu_threads.value
    announce(made)
    return made


def clear_backends() -> None:
    """Drops all clients and compiled programs; new clients start when devices are used.

    Options that count when a client starts, such as `jax_num_cpu_devices`, may be set again before that. Arrays keep
    the client that they were made by: they can be read, and are copied to the new devices where they are used.
    """
    global _has_let_go
    with _lock:
        caches.clear_all()
        _has_let_go |= bool(_started)
        _started.clear()
        _failures.clear()
        _compile_options.clear()
        _first_devices.clear()


def has_arrays_left() -> bool:
    """Whether arrays of clients that were dropped are alive; the native path does not move them to new clients."""
    if not _has_let_go:
        return False
    now = list(_started.values())
    return any(
        all(device.client is not c for c in now)
        for array in client.live_arrays()
        for device in array.sharding.device_set
    )


def announce(made: Any) -> None:
    """Notifies the listeners of a client, or of a machine that was described."""
    for listener in _listeners:
        listener(made)


def _set_threads(number):
    """Sets the number of threads of the CPU's client, if it has started."""
    for started in _started.values():
        if started.platform == "cpu":
            started.threads = number


def compile_options(of: Any) -> dict[str, Any]:
    """Returns the options, by name, that every compilation of a client has."""
    return _compile_options.get(of, {})


def has_foreign(platform: str) -> bool:
    """Whether another compiler than that in jaxlib compiles programs for a platform."""
    return any(made.platform == platform for made in _foreign)


def is_ours(of: Any) -> bool:
    """Whether the compiler in jaxlib compiles a client's programs."""
    return of.platform == "cpu" and of not in _foreign


def forget_compile_options(of: Any) -> None:
    """Drops the `compile_options` of a client whose compiler knows none of them."""
    _compile_options.pop(of, None)


def on_start(listener: Callable[[Any], None]) -> None:
    """Calls `listener` with each client: those that run now, and others when they start."""
    with _lock:
        _listeners.append(listener)
        for started in _started.values():
            listener(started)


def get_backend(platform: Any = None) -> Any:
    """The client of a platform, or of a plugin's name; the default one for None.

    Raises:
        RuntimeError: there is none.
    """
    started = backends()
    if platform is None or platform == "":
        return next(iter(started.values()))
    if isinstance(platform, client.Client):
        return platform
    if platform in started:
        return started[platform]
    for candidate in started.values():
        if platform in (candidate.platform, family(candidate.platform)):
            return candidate
    raise errors.runtime_error(
        f"Unknown backend {platform!r}: it is not present.",
        [("present", ", ".join(started)), *_why_absent(platform)],
        ways="jax.devices() lists the devices of the default backend.",
    )


def why_absent() -> dict[str, str]:
    """Returns, by platform, why it has no devices here, as far as that is known."""
    return plugins.notes() | _failures


def _why_absent(platform):
    told = why_absent()
    names = (platform, *plugins.ALIASES.get(platform, ()))
    return [(name, told[name]) for name in names if name in told]


def family(platform: str) -> str:
    """Returns the platform's name as users know it: CUDA's and ROCm's are both ``"gpu"``."""
    return "gpu" if platform in plugins.ALIASES["gpu"] else platform


def devices(backend: Any = None) -> list[Any]:
    """The devices of a backend.

    Args:
        backend: the name of a platform such as ``"cpu"``; None for the default one.

    Returns:
        The devices of all processes, in the order of their ids.

    Raises:
        RuntimeError: there is no such backend.
    """
    return get_backend(backend).devices()


def local_devices(
    process_index: int | None = None, backend: Any = None, host_id: int | None = None
) -> list[Any]:
    """The devices of a backend that belong to one process, this one by default.

    Args:
        process_index: the number of the process; None for this one.
        backend: the name of a platform; None for the default one.
        host_id: the former name of `process_index`.

    Raises:
        RuntimeError: there is no such backend. ValueError: there is no such process.
    """
    chosen = get_backend(backend)
    index = process_index if process_index is not None else host_id
    if index is None:
        index = chosen.process_index()
    if not 0 <= index < process_count(chosen):
        raise ValueError(f"Unknown process_index {index}: there is no such process.")
    return [d for d in chosen.devices() if d.process_index == index]


def device_count(backend: Any = None) -> int:
    """The number of devices of a backend, those of other processes included.

    Args:
        backend: the name of a platform; None for the default one.

    Raises:
        RuntimeError: there is no such backend.
    """
    return get_backend(backend).device_count()


def local_device_count(backend: Any = None) -> int:
    """The number of devices of a backend that belong to this process.

    Args:
        backend: the name of a platform; None for the default one.

    Raises:
        RuntimeError: there is no such backend.
    """
    return len(local_devices(backend=backend))


def process_index(backend: Any = None) -> int:
    """The number of this process, from 0.

    Args:
        backend: the name of a platform; None for the default one.

    Raises:
        RuntimeError: there is no such backend.
    """
    return get_backend(backend).process_index()


def process_count(backend: Any = None) -> int:
    """The number of processes that share the backend's devices.

    Args:
        backend: the name of a platform; None for the default one.

    Raises:
        RuntimeError: there is no such backend.
    """
    return max(d.process_index for d in devices(backend)) + 1


def process_indices(backend: Any = None) -> list[int]:
    """The numbers of all processes of a backend.

    Args:
        backend: the name of a platform; None for the default one.

    Raises:
        RuntimeError: there is no such backend.
    """
    return list(range(process_count(backend)))


def _renamed(old, new):
    warnings.warn(
        f"jax.{old} has been renamed to jax.{new}; the old name will go.",
        stacklevel=3,
    )


def host_count(backend: Any = None) -> int:
    """The former name of `process_count`.

    The arguments are those of `jax.process_count`, and so are errors.
    """
    _renamed("host_count", "process_count")
    return process_count(backend)


def host_id(backend: Any = None) -> int:
    """The former name of `process_index`.

    The arguments are those of `jax.process_index`, and so are errors.
    """
    _renamed("host_id", "process_index")
    return process_index(backend)


def host_ids(backend: Any = None) -> list[int]:
    """The former name of `process_indices`.

    The arguments are those of `jax.process_indices`, and so are errors.
    """
    _renamed("host_ids", "process_indices")
    return process_indices(backend)


def default_backend() -> str:
    """The platform of the default devices: ``"cpu"``, ``"gpu"``, ``"tpu"`` or a plugin's.

    Raises:
        RuntimeError: there is no backend.
    """
    return family(get_backend().platform)


def _first_device(of):
    """The first device of a client that belongs to this process."""
    found = _first_devices.get(of)
    if found is None:
        found = _first_devices[of] = local_devices(backend=of)[0]
    return found


def default_device() -> Any:
    """The device of arrays that name none, in the current context."""
    chosen = options.default_device.value
    if chosen is None:
        return _first_device(get_backend())
    if isinstance(chosen, str):
        return local_devices(backend=chosen)[0]
    if isinstance(chosen, client.Device):
        return chosen
    raise errors.value_error(
        f"jax_default_device cannot be {chosen!r}.",
        [("type", type(chosen).__name__)],
        ways="Give one of jax.devices(), or the name of a platform.",
    )


def _checked_default_device(chosen: Any) -> Any:
    """Returns a value of `jax_default_device`, which is a device, the name of a platform, or None."""
    if isinstance(chosen, str):
        try:
            get_backend(chosen)
        except RuntimeError as error:
            raise ValueError(str(error)) from None
    elif not (chosen is None or isinstance(chosen, client.Device)):
        raise ValueError(chosen)
    return chosen


_checked_default_device.wanted = "a device, or the name of a platform"  # type: ignore[attr-defined]
_checked_default_device.rule = (  # type: ignore[attr-defined]
    "jax.default_device must be passed either a Device object (e.g. "
    "`jax.devices('cpu')[0]`) or a platform name string like 'cpu' or 'gpu'"
)
options.default_device.convert = _checked_default_device


def live_arrays(platform: str | None = None, *, origins: bool = False) -> Any:
    """The arrays of a backend that are alive and were not deleted.

    Args:
        platform: the name of a platform; None for the default one.
        origins: whether to describe them instead: their bytes, the line that made each of
            them, and what holds it.

    Returns:
        A list of arrays; with `origins` a sequence of records, the largest array first,
        whose `repr` is a table. A record has `dtype`, `shape`, `nbytes`, `devices`,
        `made_at`, `line`, `frames` and `holders`, and does not keep the array alive.

    Raises:
        RuntimeError: there is no such backend.

    Examples:
        >>> weights = jnp.zeros((1024, 1024))
        >>> jax.live_arrays(origins=True)[0].nbytes
        4194304
    """
    chosen = get_backend(platform)
    arrays = [
        array
        for array in client.live_arrays()
        if any(d.client is chosen for d in array.sharding.device_set)
    ]
    return describe_arrays(arrays) if origins else arrays


# (arrays) -> what is known about them.
describe_arrays = slot.Slot(
    "where arrays were made", "runtime", "jax._src.runtime.arrays.origins", "describe"
)


client.set_runtime_error(errors.JaxRuntimeError)
client.set_deleted_error(errors.DeletedArrayError)
distributed_state.global_state.has_backends = lambda: bool(_started)
client.set_aval_maker(avals.ShapedArray)


# The type as the native array has it, which knows no meshes.
_bare_aval_of = client.Array.__dict__["aval"].__get__


def _aval_of_array(array):
    """Its type, as traces see it."""
    bare = _bare_aval_of(array)
    return avals.placed(bare, array.sharding) if mesh_usage.is_used else bare


avals.register_value_type(client.Array, _aval_of_array)
client.Array.aval = property(_aval_of_array)
options.cpu_threads.on_update.append(_set_threads)


def _refuse_other_devices(count):
    if _started:
        raise errors.runtime_error(
            "jax_num_cpu_devices was set after devices had been used.",
            [("requested", str(count)), ("devices", str(device_count()))],
            "The number of virtual devices is fixed when the first one is used.",
            "Set it before anything else is computed.",
        )


options.num_cpu_devices.on_update.append(_refuse_other_devices)
distributed.global_state.has_backends = lambda: bool(_started)

# Libraries read it to see whether the runtime is that of a cloud.
client.Client.runtime_type = "pjrt"
client.Client._get_all_devices = client.Client.devices
client.Client.host_id = client.Client.process_index
client.Client.task_id = client.Client.process_index
client.Client.live_arrays = live_arrays


def _heap_profile(self):
    """What memory its arrays hold, in pprof's format."""
    return slots.heap_profile(self)


client.Client.heap_profile = _heap_profile


def _local_device_count(self):
    """The number of devices of this process."""
    return len(self.local_devices())


def _device_from_local_hardware_id(self, local_hardware_id):
    """The device of this process with that number on its machine."""
    for device in self.local_devices():
        if device.local_hardware_id == local_hardware_id:
            return device
    raise errors.value_error(
        "device_from_local_hardware_id: this process has no such device.",
        [
            ("number", str(local_hardware_id)),
            ("devices", str(self.local_devices())),
        ],
    )


client.Client.local_device_count = _local_device_count
client.Client.device_from_local_hardware_id = _device_from_local_hardware_id
client.Device.task_id = property(lambda device: device.process_index)
