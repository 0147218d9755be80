"""Queries for the shardings that a compiler chooses inside a program, and what follows from them.

A lowering rule may leave a custom call whose operand and result shardings the compiler
reports: only to show them (`jax.debug.inspect_array_sharding`), or to decide how
the operation is written (`custom_partitioning`). In the second case the compiler is
run first, without making code, and the program is then lowered again.
"""

from collections.abc import Callable
from typing import Any

from jax._src.base import errors
from jax._src.core import hlo_sharding as hlo, shardings as shardings_lib
from jax._src.interpreters import mlir
from jax._src.runtime.compilation import executable_shardings

ir = mlir.ir

# The attribute of a module whose shardings alone the compiler shall report.
_ONLY_SHARDINGS = "xla.only_shardings"


def decide(
    lowered: mlir.LoweringResult,
    compile_module: Callable[[mlir.LoweringResult], Any],
    name_sharding: Callable[[hlo.HloSharding, Any], shardings_lib.Sharding],
) -> mlir.LoweringResult:
    """A lowered program in which nothing is left to be decided.

    Args:
        lowered: the program.
        compile_module: compiles one.
        name_sharding: what the compiler says of an array of some type, for users.

    Raises:
        NotImplementedError: the compiler does not report the shardings of values.
    """
    if not any(q.decides for q in lowered.sharding_queries):
        return lowered
    attributes = lowered.module.operation.attributes
    with lowered.module.context:
        attributes[_ONLY_SHARDINGS] = ir.UnitAttr.get()
    try:
        told = _told(lowered, compile_module(lowered), name_sharding)
    finally:
        del attributes[_ONLY_SHARDINGS]
    first = {q.key: (q, found) for q, found in reversed(told) if q.decides}
    decided = {key: q.answer(found) for key, (q, found) in first.items()}
    return lowered.lower_again(decided)


def answer(
    lowered: mlir.LoweringResult,
    executable: Any,
    name_sharding: Callable[[hlo.HloSharding, Any], shardings_lib.Sharding],
) -> None:
    """Answers the queries for shardings of values in a compiled program.

    Raises:
        NotImplementedError: the compiler cannot report shardings.
    """
    if all(q.decides for q in lowered.sharding_queries):
        return
    for query, shardings in _told(lowered, executable, name_sharding):
        if not query.decides:
            query.answer(shardings)


def _told(lowered, executable, name_sharding):
    """Each query with what was told, as often as the compiler met it."""
    if not lowered.is_divided:
        whole = [(q, [hlo.REPLICATED] * len(q.avals)) for q in lowered.sharding_queries]
    else:
        seen = executable_shardings.inspected_shardings(executable)
        if seen is None:
            raise _no_queries(lowered.sharding_queries)
        by_key = {query.key: query for query in lowered.sharding_queries}
        whole = [(by_key[key], found) for key, found in seen if key in by_key]
    return [
        (q, [name_sharding(s, a) for s, a in zip(found, q.avals, strict=True)])
        for q, found in whole
    ]


def _no_queries(sharding_queries):
    return errors.not_implemented(
        "The compiler does not report the shardings of values inside of a program.",
        [("requested by", ", ".join(sorted({q.what for q in sharding_queries})))],
        "Only the compiler that comes with this package does, for CPUs.",
        "Return the values, and look at their .sharding.",
    )
