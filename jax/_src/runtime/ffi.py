"""Native functions that compiled programs may call: the targets of custom calls."""

import threading
from typing import Any

from jax._src.base import errors, traceback_filter
from jax._src.lib import callbacks, lapack
from jax._src.runtime import backends

_lock = threading.RLock()
# (platform, name) -> handler and traits, for the clients started and those to come.
_handlers: dict[tuple[str, str], tuple[Any, int]] = {}
# What each client has, by identity: clients live as long as the process.
_known: dict[int, set[tuple[str, str]]] = {}
_has_lapack = False

# How plugins name the platforms of handlers.
_HANDLER_PLATFORMS = {"cpu": "Host", "cuda": "CUDA", "gpu": "CUDA", "rocm": "ROCM"}


@traceback_filter.hides_frames
def register_ffi_target(
    name: str, fn: Any, platform: str = "cpu", api_version: int = 1, **kwargs: Any
) -> None:
    """Makes a native function callable from programs, by its name.

    Args:
        name: the name of the target.
        fn: a capsule with an XLA FFI handler.
        platform: the platform of the programs.
        api_version: 1, the FFI with types; older interfaces are not offered.
        **kwargs: `traits`, the handler's, as a number.

    Raises:
        TypeError: `name` is no string, or `fn` no capsule.
        NotImplementedError: another `api_version`.
        JaxRuntimeError: the plugin refuses the handler.
    """
    if api_version != 1:
        raise NotImplementedError(
            errors.explain(
                f"register_ffi_target({name!r}): this interface is not offered.",
                [("api_version", str(api_version))],
                "Handlers of the typed FFI, api_version=1, are.",
            )
        )
    # Checked before any client sees it: those that start later would fail instead.
    if not isinstance(name, str) or type(fn).__name__ != "PyCapsule":
        raise TypeError(
            errors.explain(
                "register_ffi_target: these are no name and handler.",
                [("name", f"{name!r:.60}"), ("fn", type(fn).__name__)],
                "A string names a capsule that holds the address of a handler.",
                "Make one of a ctypes function: jax.ffi.pycapsule(function).",
            )
        )
    with _lock:
        _handlers[platform, name] = fn, int(kwargs.get("traits", 0))
        for client in backends._started.values():
            install(client)


def install(client: Any) -> None:
    """Gives a client the handlers of its platform that it does not have yet."""
    with _lock:
        known = _known.setdefault(id(client), set())
        for (platform, name), (handler, traits) in list(_handlers.items()):
            if platform != client.platform or (platform, name) in known:
                continue
            client.register_ffi_handler(
                name, handler, _HANDLER_PLATFORMS.get(platform, platform), traits
            )
            known.add((platform, name))


# The name by which partitioners know a call of a Python function, which has no result
# that they could place: they leave it on the device that its sharding names.
CALLBACK_ON_ONE_DEVICE = "xla_ffi_python_cpu_callback"


def install_callbacks() -> None:
    """Lets CPU programs call Python functions, through `callbacks.TARGET`."""
    with _lock:
        if ("cpu", callbacks.TARGET) not in _handlers:
            register_ffi_target(callbacks.TARGET, callbacks.handler())
            register_ffi_target(CALLBACK_ON_ONE_DEVICE, callbacks.handler())


def install_lapack(lapack_capi: dict, blas_capi: dict) -> None:
    """Makes the routines of SciPy's LAPACK callable from CPU programs; once.

    Args:
        lapack_capi: ``scipy.linalg.cython_lapack.__pyx_capi__``.
        blas_capi: ``scipy.linalg.cython_blas.__pyx_capi__``.
    """
    global _has_lapack
    with _lock:
        if _has_lapack:
            return
        lapack.initialize(lapack_capi, blas_capi)
        for name, handler in lapack.registrations().items():
            register_ffi_target(name, handler)
        _has_lapack = True


backends.on_start(install)
