"""Which results take the memory of donated arguments."""

from typing import Any

from jax._src.core import jaxpr as jaxpr_lib
from jax._src.interpreters.mlir import types


def donations(jaxpr: jaxpr_lib.Jaxpr, signature: Any) -> list[Any]:
    """For each input: the output that takes its memory, True for "any", None for "none"."""
    donated = signature.donated
    targets: list[Any] = [None] * len(jaxpr.invars)
    if not donated or not any(donated):
        return targets
    in_shardings = signature.in_shardings or (None,) * len(jaxpr.invars)
    out_shardings = signature.out_shardings or (None,) * len(jaxpr.outvars)
    free: dict[tuple, list[int]] = {}
    for index, (out, sharding) in enumerate(
        zip(jaxpr.outvars, out_shardings, strict=True)
    ):
        free.setdefault(_memory_of(out.aval, sharding), []).append(index)
    for alike in free.values():
        alike.reverse()  # The first is taken from the end, which costs no shift.
    inputs = zip(jaxpr.invars, in_shardings, donated, strict=True)
    for index, (var, sharding, is_donated) in enumerate(inputs):
        if is_donated:
            outputs = free.get(_memory_of(var.aval, sharding))
            targets[index] = outputs.pop() if outputs else True
    return targets


def _memory_of(aval, sharding):
    """A key that two arrays share if one may reuse the other's buffer."""
    plain = types.physical_aval(aval)
    shape = getattr(plain, "shape", None)
    if sharding is not None:
        sharding = sharding.shard_shape(aval.shape), sharding.memory_kind
    return shape, getattr(plain, "dtype", None), sharding
