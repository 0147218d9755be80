"""Settings of kernels for TPUs, and of how they are interpreted."""

import contextlib
import dataclasses
import enum
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from jax._src.base import config, errors, options
from jax._src.pallas import specs


class GridDimensionSemantics(enum.Enum):
    """In which order the steps along an axis of a grid may be taken, and by whom."""

    PARALLEL = "parallel"
    CORE_PARALLEL = "core_parallel"
    SUBCORE_PARALLEL = "subcore_parallel"
    ARBITRARY = "arbitrary"


PARALLEL = GridDimensionSemantics.PARALLEL
CORE_PARALLEL = GridDimensionSemantics.CORE_PARALLEL
SUBCORE_PARALLEL = GridDimensionSemantics.SUBCORE_PARALLEL
ARBITRARY = GridDimensionSemantics.ARBITRARY


class SideEffectType(enum.Enum):
    """Whether a kernel does more than compute its results."""

    PURE = "pure"
    DATAFLOW_SIDE_EFFECTING = "dataflow_side_effecting"
    SIDE_EFFECTING = "side_effecting"


class CoreType(enum.Enum):
    """Kinds of cores."""

    TC = "tc"
    SC_SCALAR_SUBCORE = "sc_scalar_subcore"
    SC_VECTOR_SUBCORE = "sc_vector_subcore"


@dataclasses.dataclass(frozen=True)
class CompilerParams:
    """Settings of the compiler for TPUs; interpreted kernels do not ask for them.

    Args:
        dimension_semantics: for each axis of the grid a `GridDimensionSemantics` or its
            value: ``"parallel"`` where steps may be taken in any order.
        allow_input_fusion: for each operand whether what makes it may move into the kernel.
        vmem_limit_bytes: how many bytes of VMEM there are.
        collective_id: which barrier kernels that talk to each other use.
        has_side_effects: whether the kernel does more than compute its results.
        flags: further settings.
        internal_scratch_in_bytes: memory of the compiler's own.
        serialization_format: how the kernel is written down.
        disable_bounds_checks: whether accesses are not checked.
        disable_semaphore_checks: whether semaphores are not checked.
        skip_device_barrier: whether devices do not wait for each other first.
        allow_collective_id_without_custom_barrier: accepts `collective_id` without use.
        shape_invariant_numerics: whether results do not depend on shapes of blocks.
        use_tc_tiling_on_sc: how memory is tiled on SparseCores.
        needs_layout_passes: whether layouts are inferred.
        fuse_transposed_lhs_in_matmul: whether transposes move into products.
    """

    dimension_semantics: Sequence[Any] | None = None
    allow_input_fusion: Sequence[bool] | None = None
    vmem_limit_bytes: int | None = None
    collective_id: int | None = None
    has_side_effects: bool | SideEffectType = False
    flags: Mapping[str, Any] | None = None
    internal_scratch_in_bytes: int | None = None
    serialization_format: int = 1
    disable_bounds_checks: bool = False
    disable_semaphore_checks: bool = False
    skip_device_barrier: bool = False
    allow_collective_id_without_custom_barrier: bool = False
    shape_invariant_numerics: bool = True
    use_tc_tiling_on_sc: bool | None = None
    needs_layout_passes: bool = True
    fuse_transposed_lhs_in_matmul: bool = False

    def __post_init__(self) -> None:
        for name in ("dimension_semantics", "allow_input_fusion"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, tuple(value))

    def __hash__(self) -> int:
        flags = None if self.flags is None else tuple(sorted(self.flags.items()))
        rest = tuple(v for k, v in vars(self).items() if k != "flags")
        return hash((flags, *rest))

    def replace(self, **changes: Any) -> "CompilerParams":
        """Returns a copy with some fields changed."""
        return dataclasses.replace(self, **changes)


@dataclasses.dataclass(init=False)
class PrefetchScalarGridSpec(specs.GridSpec):
    """A `pl.GridSpec` whose index maps may read the first arguments.

    These arguments are not cut into blocks, and have no specifications. Kernels get
    references to them first, index maps last.

    Args:
        num_scalar_prefetch: how many arguments these are.
        grid: the number of steps, or one per axis.
        in_specs: a tree of `pl.BlockSpec` like the other arguments.
        out_specs: the same for results.
        scratch_shapes: a tree of types of memory.
    """

    num_scalar_prefetch: int

    def __init__(
        self,
        num_scalar_prefetch: int,
        grid: Any = (),
        in_specs: Any = specs.no_block_spec,
        out_specs: Any = specs.no_block_spec,
        scratch_shapes: Any = (),
    ):
        super().__init__(grid, in_specs, out_specs, scratch_shapes)
        self.num_scalar_prefetch = num_scalar_prefetch


@dataclasses.dataclass(frozen=True, kw_only=True)
class InterpretParams:
    """How a kernel for TPUs is interpreted: as with ``interpret=True``, and with this.

    One core runs the grid step by step; no copies are still under way, so what concerns these
    is accepted and has no effect.

    Args:
        detect_races: the same as `check`.
        out_of_bounds_reads: ``"raise"``: a read beyond an array, or a block of an input that is
            outside, raises; ``"uninitialized"``: it finds unwritten memory. Writes beyond an
            array, and blocks of results that are left and visited again, always raise.
        skip_floating_point_ops: accepted; they are computed.
        uninitialized_memory: ``"nan"``, or ``"zero"`` where unwritten memory holds zeros.
        num_cores_or_threads: accepted; the number of cores, 1 or more.
        vector_clock_size: accepted.
        logging_mode: accepted.
        dma_execution_mode: accepted; copies happen where they start.
        random_seed: draws the order of steps along parallel axes; None: ascending.
        grid_point_recorder: accepted.
        allow_hbm_allocation_in_run_scoped: accepted; it is allowed.
        buffer_bounds: accepted.
        on_race: accepted; a race raises.
        check: whether reads of memory that was never written raise, races between steps along
            parallel axes and between cores, waits that would never end, and semaphores that
            are left unbalanced; `pl.InterpretParams` sets it.

    Raises:
        ValueError: `num_cores_or_threads` is below 1.
    """

    detect_races: bool = False
    out_of_bounds_reads: Literal["raise", "uninitialized"] = "raise"
    skip_floating_point_ops: bool = False
    uninitialized_memory: Literal["nan", "zero"] = "nan"
    num_cores_or_threads: int = 1
    vector_clock_size: int | None = None
    logging_mode: Any = None
    dma_execution_mode: Literal["on_wait", "eager"] = "on_wait"
    random_seed: int | None = None
    grid_point_recorder: Callable[..., None] | None = None
    allow_hbm_allocation_in_run_scoped: bool = False
    buffer_bounds: Literal["logical", "padded"] = "logical"
    on_race: str = "raise"
    check: bool = False

    def __post_init__(self) -> None:
        if self.num_cores_or_threads < 1:
            raise errors.value_error(
                "pltpu.InterpretParams: there is no core.",
                [("num_cores_or_threads", str(self.num_cores_or_threads))],
            )

    @property
    def is_checked(self) -> bool:
        """Whether each access is reported to the host, and checked there."""
        return self.check or self.detect_races

    @property
    def num_cores_per_device(self) -> int:
        """The number of cores."""
        return self.num_cores_or_threads

    def get_vector_clock_size(self, num_devices: int) -> int:
        """How many clocks are kept to detect races.

        Raises:
            ValueError: there are fewer than cores.
        """
        needed = num_devices * self.num_cores_or_threads
        if self.vector_clock_size is None:
            return 2 * needed
        if self.vector_clock_size < needed:
            raise errors.value_error(
                "pltpu.InterpretParams: too few clocks.",
                [
                    ("vector_clock_size", str(self.vector_clock_size)),
                    ("cores of all devices", str(needed)),
                ],
            )
        return self.vector_clock_size


def force_tpu_interpret_mode(
    params: InterpretParams = InterpretParams(),
) -> contextlib.AbstractContextManager[None]:
    """A context in which all kernels are interpreted.

    Args:
        params: how.

    Raises:
        Nothing.
    """
    return options.pallas_tpu_interpret_mode(params)


def set_tpu_interpret_mode(params: InterpretParams | None = InterpretParams()) -> None:
    """Interprets all kernels of the process from now on; None: those that ask for it.

    Raises:
        Nothing.
    """
    config.config.update("jax_pallas_tpu_interpret_mode", params)


def reset_tpu_interpret_mode_state() -> None:
    """Forgets what is left of kernels that failed: nothing ever is.

    Raises:
        Nothing.
    """
