"""Attributes for the compiler, on the operations of a block, a function or a value.

They go with their operations through every transformation, and stand in the program as
``mhlo.frontend_attributes``. Our compiler reads none of them; others may.
"""

import functools as ft
import re
import threading
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.base import errors, releases, traceback_filter
from jax._src.core import primitive, state
from jax._src.interpreters import ad, mlir
from jax._src.jit import jit as jits
from jax._src.runtime.transfers import device_put_get
from jax._src.transforms import calls, custom_jvp, differentiate


class _Block:
    """A block, or a function, whose operations have attributes."""

    def __init__(self, attributes: dict[str, str]):
        self.attributes = attributes
        self.tokens: list[Any] = []

    def __enter__(self) -> None:
        self.tokens.append(state.enter_scopes((state.annotation(self.attributes),)))

    def __exit__(self, *_: object) -> None:
        state.leave_scopes(self.tokens.pop())

    def __call__(self, fun: Callable) -> Callable:
        @ft.wraps(fun)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with _Block(self.attributes):
                return fun(*args, **kwargs)

        if hasattr(fun, "lower"):
            # What can be lowered stays so.
            def lower(*args: Any, **kwargs: Any) -> Any:
                with _Block(self.attributes):
                    return fun.lower(*args, **kwargs)

            inside.lower = lower  # type: ignore[attr-defined]
        return inside


def _text(value):
    """An attribute as text; None, which removes it inside of a block, stays."""
    if value is None:
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)


@primitive.declare("xla_metadata_value", traits=primitive.Trait.LINEAR)
class xla_metadata_value_p:
    """Returns its operand, and attaches attributes to the operation that computes it."""

    def types(x, *, xla_metadata_kvs):
        return x

    sharding = primitive.BY_TYPES

    def batch(axis, args, dims, **params):
        return xla_metadata_value_p.bind(*args, **params), dims[0]

    def jvp_all(primals, tangents, **params):
        (tangent,) = tangents
        if type(tangent) is not ad.Zero:
            tangent = xla_metadata_value_p.bind(tangent, **params)
        return xla_metadata_value_p.bind(*primals, **params), tangent

    def transpose(ct, x, **params):
        return [ct]

    def impl(x, **params):
        return x

    def lower(ctx, x, *, xla_metadata_kvs):
        mlir.annotate(x, dict(xla_metadata_kvs))
        return x

    def reference(x, **params):
        return x

    def samples():
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        return [primitive.Sample((x,), {"xla_metadata_kvs": (("a", "1"),)})]


def set_xla_metadata(x: Any = None, **kwargs: Any) -> Any:
    """Attributes for the compiler on operations.

    Without `x`, a block or a decorator: ``with set_xla_metadata(a=1):`` sets them on all
    operations inside; blocks inside others win. With `x`, on the operations that compute the
    leaves of that tree; what they already have stays.

    Args:
        x: None, or a tree of arrays.
        **kwargs: names and values; values become text. In a block None removes the
            attribute of a block around it.

    Returns:
        Without `x` a context manager, else the same tree.
    """
    attributes = {name: _text(value) for name, value in kwargs.items()}
    if x is None:
        return _Block(attributes)
    pairs = tuple((k, v) for k, v in attributes.items() if v is not None)
    calls.check_values(tree.tree_leaves(x), "set_xla_metadata")
    return tree.tree_map(
        lambda leaf: xla_metadata_value_p.bind(leaf, xla_metadata_kvs=pairs), x
    )


def xla_metadata_call(f: Callable | None = None, **meta: str) -> Callable:
    """A function whose call, and whose operations, have attributes for the compiler.

    Args:
        f: the function; left out, a decorator comes back.
        **meta: names and values.

    Raises:
        NotImplementedError: a value is no text.
    """
    for name, value in meta.items():
        if not isinstance(value, str):
            raise errors.not_implemented(
                "xla_metadata_call: a value is no text.",
                [(name, f"{value!r} of type {type(value).__name__}")],
            )
    if f is None:
        return ft.partial(xla_metadata_call, **meta)

    def call(*args, **kwargs):
        return f(*args, **kwargs)

    call.__name__ = call.__qualname__ = "xla_metadata_call"
    compiled = jits.jit(call)
    return ft.wraps(f)(_Block(dict(meta))(compiled))


def xla_metadata_call2(
    f: Callable | None = None,
    /,
    metadata: Mapping[str, Any] | None = None,
    *,
    ad_metadata: str | Mapping[str, Any] = "same",
) -> Callable:
    """A function whose call, and whose operations, have attributes for the compiler.

    Args:
        f: the function; left out, a decorator comes back.
        metadata: names and values; values are text, truth values or numbers.
        ad_metadata: the attributes of the derivative's operations: "same" for those of the
            function, "drop" for none, or names and values. With the latter two the function
            must not close over values that are differentiated.

    Raises:
        TypeError: a value is something else, or `ad_metadata` is.
    """
    if ad_metadata not in ("same", "drop") and not isinstance(ad_metadata, Mapping):
        raise errors.type_error(
            "xla_metadata_call2: ad_metadata must be 'same', 'drop', or a dict of "
            f"metadata, got {ad_metadata!r}"
        )
    if f is None:
        return ft.partial(
            xla_metadata_call2, metadata=metadata, ad_metadata=ad_metadata
        )
    call = xla_metadata_call(f, **_checked(metadata or {}))
    if isinstance(ad_metadata, str) and ad_metadata == "same":
        return call
    derivative = _Block({} if isinstance(ad_metadata, str) else _checked(ad_metadata))

    ruled = custom_jvp.custom_jvp(call)

    @ruled.defjvp
    def rule(primals, tangents):
        outs = call(*primals)
        with (
            derivative
        ):  # What is computed twice by this is left out when it is compiled.
            _, linear = differentiate.linearize(jits.jit(f), *primals)
            return outs, linear(*tangents)

    return ruled


def _checked(metadata):
    for name, value in metadata.items():
        if not isinstance(value, str | bool | int | float):
            raise errors.type_error(
                "xla_metadata_call: metadata values must be str, bool, int, or float, "
                f"got {value!r} for key {name!r}"
            )
    return {name: _text(value) for name, value in metadata.items()}


def must_fuse_call(identifier: str) -> Callable[[Callable], Callable]:
    """A decorator: the operations of a function are to be one fusion.

    Args:
        identifier: of the fusion; the operations have it as the attribute ``MUST_FUSE``.
    """
    return ft.partial(xla_metadata_call2, metadata={"MUST_FUSE": identifier})


def fuse_limit() -> _Block:
    """A block whose operations are not to be fused with others: they have ``FUSE_LIMIT``."""
    return _Block({"FUSE_LIMIT": "true"})


def scheduling_group(name: str) -> Callable[[Callable], Callable]:
    """A decorator: the operations of a function are to be scheduled together.

    Args:
        name: of the group.
    """
    return ft.partial(xla_metadata_call, scheduling_group=name)


_COMPUTE_TYPES = {"device_host": "host", "device": None, "tpu_sparsecore": "sparse"}


def _compute_attributes(compute_type):
    if not isinstance(compute_type, str):
        raise errors.type_error(
            "compute_on: the type of computation is no text.",
            [
                (
                    "compute_type",
                    f"{compute_type!r} of type {type(compute_type).__name__}",
                )
            ],
        )
    stream = re.fullmatch(r"gpu_stream:(\d+)", compute_type)
    if stream:
        return {
            "_xla_stream_annotation": stream[1],
            "inlineable": "false",
        }
    if compute_type not in _COMPUTE_TYPES:
        raise errors.value_error(
            "compute_on: there is no such type of computation.",
            [
                ("compute_type", repr(compute_type)),
                ("known", ", ".join([*_COMPUTE_TYPES, "gpu_stream:N"])),
            ],
        )
    kind = _COMPUTE_TYPES[compute_type]
    return {"_xla_compute_type": kind} if kind else {}


def block_on(compute_type: str) -> _Block:
    """A block, or a decorator, whose operations are to run on the host instead of the device.

    Args:
        compute_type: ``"device_host"``, ``"device"``, ``"tpu_sparsecore"`` or
            ``"gpu_stream:N"``. Where host and device are one, as on CPUs, nothing changes.

    Raises:
        TypeError: it is no text. ValueError: there is no such type.
    """
    return _Block(_compute_attributes(compute_type))


class _Nesting(threading.local):
    """The types of computation whose functions this thread is inside of."""

    types: tuple[str, ...] = ()


_nesting = _Nesting()


def compute_on2(
    f: Callable | None = None,
    *,
    compute_type: str,
    out_memory_spaces: Any,
    compiler_options: dict[str, Any] | None = None,
) -> Callable:
    """A function that is to run on the host instead of the device, as one call.

    Args:
        f: the function; left out, a decorator comes back.
        compute_type: as `compute_on` takes it.
        out_memory_spaces: the memory of the results, a `jax.memory.Space`, or a tree of them
            that is a prefix of the result.
        compiler_options: must be None: such a call has no compiler of its own.

    Raises:
        TypeError: `compute_type` is no text.
        ValueError: there is no such type, or the function is called inside of one that
            runs on the host again.
        NotImplementedError: there are compiler options.
    """
    if compiler_options is not None:
        raise errors.not_implemented(
            "compute_on2: compiler options of a part of a program.",
            [("compiler_options", repr(compiler_options))],
            "One compiler compiles the program as a whole.",
            "Give them to jax.jit.",
        )
    if f is None:
        return ft.partial(
            compute_on2,
            compute_type=compute_type,
            out_memory_spaces=out_memory_spaces,
        )
    attributes = _compute_attributes(compute_type)

    def compute_on(*args, **kwargs):
        outer = _nesting.types
        if outer and outer[-1] != compute_type:
            raise errors.value_error(
                "Nesting `compute_on` with different compute types is not allowed.",
                [("outside", outer[-1]), ("inside", compute_type)],
            )
        _nesting.types = (*outer, compute_type)
        try:
            return f(*args, **kwargs)
        finally:
            _nesting.types = outer

    inside = _Block(attributes)(jits.jit(compute_on))

    @ft.wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        outs = inside(*args, **kwargs)
        leaves, structure = tree.tree_flatten(outs)
        what = "compute_on out_memory_spaces"
        spaces = tree.spread_over(what, out_memory_spaces, structure)
        return tree.tree_unflatten(
            structure, map(device_put_get.device_put, leaves, spaces)
        )

    return call


# From 0.12 on, the function is the only form.
compute_on = compute_on2 if releases.rule("compute_on_is_a_function") else block_on


traceback_filter.hide_frames(globals())
