"""Which kernels are checked, and what their references refer to."""

from collections.abc import Sequence
from typing import Any

from jax._src.base import options
from jax._src.pallas import (
    access_log,
    block_dims,
    blocking,
    checking,
    grid_mapping,
    memory,
)
from jax._src.pallas.tpu import params as tpu_params
from jax._src.pallas.triton import api as triton


def InterpretParams(**settings: Any) -> tpu_params.InterpretParams:
    """`pltpu.InterpretParams` with `check`: kernels are interpreted, and every access is checked.

    Reads of memory that was never written, accesses and blocks out of bounds, races between
    steps along parallel axes and between cores, waits that would never end, and semaphores
    that are left unbalanced raise `jax.errors.JaxRuntimeError` while the kernel runs.

    Args:
        **settings: other fields of `pltpu.InterpretParams`, such as `random_seed`, which
            draws the order of steps along parallel axes.

    Raises:
        TypeError: there is no such field.

    Examples:
        >>> def kernel(x, out):
        ...     out[0] = x[0] + out[1]
        >>> call = pl.pallas_call(
        ...     kernel, jax.ShapeDtypeStruct((2,), jnp.float32),
        ...     interpret=pl.InterpretParams())
        >>> try:
        ...     call(jnp.ones(2)).block_until_ready()
        ... except jax.errors.JaxRuntimeError as error:
        ...     print("never written" in str(error))
        True
    """
    return tpu_params.InterpretParams(**{"check": True, **settings})


def mode_of(interpret: Any) -> Any:
    """How a kernel is interpreted, given what its call says."""
    forced = options.pallas_tpu_interpret_mode.value
    if options.pallas_check.value and not forced:
        if isinstance(interpret, tpu_params.InterpretParams):
            return interpret if interpret.is_checked else _with_check(interpret)
        return InterpretParams()
    return forced or interpret


def _with_check(given):
    return InterpretParams(**{**vars(given), "check": True})


def is_checked(mode: Any) -> bool:
    """Whether a way of interpreting reports accesses."""
    return isinstance(mode, tpu_params.InterpretParams) and mode.is_checked


def parallel_axes(n_axes: int, compiler_params: Any) -> list[int]:
    """The axes of a grid along which the user says that steps may run at the same time."""
    if isinstance(compiler_params, triton.CompilerParams):
        return list(range(n_axes))
    declared = grid_mapping.axes_declared_parallel(compiler_params)
    return [axis for axis in declared if axis < n_axes]


def ref_avals(mapping: grid_mapping.GridMapping) -> list[Any]:
    """The types of the references of a kernel, in their order."""
    avals = [
        *mapping.index_map_avals[len(mapping.grid) :],
        *(m.transformed_block_aval for m in mapping.block_mappings),
        *mapping.scratch_avals,
    ]
    if checking.checker_now() is None:
        return avals
    own = len(avals) - 1  # The last one holds the number of the run.
    return [
        memory.numbered(ref, number) if number < own else ref
        for number, ref in enumerate(avals)
    ]


def checked_mapping(
    mapping: grid_mapping.GridMapping,
    aliases: Sequence[tuple[int, int]],
    params: dict[str, Any],
) -> tuple[grid_mapping.GridMapping, checking.Checker | None]:
    """The mapping of a kernel with memory for the number of a run, where it is checked."""
    if not is_checked(params["interpret"]):
        return mapping, None
    n_axes = len(mapping.grid)
    checker = checking.Checker(parallel_axes(n_axes, params["compiler_params"]))
    scalars = mapping.index_map_avals[n_axes:]
    for number, ref in enumerate(scalars):
        checker.add(_whole(f"prefetched scalars {number}", ref, number, True))
    first = len(scalars)
    storage = list(range(first + len(mapping.block_mappings)))
    n_operands = first + mapping.num_inputs
    for operand, result in aliases:
        storage[n_operands + result] = operand
    aliased = {n_operands + result for _, result in aliases}
    for number, m in enumerate(mapping.block_mappings, first):
        is_written = number < n_operands or number in aliased
        checker.add(_of_blocks(m, storage[number], is_written))
    for number, ref in enumerate(mapping.scratch_avals):
        what = f"scratch_shapes[{number}]"
        is_counter = ref.kind is not None
        at = len(checker.memories)
        checker.add(_whole(what, ref, at, is_counter, is_own=True))
    run = memory.run_ref(checker)
    return mapping.replace(scratch_avals=(*mapping.scratch_avals, run)), checker


def _of_blocks(m, storage, is_written):
    array = blocking.padded_shape(m.array_aval.shape, m.block_shape)
    block = tuple(m.transformed_block_aval.shape)
    sizes = tuple(map(block_dims.size_of, m.block_shape))
    return access_log.Memory(m.origin, array, block, sizes, storage, is_written)


def _whole(what, ref, storage, is_written, is_own=False):
    shape = tuple(ref.shape)
    return access_log.Memory(what, shape, shape, shape, storage, is_written, is_own)
