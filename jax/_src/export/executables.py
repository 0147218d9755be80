"""Compiled functions as bytes, for other processes on the same kind of machine.

The bytes hold the machine code and how to call it. What describes the call (types,
shardings, names) is pickled; in it devices stand by their numbers.
"""

import io
import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.base import errors, records
from jax._src.core import effects, jaxpr as jaxpr_lib
from jax._src.interpreters import mlir
from jax._src.jit import compile as jit_compile, trace as jit_trace
from jax._src.lax.linalg import lapack
from jax._src.lib import client as lib_client
from jax._src.runtime import ffi
from jax._src.runtime.compilation import (
    assignment as asg,
    compilation_cache,
    compile,
    loading,
)
from jax._src.runtime.devices import backends
from jax._src.runtime.transfers import device_put_get

_MAGIC = b"jax executable 2\n"


@records.record
class _Cover:
    """What must fit before the rest is read."""

    # Whose code it is: platform, version, build and instruction set.
    identity: str
    name: str
    platform: str
    device_ids: tuple[int, ...]
    # Whether it may call LAPACK, which must be there when it is loaded.
    needs_lapack: bool
    call: bytes
    code: bytes


@records.record
class _Call:
    """How the machine code is called."""

    debug_info: jaxpr_lib.DebugInfo
    in_avals: tuple[Any, ...]
    out_avals: tuple[Any, ...]
    donated: tuple[bool, ...]
    kept: tuple[int, ...]
    # With the shardings and layouts of the results.
    assignment: asg.Assignment
    # Arrays that the code takes before the arguments, and their shardings.
    constants: tuple[tuple[np.ndarray, Any], ...]
    # The layout of each input; None: row-major.
    in_layouts: tuple[Any, ...]


class _Pickler(pickle.Pickler):
    """Writes a device as its index among those that the function runs on."""

    def __init__(self, file: io.BytesIO, devices: Sequence[Any]):
        super().__init__(file, protocol=pickle.HIGHEST_PROTOCOL)
        self._indices = {device.id: i for i, device in enumerate(devices)}

    def persistent_id(self, value: Any) -> int | None:
        """Returns the index of a device; None for what is no device."""
        if not isinstance(value, lib_client.Device):
            return None
        return self._indices[value.id]


class _Unpickler(pickle.Unpickler):
    """Reads devices as those that the function shall run on."""

    def __init__(self, file: io.BytesIO, devices: Sequence[Any]):
        super().__init__(file)
        self._devices = devices

    def persistent_load(self, pid: int) -> Any:
        """Returns the device with an index."""
        return self._devices[pid]


def _refuse(compiled):
    """Programs that cannot leave their process."""
    loaded = compiled.loaded
    reason = None
    if compiled.links:
        reason = "it reads or writes references from outside of it"
    elif loaded.assignment.is_abstract:
        reason = "it was compiled without devices"
    elif loaded.lowered.has_token or not loading.needs_no_process(loaded.lowered):
        reason = "it calls Python functions, which live in this process"
    elif compiled.lifted:
        reason = "it closes over traced values"
    if reason is not None:
        raise errors.value_error(
            "serialize: this compiled function cannot be serialized.",
            [("function", compiled.fun_name), ("because", reason)],
            "What is serialized is machine code, and no values of this process.",
            "To keep a program with effects, use jax.export.",
        )


def _describe(compiled):
    return _Call(
        compiled.jaxpr.debug_info,
        tuple(compiled.argument_avals),
        tuple(compiled.result_avals),
        compiled.donated,
        compiled.kept,
        records.replace(compiled.loaded.assignment, constants=(), constraints=()),
        tuple((np.asarray(c), c.sharding) for c in compiled.loaded.constants),
        tuple(compiled.in_layouts),
    )


def serialize(compiled: jit_compile.Compiled) -> tuple[bytes, Any, Any]:
    """The bytes of a compiled function, and the trees of its arguments and results.

    Args:
        compiled: the result of ``jax.jit(f).lower(...).compile()``.

    Returns:
        ``(bytes, in_tree, out_tree)``, the arguments of `deserialize_and_load`. The trees
        can be pickled if the nodes in them can.

    Raises:
        TypeError: it is no compiled function.
        ValueError: it uses references, calls Python, or was compiled without devices.
    """
    if not isinstance(compiled, jit_compile.Compiled):
        raise errors.type_error(
            "serialize takes compiled functions.",
            [("got", type(compiled).__name__)],
            ways="Compile it: jax.jit(f).lower(*args).compile().",
        )
    _refuse(compiled)
    assignment, described = compiled.loaded.assignment, io.BytesIO()
    _Pickler(described, assignment.devices).dump(_describe(compiled))
    client = assignment.devices[0].client
    cover = _Cover(
        compilation_cache.identity_of(client),
        compiled.fun_name,
        client.platform,
        tuple(d.id for d in assignment.devices),
        ffi.has_lapack(),
        described.getvalue(),
        compiled.loaded.executable.serialize(),
    )
    return _MAGIC + pickle.dumps(cover), compiled.in_tree, compiled.out_tree


def deserialize_and_load(
    serialized: bytes,
    in_tree: Any,
    out_tree: Any,
    backend: str | Any | None = None,
    execution_devices: Sequence[Any] | None = None,
) -> jit_compile.Compiled:
    """A compiled function from its bytes.

    Bytes hold machine code and pickled objects: load those alone that you trust.

    Args:
        serialized: what `serialize` returned, of the same versions and kind of machine.
        in_tree: the tree of ``(args, kwargs)``.
        out_tree: the tree of the results.
        backend: the platform to run on, or its client; None: that of `execution_devices`,
            or the default one.
        execution_devices: where to run, as many devices as it was compiled for; None:
            those with the same numbers.

    Raises:
        ValueError: these are no such bytes, other versions made them, the devices are too
            few or many or of another client, or the trees do not fit.
    """
    cover = _uncover(serialized)
    client = _client(cover, backend, execution_devices)
    devices = _devices(cover, client, execution_devices)
    call = _Unpickler(io.BytesIO(cover.call), devices).load()
    _check_tree("in_tree", in_tree, len(call.in_avals), cover)
    _check_tree("out_tree", out_tree, len(call.out_avals), cover)
    if cover.needs_lapack:
        lapack.install()
    is_moved = tuple(d.id for d in devices) != cover.device_ids
    settings = compile.settings_for(devices) if is_moved else None
    executable = client.deserialize_executable(cover.code, settings)
    return _assemble(call, cover.name, executable, in_tree, out_tree)


def _uncover(serialized):
    if not isinstance(serialized, bytes) or not serialized.startswith(_MAGIC):
        raise errors.value_error(
            "deserialize_and_load: these are not the bytes of a compiled function.",
            [("got", f"a {type(serialized).__name__}")],
            ways="jax.experimental.serialize_executable.serialize makes such bytes.",
        )
    try:
        return pickle.loads(serialized[len(_MAGIC) :])
    except Exception as error:
        raise errors.value_error(
            "deserialize_and_load: these bytes are damaged.",
            [("bytes", str(len(serialized))), ("reading says", str(error))],
        ) from error


def _client(cover, backend, execution_devices):
    """The client that shall run the function, whose code it must be."""
    if backend is None and execution_devices:
        client = execution_devices[0].client
    else:
        client = backends.get_backend(backend or cover.platform)
    here = compilation_cache.identity_of(client)
    if cover.identity != here:
        raise errors.value_error(
            "deserialize_and_load: another compiler made these bytes.",
            [("function", cover.name), ("made by", cover.identity), ("here", here)],
            "Machine code runs where versions and processor are the same.",
            "Compile the function again here. Programs that last: jax.export.",
        )
    return client


def _devices(cover, client, execution_devices):
    """The devices that shall run it, in the order of its parts."""
    if execution_devices is None:
        by_id = {d.id: d for d in client.devices()}
        found = [by_id[i] for i in cover.device_ids if i in by_id]
    else:
        found = list(execution_devices)
    is_fit = len(found) == len(cover.device_ids)
    if not is_fit or any(d.client is not client for d in found):
        raise errors.value_error(
            "deserialize_and_load: these devices cannot run the function.",
            [
                ("function", cover.name),
                ("compiled for", f"{cover.platform} {list(cover.device_ids)}"),
                ("devices", f"{[f'{d.platform} {d.id}' for d in found]}"),
                ("client", client.platform),
            ],
            "It needs as many devices as it was compiled for, all of one client.",
            "Pass them: execution_devices=jax.devices()[:n].",
        )
    return tuple(found)


def _check_tree(what, structure, count, cover):
    if structure.num_leaves != count:
        raise errors.value_error(
            f"deserialize_and_load: {what} does not fit the function.",
            [
                ("function", cover.name),
                (what, f"{structure.num_leaves} leaves, {structure}"),
                ("compiled with", f"{count} leaves"),
            ],
            ways="Keep the trees that `serialize` returned with the bytes.",
        )


def _assemble(call, name, executable, in_tree, out_tree):
    """A compiled function. Of its program the types are left, and no equations."""
    jaxpr = jaxpr_lib.Jaxpr(
        (),
        [jaxpr_lib.Var(a) for a in call.in_avals],
        [jaxpr_lib.Var(a) for a in call.out_avals],
        (),
        debug_info=call.debug_info,
    )
    closed = jaxpr_lib.ClosedJaxpr(jaxpr, ())
    lowered = mlir.LoweringResult(
        module=None,
        constants=[value for value, _ in call.constants],
        keepalives=[],
        host_callbacks=[],
        platforms=(call.assignment.devices[0].platform,),
        effects=effects.no_effects,
        has_token=False,
        is_ordered=False,
        sharding_queries=[],
        is_divided=not call.assignment.is_single,
        lower_again=_refuse_again,
    )
    program = jit_trace.of_program(closed, name, in_tree, out_tree, call.donated)
    loaded = loading.attach(
        executable,
        lowered,
        call.out_avals,
        call.assignment,
        [device_put_get.put(value, where) for value, where in call.constants],
        out_tree=jit_compile.native_tree(out_tree, len(call.out_avals)),
        kept=None if len(call.kept) == len(call.in_avals) else list(call.kept),
        donates=any(call.donated),
    )
    taken = tuple(i for i in call.kept if call.donated[i])
    return jit_compile.make_compiled(
        program, program, loaded, closed, call.kept, taken, call.in_layouts
    )


def _refuse_again(answers):
    raise AssertionError("a program that was compiled has no sharding queries")
