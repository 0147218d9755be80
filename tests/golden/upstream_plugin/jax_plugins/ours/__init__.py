"""Our plugins for upstream's JAX: finds the library, and gives it jaxlib's handlers.

JAX imports what it finds under `jax_plugins` and calls `initialize`. `CPU_PLUGIN` names the
library of the platform `ours`, `OPENCL_PLUGIN` that of the platform `opencl`; the latter takes linear algebra
as JAX writes it for the CPU, for which there are handlers. A plugin knows no custom calls by itself: jaxlib's, of LAPACK, sparse products and callbacks, are
registered through the FFI extension of the PJRT C API. The flag of `XLA_FLAGS` that asks jaxlib's
own client for several devices asks the plugin for as many.
"""

import ctypes
import os
import re

from jax._src import core, xla_bridge
from jax._src.interpreters import mlir
from jax._src.lax import linalg
from jax._src.lib import lapack, xla_client
from jaxlib import cpu_sparse

PLATFORM = "Host"
EXTENSION_FFI = 5
TYPED_FFI = 1


class Extension(ctypes.Structure):
    """PJRT_FFI_Extension: a link of the chain that starts in the API's table."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("type", ctypes.c_int),
        ("next", ctypes.c_void_p),
        ("type_register", ctypes.c_void_p),
        ("user_data_add", ctypes.c_void_p),
        ("register_handler", ctypes.c_void_p),
    ]


class Api(ctypes.Structure):
    """The first fields of PJRT_Api."""

    _fields_ = [("size", ctypes.c_size_t), ("extensions", ctypes.c_void_p)]


class RegisterHandler(ctypes.Structure):
    """PJRT_FFI_Register_Handler_Args."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("target", ctypes.c_char_p),
        ("target_size", ctypes.c_size_t),
        ("handler", ctypes.c_void_p),
        ("platform", ctypes.c_char_p),
        ("platform_size", ctypes.c_size_t),
        ("traits", ctypes.c_uint32),
    ]


def register_function(path: str):
    """The plugin's function that registers a handler."""
    library = ctypes.CDLL(path)
    library.GetPjrtApi.restype = ctypes.POINTER(Api)
    address = library.GetPjrtApi().contents.extensions
    while address:
        extension = Extension.from_address(address)
        if extension.type == EXTENSION_FFI:
            kind = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(RegisterHandler))
            return kind(extension.register_handler)
        address = extension.next
    raise RuntimeError(f"{path} has no FFI extension, by which handlers are registered")


def pointer_of(capsule) -> int:
    """What a capsule holds, whatever its name."""
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype = ctypes.c_void_p
    pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return pointer(capsule, name(capsule))


class Handlers:
    """Registers handlers with the plugin."""

    def __init__(self, path: str):
        self.register = register_function(path)

    def add(self, target, handler, traits: int = 0) -> None:
        # The extension takes the stage that executes, no others.
        capsule = handler.get("execute") if isinstance(handler, dict) else handler
        if capsule is None:
            return
        name = target.encode() if isinstance(target, str) else target
        arguments = RegisterHandler(
            size=ctypes.sizeof(RegisterHandler),
            target=name,
            target_size=len(name),
            handler=pointer_of(capsule),
            platform=PLATFORM.encode(),
            platform_size=len(PLATFORM),
            traits=traits,
        )
        if self.register(ctypes.byref(arguments)):
            raise RuntimeError(f"the plugin refuses the handler of {name.decode()}")


def create_options() -> dict[str, int]:
    """How many devices the user asks for, as an option of the plugin's client."""
    flag = r"--xla_force_host_platform_device_count=(\d+)"
    counts = re.findall(flag, os.environ.get("XLA_FLAGS", ""))
    return {"cpu_device_count": int(counts[-1])} if counts else {}


def lower_as_on_cpu(platform: str) -> None:
    """Gives a platform the CPU's rules for linear algebra: others have none, or ask for calls of their own."""
    rules = mlir._platform_specific_lowerings["cpu"]
    primitives = {p for p in vars(linalg).values() if isinstance(p, core.Primitive)}
    for primitive in primitives & rules.keys():
        mlir.register_lowering(primitive, rules[primitive].rule, platform=platform)


def register() -> str:
    """Registers the plugin that the environment names; its path."""
    if path := os.environ.get("OPENCL_PLUGIN"):
        xla_bridge.register_plugin("opencl", priority=900, library_path=path)
        lower_as_on_cpu("opencl")
    else:
        path = os.environ["CPU_PLUGIN"]
        xla_bridge.register_plugin(
            "ours", priority=900, library_path=path, options=create_options()
        )
    return path


def initialize() -> None:
    """Registers the plugin, and with it all handlers of jaxlib's."""
    handlers = Handlers(register())
    targets = dict(xla_client.custom_call_targets(PLATFORM))
    for library in (lapack, cpu_sparse):
        for name, handler, version in library.registrations()["cpu"]:
            if version == TYPED_FFI:
                targets.setdefault(name, handler)
    for name, handler in targets.items():
        handlers.add(name, handler)
    # Those that a program registers later go to jaxlib's own client and to the plugin.
    jaxlibs = xla_client._custom_callback_handler.get(PLATFORM)

    def register_both(name, handler, platform, api_version, traits):
        if jaxlibs:
            jaxlibs(name, handler, platform, api_version, traits)
        if api_version == TYPED_FFI:
            handlers.add(name, handler, traits)

    xla_client._custom_callback_handler[PLATFORM] = register_both
