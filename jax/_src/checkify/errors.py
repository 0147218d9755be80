"""What a checked function finds wrong, as a value."""

import dataclasses
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from jax._src import tree
from jax._src.base import source

Out = TypeVar("Out")


class JaxException(Exception):
    """Base class of what checks report."""


class FailedCheckError(JaxException):
    """A condition that `check` was given is false."""


class NaNError(JaxException):
    """An operation made a NaN."""


class DivisionByZeroError(JaxException):
    """A divisor is zero."""


class OOBError(JaxException):
    """An index is out of bounds."""


class JaxRuntimeError(ValueError):
    """What `Error.throw` raises."""


for _error in (
    JaxException,
    FailedCheckError,
    NaNError,
    DivisionByZeroError,
    OOBError,
    JaxRuntimeError,
):
    _error.__module__ = "jax.experimental.checkify"

ErrorCategory = type[JaxException]

user_checks = frozenset({FailedCheckError})
nan_checks = frozenset({NaNError})
index_checks = frozenset({OOBError})
div_checks = frozenset({DivisionByZeroError})
float_checks = nan_checks | div_checks
automatic_checks = float_checks | index_checks
all_checks = automatic_checks | user_checks


@dataclasses.dataclass(frozen=True, eq=False)
class Site:
    """A location in a program where something is checked, compared by identity.

    Args:
        kind: the class of the error.
        describe: from the payload, arrays without axes of batches, to a message.
        location: where in the user's program.
        is_debug: whether the check is left out of programs that are not under `checkify`.
    """

    kind: type[JaxException]
    describe: Callable[..., str]
    location: source.Location
    is_debug: bool = False

    def failures(self, index: tuple, payload: Sequence[Any]) -> Iterator["Failure"]:
        """What to report of a check here that failed at this index of the batches."""
        yield index, self, payload


Failure = tuple[tuple, Site, Sequence[Any]]


@dataclasses.dataclass(frozen=True, eq=False)
class SiteOnDevices:
    """A program that runs on several devices at once, each with findings of its own.

    Its payload is their state, with a first axis along the devices.

    Args:
        sites: the source locations in that program.
        sizes: how many arrays the payload of each has.
        location: where in the user's program the devices start.
    """

    sites: tuple["Site | SiteOnDevices", ...]
    sizes: tuple[int, ...]
    location: source.Location

    @property
    def is_debug(self) -> bool:
        """Whether all its checks are for debugging."""
        return all(site.is_debug for site in self.sites)

    def failures(self, index: tuple, payload: Sequence[Any]) -> Iterator[Failure]:
        """The failures on all devices, whose numbers end the indices."""
        pred, code, *rest = payload
        values = iter(rest)
        split = [list(itertools.islice(values, size)) for size in self.sizes]
        for found, site, part in _failures(pred, code, self.sites, split):
            yield from site.failures(index + found, part)


def _failures(pred, code, sites, payload):
    """Triples of index, failed site and its payload, arrays of ours."""
    pred, code = np.asarray(pred), np.asarray(code)
    for index in np.argwhere(pred):
        index = tuple(map(int, index))
        number = int(code[index])
        values = payload[number]
        yield index, sites[number], [x[index] if index else x for x in values]


class Error:
    """Whether a check failed, which, and with what.

    Args:
        _pred: whether one failed; an array with an axis for each batch.
        _code: the position in `_metadata` of the site that failed first.
        _metadata: the sites.
        _payload: for each site, the arrays of which its message speaks.
    """

    __slots__ = ("_code", "_metadata", "_payload", "_pred")

    def __init__(
        self,
        _pred: Any,
        _code: Any,
        _metadata: Sequence[Site | SiteOnDevices],
        _payload: Sequence[Sequence[Any]],
    ):
        self._pred = _pred
        self._code = _code
        self._metadata = tuple(_metadata)
        self._payload = tuple(map(tuple, _payload))

    def _failures(self):
        found = _failures(self._pred, self._code, self._metadata, self._payload)
        for index, site, payload in found:
            yield from site.failures(index, payload)

    def get_exception(self) -> JaxException | None:
        """The first failure as an exception, or None."""
        for index, site, payload in self._failures():
            return site.kind(_at(index, site.describe(*payload)))
        return None

    def get(self) -> str | None:
        """The messages of all failures, one per line, or None."""
        lines = [_at(i, site.describe(*xs)) for i, site, xs in self._failures()]
        return "\n".join(lines) or None

    def throw(self) -> None:
        """Raises the first failure, if there is one; a note reports all in a batch.

        Raises:
            JaxRuntimeError: a check failed.
        """
        for index, site, payload in self._failures():
            error = JaxRuntimeError(site.describe(*payload))
            error.add_note(f"checked at {site.location}")
            if index:
                error.add_note(self.get())
            raise error

    def tree_flatten(self) -> tuple[tuple, Any]:
        """The arrays, and the sites."""
        return (self._pred, self._code, self._payload), self._metadata

    @classmethod
    def tree_unflatten(cls, metadata: Any, children: Any) -> "Error":
        """The opposite of `tree_flatten`."""
        made = object.__new__(cls)
        made._pred, made._code, made._payload = children
        made._metadata = metadata
        return made

    def _key(self):
        return self._pred, self._code, self._metadata, self._payload

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Error) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        try:
            return f"Error({self.get()})"
        except TypeError:
            return f"Error({len(self._metadata)} checks, being traced)"


def _at(index, message):
    if not index:
        return message
    numbers = ", ".join(map(str, index))
    return f"at mapped index {numbers}: {message}"


tree.register_pytree_node(Error, Error.tree_flatten, Error.tree_unflatten)
init_error = Error(False, 0, (), ())
