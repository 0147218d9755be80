"""Blocks in which tests hold options and variables, take what is printed, and stand on a mesh; and decorators."""

import contextlib
import functools as ft
import math
import os
import re
import sys
import tempfile
import unittest
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TextIO

import numpy as np

from jax._src import dtypes as dtypes_lib, tree
from jax._src.base import config
from jax._src.core import mesh as mesh_lib, mesh_context
from jax._src.numpy import operands
from jax._src.runtime.devices import backends, make_mesh

MeshSpec = list[tuple[str, int]]


class NotPresent:
    """What an option is where it does not exist."""

    def __repr__(self) -> str:
        return "<not present>"


@contextlib.contextmanager
def global_config_context(**kwds: Any) -> Iterator[None]:
    """A block in which options have other values for the whole process."""
    before = {name: config.config.read(name) for name in kwds}
    try:
        for name, value in kwds.items():
            config.config.update(name, value)
        yield
    finally:
        for name, value in before.items():
            config.config.update(name, value)


@contextlib.contextmanager
def thread_local_config_context(**kwds: Any) -> Iterator[None]:
    """A block in which options have other values for this thread."""
    with contextlib.ExitStack() as stack:
        for name, value in kwds.items():
            stack.enter_context(config.config.option(name)(value))
        yield


@contextlib.contextmanager
def assert_global_configs_unchanged() -> Iterator[None]:
    """A block that must leave the options of the process as they were."""
    before = config.config.values
    yield
    after = config.config.values
    absent = NotPresent()
    pairs = {
        name: (before.get(name, absent), after.get(name, absent))
        for name in sorted({*before, *after})
    }
    changed = {
        name: pair for name, pair in pairs.items() if not _are_same(pair[0], pair[1])
    }
    # An option that was declared meanwhile is no change of one.
    changed = {name: pair for name, pair in changed.items() if pair[0] is not absent}
    if changed:
        raise AssertionError(
            f"Test changed global config values. Differing values are: {changed}"
        )


def _are_same(a, b):
    return a is b or bool(a == b)


def _class_decorator(attribute: str, kwds: dict[str, Any]) -> Callable[[type], type]:
    """A decorator that adds to a table of options of a class of tests."""

    def decorate(cls):
        if not (isinstance(cls, type) and hasattr(cls, attribute)):
            raise AssertionError(
                "options may be held for classes that derive from JaxTestCase alone"
            )
        merged: dict[str, Any] = {}
        for base in cls.__bases__:
            merged |= getattr(base, attribute, {})
        setattr(cls, attribute, merged | kwds)
        return cls

    return decorate


def with_config(**kwds: Any) -> Callable[[type], type]:
    """A decorator of a class of tests: they run with these options in their thread."""
    return _class_decorator("_default_thread_local_config", kwds)


def with_global_config(**kwds: Any) -> Callable[[type], type]:
    """A decorator of a class of tests: they run with these options in the whole process."""
    return _class_decorator("_default_global_config", kwds)


@contextlib.contextmanager
def set_env(**kwargs: str | None) -> Iterator[None]:
    """A block with other environment variables; those that are None are not set in it."""

    def assign(values):
        for name, value in values.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value

    before = {name: os.environ.get(name) for name in kwargs}
    assign(kwargs)
    try:
        yield
    finally:
        assign(before)


@contextlib.contextmanager
def capture_output(fp: TextIO) -> Iterator[Callable[[], str]]:
    """A block that takes what is written to a stream, by native code too.

    Args:
        fp: a stream with a file descriptor.

    Returns:
        In the block a function; after it the function says what was written, before that it raises ValueError.
    """
    captured: list[str] = []

    def get_output():
        if not captured:
            raise ValueError("get_output() called while the context is active.")
        return captured[0]

    fp.flush()
    with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
        kept = os.dup(fp.fileno())
        os.dup2(file.fileno(), fp.fileno())
        try:
            yield get_output
        finally:
            fp.flush()
            os.dup2(kept, fp.fileno())
            os.close(kept)
            file.seek(0)
            captured.append(file.read())


def capture_stdout() -> contextlib.AbstractContextManager[Callable[[], str]]:
    """A block that takes what is written to the standard output."""
    return capture_output(sys.stdout)


def capture_stderr() -> contextlib.AbstractContextManager[Callable[[], str]]:
    """A block that takes what is written to the standard error."""
    return capture_output(sys.stderr)


def check_raises(thunk: Callable[[], Any], err_type: type, msg: str) -> None:
    """Calls a function that must raise an error whose text begins with `msg`."""
    text = _raised(thunk, err_type)
    assert text.startswith(msg), f"\n{text}\n\n{msg}\n"


def check_raises_regexp(thunk: Callable[[], Any], err_type: type, pattern: str) -> None:
    """Calls a function that must raise an error whose text begins with a regular expression."""
    text = _raised(thunk, err_type)
    assert re.match(pattern, text), f"{text}\n\n{pattern}\n"


def _raised(thunk, err_type):
    try:
        thunk()
    except err_type as error:
        return str(error)
    raise AssertionError(f"no {err_type.__name__} was raised")


def to_default_dtype(arr: Any) -> np.ndarray:
    """An array in the dtype that arrays of numbers of its kind have under the current options."""
    found = np.asarray(arr)
    of_kind = {
        "b": lambda: np.dtype(bool),
        "i": dtypes_lib.default_int_dtype,
        "u": dtypes_lib.default_uint_dtype,
        "f": dtypes_lib.default_float_dtype,
        "c": dtypes_lib.default_complex_dtype,
    }.get(found.dtype.kind)
    return found if of_kind is None else found.astype(of_kind())


def with_jax_dtype_defaults(func: Callable, use_defaults: Any = True) -> Callable:
    """A function of NumPy whose results have the dtypes that arrays have by default.

    Args:
        func: the function.
        use_defaults: for all results, or in a tree for each: whether it is converted.
    """

    @ft.wraps(func)
    def converted(*args, **kwargs):
        result = func(*args, **kwargs)
        chosen = use_defaults
        if isinstance(use_defaults, bool):
            chosen = tree.tree_map(lambda _: use_defaults, result)
        return tree.tree_map(
            lambda x, is_converted: to_default_dtype(x) if is_converted else x,
            result,
            chosen,
        )

    return converted


def promote_like_jnp(fun: Callable, inexact: bool = False) -> Callable:
    """A function whose arguments are promoted to one dtype first, as `jax.numpy` does it.

    Args:
        fun: the function.
        inexact: whether that dtype has fractions in any case.
    """
    promote = operands.promote_dtypes_inexact if inexact else operands.promote_dtypes

    def promoted(*args, **kw):
        leaves, structure = tree.tree_flatten(args)
        return fun(*tree.tree_unflatten(structure, promote(*leaves)), **kw)

    return promoted


def is_sequence(x: Any) -> bool:
    """Whether something can be gone through."""
    try:
        iter(x)
    except TypeError:
        return False
    return True


@contextlib.contextmanager
def with_mesh(named_shape: MeshSpec) -> Iterator[None]:
    """A block on a mesh of this process's devices, of axes with their sizes; skips where they are too few."""
    names, sizes = zip(*named_shape, strict=True) if named_shape else ((), ())
    count, there = math.prod(sizes), list(backends.local_devices())
    if len(there) < count:
        raise unittest.SkipTest(f"Test requires {count} local devices")
    with mesh_lib.Mesh(np.array(there[:count], object).reshape(sizes), names):
        yield


def with_mesh_from_kwargs(f: Callable) -> Callable:
    """A test that runs on the mesh which its argument `mesh` describes."""

    def run(*args, **kwargs):
        with with_mesh(kwargs["mesh"]):
            return f(*args, **kwargs)

    return run


def create_mesh(
    mesh_shape: Sequence[int],
    axis_names: Sequence[str],
    iota_order: bool = False,
    axis_types: Sequence[Any] | None = None,
) -> mesh_lib.Mesh:
    """A mesh of the first devices; skips the test where they are too few.

    Args:
        mesh_shape: the sizes of the axes.
        axis_names: their names.
        iota_order: whether the devices are ordered by their numbers.
        axis_types: their types; None: Auto.
    """
    count, there = math.prod(mesh_shape), backends.devices()
    if len(there) < count:
        raise unittest.SkipTest(
            f"Test requires {count} global devices and found {len(there)}."
        )
    if iota_order:
        ordered = sorted(there, key=lambda device: device.id)[:count]
        array = np.array(ordered, object).reshape(mesh_shape)
        return mesh_lib.Mesh(array, axis_names, axis_types=axis_types)
    types = axis_types or (mesh_lib.AxisType.Auto,) * len(mesh_shape)
    return make_mesh.make_mesh(mesh_shape, axis_names, types)


def with_explicit_mesh(
    sizes: Sequence[int],
    names: Sequence[str],
    axis_types: Sequence[Any] | None = None,
    iota_order: bool = False,
) -> Callable:
    """A decorator that runs a test on a mesh, of explicit axes if nothing else is said, given as `mesh`."""
    types = axis_types or (mesh_lib.AxisType.Explicit,) * len(names)

    def decorate(fn):
        def run(*args, **kwargs):
            mesh = create_mesh(sizes, names, iota_order, axis_types=types)
            with mesh_context.set_mesh(mesh):
                return fn(*args, **kwargs, mesh=mesh)

        return run

    return decorate
