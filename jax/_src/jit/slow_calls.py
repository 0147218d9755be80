"""Why calls of jitted functions miss the native path: `jax_explain_slow_calls`."""

import logging
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.base import caches, config, options, util
from jax._src.core import avals as avals_lib, state, trace as trace_lib
from jax._src.jit import cache_misses
from jax._src.jit.options import JitOptions
from jax._src.lib import client
from jax._src.runtime import checks
from jax._src.runtime.compilation import assignment as asg, causes
from jax._src.runtime.transfers import transfer_guard
from jax._src.transforms import calls

_log = logging.getLogger("jax._src.pjit")
# The signatures of calls that came to Python while the option was on.
_signatures = caches.FunctionCache("jit.slow_call_signatures")
_MOST_SIGNATURES = 16
_PLAIN = (client.Array, np.ndarray, np.generic, bool, int, float, complex)


def call_explained(
    call: Callable, fun: Callable, opts: JitOptions, args: tuple, kwargs: dict
) -> tuple[Any, Any]:
    """Makes a call that the native path handed on, and logs why it did.

    Args:
        call: makes the call; returns its result, and what the native path shall remember.
        fun: the function.
        opts: the options of `jit`.
        args: the arguments by position.
        kwargs: the arguments by name.
    """
    if not cache_misses.is_of_user(fun):
        return call(fun, opts, args, kwargs)
    signature = _signature_of(fun, opts, args, kwargs)
    reason = _general_reason(signature)
    start = time.perf_counter()
    outs, data = call(fun, opts, args, kwargs)
    seconds = time.perf_counter() - start
    if reason is None:
        reason = _new_signature(fun, signature, data)
    name, location = util.function_name(fun), util.function_location(fun)
    _log.warning(
        "SLOW CALL of %s defined at %s, called at %s: %.3f ms in Python.\n  reason: %s",
        name,
        location or "an unknown line",
        causes.call_location(),
        seconds * 1e3,
        reason,
    )
    return outs, data


def _signature_of(fun, opts, args, kwargs):
    """What the native path looks for: leaves with their types and shardings, and the rest."""
    count = len(args)
    static = {n % count for n in opts.static_argnums if -count <= n < count}
    static_values = [(i, args[i]) for i in sorted(static)]
    static_values += [(k, kwargs[k]) for k in opts.static_argnames if k in kwargs]
    dynamic = tuple(a for i, a in enumerate(args) if i not in static)
    named = {k: v for k, v in kwargs.items() if k not in opts.static_argnames}
    leaves, structure = tree.tree_flatten((dynamic, named))
    names = calls.arg_names(fun, dynamic, named)
    return {
        "leaves": [
            (name, *_leaf(leaf)) for name, leaf in zip(names, leaves, strict=False)
        ],
        "others": [
            (name, type(leaf).__name__)
            for name, leaf in zip(names, leaves, strict=False)
            if not isinstance(leaf, _PLAIN) and not avals_lib.is_value(leaf)
        ],
        "is_traced": trace_lib.find_tracer(leaves) is not None,
        "structure": str(structure),
        "static": {str(n): repr(causes.snapshot(v)) for n, v in static_values},
        "context": config.config.trace_key(),
    }


def _leaf(leaf):
    """The type of a leaf, its sharding, and whether it is committed."""
    if isinstance(leaf, client.Array):
        weak = " weak" if leaf.weak_type else ""
        sharding, is_committed = asg.sharding_of_value(leaf)
        text = "committed" if is_committed else "uncommitted"
        return f"{leaf.dtype}{list(leaf.shape)}{weak}", f"{text} on {sharding}"
    if isinstance(leaf, np.ndarray | np.generic):
        return f"{leaf.dtype}{list(np.shape(leaf))}", "a value of NumPy"
    return type(leaf).__name__, "a value of Python"


def _general_reason(signature):
    """A reason that has nothing to do with what was called before, or None."""
    if options.disable_jit.value:
        return "jax_disable_jit is on: the function itself runs."
    if state.current() is not trace_lib.evaluation or signature["is_traced"]:
        return (
            "it is called inside of a transformation (jit, grad, vmap, scan, ...), which "
            "traces it. Jit the outermost function to pay for this once."
        )
    if checks.is_requested():
        return "jax_debug_nans or jax_debug_infs is on: every result is looked at."
    if options.debug_key_reuse.value:
        return "jax_debug_key_reuse is on: random keys are followed."
    if signature["others"]:
        name, kind = signature["others"][0]
        return (
            f"argument `{name}` is a {kind}, which the native path does not take. Pass "
            "arrays, NumPy arrays or Python numbers."
        )
    if transfer_guard.key() is not None:
        return "a transfer guard watches the transfers of its arguments."
    return None


def _new_signature(fun, now, data):
    """A reason that follows from the earlier calls of the function."""
    entries = _signatures.entries(fun)
    seen = list(entries.values())
    entries[len(seen)] = now
    if len(entries) > _MOST_SIGNATURES:
        entries.pop(next(iter(entries)))
    kept = "" if data is not None else f" {_NOT_KEPT}"
    if any(one == now for one in seen):
        return _NOT_KEPT if data is None else _FORGOTTEN
    if not seen:
        return f"no call of it was seen since the option is on.{kept}"
    found = min((list(_differences(now, one)) for one in reversed(seen)), key=len)
    return f"no earlier call is like it: {'; '.join(found[:3])}.{kept}"


_NOT_KEPT = (
    "Such calls always go through Python: the function has ordered effects, updates "
    "references, or takes values that only Python knows."
)
_FORGOTTEN = (
    "an equal call was seen, and is not known any more: caches were cleared, the function "
    "was wrapped by jax.jit again, or a donated argument has a layout of its own."
)


def _differences(now, before):
    if now["structure"] != before["structure"]:
        yield f"the arguments were {before['structure']}, and are {now['structure']}"
    else:
        pairs = zip(now["leaves"], before["leaves"], strict=True)
        for (name, kind, home), (_, old_kind, old_home) in pairs:
            if kind != old_kind:
                yield f"argument `{name}` was {old_kind}, and is {kind}"
            elif home != old_home:
                yield f"argument `{name}` was {old_home}, and is {home}"
    for name in dict.fromkeys([*now["static"], *before["static"]]):
        value, old = now["static"].get(name), before["static"].get(name)
        if value != old:
            yield f"the static argument `{name}` was {old}, and is {value}"
    changed = config.config.key_differences(now["context"], before["context"])
    for name, value, old in changed:
        yield f"the option {name} was {old!r}, and is {value!r}"
