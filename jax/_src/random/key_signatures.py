"""What a function does with random keys: which it consumes, makes, and hands on."""

import functools as ft
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.base import errors, options
from jax._src.core import jaxpr as jaxprs
from jax._src.core.primitive import Trait, declare
from jax._src.random import key_arrays, key_reuse
from jax._src.transforms import inspect_programs


class _Mark:
    """Some keys of an argument or result; immutable."""

    __slots__ = ("idx", "mask")

    idx: int
    mask: Any

    def __init__(self, idx: int, mask: Any = True):
        if isinstance(mask, np.ndarray):
            if mask.all():
                mask = True
            elif not mask.any():
                mask = False
            else:
                mask = mask.copy()
                mask.flags.writeable = False
        object.__setattr__(self, "idx", idx)
        object.__setattr__(self, "mask", mask)

    def __setattr__(self, name: str, value: Any) -> None:
        raise ValueError(f"{type(self).__name__} is immutable")

    def __eq__(self, other: object) -> bool:
        return (
            type(self) is type(other)
            and self.idx == other.idx  # type: ignore[attr-defined]
            and np.array_equal(self.mask, other.mask)  # type: ignore[attr-defined]
        )

    def __hash__(self) -> int:
        return hash((type(self), self.idx, np.asarray(self.mask).tobytes()))

    def __repr__(self) -> str:
        rest = "" if self.mask is True else f", {self.mask}"
        return f"{type(self).__name__}({self.idx}{rest})"


class Sink(_Mark):
    """Keys of an argument that are consumed.

    Args:
        idx: the number of the argument.
        mask: which of its keys; True: all.
    """

    __slots__ = ()


class Source(_Mark):
    """Keys of a result that may be consumed.

    Args:
        idx: the number of the result.
        mask: which of its keys; True: all.
    """

    __slots__ = ()


class Forward(tuple):
    """A result that has the keys of an argument.

    Args:
        in_idx: the number of the argument.
        out_idx: the number of the result.
    """

    __slots__ = ()

    def __new__(cls, in_idx: int, out_idx: int) -> "Forward":
        return super().__new__(cls, (in_idx, out_idx))

    @property
    def in_idx(self) -> int:
        """The number of the argument."""
        return self[0]

    @property
    def out_idx(self) -> int:
        """The number of the result."""
        return self[1]

    def __repr__(self) -> str:
        return f"Forward({self[0]}, {self[1]})"


class KeyReuseSignature:
    """What is done with keys: a set of sinks, sources and forwards.

    Args:
        args: these.
    """

    __slots__ = ("_args",)

    def __init__(self, *args: Any):
        self._args = args

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, KeyReuseSignature):
            return NotImplemented
        return frozenset(self._args) == frozenset(other._args)

    def __hash__(self) -> int:
        return hash(frozenset(self._args))

    def __repr__(self) -> str:
        return f"KeyReuseSignature{self._args}"

    def _of(self, kind) -> Iterator[Any]:
        return (arg for arg in self._args if isinstance(arg, kind))

    @property
    def sinks(self) -> Iterator[Sink]:
        """The keys that are consumed."""
        return self._of(Sink)

    @property
    def sources(self) -> Iterator[Source]:
        """The keys that are made."""
        return self._of(Source)

    @property
    def forwards(self) -> Iterator[Forward]:
        """The keys that are handed on."""
        return self._of(Forward)


def _lists_keys(aval):
    return key_reuse.is_key_type(aval)


def jaxpr_type_signature(jaxpr: jaxprs.Jaxpr) -> KeyReuseSignature:
    """What a program does with keys.

    Args:
        jaxpr: the program without constants, traced with ``jax_debug_key_reuse``.

    Raises:
        KeyReuseError: it uses a key twice. AssertionError: an assertion about keys fails.
    """
    return _signature(jaxprs.ClosedJaxpr(jaxpr, []))


def _signature(closed):
    follower = key_reuse.Follower()
    given = [
        follower.new(v.aval.shape) if _lists_keys(v.aval) else None
        for v in closed.jaxpr.invars
    ]
    outs = follower.program(closed, given)
    sinks = [None if x is None else follower.used[x] for x in given]
    parts: list[Any] = []
    for number, out in enumerate(outs):
        if out is None or not _lists_keys(closed.jaxpr.outvars[number].aval):
            continue
        whole = [
            i
            for i, x in enumerate(given)
            if x is not None and np.array_equal(np.unique(x), np.unique(out))
        ]
        if whole:
            parts.append(Forward(whole[0], number))
            continue
        fresh = ~follower.used[out]
        for i, x in enumerate(given):
            if x is not None and np.isin(x, out).any():
                # A part of an argument is consumed, and the result takes its turn.
                sinks[i] = sinks[i] | np.isin(x, out)
        if fresh.any():
            parts.append(Source(number, np.asarray(fresh)))
    marks = [
        Sink(i, np.asarray(mask))
        for i, mask in enumerate(sinks)
        if mask is not None and np.any(mask)
    ]
    return KeyReuseSignature(*marks, *parts)


def _traced(fun, args):
    with options.debug_key_reuse(True):
        return inspect_programs.trace_call(fun, args, {}, "check_key_reuse")[0]


def function_type_signature(fun: Callable[..., Any], *args: Any) -> KeyReuseSignature:
    """What a function does with keys.

    Args:
        fun: the function of trees of arrays.
        args: its arguments, or their types.

    Raises:
        KeyReuseError: it uses a key twice. AssertionError: an assertion about keys fails.
    """
    return _signature(_traced(fun, args))


def check_key_reuse(fun: Callable[..., Any], /, *args: Any) -> None:
    """Checks that a function uses no key twice.

    Args:
        fun: the function of trees of arrays.
        args: its arguments, or their types.

    Raises:
        KeyReuseError: it does. AssertionError: an assertion about keys fails.
    """
    function_type_signature(fun, *args)


def check_key_reuse_jaxpr(jaxpr: jaxprs.Jaxpr) -> None:
    """Checks that a program uses no key twice; see `jaxpr_type_signature`.

    Raises:
        KeyReuseError: it does. AssertionError: an assertion about keys fails.
    """
    jaxpr_type_signature(jaxpr)


@declare("assert_consumed_value", traits=Trait.NOT_DIFFERENTIABLE)
class assert_consumed_value_p:
    """The keys themselves, of which it is checked which are consumed."""

    def types(keys, *, value):
        return keys

    def impl(keys, *, value):
        return keys

    def lower(ctx, keys, *, value):
        return keys

    def batch(axis, args, dims, *, value):
        return assert_consumed_value_p.bind(args[0], value=value), dims[0]

    def sharding(keys, *, value):
        return (None,) * keys.ndim

    exempt = {"batch": "tests/random has keys"}


def _follow_assertion(follower, operands, *, value):
    (numbers,) = operands
    used = follower.used[numbers]
    wanted = np.asarray(value.array)
    if not (used == wanted).all():
        word = "" if wanted.all() else "not " if not wanted.any() else "partly "
        raise AssertionError(
            errors.explain(
                f"Expected key to {word}be consumed.",
                [("consumed", str(used)), ("expected", str(wanted))],
            )
        )
    return operands


class _Hashable:
    """A mask as a parameter of a primitive."""

    __slots__ = ("array",)

    def __init__(self, array: Any):
        self.array = np.asarray(array, bool)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Hashable) and np.array_equal(self.array, other.array)

    def __hash__(self) -> int:
        return hash((self.array.shape, self.array.tobytes()))

    def __repr__(self) -> str:
        return f"HashableArray({self.array})"


def assert_consumed(key: Any, value: Any = True) -> None:
    """Checks, in `check_key_reuse`, which keys are consumed.

    Args:
        key: the keys.
        value: for each whether it is; True: all are.
    """
    assert_consumed_value_p.bind(key, value=_Hashable(value))


def assert_unconsumed(key: Any) -> None:
    """Checks, in `check_key_reuse`, that no key is consumed.

    Args:
        key: the keys.
    """
    assert_consumed(key, False)


def consume(key: Any) -> Any:
    """The keys, which count as consumed from here on.

    Args:
        key: the keys.
    """
    return tree.tree_map(ft.partial(key_arrays.random_use_p.bind, is_new=False), key)


key_reuse.register(assert_consumed_value_p.name, _follow_assertion)
