"""Finding random keys that are used twice, where `jax_debug_key_reuse` is on.

Each key is a number here, and its words are numbers too. What moves them, moves numbers:
the reference of the primitive says how. `random_use`, which samplers and `split` then
apply to their key, marks numbers as used. Programs are followed equation by equation; a
loop's body is followed twice.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.base import errors, traceback_filter
from jax._src.core import avals, effects, jaxpr as jaxpr_lib, slots
from jax._src.lax.control_flow.conditionals import cond_p
from jax._src.lax.control_flow.scan_primitive import scan_p
from jax._src.lax.control_flow.while_loops import while_p
from jax._src.random import key_arrays

# Parameters under which a primitive holds the program that it calls once.
_CALLED = ("jaxpr", "call_jaxpr", "call")
# What errors say first where a part of a loop uses a key in each step.
_REPEATED = {
    part: f"{part} function leads to key reuse when repeatedly executed. "
    for part in ("scan body", "while_loop cond", "while_loop body")
} | {"": ""}


class Keys:
    """The numbers of an array of keys that lives outside of programs."""

    __slots__ = ("numbers", "used")

    def __init__(self, used: np.ndarray, numbers: np.ndarray):
        # Which of the keys, made together with these, are used; by number.
        self.used = used
        self.numbers = numbers


def is_key_type(aval: Any) -> bool:
    """Whether a type is one of random keys."""
    return dtypes.is_extended(getattr(aval, "dtype", None))


def register(name: str, follow: Callable[..., list]) -> None:
    """Says what a primitive does with keys.

    Args:
        name: the primitive's.
        follow: from the follower, the numbers of operands, and parameters to those of results.
    """
    _FOLLOW[name] = follow


class Follower:
    """What happens to keys in one call."""

    def __init__(self) -> None:
        self.used = np.zeros(0, bool)
        # The arrays of keys outside: id of their marks -> (marks, first number).
        self.outside: dict[int, tuple[np.ndarray, int]] = {}
        # The part of a loop that is followed a second time; "": none.
        self.repeated = ""

    def new(self, shape: Sequence[int]) -> np.ndarray:
        """Numbers of new keys."""
        start, count = len(self.used), int(np.prod(shape, dtype=np.int64))
        self.used = np.concatenate([self.used, np.zeros(count, bool)])
        return np.arange(start, start + count).reshape(shape)

    def enter(self, value: Any) -> np.ndarray | None:
        """The numbers of a value from outside; None for what is no array of keys."""
        if not isinstance(value, key_arrays.PRNGKeyArray):
            return None
        keys = keys_of(value)
        known = self.outside.get(id(keys.used))
        if known is None:
            start = len(self.used)
            self.used = np.concatenate([self.used, keys.used])
            known = self.outside[id(keys.used)] = keys.used, start
        return keys.numbers + known[1]

    def leave(self, value: Any, numbers: np.ndarray | None) -> None:
        """Gives a result of the call its numbers."""
        if numbers is None or not isinstance(value, key_arrays.PRNGKeyArray):
            return
        for marks, start in self.outside.values():
            if (
                numbers.size
                and ((numbers >= start) & (numbers < start + len(marks))).all()
            ):
                value._keys = Keys(marks, numbers - start)
                return
        own, positions = np.unique(numbers, return_inverse=True)
        value._keys = Keys(self.used[own], positions.reshape(numbers.shape))

    @contextlib.contextmanager
    def repeating(self, part: str, step: int) -> Iterator[None]:
        """A block that follows a part of a loop; errors of the second step say so."""
        before = self.repeated
        self.repeated = part if step else before
        yield
        self.repeated = before

    def finish(self) -> None:
        """Marks, in the arrays outside, the keys that are used."""
        for marks, start in self.outside.values():
            marks |= self.used[start : start + len(marks)]

    def use(self, numbers: np.ndarray, location: str) -> None:
        """Marks keys as used.

        Raises:
            KeyReuseError: one of them is used already.
        """
        flat = numbers.ravel()
        if self.used[flat].any() or len(np.unique(flat)) != len(flat):
            raise errors.KeyReuseError(
                errors.explain(
                    f"{_REPEATED[self.repeated]}A random key was used twice: argument 0 "
                    "is already consumed.",
                    [
                        ("keys", f"of shape {numbers.shape}"),
                        *([("used again", location)] if location else []),
                    ],
                    "Two uses of one key give the same numbers.",
                    "For new numbers:     key, subkey = jax.random.split(key)\n"
                    "For the same again:  jax.random.clone(key)",
                )
            )
        self.used[flat] = True

    def program(
        self,
        closed: jaxpr_lib.ClosedJaxpr,
        args: Sequence[Any],
        values: Sequence[Any] = (),
    ) -> list[Any]:
        """Follows a closed program; a number array, or None, per input and output.

        `values` are what is known of the inputs.
        """
        jaxpr = closed.jaxpr
        keys: dict[jaxpr_lib.Var, Any] = dict(zip(jaxpr.invars, args, strict=True))
        known: dict[jaxpr_lib.Var, Any] = {
            var: value
            for var, value in zip(jaxpr.invars, values, strict=False)
            if isinstance(value, np.ndarray | np.generic)
        }
        for var, const in zip(jaxpr.constvars, closed.consts, strict=True):
            keys[var] = self.enter(const)
            if isinstance(const, np.ndarray | np.generic):
                known[var] = const
        for eqn in jaxpr.eqns:
            operands = [
                None if isinstance(v, jaxpr_lib.Literal) else keys.get(v)
                for v in eqn.invars
            ]
            values = [
                v.val if isinstance(v, jaxpr_lib.Literal) else known.get(v)
                for v in eqn.invars
            ]
            outs = self.equation(eqn, operands, values)
            keys.update(zip(eqn.outvars, outs, strict=True))
        return [
            None if isinstance(v, jaxpr_lib.Literal) else keys.get(v)
            for v in jaxpr.outvars
        ]

    def equation(
        self, eqn: jaxpr_lib.JaxprEqn, operands: list, values: list
    ) -> list[Any]:
        """Follows one equation: `operands` are numbers of keys, `values` what is known."""
        primitive, out_avals = eqn.primitive, [v.aval for v in eqn.outvars]
        if primitive is key_arrays.random_use_p:
            if eqn.params["is_new"]:
                return [self.new(operands[0].shape)]
            self.use(operands[0], str(eqn.location))
            return operands
        if primitive is key_arrays.random_unwrap_p:
            count = eqn.invars[0].aval.dtype.generator.words
            return [operands[0][..., None] * count + np.arange(count)]
        follow = _FOLLOW.get(primitive.name)
        if follow is not None:
            outs = follow(self, operands, **eqn.params)
        else:
            outs = self._called(eqn, operands, values) or self._moved(
                eqn, operands, values
            )
        return [
            self.new(aval.shape) if out is None and is_key_type(aval) else out
            for aval, out in zip(out_avals, outs, strict=True)
        ]

    def _called(self, eqn, operands, values):
        for name in _CALLED:
            program = eqn.params.get(name)
            if isinstance(program, jaxpr_lib.ClosedJaxpr):
                if len(program.jaxpr.invars) == len(operands):
                    return self.program(program, operands, values)
        return None

    def _moved(self, eqn, operands, values):
        """The numbers of the result of what only moves keys, or their words."""
        reference = eqn.primitive.rules.get("reference")
        given = [v if o is None else o for o, v in zip(operands, values, strict=True)]
        nothing = [None] * len(eqn.outvars)
        if not callable(reference) or len(nothing) != 1:
            return nothing
        if all(o is None for o in operands) or any(x is None for x in given):
            return nothing
        # Labels without any order or sum among them: what comes out again was moved.
        own = np.unique(np.concatenate([o.ravel() for o in operands if o is not None]))
        labels = np.sort(np.random.default_rng(0).integers(1 << 62, size=len(own)))
        labelled = [
            v if o is None else labels[np.searchsorted(own, o)]
            for o, v in zip(operands, values, strict=True)
        ]
        try:
            out = np.asarray(reference(*labelled, **eqn.params))
        except (TypeError, ValueError, IndexError, AttributeError):
            return nothing
        if out.shape != eqn.outvars[0].aval.shape:
            return nothing
        positions = np.minimum(np.searchsorted(labels, out), len(own) - 1)
        return [own[positions]] if (labels[positions] == out).all() else nothing


def _follow_wrap(follower, operands, *, impl):
    (words,) = operands
    if words is None:
        return [None]
    numbers, word = np.divmod(words, impl.words)
    is_whole = (numbers == numbers[..., :1]).all() and (
        word == np.arange(impl.words)
    ).all()
    return [numbers[..., 0] if is_whole else None]


def _follow_cond(follower, operands, *, branches, **params):
    before = follower.used.copy()
    after, found = [], []
    for branch in branches:
        follower.used[: len(before)] = before
        found.append(follower.program(branch, operands[1:]))
        after.append(follower.used[: len(before)].copy())
    follower.used[: len(before)] = np.logical_or.reduce(after)
    # Which branch runs is not known: a result is a new key unless all agree.
    return [
        outs[0] if all(_same(outs[0], o) for o in outs[1:]) else None
        for outs in zip(*found, strict=True)
    ]


def _same(a, b):
    return a is not None and b is not None and np.array_equal(a, b)


def _follow_scan(follower, operands, *, jaxpr, length, num_consts, num_carry, **params):
    start = num_consts + num_carry
    consts, carry, xs = (
        operands[:num_consts],
        operands[num_consts:start],
        operands[start:],
    )
    for step in range(min(length, 2)):
        rows = [None if x is None else x[step] for x in xs]
        with follower.repeating("scan body", step):
            carry = follower.program(jaxpr, [*consts, *carry, *rows])[:num_carry]
    for x in xs:
        if x is not None and length:
            # What happens to the keys of the first step happens to those of each.
            follower.used[x] |= follower.used[x[0]]
    return [*carry, *[None] * (len(jaxpr.jaxpr.outvars) - num_carry)]


def _follow_while(
    follower, operands, *, cond_nconsts, cond_jaxpr, body_nconsts, body_jaxpr
):
    cond_consts = operands[:cond_nconsts]
    body_consts = operands[cond_nconsts : cond_nconsts + body_nconsts]
    carry = operands[cond_nconsts + body_nconsts :]
    for step in range(2):
        with follower.repeating("while_loop cond", step):
            follower.program(cond_jaxpr, [*cond_consts, *carry])
        with follower.repeating("while_loop body", step):
            carry = follower.program(body_jaxpr, [*body_consts, *carry])
    return carry


_FOLLOW = {
    key_arrays.random_wrap_p.name: _follow_wrap,
    cond_p.name: _follow_cond,
    scan_p.name: _follow_scan,
    while_p.name: _follow_while,
}


def keys_of(array: key_arrays.PRNGKeyArray) -> Keys:
    """The numbers of an array of keys outside of programs."""
    found = getattr(array, "_keys", None)
    if found is None:
        numbers = np.arange(array.size).reshape(array.shape)
        found = array._keys = Keys(np.zeros(array.size, bool), numbers)
    return found


def follow_call(
    program: jaxpr_lib.ClosedJaxpr, args: Sequence[Any], outs: Sequence[Any]
) -> None:
    """Follows the keys through a call of a program outside of every trace.

    Raises:
        KeyReuseError: a key is used twice.
    """
    follower = Follower()
    numbers = follower.program(program, [follower.enter(x) for x in args], args)
    for value, found in zip(outs, numbers, strict=True):
        follower.leave(value, found)
    follower.finish()


def follow_primitive(
    primitive: Any, args: Sequence[Any], params: dict, out: Any
) -> None:
    """Follows the keys through one primitive outside of every trace."""
    outs = list(out) if primitive.multiple_results else [out]
    if not any(isinstance(x, key_arrays.PRNGKeyArray) for x in (*args, *outs)):
        return
    invars = [jaxpr_lib.Var(avals.get_aval(x)) for x in args]
    outvars = [jaxpr_lib.Var(avals.get_aval(x)) for x in outs]
    eqn = jaxpr_lib.new_jaxpr_eqn(
        invars, outvars, primitive, params, effects.no_effects
    )
    follower = Follower()
    values = [x if isinstance(x, np.ndarray | np.generic) else None for x in args]
    numbers = follower.equation(eqn, [follower.enter(x) for x in args], values)
    for value, found in zip(outs, numbers, strict=True):
        follower.leave(value, found)
    follower.finish()


def _use_now(keys, *, is_new):
    if is_new:
        return key_arrays.PRNGKeyArray(keys._impl, keys._base_array)
    follower = Follower()
    follower.use(follower.enter(keys), "")
    follower.finish()
    return keys


key_arrays.random_use_p.set_rule("impl", _use_now)
slots.follow_keys_in_call.fill(follow_call)
slots.follow_keys_in_primitive.fill(follow_primitive)


traceback_filter.hide_frames(globals())
