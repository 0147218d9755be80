"""Checks that users write."""

import _string
import string
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.base import errors as messages, options, source, traceback_filter
from jax._src.callbacks import host, primitives as callbacks
from jax._src.checkify import errors
from jax._src.core import avals, effects as effects_lib, trace
from jax._src.core.primitive import BY_TYPES, declare
from jax._src.numpy import creation, reductions


class CheckEffect(effects_lib.Effect):
    """The program checks something."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CheckEffect)

    def __hash__(self) -> int:
        return hash(CheckEffect)

    def __repr__(self) -> str:
        return "Check"


_EFFECTS = frozenset({CheckEffect()})
for _kinds in (
    effects_lib.lowerable_effects,
    effects_lib.runtime_effects,
    effects_lib.control_flow_allowed_effects,
    effects_lib.custom_derivatives_allowed_effects,
    effects_lib.remat_allowed_effects,
    effects_lib.result_effects,
):
    _kinds.add_type(CheckEffect)


@declare("check", multiple_results=True)
class check_p:
    """Checks that an operand is true; the others are what the message speaks of."""

    sharding = BY_TYPES

    def types(pred, *payload, **params):
        return []

    def effects(pred, *payload, **params):
        return _EFFECTS

    def impl(pred, *payload, site, debug):
        if not pred and not debug:
            error = errors.Error(True, 0, (site,), (payload,))
            error.throw()
        return []

    def lower(ctx, pred, *payload, site, debug):
        if debug:
            return []
        if options.experimental_unsafe_xla_runtime_errors.value:
            operands = [pred, *payload]
            flat = tree.tree_structure((tuple(operands), {}))
            called = host.FlatCallback("checkify.check", _Failing(site), flat, None)
            callbacks.lower_callback(ctx, operands, called, has_side_effect=True)
            return []
        raise messages.value_error(
            "Cannot abstractly evaluate a checkify.check which was not functionalized.",
            [("check", str(site.location))],
            "A compiled program cannot raise: its checks must become results.",
            "Wrap the function: err, out = jax.jit(checkify.checkify(f))(x), then "
            "err.throw().\nTo end the run where one fails: "
            "jax_experimental_unsafe_xla_runtime_errors.",
        )

    def jvp_all(primals, tangents, **params):
        check_p.bind(*primals, **params)
        return [], []

    def batch(axis, args, dims, **params):
        pred, *payload = args
        if dims[0] is not None:
            # The last one that fails is reported.
            last = axis.size - 1 - reductions.argmin(pred[::-1])
            payload = [
                x if d is None else creation.asarray(x).take(last, axis=d)
                for x, d in zip(payload, dims[1:], strict=True)
            ]
            pred = reductions.all(pred)
        else:
            payload = [
                x if d is None else creation.asarray(x).take(0, axis=d)
                for x, d in zip(payload, dims[1:], strict=True)
            ]
        return check_p.bind(pred, *payload, **params), []

    exempt = {
        "jvp": "it has no result",
        "transpose": "it has no result",
        "batch": "it has no result",
        "compiled": "it is compiled as part of checkify only",
    }


class _Failing:
    """What a compiled program calls where its checks end the run."""

    def __init__(self, site: Any):
        self._site = site
        self.__name__ = "check"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Failing) and self._site is other._site

    def __hash__(self) -> int:
        return hash(id(self._site))

    def __call__(self, pred: Any, *payload: Any) -> None:
        if not pred:
            errors.Error(True, 0, (self._site,), (payload,)).throw()


class _Message:
    """Formats the arguments of a check."""

    def __init__(self, text: str, structure: Any):
        self._text = text
        self._structure = structure

    def __call__(self, *payload: Any) -> str:
        args, kwargs = tree.tree_unflatten(self._structure, payload)
        return self._text.format(*args, **kwargs) + " (`check` failed)"


def check(
    pred: Any, msg: str, *fmt_args: Any, debug: bool = False, **fmt_kwargs: Any
) -> None:
    """Reports a failure when a condition is false.

    Inside of `checkify` the failure becomes part of the returned `Error`; outside of
    every trace it is raised.

    Args:
        pred: a scalar truth value.
        msg: a format string.
        *fmt_args: trees of arrays that the format string names by position.
        debug: drop the check where the function is not under `checkify`.
        **fmt_kwargs: the same by name.

    Raises:
        TypeError: `pred` is no scalar truth value, or `msg` no string, or something to
            be formatted no array.
        JaxRuntimeError: outside of every trace, the condition is false.
        ValueError: the check is compiled, and not under `checkify`.
    """
    if not isinstance(msg, str):
        raise TypeError(f"check takes a string as message, got {msg!r}.")
    aval = avals.get_aval(pred)
    if aval.shape != () or aval.dtype != np.bool_:
        raise TypeError(f"check takes a scalar pred as argument, got {pred}")
    leaves, structure = tree.tree_flatten((fmt_args, fmt_kwargs))
    for leaf in leaves:
        if not avals.is_value(leaf):
            raise TypeError(
                "Formatting arguments to checkify.check need to be PyTrees of arrays, "
                f"but got {leaf!r} of type {type(leaf)}."
            )
    _refuse_missing_fields(msg, fmt_args, fmt_kwargs)
    if debug and trace.is_evaluating():
        return
    message = _Message(msg, structure)
    site = errors.Site(errors.FailedCheckError, message, source.capture(2), debug)
    check_p.bind(pred, *leaves, site=site, debug=debug)


class _Fields(string.Formatter):
    """Looks for the arguments that a message names, and not at their values."""

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> Any:
        first = _string.formatter_field_name_split(field_name)[0]
        return self.get_value(first, args, kwargs), first

    def convert_field(self, value: Any, conversion: Any) -> str:
        return ""

    def format_field(self, value: Any, format_spec: str) -> str:
        return ""


def _refuse_missing_fields(msg, args, kwargs):
    """Formats once, so that a misspelt field is found where it stands."""
    try:
        _Fields().vformat(msg, args, kwargs)
    except (IndexError, KeyError) as error:
        raise ValueError(
            f"check: the message {msg!r} names {error}, which was not given."
        ) from None
    except (ValueError, TypeError):
        # A format specification that fits the true values only.
        return


def debug_check(pred: Any, msg: str, *fmt_args: Any, **fmt_kwargs: Any) -> None:
    """`check`, but without effect where the function is not under `checkify`.

    Args:
        pred: a scalar truth value.
        msg: a format string.
        *fmt_args: trees of arrays that the format string names by position.
        **fmt_kwargs: the same by name.
    """
    check(pred, msg, *fmt_args, debug=True, **fmt_kwargs)


def check_error(error: errors.Error) -> None:
    """Reports again what an `Error` holds; raises outside of every trace.

    Args:
        error: what a function under `checkify` returned.

    Raises:
        JaxRuntimeError: outside of every trace, a check failed.
    """
    if not isinstance(error, errors.Error):
        raise ValueError(f"check_error takes an Error, not {type(error).__name__}.")
    if trace.is_evaluating():
        error.throw()
        return
    report(error, always=True)


def report(error: errors.Error, *, always: bool) -> None:
    """Checks again what an `Error` of the program around holds.

    Args:
        error: the error.
        always: whether checks for debugging count as others do.
    """
    pred, code = creation.asarray(error._pred), creation.asarray(error._code)
    for number, (site, payload) in enumerate(
        zip(error._metadata, error._payload, strict=True)
    ):
        failed = (pred & (code == number)).ravel()
        first = reductions.argmax(failed)
        rows = [creation.asarray(x) for x in payload]
        rows = [x.reshape(failed.shape + x.shape[pred.ndim :])[first] for x in rows]
        debug = site.is_debug and not always
        check_p.bind(~reductions.any(failed), *rows, site=site, debug=debug)


traceback_filter.hide_frames(globals())
