"""Native functions that compiled programs may call: the targets of custom calls."""

import ctypes
import threading
from typing import Any

from jax._src.base import errors, traceback_filter
from jax._src.lib import callbacks, lapack
from jax._src.runtime import untyped_calls
from jax._src.runtime.devices import backends

_lock = threading.RLock()
# (platform, name) -> handlers by stage and traits, for clients started and to come.
_handlers: dict[tuple[str, str], tuple[dict[str, Any], int]] = {}
# (platform, name) -> the capsules of a type, likewise.
_types: dict[tuple[str, str], dict[str, Any]] = {}
# What each plugin has, by its library: handlers are the plugin's, not one client's.
_known: dict[str, set[tuple[str, str]]] = {}
# Machines that are not there, for which programs are compiled nevertheless: by plugin.
_described: list[Any] = []
_has_lapack = False

# How plugins name the platforms of handlers.
_HANDLER_PLATFORMS = {"cpu": "Host", "opencl": "Host", "cuda": "CUDA", "rocm": "ROCM"}
# What users call them.
_OTHER_NAMES = {"host": ("cpu",), "gpu": ("cuda", "rocm")}


@traceback_filter.hides_frames
def register_ffi_target(
    name: str, fn: Any, platform: str = "cpu", api_version: int = 1, **kwargs: Any
) -> None:
    """Makes a native function callable from programs, by its name.

    Args:
        name: the name of the target.
        fn: a capsule with an XLA FFI handler, or a dictionary of such: ``"execute"``,
            and beside it perhaps ``"instantiate"``, which makes a call's state when the
            program is compiled, ``"prepare"``, ``"initialize"`` and ``"record"``, for
            command buffers, which a CPU does not have.
        platform: the platform of the programs; ``"gpu"`` is CUDA's and ROCm's.
        api_version: 1, the FFI with types; 0, a function of the untyped interface, which
            `jax.ffi.ffi_call` calls with a `custom_call_api_version` from 1 to 3, on CPUs.
        **kwargs: `traits`, the handler's, as a number.

    Raises:
        TypeError: `name` is no string, or `fn` holds what is no capsule.
        ValueError: there is no handler of ``"execute"``, or no such stage.
        NotImplementedError: another `api_version`.
        JaxRuntimeError: the plugin refuses the handler.
    """
    if api_version not in (0, 1):
        raise errors.not_implemented(
            f"register_ffi_target({name!r}): this interface is not offered.",
            [("api_version", str(api_version))],
            "Handlers of the typed FFI, api_version=1, are, and untyped functions, 0.",
        )
    stages = dict(fn) if isinstance(fn, dict) else {"execute": fn}
    # Checked before any client sees it: those that start later would fail instead.
    if not isinstance(name, str) or not all(map(_is_capsule, stages.values())):
        raise errors.type_error(
            "register_ffi_target: these are no name and handler.",
            [("name", f"{name!r:.60}"), ("fn", type(fn).__name__)],
            "A string names a capsule that holds the address of a handler.",
            "Make one of a ctypes function: jax.ffi.pycapsule(function).",
        )
    if "execute" not in stages or not _STAGES.issuperset(stages):
        raise errors.value_error(
            f"register_ffi_target({name!r}): these are not the stages of a handler.",
            [("given", ", ".join(map(str, stages)) or "none")],
            f"There must be execute; there may be {', '.join(sorted(_STAGES))}.",
        )
    if api_version == 0:
        _register_untyped(name, stages["execute"], platform.lower())
        return
    lower = platform.lower()
    with _lock:
        for one in _OTHER_NAMES.get(lower, (lower,)):
            _handlers[one, name] = stages, int(kwargs.get("traits", 0))
        _install_on_all_clients()


def _register_untyped(name, function, platform):
    """Makes an untyped function callable under a name that typed calls do not have."""
    if platform not in ("cpu", "host"):
        return  # Nothing on other platforms calls such a function.
    made = ctypes.cast(untyped_calls.handler(_address(function)), ctypes.c_void_p)
    with _lock:
        _handlers["cpu", untyped_target(name)] = {"execute": _capsule(made)}, 0
        _install_on_all_clients()


def untyped_target(name: str) -> str:
    """The name of the handler that calls the untyped function `name`."""
    return f"untyped.{name}"


def _capsule(pointer):
    make = ctypes.pythonapi.PyCapsule_New
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return make(pointer, None, None)


_STAGES = frozenset(("instantiate", "prepare", "initialize", "execute", "record"))


def _is_capsule(value):
    return type(value).__name__ == "PyCapsule"


@traceback_filter.hides_frames
def register_ffi_type(
    name: str, type_registration: dict[str, Any], platform: str = "cpu"
) -> None:
    """Makes a type known whose objects native functions keep as their state.

    Args:
        name: the name of the type, which no other type has in this process.
        type_registration: ``{"type_id": capsule, "type_info": capsule}`` with the
            addresses of an `XLA_FFI_TypeId`, which gets its number, and of an
            `XLA_FFI_TypeInfo`, which knows how objects are deleted. Without the latter
            objects are not deleted.
        platform: the platform of the programs.

    Raises:
        TypeError: these are no name and capsules.
        JaxRuntimeError: another type has that name, or the plugin takes none.
    """
    given = type_registration if isinstance(type_registration, dict) else {}
    is_complete = {"type_id"} <= given.keys() <= {"type_id", "type_info"}
    if not is_complete or not all(map(_is_capsule, given.values())):
        raise errors.type_error(
            f"register_ffi_type({name!r}): this is no registration of a type.",
            [("type_registration", f"{type_registration!r:.80}")],
            "It is a dictionary of capsules: type_id, and type_info.",
        )
    with _lock:
        _types[platform, name] = given
        _install_on_all_clients()


def _install_type(client, name, registration):
    """Gives a client a type; its number is written where handlers read it."""
    number = ctypes.c_int64.from_address(_address(registration["type_id"]))
    number.value = client.register_ffi_type(
        name, number.value, registration.get("type_info")
    )


def _address(capsule):
    name_of, read = ctypes.pythonapi.PyCapsule_GetName, _get_pointer
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    read.restype, read.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return read(capsule, name_of(capsule))


_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer


def _install_on_all_clients():
    for client in (*backends._started.values(), *_described):
        install(client)


def install(client: Any) -> None:
    """Gives a client the types and handlers of its platform that it does not have yet."""
    with _lock:
        known = _known.setdefault(client.plugin, set())
        for (platform, name), registration in list(_types.items()):
            key = "type", name
            if platform == client.platform and key not in known:
                _install_type(client, name, registration)
                known.add(key)
        for (platform, name), (stages, traits) in list(_handlers.items()):
            if platform != client.platform or (platform, name) in known:
                continue
            client.register_ffi_handler(
                name, stages, _HANDLER_PLATFORMS.get(platform, platform), traits
            )
            known.add((platform, name))


# The name by which partitioners know a call of a Python function, which has no result
# that they could move: they leave it on the device that its sharding names.
CALLBACK_ON_ONE_DEVICE = "xla_ffi_python_cpu_callback"
# The one that every device makes, with the parts of the arguments that it has.
CALLBACK_IN_PARTS = "xla_ffi_partitioned_python_cpu_callback"
# The one of programs that wait their turn as if they called nothing: the CPU plugin runs
# programs with the others on the threads of their callers.
CALLBACK_IN_QUEUE = "jax_queued_python_callback"


# By platform, whose handler of jaxlib's calls functions: GPUs' bring arguments to the host
# and results back. OpenCL's devices share the host's memory.
_CALLBACK_HANDLERS = {"cpu": "cpu", "opencl": "cpu", "cuda": "cuda", "rocm": "rocm"}


def install_callbacks(platform: str) -> None:
    """Lets programs for a platform call Python functions, through `callbacks.TARGET`.

    Raises:
        NotImplementedError: nothing on this platform can call them.
    """
    with _lock:
        if (platform, callbacks.TARGET) in _handlers:
            return
        if platform not in _CALLBACK_HANDLERS:
            raise errors.not_implemented(
                f"A program for {platform} calls a Python function.",
                [("target", callbacks.TARGET)],
                "The arguments are in the device's memory, and this platform has no "
                "handler that brings them to the host.",
                "Call the function outside of jax.jit, or run on the CPU: "
                'jax.jit(f, backend="cpu").',
            )
        targets = CALLBACK_ON_ONE_DEVICE, CALLBACK_IN_PARTS, CALLBACK_IN_QUEUE
        for target in (callbacks.TARGET, *targets):
            handler = callbacks.handler(_CALLBACK_HANDLERS[platform])
            register_ffi_target(target, handler, platform)


def has_lapack() -> bool:
    """Whether programs of this process may call LAPACK."""
    return _has_lapack


def install_lapack(lapack_capi: dict, blas_capi: dict) -> None:
    """Makes the routines of SciPy's LAPACK callable from CPU programs; once.

    Args:
        lapack_capi: ``scipy.linalg.cython_lapack.__pyx_capi__``.
        blas_capi: ``scipy.linalg.cython_blas.__pyx_capi__``.
    """
    with _lock:
        if not _has_lapack:
            lapack.initialize(lapack_capi, blas_capi)
            _register_lapack()


def install_lapack_library(path: str) -> bool:
    """Does what `install_lapack` does with the library of SciPy's wheel.

    Args:
        path: the file of the library.

    Returns:
        Whether the routines are callable: whether it is such a library.
    """
    with _lock:
        if not _has_lapack and lapack.load(path):
            _register_lapack()
        return _has_lapack


def _register_lapack():
    global _has_lapack
    for name, handler in lapack.registrations().items():
        register_ffi_target(name, handler)
    _has_lapack = True


def remember_machine(machine: Any) -> None:
    """Lets a machine that is not there have the handlers that are registered later."""
    with _lock:
        if all(machine.plugin != other.plugin for other in _described):
            _described.append(machine)


backends.on_start(install)
