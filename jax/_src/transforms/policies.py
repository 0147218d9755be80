"""What `checkpoint` keeps: functions from an operation to whether its results are kept.

A policy is called with a primitive, the types of its operands and its parameters, and
returns true to keep the results.
"""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src.base import errors, records
from jax._src.core import primitive
from jax._src.runtime.devices import backends

_DOTS = frozenset({"dot_general", "conv_general_dilated", "ragged_dot_general"})


@records.record
class Offloadable:
    """The answer of a policy that wants results kept in another memory."""

    src: str
    dst: str


class SaveableType:
    """The class of `Saveable`."""


class RecomputeType:
    """The class of `Recompute`."""


# What policies may answer instead of True and False.
Saveable = SaveableType()
Recompute = RecomputeType()


def is_saveable(answer: Any) -> bool:
    """Whether the answer of a policy means that results are kept.

    Raises:
        TypeError: it is no answer.
        ValueError: it asks for a memory that the device does not have.
        NotImplementedError: it asks for another memory than that of a CPU.
    """
    if isinstance(answer, Offloadable):
        _check_memories(answer)
        return True
    if isinstance(answer, bool):
        return answer
    if answer is Saveable or answer is Recompute:
        return answer is Saveable
    raise errors.type_error(
        "Value returned by a remat policy should be a bool or "
        "`ad_checkpoint.Recompute`, `ad_checkpoint.Saveable` or "
        f"`ad_checkpoint.Offloadable(...)`. Got {answer} of type {type(answer)}.",
        ways="Return bool(...) of what decides, True to keep the results.",
    )


def _check_memories(answer):
    """All memories of a CPU are the host's: what is offloaded stays where it is."""
    device = backends.default_device()
    kinds = [memory.kind for memory in device.addressable_memories()]
    facts = [
        ("from", repr(answer.src)),
        ("to", repr(answer.dst)),
        ("device", str(device)),
        ("its memories", ", ".join(kinds)),
    ]
    if answer.src not in kinds or answer.dst not in kinds:
        raise errors.value_error(
            "A checkpoint policy names a memory that is not there.",
            facts,
            "Values move between memories of one device.",
        )
    if device.platform != "cpu" and answer.src != answer.dst:
        raise errors.not_implemented(
            f"Offloading is not implemented on {device.platform}.",
            facts,
            ways="Use a policy that saves or recomputes, such as dots_saveable.",
        )


def everything_saveable(prim: primitive.Primitive, *_: Any, **__: Any) -> bool:
    """Keeps everything, as without `checkpoint`."""
    return True


def nothing_saveable(prim: primitive.Primitive, *_: Any, **__: Any) -> bool:
    """Keeps nothing: all is computed again."""
    return False


def dots_saveable(prim: primitive.Primitive, *_: Any, **__: Any) -> bool:
    """Keeps the results of matrix products and convolutions."""
    return prim.name in _DOTS


def dots_with_no_batch_dims_saveable(
    prim: primitive.Primitive, *_: Any, dimension_numbers: Any = None, **__: Any
) -> bool:
    """Keeps the results of matrix products without batch axes."""
    if prim.name != "dot_general" or dimension_numbers is None:
        return False
    _, (left_batch, right_batch) = dimension_numbers
    return not left_batch and not right_batch


checkpoint_dots = dots_saveable
checkpoint_dots_with_no_batch_dims = dots_with_no_batch_dims_saveable


# The policies of parameters are records: equal ones are one key of caches, and they are pickled.


@records.record
class SaveAnyNamesButThese:
    """The policy of `save_any_names_but_these`."""

    names: frozenset

    def __call__(self, prim: primitive.Primitive, *_: Any, **params: Any) -> bool:
        return prim.name == "name" and params["name"] not in self.names


@records.record
class SaveOnlyTheseNames:
    """The policy of `save_only_these_names`."""

    saveable_names: frozenset

    def __call__(self, prim: primitive.Primitive, *_: Any, **params: Any) -> bool:
        return prim.name == "name" and params["name"] in self.saveable_names


@records.record
class SaveAnythingExceptTheseNames:
    """The policy of `save_anything_except_these_names`."""

    names: frozenset

    def __call__(self, prim: primitive.Primitive, *_: Any, **params: Any) -> bool:
        return not (prim.name == "name" and params["name"] in self.names)


@records.record
class SaveFromBothPolicies:
    """The policy of `save_from_both_policies`."""

    policy_1: Callable
    policy_2: Callable

    def __call__(self, prim: primitive.Primitive, *args: Any, **params: Any) -> Any:
        first = self.policy_1(prim, *args, **params)
        return first if is_saveable(first) else self.policy_2(prim, *args, **params)


@records.record
class SaveAndOffloadOnlyTheseNames:
    """The policy of `save_and_offload_only_these_names`."""

    saveable_names: frozenset
    offloadable_names: frozenset
    offload_src: str
    offload_dst: str

    def __call__(self, prim: primitive.Primitive, *_: Any, **params: Any) -> Any:
        if prim.name != "name":
            return False
        if params["name"] in self.offloadable_names:
            return Offloadable(self.offload_src, self.offload_dst)
        return params["name"] in self.saveable_names


@records.record
class OffloadDotsWithNoBatchDims:
    """The policy of `offload_dot_with_no_batch_dims`."""

    offload_src: str
    offload_dst: str

    def __call__(self, prim: primitive.Primitive, *args: Any, **params: Any) -> Any:
        if dots_with_no_batch_dims_saveable(prim, *args, **params):
            return Offloadable(self.offload_src, self.offload_dst)
        return False


def save_any_names_but_these(*names_not_to_save: str) -> Callable[..., bool]:
    """Keeps values with a name, apart from these names."""
    return SaveAnyNamesButThese(frozenset(names_not_to_save))


def save_only_these_names(*names_which_can_be_saved: str) -> Callable[..., bool]:
    """Keeps values with one of these names."""
    return SaveOnlyTheseNames(frozenset(names_which_can_be_saved))


def save_anything_except_these_names(
    *names_which_cannot_be_saved: str,
) -> Callable[..., bool]:
    """Keeps everything but values with one of these names."""
    return SaveAnythingExceptTheseNames(frozenset(names_which_cannot_be_saved))


def save_from_both_policies(
    policy_1: Callable, policy_2: Callable
) -> Callable[..., bool]:
    """Keeps what either policy keeps."""
    return SaveFromBothPolicies(policy_1, policy_2)


def save_and_offload_only_these_names(
    *,
    names_which_can_be_saved: Sequence[str],
    names_which_can_be_offloaded: Sequence[str],
    offload_src: str,
    offload_dst: str,
) -> Callable[..., Any]:
    """Keeps some named values here and others in another memory."""
    return SaveAndOffloadOnlyTheseNames(
        frozenset(names_which_can_be_saved),
        frozenset(names_which_can_be_offloaded),
        offload_src,
        offload_dst,
    )


def offload_dot_with_no_batch_dims(
    offload_src: str, offload_dst: str
) -> Callable[..., Any]:
    """Keeps the results of matrix products without batch axes in another memory."""
    return OffloadDotsWithNoBatchDims(offload_src, offload_dst)
