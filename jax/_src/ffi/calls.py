"""`ffi_call`: native functions as functions of arrays."""

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src.base import errors, traceback_filter, util
from jax._src.base.traceback_filter import api_boundary
from jax._src.callbacks import primitives, vmap_methods
from jax._src.core import avals as avals_lib, primitive, vma
from jax._src.ffi import lowering
from jax._src.lib import headers
from jax._src.numpy import creation
from jax._src.runtime import ffi, untyped_calls


def include_dir() -> str:
    """The folder with the headers of the FFI, for a compiler's ``-I``.

    They are ``xla/ffi/api/ffi.h`` for C++ and ``xla/ffi/api/c_api.h`` for C.

    Raises:
        RuntimeError: this jaxlib comes without them, as in a source tree.
    """
    folder = headers.folder()
    if folder is None:
        raise errors.runtime_error(
            "jax.ffi.include_dir: this jaxlib has no headers.",
            [("jaxlib", headers.package())],
            "Wheels of jaxlib have them.",
            "Build and install one: python3 build/build.py build.",
        )
    return folder


def register_ffi_type_id(name: str, obj: Any, platform: str = "cpu") -> None:
    """Always fails: types are registered with how their objects are deleted.

    Raises:
        ValueError: always.
    """
    raise errors.value_error(
        "register_ffi_type_id is not supported: a number alone makes no type.",
        [("name", repr(name)), ("platform", platform)],
        ways="jax.ffi.register_ffi_type(name, {'type_id': obj, 'type_info': info}).",
    )


def pycapsule(funcptr: Any) -> Any:
    """A capsule with the address of a native function, for `register_ffi_target`.

    Args:
        funcptr: a function of a library that `ctypes` loaded.
    """
    make = ctypes.pythonapi.PyCapsule_New
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return make(ctypes.cast(funcptr, ctypes.c_void_p), None, None)


def _hashable(value):
    if isinstance(value, dict):
        return tuple((k, _hashable(v)) for k, v in sorted(value.items()))
    if isinstance(value, list | tuple):
        return tuple(map(_hashable, value))
    if isinstance(value, np.ndarray | np.generic):
        return value.dtype.str, value.shape, value.tobytes()
    return type(value), value


@primitive.declare("ffi_call", multiple_results=True)
class ffi_call_p:
    """Calls a handler of the typed FFI."""

    sharding = primitive.BY_TYPES

    def types(*avals, result_avals, **params):
        return list(result_avals)

    def effects(*avals, has_side_effect, **params):
        return {primitives.io_effect} if has_side_effect else frozenset()

    def lower(ctx, *operands, target_name, attributes, result_avals, **params):
        is_divisible = lowering.is_partitionable(target_name)
        return lowering.custom_call(
            ctx,
            target_name,
            operands,
            attributes.value,
            has_side_effect=params["has_side_effect"],
            input_layouts=params["input_layouts"],
            output_layouts=params["output_layouts"],
            aliases=dict(params["input_output_aliases"]),
            batch_dims=params["batch_dims"] if is_divisible else 0,
        )

    def jvp_all(primals, tangents, *, target_name, **params):
        raise errors.value_error(
            f"The FFI call to `{target_name}` cannot be differentiated.",
            [],
            "A native function has no derivative that could be found out.",
            "Give it one: jax.custom_jvp or jax.custom_vjp.",
        )

    transpose = primitive.Unsupported("a native function is not known to be linear")

    def batch(axis, args, dims, *, vmap_method, **params):
        what = f"ffi_call({params['target_name']!r})"
        layouts = (params["input_layouts"], params["output_layouts"])
        moves = vmap_method not in (None, "sequential", "sequential_unrolled")
        if moves and any(order is not None for side in layouts for order in side or ()):
            raise NotImplementedError(
                f"vmap of {what} with layouts: use vmap_method='sequential'."
            )
        if moves:
            params["batch_dims"] += 1
        return vmap_methods.by_method(
            ffi_call_p, what, axis, args, dims, vmap_method, params
        )

    def show(*, target_name, attributes, **params):
        return {"target_name": target_name, "attributes": attributes}


def _orders(what, layouts, count):
    if layouts is None:
        return None
    if len(layouts) != count:
        raise errors.value_error(
            f"ffi_call: {what} has {len(layouts)} entries.",
            [(what, repr(layouts)), ("arrays", str(count))],
            "There is one for each array, or None.",
        )
    plain = [getattr(entry, "major_to_minor", entry) for entry in layouts]
    return tuple(None if entry is None else tuple(entry) for entry in plain)


def ffi_call(
    target_name: str,
    result_shape_dtypes: Any,
    *,
    has_side_effect: bool = False,
    vmap_method: str | None = None,
    input_layouts: Sequence[Any] | None = None,
    output_layouts: Any = None,
    input_output_aliases: dict[int, int] | None = None,
    custom_call_api_version: int = 4,
    legacy_backend_config: str | None = None,
) -> Callable[..., Any]:
    """A function of arrays that calls a native one.

    Args:
        target_name: the name under which `register_ffi_target` made it known.
        result_shape_dtypes: an object with `shape` and `dtype`, or a sequence of such.
        has_side_effect: whether the call stays though its results be unused.
        vmap_method: how `vmap` treats the call; see `jax.pure_callback`.
        input_layouts: for each operand the order of its axes in memory, from major to
            minor, or None for the usual one.
        output_layouts: the same for the results.
        input_output_aliases: from operands to the results that take their memory.
        custom_call_api_version: 4, the typed FFI; 1 to 3, an untyped function, which was
            registered with ``api_version=0``: it gets no more than its arrays (1), a
            status (2), or opaque bytes, their number and a status (3).
        legacy_backend_config: the opaque bytes of an untyped function.

    Returns:
        ``f(*arrays, **attributes)``. Attributes are Python numbers, strings, NumPy
        scalars and arrays, and dictionaries of such.

    Raises:
        NotImplementedError: there is no such interface.
        ValueError: an untyped function is given attributes, or a typed one opaque bytes;
            or the call is differentiated.
        JaxRuntimeError: no handler has that name, or the handler fails.
    """
    untyped = _untyped_attributes(
        target_name, custom_call_api_version, legacy_backend_config
    )
    vmap_methods.check_method("ffi_call", vmap_method)
    is_sequence = isinstance(result_shape_dtypes, list | tuple)
    wanted = list(result_shape_dtypes) if is_sequence else [result_shape_dtypes]
    avals = tuple(
        x
        if isinstance(x, avals_lib.AbstractValue)
        else avals_lib.ShapedArray(x.shape, x.dtype)
        for x in wanted
    )
    outputs = (
        output_layouts if is_sequence or output_layouts is None else [output_layouts]
    )
    aliases = tuple(sorted((input_output_aliases or {}).items()))

    @api_boundary
    def call(*args, **attributes):
        operands = [creation.asarray(x) for x in args]
        if untyped is not None:
            _refuse_attributes(target_name, custom_call_api_version, attributes)
            attributes = untyped
        for index, out in aliases:
            _check_alias(target_name, operands, avals, index, out)
        outs = ffi_call_p.bind(
            *operands,
            target_name=target_name
            if untyped is None
            else ffi.untyped_target(target_name),
            attributes=util.KeyedValue(attributes, _hashable(attributes)),
            result_avals=avals,
            has_side_effect=has_side_effect,
            vmap_method=vmap_method,
            input_layouts=_orders("input_layouts", input_layouts, len(operands)),
            output_layouts=_orders("output_layouts", outputs, len(avals)),
            input_output_aliases=aliases,
            batch_dims=0,
        )
        outs = [
            vma.as_declared(x, struct) for x, struct in zip(outs, wanted, strict=True)
        ]
        return type(result_shape_dtypes)(outs) if is_sequence else outs[0]

    call.__name__ = target_name
    return call


def _untyped_attributes(name, version, config):
    """What a call of an untyped function passes; None for a call of a typed handler."""
    if version == 4 and config is not None:
        raise errors.value_error(
            f"ffi_call({name!r}): The use of the legacy_backend_config parameter "
            f"requires custom_call_api_version < 4; got {version}.",
            [("legacy_backend_config", repr(config)[:60])],
            ways="Pass keyword arguments to the function, which are its attributes.",
        )
    if version != 4 and version not in untyped_calls.VERSIONS:
        raise errors.not_implemented(
            f"ffi_call({name!r}): this interface is not offered.",
            [("custom_call_api_version", str(version))],
            "The typed FFI is, 4, and calls of untyped functions, 1 to 3.",
        )
    if version == 4:
        return None
    opaque = "" if config is None else config
    return {untyped_calls.VERSION: np.int32(version), untyped_calls.OPAQUE: opaque}


def _refuse_attributes(name, version, attributes):
    if attributes:
        raise errors.value_error(
            f"ffi_call({name!r}): The use of ffi_call attributes requires a custom call "
            f"API version of at least 4; got api_version={version}.",
            [("attributes", ", ".join(attributes))],
            "An untyped function gets arrays and opaque bytes.",
            "Pass legacy_backend_config, with custom_call_api_version=3.",
        )


def _check_alias(name, operands, avals, index, out):
    if not 0 <= index < len(operands) or not 0 <= out < len(avals):
        raise errors.value_error(
            f"ffi_call({name!r}): input_output_aliases names what is not there.",
            [("alias", f"{index}: {out}"), ("operands", str(len(operands)))],
        )
    x, aval = avals_lib.get_aval(operands[index]), avals[out]
    if (x.shape, x.dtype) != (aval.shape, aval.dtype):
        raise errors.value_error(
            f"ffi_call({name!r}): operand {index} cannot give its memory to result "
            f"{out}.",
            [("operand", x.str_short()), ("result", aval.str_short())],
            "Shape and dtype must be equal.",
        )


traceback_filter.hide_frames(globals())
