"""Why a program is compiled: what differs from the nearest earlier compilation.

A `Request` is what decided about one compilation. It holds no array and no object of the
user's: objects are weakly referred to, and values of which messages speak are replaced by
snapshots of bounded size.
"""

import dataclasses
import enum
import functools as ft
import os
import reprlib
import sys
import types
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from jax._src.base import config, records, source, util
from jax._src.core import jaxpr as jaxpr_lib

_SCALARS = (bool, int, float, complex, str, bytes, type(None))
_MOST_PARTS, _MOST_DEPTH, _MOST_CAPTURED = 64, 4, 32
# So many types of arguments are compared, over all earlier compilations.
_MOST_COMPARED = 2048
_PROGRAM = "the program of "
# So begins the form of a request whose function wraps another one, which its name and location are of.
WRAPPER = "wrapper at"
_short = reprlib.Repr()
_short.maxstring = _short.maxother = _short.maxlong = 80


@records.record
class Change:
    """One difference between two compilations: its kind, what changed, and a sentence."""

    kind: str
    subject: str
    text: str


@records.record
class Opaque:
    """Stands for an object of a class that has no parts which messages could compare."""

    text: str
    identity: int

    def __repr__(self) -> str:
        return self.text


@records.record
class Parts:
    """Stands for a tuple, list, dict or dataclass: its class and its parts by path."""

    class_name: str
    items: tuple[tuple[str, Any], ...]
    text: str

    def __repr__(self) -> str:
        return self.text


def snapshot(value: Any, depth: int = 0) -> Any:
    """A value of bounded size that stands for `value` in comparisons and messages."""
    program = _program_of(value)
    if program is not None:
        return Opaque(f"{_PROGRAM}`{program[0]}`", id(value))
    if type(value) in _SCALARS:
        is_long = isinstance(value, str | bytes) and len(value) > 200
        return Opaque(_short.repr(value), hash(value)) if is_long else value
    if depth < _MOST_DEPTH:
        items = _parts(value)
        if items is not None:
            parts = tuple(
                (path, snapshot(part, depth + 1)) for path, part in items[:_MOST_PARTS]
            )
            return Parts(type(value).__qualname__, parts, _text(value))
    return Opaque(_text(value), _identity(value))


def _program_of(value):
    """Name and location of the function that a program was traced from; None: it is none.

    Of a function of this package that calls the user's, as in `fori_loop`, the user's.
    """
    if isinstance(value, jaxpr_lib.ClosedJaxpr):
        value = value.jaxpr
    if not isinstance(value, jaxpr_lib.Jaxpr):
        return None
    name, _, location = value.debug_info.func_src_info.partition(" at ")
    if source.is_internal(location.rpartition(":")[0]):
        for eqn in value.eqns:
            own = eqn.location.codes[: eqn.location.own]
            if own:
                code = own[-1][0]
                return code.co_name, f"{code.co_filename}:{code.co_firstlineno}"
    return name, location


def body_location(params: dict[str, Any]) -> str:
    """Where the function is defined whose program an operation has as a parameter; or ""."""
    for value in params.values():
        parts = value if isinstance(value, tuple) else (value,)
        program = _program_of(parts[0]) if parts else None
        if program is not None:
            return program[1]
    return ""


def _parts(value):
    """The parts of a container with the path to each, or None."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return [(f".{name}", getattr(value, name)) for name in value._fields]
    if isinstance(value, tuple | list):
        return [(f"[{i}]", part) for i, part in enumerate(value)]
    if isinstance(value, dict):
        return [(f"[{_short.repr(k)}]", v) for k, v in value.items()]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = (f.name for f in dataclasses.fields(value))
        return [(f".{n}", getattr(value, n)) for n in fields if hasattr(value, n)]
    return None


def _text(value):
    if isinstance(value, types.FunctionType | type):
        return f"{value.__module__}.{value.__qualname__}"
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if isinstance(shape, tuple) and dtype is not None:
        return f"an array {dtype}{list(shape)}"
    if isinstance(value, enum.Enum | tuple | list | dict | frozenset):
        return _short.repr(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return f"{type(value).__qualname__}(...)"
    is_bare = type(value).__repr__ is object.__repr__
    name = f"an object of class {type(value).__qualname__}"
    return name if is_bare else _short.repr(value)


def _identity(value):
    try:
        return hash(value)
    except Exception:
        return id(value)


def reference_to(value: Any) -> Callable[[], Any]:
    """A weak reference; one to nothing where an object has none."""
    try:
        return weakref.ref(value)
    except TypeError:
        return _nothing


def _nothing() -> None:
    return None


@records.identity_record
class Request:
    """What decided about one compilation."""

    # "function", or "operation" for a primitive that runs by itself.
    kind: str
    name: str
    # Where the function is defined, as ``file.py:12``, and the name of what it stands in.
    location: str
    maker: str
    # By what users call the inputs; and their types.
    names: tuple[str | None, ...]
    avals: tuple[Any, ...]
    # The function, its code and what it reads from outside, where it is known.
    function: Callable[[], Any] = _nothing
    is_partial: bool = False
    # Of a method its object. Of a program that follows from that of a call, by `grad` or
    # `vmap`, what distinguishes it from others.
    owner: Opaque | None = None
    form: str = ""
    captured: tuple[tuple[str, Any], ...] = ()
    # The tree of the arguments; static values by name; the options that traces depend on.
    tree: Callable[[], Any] = _nothing
    tree_hash: int = 0
    static: tuple[tuple[str, Any], ...] = ()
    context: tuple[Any, ...] = ()
    axes: Any = ()
    # The options of `jit`, as pairs of name and value; None: they are not known.
    options: tuple[tuple[str, Any], ...] | None = ()
    # Whether it is compiled ahead of time, by `lower(...).compile()`, and not for calls.
    is_ahead: bool = False
    devices: tuple[Any, ...] = ()
    # Whether an argument, or an option, binds the call to them.
    committed: bool = False
    shardings: tuple[Any, ...] = ()
    layouts: tuple[Any, ...] = ()

    @property
    def site(self) -> tuple[str, str, str, str]:
        """What compilations are compared within: a function of the source."""
        return self.kind, self.name, self.location, self.form

    @property
    def is_derived(self) -> bool:
        """Whether the program follows from that of a call, whose function is not known."""
        return bool(self.form) and not self.form.startswith(WRAPPER)

    @property
    def signature(self) -> str:
        """The types of the inputs."""
        return ", ".join(a.str_short(short_dtypes=True) for a in self.avals)


def plain_function(fun: Any) -> Any:
    """The Python function behind wrappers, partials and methods, or None."""
    for _ in range(20):
        if isinstance(fun, ft.partial):
            fun = fun.func
        elif hasattr(fun, "__wrapped__"):
            fun = fun.__wrapped__
        else:
            break
    fun = getattr(fun, "__func__", fun)
    return fun if isinstance(fun, types.FunctionType) else None


def owner_of(fun: Any) -> Opaque | None:
    """What stands for the object of a method; None: it is none."""
    while isinstance(fun, ft.partial):
        fun = fun.func
    owner = getattr(fun, "__self__", None)
    if not isinstance(fun, types.MethodType) or isinstance(owner, types.ModuleType):
        return None
    return Opaque(f"an object of class {type(owner).__qualname__}", id(owner))


def captured_by(fun: Any) -> tuple[tuple[str, Any], ...]:
    """Snapshots of what a function reads from outside: closures, globals, bound arguments."""
    found = []
    while isinstance(fun, ft.partial):
        found += [
            (f"argument {i} of the partial", x) for i, x in enumerate(fun.args)
        ] + [(f"argument `{k}` of the partial", x) for k, x in fun.keywords.items()]
        fun = fun.func
    plain = plain_function(fun)
    if plain is not None:
        code = plain.__code__
        cells = zip(code.co_freevars, plain.__closure__ or (), strict=False)
        for name, cell in cells:
            try:
                found.append((f"closure variable `{name}`", cell.cell_contents))
            except ValueError:
                continue  # It has no value yet.
        scope = plain.__globals__
        found += [(f"global `{n}`", scope[n]) for n in code.co_names if n in scope]
    hidden = types.ModuleType, type, types.BuiltinFunctionType, types.FunctionType
    return tuple(
        (name, snapshot(value, _MOST_DEPTH - 1))
        for name, value in found[:_MOST_CAPTURED]
        if not isinstance(value, hidden)
    )


def nearest(now: Request, earlier: Sequence[Request]) -> tuple[Change, ...]:
    """What differs from the earlier compilation that is most like this one.

    Args:
        now: the compilation.
        earlier: those of the same site, the oldest first.
    """
    if not earlier:
        text = f"first call of `{now.name}`"
        if now.form.startswith(WRAPPER):
            text = f"first call of {_wrapper_of(now.name)}"
        elif now.form:
            text += (
                " under a transformation (grad, vmap, ...), which has its own program"
            )
        return (Change("first call", now.name, text),)
    count = max(1, _MOST_COMPARED // max(1, len(now.avals)))
    closest: tuple[Change, ...] | None = None
    for one in reversed(earlier[-count:]):
        found = tuple(differences(now, one))
        if closest is None or len(found) < len(closest):
            closest = found
        if len(closest) <= 1:
            break
    if not closest and (now.is_ahead or earlier[-1].is_ahead):
        closest = (_ahead_of_time(now, earlier[-1]),)
    return closest or ()


def differences(now: Request, before: Request) -> Iterator[Change]:
    """How two compilations at one site differ, as sentences."""
    yield from _of_devices(now, before)
    known = _nothing not in (now.function, before.function)
    if known and now.function() is not before.function():
        yield _new_function(now)
    elif now.owner != before.owner:
        text = f"`{now.name}` is a method of another object each time ({now.owner}), and each has its own program"
        yield Change("new function", now.name, text)
    if _have_other_structure(now, before):
        yield from _of_structure(now, before)
    else:
        yield from _of_types(now, before)
    location = now.location if now.kind == "operation" else ""
    yield from _of_values(
        "static value", "argument", now.static, before.static, location
    )
    yield from _of_values("captured", "", now.captured, before.captured)
    if now.context is not before.context and now.context and before.context:
        for name, value, was in config.config.key_differences(
            now.context, before.context
        ):
            text = f"the option {name} changed from {was!r} to {value!r}"
            yield Change("option", name, text)
    if now.axes != before.axes:
        text = "the named axes or annotations around the call changed"
        yield Change("axes", "", f"{text} from {before.axes} to {now.axes}")
    if now.options is not None and before.options is not None:
        options, old_options = dict(now.options), dict(before.options)
        for name in dict.fromkeys([*options, *old_options]):
            value, was = options.get(name), old_options.get(name)
            if value != was:
                text = f"the option `{name}` of jit changed from {was!r} to {value!r}"
                yield Change("jit option", name, text)


def _ahead_of_time(now, before):
    """Why what was compiled ahead of time, or is, is no program of another compilation."""
    if before.is_ahead and now.is_ahead:
        text = (
            "it was compiled ahead of time before, and is again: what compile() "
            "returned was not kept"
        )
    elif before.is_ahead:
        text = (
            "it was compiled ahead of time (lower(...).compile(), or a report), and calls "
            "of the function do not use that program"
        )
    else:
        text = "it is compiled ahead of time now, and was compiled for calls before"
    return Change("ahead of time", now.name, text)


def _wrapper_of(name):
    return f"a function that wraps `{name}` (jax.grad, jax.vmap, a decorator, ...)"


def _new_function(now):
    if now.form.startswith(WRAPPER):
        text = f"{_wrapper_of(now.name)} is a new function object each time"
        return Change("new function", now.name, text)
    inside = f" in `{now.maker}`" if now.maker else ""
    what = "a partial of " if now.is_partial else ""
    text = (
        f"{what}`{now.name}` is a new function object each time: "
        f"{short_location(now.location)} makes it anew{inside}"
    )
    if now.is_partial:
        where = short_location(now.location)
        text = f"{what}`{now.name}` ({where}) is a new function object each time"
    return Change("new function", now.name, text)


def _have_other_structure(now, before):
    return (
        len(now.avals) != len(before.avals)
        or now.names != before.names
        # The tree of a program that follows from another one is not known.
        or (now.tree_hash != before.tree_hash and now.tree_hash and before.tree_hash)
    )


def _of_structure(now, before):
    new, old = set(now.names) - {None}, set(before.names) - {None}
    added = sorted(n for n in new - old if n)
    gone = sorted(n for n in old - new if n)
    if added or gone:
        parts = []
        if gone:
            parts.append(f"from having {_listed(gone)}")
        parts.append(f"to having {_listed(added)}" if added else "to being without")
        text = " ".join(parts)
        subject = _root((added or gone)[0])
        yield Change(
            "structure",
            subject,
            f"the structure of argument `{subject}` changed {text}",
        )
        return
    tree, old_tree = now.tree(), before.tree()
    if tree is not None and old_tree is not None:
        found = _other_data(tree, old_tree)
        if found is not None:
            yield Change("structure", "", found)
            return
    text = "the structure of the arguments changed: their leaves have the same names, and the containers or their static fields differ"
    if tree is not None and old_tree is not None:
        text = f"the structure of the arguments changed from {old_tree} to {tree}"
    yield Change("structure", "", text)


def _other_data(tree, old):
    """A sentence about the first node whose static fields alone differ; None: there is none."""
    data, old_data = tree.node_data(), old.node_data()
    if data is None or old_data is None or data[0] is not old_data[0]:
        return None
    children, old_children = tree.children(), old.children()
    if len(children) != len(old_children):
        return None
    if data[1] == old_data[1]:
        pairs = zip(children, old_children, strict=True)
        return next((t for one, was in pairs if (t := _other_data(one, was))), None)
    if data[0] in (tuple, list, dict) or data[0] is type(None):
        return None
    field = f"the static fields of a {data[0].__name__} in the arguments"
    now, before = snapshot(data[1], 1), snapshot(old_data[1], 1)
    found = _first_difference(now, before)
    path, now, before = found or ("", now, before)
    if path:
        field = f"the static field at {path} of a {data[0].__name__} in the arguments"
    if repr(now) == repr(before):
        return (
            f"{field} changed from {before!r} to another one, which is not equal to it"
        )
    return f"{field} changed from {before!r} to {now!r}"


def _listed(names):
    shown = ", ".join(f"`{name}`" for name in names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"


def _root(name):
    ends = [i for i in (name.find("["), name.find(".")) if i > 0]
    return name[: min(ends)] if ends else name


def _of_types(now, before):
    for i, (aval, old) in enumerate(zip(now.avals, before.avals, strict=True)):
        if aval is old or aval == old:
            continue
        name = now.names[i] if i < len(now.names) else None
        name = f"argument `{name}`" if name else f"argument {i}"
        yield from _of_type(name, aval, old, now.devices != before.devices)


def _of_type(name, aval, old, is_moved):
    shape, old_shape = getattr(aval, "shape", None), getattr(old, "shape", None)
    if shape != old_shape:
        text = f"the shape of {name} changed from {old_shape} to {shape}"
        yield Change("shape", name, text)
    dtype, old_dtype = getattr(aval, "dtype", None), getattr(old, "dtype", None)
    if dtype != old_dtype:
        text = f"the dtype of {name} changed from {old_dtype} to {dtype}"
        yield Change("dtype", name, text)
    weak, old_weak = (getattr(a, "weak_type", False) for a in (aval, old))
    if weak != old_weak:
        kinds = {
            True: "weak (a Python number, or a result of such)",
            False: "strong (an array or a NumPy value)",
        }
        text = f"the weak type of {name} changed from {kinds[bool(old_weak)]} to {kinds[bool(weak)]}"
        yield Change("weak type", name, text)
    is_same = (shape, dtype, weak) == (old_shape, old_dtype, old_weak)
    if is_same and not is_moved:
        texts = [str(getattr(a, "sharding", a)) for a in (old, aval)]
        if texts[0] == texts[1]:
            texts = [repr(old), repr(aval)]
        text = f"the sharding of {name} changed from {texts[0]} to {texts[1]}"
        yield Change("sharding", name, text)


def _new_body(name, location):
    where = f": {short_location(location)} makes it anew" if location else ""
    text = f"{name} is a new function object each time{where}"
    return Change("new function", name, text)


def _of_values(kind, what, now, before, location=""):
    old = dict(before)
    for name, value in now:
        subject = f"{what} `{name}`" if what else f"the {name}"
        if name not in old:
            if what:
                text = f"the static value of {subject} is given now, and was not before"
                yield Change(kind, subject, text)
            continue
        found = _first_difference(value, old[name])
        if found is not None:
            path, new_part, old_part = found
            subject = f"{what} `{name}{path}`" if what else f"{subject}{path}"
            prefix = "the static value of " if what else ""
            texts = repr(old_part), repr(new_part)
            if texts[0] == texts[1] and texts[0].startswith(_PROGRAM):
                yield _new_body(texts[0].removeprefix(_PROGRAM), location)
                return
            changed = f"changed from {texts[0]} to {texts[1]}"
            if texts[0] == texts[1]:
                changed = f"changed from {texts[0]} to another one"
            yield Change(kind, subject, f"{prefix}{subject} {changed}")
    for name in old.keys() - {name for name, _ in now}:
        if what:
            subject = f"{what} `{name}`"
            text = f"the static value of {subject} was given before, and is not now"
            yield Change(kind, subject, text)


def _first_difference(now, before):
    """The path to the first part that differs, and both; None: they are equal."""
    if isinstance(now, Parts) and isinstance(before, Parts):
        if now.class_name == before.class_name and len(now.items) == len(before.items):
            for (path, new), (old_path, old) in zip(
                now.items, before.items, strict=True
            ):
                if path != old_path:
                    return "", now, before
                found = _first_difference(new, old)
                if found is not None:
                    return path + found[0], *found[1:]
            return None
        return "", now, before
    if type(now) is not type(before):
        return "", now, before
    is_nan = now != now and before != before
    return None if now == before or is_nan else ("", now, before)


def _of_devices(now, before):
    if now.devices != before.devices:
        old, new = _devices_text(before.devices), _devices_text(now.devices)
        if len(now.devices) == len(before.devices) == 1:
            text = f"the device changed from {old} to {new}: an argument is committed to it, or it is the default one"
        else:
            text = f"the devices changed from {old} to {new}"
        yield Change("device", "", text)
    elif now.committed != before.committed:
        kinds = "uncommitted", "committed to a device (jax.device_put(x, device))"
        old, new = kinds[before.committed], kinds[now.committed]
        yield Change("committed", "", f"the arguments changed from {old} to {new}")
    elif len(now.shardings) == len(before.shardings):
        yield from _per_input("sharding", now, now.shardings, before.shardings)
    if len(now.layouts) == len(before.layouts):
        yield from _per_input("layout", now, now.layouts, before.layouts)


def _devices_text(devices):
    shown = ", ".join(map(str, devices[:4]))
    return shown if len(devices) <= 4 else f"{shown} and {len(devices) - 4} more"


def _per_input(kind, now, values, old):
    for i, (value, was) in enumerate(zip(values, old, strict=True)):
        if value is was or value == was:
            continue
        name = now.names[i] if i < len(now.names) else None
        name = f"argument `{name}`" if name else f"argument {i}"
        text = f"the {kind} of {name} changed from {_open(was)} to {_open(value)}"
        yield Change(kind, name, text)


def _open(value):
    return "one that nobody chose" if value is None else str(value)


def sentence(
    changes: Iterable[Change], most: int = 3, *, is_derived: bool = False
) -> str:
    """The cause of a compilation for people, from what differs.

    Args:
        changes: what differs.
        most: of how many changes it speaks.
        is_derived: whether the program follows from that of a call, so that its function
            is not known.
    """
    texts = [change.text for change in changes]
    if not texts and is_derived:
        return (
            "a program like it was compiled before, for a function object that is another "
            "one now (jax.jit or a lambda in a loop), or before caches were cleared"
        )
    if not texts:
        return (
            "the same call was compiled before, and its program is no longer kept: caches "
            "were cleared, or the function cannot be remembered (no hash, traced values "
            "in its closure)"
        )
    shown = "; ".join(texts[:most])
    return shown if len(texts) <= most else f"{shown}; and {len(texts) - most} more"


# By the kind of the cause: how to avoid it.
WAYS_OUT = {
    "shape": "Pad to a few sizes, or gather the work into batches of one size.",
    "dtype": "Convert before the call: jnp.asarray(x, dtype).",
    "weak type": "Give the number a dtype before the call: jnp.asarray(x, dtype), or jnp.float32(x).",
    "sharding": "Put the argument once, before the loop: jax.device_put(x, sharding), or state in_shardings.",
    "device": "Put the arguments on one device before the loop: jax.device_put(x, device).",
    "committed": "Put the argument with jax.device_put(x, device) either in each call or in none.",
    "layout": "Lay the argument out once, before the loop: jax.device_put(x, Format(layout, sharding)).",
    "static value": "If the value changes often, make it an ordinary argument, an array.",
    "captured": "Pass what changes as an argument instead of closing over it.",
    "structure": "Give the argument one structure: the same keys, lengths and static fields.",
    "option": "Set the option once, outside of the loop.",
    "axes": "Call it in one context, outside of the loop.",
    "jit option": "Wrap the function by jax.jit once, and keep the result.",
    "ahead of time": "Keep what compile() returned and call it, or let the first call compile.",
    "new function": "Define the function and call jax.jit once, outside of the loop, keep the result, "
    "and pass what changes as an argument.",
}


def describe_function(fun: Any) -> tuple[str, str]:
    """Where a function is defined, as ``file.py:12``, and the name of what it stands in."""
    plain = plain_function(fun)
    if plain is None:
        return util.function_location(fun), ""
    code = plain.__code__
    maker = getattr(code, "co_qualname", plain.__qualname__).rpartition(".<locals>.")[0]
    return f"{code.co_filename}:{code.co_firstlineno}", maker.rpartition(".")[2]


def short_location(location: str) -> str:
    """``train.py:12``: a location without the folders of its file."""
    return os.path.basename(location)


def calling_frame() -> tuple[str, int, str] | None:
    """The file, line and function of the user's program that calls; None: there is none."""
    frame = sys._getframe(1)
    while frame is not None and not source.include_frame(frame):
        frame = frame.f_back
    if frame is None:
        return None
    return frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name


def call_location() -> str:
    """The line of the user's program that calls, as ``train.py:12 (main)``."""
    frame = calling_frame()
    return "an unknown line" if frame is None else f"{frame[0]}:{frame[1]} ({frame[2]})"
