"""The current trace, named axes and named scopes; each thread and each asynchronous task has its own."""

import contextlib
import contextvars
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

# The trace in which `bind` applies primitives; None: `_Bottom.trace`.
_trace: contextvars.ContextVar[Any] = contextvars.ContextVar("jax_trace", default=None)
trace_variable = _trace
# Named axes: name -> size.
_axes: contextvars.ContextVar[Mapping[Any, int]] = contextvars.ContextVar(
    "jax_axes", default=types.MappingProxyType({})
)
# Positions along named axes that a loop goes through: name -> scalar.
_positions: contextvars.ContextVar[Mapping[Any, Any]] = contextvars.ContextVar(
    "jax_positions", default=types.MappingProxyType({})
)
_scopes: contextvars.ContextVar[tuple[str, ...]] = contextvars.ContextVar(
    "jax_scopes", default=()
)
# The mesh axes of the `shard_map`s around, as far as types record which values vary.
_rows: contextvars.ContextVar[Any] = contextvars.ContextVar("jax_rows", default=None)
_tracked: contextvars.ContextVar[frozenset] = contextvars.ContextVar(
    "jax_tracked_axes", default=frozenset()
)

# The variables' own methods: they are called for every operation, and a wrapper would cost time.
enter: Callable[[Any], contextvars.Token] = _trace.set
leave: Callable[[contextvars.Token], None] = _trace.reset
scopes: Callable[[], tuple[str, ...]] = _scopes.get
replace_scopes: Callable[[tuple[str, ...]], contextvars.Token] = _scopes.set
leave_scopes: Callable[[contextvars.Token], None] = _scopes.reset
axes: Callable[[], Mapping[Any, int]] = _axes.get
tracked_axes: Callable[[], frozenset] = _tracked.get


class _Bottom:
    """Holds the trace that is current outside every transformation: evaluation."""

    trace: Any = None


def current() -> Any:
    """The current trace: the innermost transformation, or evaluation."""
    return _trace.get() or _Bottom.trace


def install_evaluation(trace: Any) -> None:
    """Sets the trace at the bottom; core.trace calls it once."""
    _Bottom.trace = trace


@contextlib.contextmanager
def tracing(trace: Any) -> Iterator[None]:
    """Makes `trace` the current trace for a block."""
    token = _trace.set(trace)
    try:
        yield
    finally:
        _trace.reset(token)


def evaluating() -> contextlib.AbstractContextManager[None]:
    """Makes evaluation the current trace for a block."""
    return tracing(None)


@contextlib.contextmanager
def binding_axes(sizes: dict[Any, int]) -> Iterator[None]:
    """Binds names of axes to sizes for a block."""
    token = _axes.set({**_axes.get(), **sizes})
    try:
        yield
    finally:
        _axes.reset(token)


@contextlib.contextmanager
def bind_axis_indices(
    sizes: dict[Any, int], positions: dict[Any, Any]
) -> Iterator[None]:
    """Binds axes, for a block, to sizes and to the positions that a loop has reached.

    They are traced values: a function that is jitted in the block closes over them.
    """
    token = _positions.set({**_positions.get(), **positions})
    try:
        with binding_axes(sizes):
            yield
    finally:
        _positions.reset(token)


def position_along(name: Any) -> Any:
    """The position along a named axis that a loop goes through; None for other axes."""
    return _positions.get().get(name)


@contextlib.contextmanager
def tracking_axes(names: frozenset) -> Iterator[None]:
    """Makes types record which values vary along these mesh axes, and no others."""
    token = _tracked.set(names)
    try:
        yield
    finally:
        _tracked.reset(token)


def axes_key() -> tuple[Any, ...]:
    """Returns what a traced program depends on: bound axes, tracked axes and annotations."""
    names = _scopes.get()
    noted = annotations_of(names) if names else names
    bound = (tuple(_axes.get().items()), *_positions.get())
    return bound, _tracked.get(), noted


def axis_size(name: Any) -> int:
    """The size of the named axis `name`; of a tuple of names, the product.

    Raises:
        NameError: no such axis is bound here.
    """
    if isinstance(name, tuple | list):
        size = 1
        for one in name:
            size *= axis_size(one)
        return size
    sizes = _axes.get()
    if name not in sizes:
        bound = ", ".join(map(repr, sizes)) or "none"
        raise NameError(
            f"Found an unbound axis name: {name}.\n"
            f"  bound here  {bound}\n"
            f"Give an axis its name where it is mapped: jax.vmap(f, axis_name={name!r})."
        )
    return sizes[name]


class Transform(str):
    """The name of a transformation on the stack of scopes; texts write it around the next name."""

    __slots__ = ()


class Mapped(Transform):
    """The name of `vmap`, with the number of its batch elements."""

    __slots__ = ("size",)

    size: int


def mapped(size: int) -> Mapped:
    """The name of `vmap` over so many batch elements."""
    name = Mapped("vmap")
    name.size = size
    return name


class Annotation(str):
    """A scope without a name in texts: it gives attributes to the operations in it.

    Unlike a named scope, it applies to programs that are traced inside, too.
    """

    __slots__ = ("attributes",)

    attributes: tuple[tuple[str, str], ...]


def annotation(attributes: Mapping[str, str]) -> Annotation:
    """A scope whose operations have these attributes."""
    found = Annotation(str(dict(attributes)))
    found.attributes = tuple(attributes.items())
    return found


def _note(text):
    found = Annotation(text)
    found.attributes = ()
    return found


# Marks operations for which indices out of bounds are defined, and no mistake of the user.
OUT_OF_BOUNDS_IS_DEFINED = _note("out of bounds is defined")


def annotations_of(names: tuple[str, ...]) -> tuple[str, ...]:
    """The annotations among scopes."""
    return tuple(name for name in names if isinstance(name, Annotation))


def within(name: Transform, fun: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `fun` with the transformation `name` on the stack of scopes while it runs."""

    def inside(*args):
        token = _scopes.set((*_scopes.get(), name))
        try:
            return fun(*args)
        finally:
            _scopes.reset(token)

    return inside


def enter_scopes(names: tuple[str, ...]) -> contextvars.Token:
    """Adds names to the stack of scopes; give the token to `leave_scopes`."""
    return _scopes.set(_scopes.get() + names)


@contextlib.contextmanager
def scope(name: str) -> Iterator[None]:
    """Puts `name` on the stack of names of the operations in a block."""
    token = _scopes.set((*_scopes.get(), name))
    try:
        yield
    finally:
        _scopes.reset(token)


def mesh_axis_of_rows() -> Any:
    """The Explicit mesh axis over which the batch elements of the current batch rule are split."""
    return _rows.get()


def split_rows(mesh_axis: Any) -> Any:
    """Sets `mesh_axis_of_rows` for the batch rule that is called next; returns a token for `end_rows`."""
    return _rows.set(mesh_axis)


def end_rows(token: Any) -> None:
    """Restores what was set before the call of `split_rows` that returned `token`."""
    _rows.reset(token)
