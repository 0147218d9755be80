"""Why a function is traced, and not found among its traces: `jax_explain_cache_misses`."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from jax._src.base import caches, config, source, util
from jax._src.runtime.compilation import causes

# Where functions are defined whose first trace was explained.
_seen_locations: set[tuple[str, str]] = set()
caches.register("jit.explained_locations", _seen_locations.clear)


class _Absent:
    """Stands for the value of a static argument that a call leaves out."""

    def __repr__(self) -> str:
        return "absent"


_WEAK_TYPES = "a Python number has a weak type"


def explain(
    fun: Callable, names: Sequence[str], key: tuple, seen: Iterable[tuple]
) -> str:
    """The message about a call for which there is no trace.

    Args:
        fun: the function.
        names: what the user calls each leaf of the arguments.
        key: the tree of the arguments, their types, static values, the options and the
            named axes on which traces depend.
        seen: the keys of its traces.
    """
    name, location = util.function_name(fun), util.function_location(fun)
    lines = [f"TRACING CACHE MISS at {causes.call_location()}:"]
    candidates = list(seen)
    if not candidates:
        lines += ["  never seen function:", f"    {name} defined at {location}"]
        if location and (name, location) in _seen_locations:
            lines += [
                "  but seen another function defined on the same line: one that is defined",
                "  anew for each call is traced anew; define it once, outside of the loop",
            ]
        _seen_locations.add((name, location))
        return "\n".join(lines)
    # Of equally close ones the latest.
    closest = max(reversed(candidates), key=lambda old: _likeness(key, old))
    lines += [
        f"  for {name} defined at {location}",
        "  all previously seen cache keys differ. For the closest previous key:",
        *_differences(names, key, closest),
    ]
    return "\n".join(lines)


def is_of_user(fun: Callable) -> bool:
    """Whether a function is defined in a file that is neither ours nor hidden by a library, or by ``python -c``."""
    file = util.function_location(fun).rpartition(":")[0]
    if file == "<string>" and getattr(fun, "__module__", "") == "__main__":
        return True
    return not source.is_internal(file)


def _likeness(key, old):
    """How much of two keys agrees; the tree counts most, then each type."""
    tree, avals, *rest = key
    old_tree, old_avals, *old_rest = old
    equal = [a == b for a, b in zip(avals, old_avals, strict=False)]
    others = [a == b for a, b in zip(rest, old_rest, strict=True)]
    static = sum(a == b for a, b in zip(rest[0], old_rest[0], strict=False))
    return tree == old_tree, sum(others), static, sum(equal)


def _differences(names, key, old):
    (tree, avals, static, options, axes) = key
    (old_tree, old_avals, old_static, old_options, old_axes) = old
    lines = []
    if tree != old_tree:
        lines += [
            "  different input pytree:",
            f"  * now {tree}",
            f"    and before {old_tree}",
        ]
    elif avals != old_avals:
        lines += [
            "  different input types:",
            *_type_differences(names, avals, old_avals),
        ]
    if static != old_static:
        lines += ["  different value of static args:"]
        lines += _static_differences(_by_name(static), _by_name(old_static))
    if options != old_options:
        lines += [
            "  Tracing context doesn't match, e.g. due to config or context manager.",
            *[
                f"  * {name} differs: now {now} and before {before}"
                for name, now, before in config.config.key_differences(
                    options, old_options
                )
            ],
        ]
    if axes != old_axes:
        lines += ["  different named axes around the call:"]
        lines += [f"  * now {axes} and before {old_axes}"]
    return lines or ["  the trace that was found is for references of an earlier call"]


def _type_differences(names, avals, old_avals):
    for i, (now, before) in enumerate(zip(avals, old_avals, strict=True)):
        if now == before:
            continue
        texts = [a.str_short(short_dtypes=True) for a in (now, before)]
        note = ""
        if getattr(now, "weak_type", None) != getattr(before, "weak_type", None):
            texts = [
                f"{text}{{weak_type={aval.weak_type}}}"
                for text, aval in zip(texts, (now, before), strict=True)
            ]
            note = f"; {_WEAK_TYPES}"
        elif texts[0] == texts[1]:
            texts = [str(now), str(before)]
        name = names[i] if i < len(names) and names[i] else f"argument {i}"
        yield f"  * at {name}, now {texts[0]} and before {texts[1]}{note}"


def _by_name(static: tuple) -> dict[Any, Any]:
    """Static values by name or number, from the entries of a key."""
    return {entry[0]: entry[-1] for entry in static}


def _static_differences(now, before):
    nothing = _Absent()
    for name in dict.fromkeys([*now, *before]):
        new, old = now.get(name, nothing), before.get(name, nothing)
        if type(new) is not type(old) or new != old:
            yield f"  * at {name}, now {new!r} and before {old!r}"
