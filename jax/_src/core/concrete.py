"""Turning traced values into Python values, or explaining why that cannot be."""

import itertools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src.base import errors, options, records, source
from jax._src.core import leaks, rewrites


@records.record
class Origin:
    """Where a traced value comes from."""

    # The trace, such as "jit of `loss`, started at train.py:40".
    trace: str = ""
    # The operation that made the value, such as "gt", or the name of the argument.
    made_by: str = ""
    location: source.Location = source.UNKNOWN
    # Names of the arguments of the traced function on which the value depends.
    depends_on: Sequence[str] = ()
    # The name of the traced function, and the same with where it is defined.
    function: str = ""
    defined: str = ""


def _facts(tracer, origin):
    made = f", made by `{origin.made_by}`" if origin.made_by else ""
    at = f" at {origin.location}" if origin.location.codes else ""
    facts = [("value", f"{tracer.aval.str_short()}{made}{at}")]
    if origin.trace:
        facts.append(("trace", origin.trace))
    where = source.capture(2)
    if where.codes:
        facts.append(("needed at", str(where)))
        line = source.source_line(where.frame)
        if line:
            facts.append(("line", line))
        rewrite = rewrites.rewrite_of(where.frame)
        if rewrite:
            facts.append(("for example", rewrite))
    return facts


def _summary(what, tracer, origin):
    """What failed, and why the value is not there."""
    lines = [what.replace("{type}", tracer.aval.str_short())]
    if origin.function:
        transformation = origin.trace.split(" of ")[0]
        lines.append(
            "The error occurred while tracing the function "
            f"{origin.function} for {transformation}."
        )
    if origin.depends_on:
        lines.append(
            "This concrete value was not available in Python because it depends on "
            f"{_values_of(origin.depends_on)}."
        )
    elif origin.function and origin.location.codes:
        lines.append(
            f"This value became a tracer due to JAX operations on these lines: "
            f"{origin.location}."
        )
    return "\n".join(lines)


def _values_of(names):
    """The arguments on which a value depends, as a part of a sentence."""
    shown = list(names[:4])
    if len(names) > 4:
        shown.append(f"{len(names) - 4} more")
    if len(shown) == 1:
        return f"the value of the argument {shown[0]}"
    rest = ", ".join(shown[:-1]) + ("," if len(shown) > 2 else "")
    return f"the values of the arguments {rest} and {shown[-1]}"


def _static_way(origin):
    name = origin.depends_on[0] if len(origin.depends_on) == 1 else "x"
    function = origin.function or "f"
    return (
        f'If it is a setting:            jit({function}, static_argnames="{name}"), '
        "compiled once per value."
    )


_ABSTRACT = (
    "Abstract tracer value encountered where concrete value is expected: traced array "
    "with shape {type}"
)
_BOOLEAN = (
    "Attempted boolean conversion of traced array with shape {type}.\n"
    "`if`, `while`, `and` and `or` need a value; only its type is known here."
)
_INDEX = (
    "The __index__() method was called on traced array with shape {type}.\n"
    "An index of Python, a size or a range needs a value."
)
_NUMPY = (
    "The numpy.ndarray conversion method __array__() was called on traced array with "
    "shape {type}.\nNumPy needs the elements."
)


def bool_error(tracer: Any, kind: type = bool) -> errors.TracerBoolConversionError:
    """The error for a Python decision on a traced value."""
    origin = tracer.origin()
    return errors.TracerBoolConversionError(
        errors.explain(
            _summary(_BOOLEAN, tracer, origin),
            _facts(tracer, origin),
            ways="If the choice depends on data:  jnp.where(condition, a, b), or "
            "lax.cond when a branch is costly.\n" + _static_way(origin),
        )
    )


def number_error(
    tracer: Any, kind: Any = float, context: str = ""
) -> errors.ConcretizationTypeError:
    """The error for a traced value in `int`, `float` or `complex`; `context` needs it."""
    origin = tracer.origin()
    if context or kind not in (bool, int, float, complex):
        return errors.ConcretizationTypeError(
            errors.explain(
                _summary(f"{_ABSTRACT}\n{context}".rstrip(), tracer, origin),
                _facts(tracer, origin),
                ways=_static_way(origin),
            )
        )
    name = kind.__name__
    return errors.ConcretizationTypeError(
        errors.explain(
            _summary(
                f"{_ABSTRACT}\nThe problem arose with the `{name}` function.",
                tracer,
                origin,
            ),
            _facts(tracer, origin),
            ways=f"To change the dtype:           x.astype({name})\n"
            + _static_way(origin),
        )
    )


def index_error(tracer: Any, kind: type = int) -> errors.TracerIntegerConversionError:
    """The error for a traced value where Python wants an index."""
    origin = tracer.origin()
    return errors.TracerIntegerConversionError(
        errors.explain(
            _summary(_INDEX, tracer, origin),
            _facts(tracer, origin),
            ways="To index a list or NumPy array: turn it into a jnp.array first.\n"
            "To loop:                        lax.fori_loop or lax.scan.\n"
            + _static_way(origin),
        )
    )


def array_error(tracer: Any, kind: Any = None) -> errors.TracerArrayConversionError:
    """The error for a traced value given to NumPy."""
    origin = tracer.origin()
    return errors.TracerArrayConversionError(
        errors.explain(
            _summary(_NUMPY, tracer, origin),
            _facts(tracer, origin),
            ways="Use the function of the same name in jax.numpy instead of numpy.\n"
            "For code that must run in NumPy: jax.pure_callback.",
        )
    )


def _callers(tracer, location):
    """The frames around a line that made a value, in the function that was traced.

    They are as many as `jax_tracer_error_num_traceback_frames` says.
    """
    count = max(options.tracer_error_num_traceback_frames.value, 1)
    outside = getattr(tracer._trace, "started", source.UNKNOWN).codes[:1]
    inside = itertools.takewhile(lambda code: code not in outside, location.codes)
    frames = location.frames[1 : min(count, len(list(inside)))]
    return [("called", f"at {source.Location.text_of(frame)}") for frame in frames]


def escaped_error(tracer: Any, used_by: str) -> errors.UnexpectedTracerError:
    """The error for a value that is used outside of its trace."""
    origin = tracer.origin()
    made = f", made by `{origin.made_by}`" if origin.made_by else ""
    at = f" at {origin.location}" if origin.location.codes else ""
    function = origin.function or "the traced function"
    state = "still running" if tracer._trace.is_alive else "ended"
    leak, rewrite = leaks.facts_about(tracer, origin.location, origin.defined)
    return errors.UnexpectedTracerError(
        errors.explain(
            "Encountered an unexpected tracer. "
            + (
                "A traced value was used outside of its trace."
                if tracer._trace.is_alive
                else "A value from a finished trace was used."
            )
            + f"\nThe function being traced when the value leaked was {function} "
            f"traced for {origin.trace.split(' of ')[0]}.",
            [
                ("value", f"{tracer.aval.str_short()}{made}{at}"),
                *_callers(tracer, origin.location),
                ("trace", f"{origin.trace}, {state}"),
                ("used by", f"{used_by} at {source.capture(2)}"),
                *leak,
            ],
            "Traced values live only while their function is being traced.",
            f"Return this one from `{function}` instead of storing it. To stop where it "
            "escapes, run under\njax.checking_leaks()."
            + f"\n{rewrite}"
            * bool(rewrite),
        )
    )


def to_python(tracer: Any, kind: type, error: Callable) -> Any:
    """The Python number that a traced value stands for.

    Raises:
        TypeError: the array has axes; a ConcretizationTypeError if it is not known either.
        ConcretizationTypeError: the value is not known.
    """
    if getattr(tracer.aval, "shape", ()) != ():
        if kind is bool and tracer.aval.size != 1:
            raise errors.value_error(
                "The truth value of an array with more than one element is ambiguous."
                if tracer.aval.size
                else "The truth value of an empty array is ambiguous.",
                [("array", tracer.aval.str_short())],
                ways="Use a.any() or a.all().",
            )
        if kind is not bool:
            is_known = tracer.known_value() is not None
            raise (TypeError if is_known else errors.ConcretizationTypeError)(
                errors.explain(
                    "Only scalar arrays can be converted to Python scalars; got "
                    f"traced array with shape {tracer.aval.str_short()}.",
                    [("array", tracer.aval.str_short()), ("wanted", kind.__name__)],
                )
            )
    value = tracer.known_value()
    if value is None:
        raise error(tracer, kind)
    if kind in (float, complex):
        refuse_to_differentiate(tracer, f"`{kind.__name__}`")
    return kind(value)


def _refuse_as_index(tracer):
    """Raises an error for a traced value that could not be an index even if it were known."""
    aval = tracer.aval
    if aval.is_high or (not aval.shape and aval.dtype.kind in "iub"):
        return
    raise errors.type_error(
        "Only integer scalar arrays can be converted to a scalar index.",
        [("value", aval.str_short())],
        "Python asks for an index in ranges, list indices, sizes, hex and oct.",
    )


def to_index(tracer: Any) -> int:
    """The Python index that a traced value stands for."""
    value = tracer.known_value()
    if value is None:
        _refuse_as_index(tracer)
        raise index_error(tracer)
    return operator.index(value)


def to_numpy(tracer: Any, dtype: Any) -> np.ndarray:
    """The NumPy array that a traced value stands for."""
    value = tracer.known_value()
    if value is None:
        raise array_error(tracer)
    refuse_to_differentiate(tracer, "NumPy", errors.TracerArrayConversionError)
    return np.asarray(value, dtype=dtype)


_GIVEN_AWAY: dict[type[Exception], str] = {
    errors.ConcretizationTypeError: _ABSTRACT,
    errors.TracerArrayConversionError: "The numpy.ndarray conversion method __array__() "
    "was called on traced array with shape {type}.",
}


def refuse_to_differentiate(
    value: Any, taker: str, kind: type[Exception] = errors.ConcretizationTypeError
) -> None:
    """Raises `kind` for a value whose derivative `taker` would lose, as if it were zero."""
    if getattr(value, "carries_tangent", False):
        raise kind(
            errors.explain(
                f"{_GIVEN_AWAY[kind].format(type=value.aval.str_short())}\n"
                f"A value that is being differentiated was given to {taker}.",
                _facts(value, value.origin()),
                "Numbers of Python and arrays of NumPy have no derivatives: they would "
                "count as constant.",
                "Compute with jax.numpy instead.\n"
                "If it is to count as constant: jax.lax.stop_gradient(x) first.",
            )
        )


def needs_value(name: str) -> Callable[..., Any]:
    """The method `name` of arrays, as traced values have it: an error that explains."""

    def method(self, *args, **kwargs):
        raise errors.ConcretizationTypeError(
            errors.explain(
                f"{_ABSTRACT.format(type=self.aval.str_short())}\n"
                f"`x.{name}` needs an array.",
                _facts(self, self.origin()),
                "The devices of an array, and whether it is there, are known after the call.",
                "Ask outside of the transformed function; for its type: jax.typeof(x).",
            )
        )

    method.__name__ = name
    method.__doc__ = "Refused: only arrays know it."
    return method


def is_no_attribute(name: str) -> Callable[..., Any]:
    """The getter of an attribute that arrays have and traced values lack."""

    def getter(self):
        raise AttributeError(
            errors.explain(
                f"The {name!r} attribute is not available on traced array with shape "
                f"{self.aval.str_short()}.",
                [],
                "Under this transformation only the type of the array is known.",
                "Ask outside of the transformed function; for its type: jax.typeof(x).",
            ),
            name=name,
            obj=self,
        )

    getter.__doc__ = "Refused: only arrays know it."
    return getter


# What arrays know and traced values do not: methods, properties that raise a TypeError,
# and attributes that are not there, so that `hasattr` is false.
VALUE_METHODS = (
    "__dlpack__",
    "__reduce__",
    "addressable_data",
    "delete",
    "devices",
    "is_deleted",
    "on_device_size_in_bytes",
    "unsafe_buffer_pointer",
    "unsafe_raw_buffer",
)
VALUE_PROPERTIES = (
    "addressable_shards",
    "committed",
    "global_shards",
    "is_fully_addressable",
    "is_fully_replicated",
    "traceback",
)
VALUE_ATTRIBUTES = (
    "block_until_ready",
    "copy_to_host_async",
    "device",
    "format",
    "is_ready",
    "sharding",
)


def concrete_or_error(force: Any, val: Any, context: str = "") -> Any:
    """`val` as `force` where it is known (`force` None: as it is).

    Raises:
        ConcretizationTypeError: only its type is known; `context` says what needs it.
    """
    if hasattr(val, "_trace"):
        known = val.known_value()
        if known is None:
            raise number_error(val, force or type(val), context)
        val = known
    return val if force is None else force(val)
