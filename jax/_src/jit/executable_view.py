"""The executable behind a compiled function, by the names of upstream's runtime."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jax._src.base import errors
from jax._src.core import avals as avals_lib, hlo_sharding, jaxpr
from jax._src.interpreters import hlo
from jax._src.jit import plans
from jax._src.runtime.arrays import layouts
from jax._src.runtime.compilation import loading


class PjRtLayout:
    """The order in which a device has the elements of an array: ``{1,0}`` is row-major.

    Equal ones have equal text.
    """

    __slots__ = ("_layout",)

    def __init__(self, layout: layouts.Layout):
        self._layout = layout

    @property
    def major_to_minor(self) -> tuple[int, ...]:
        """The axes, from the one whose step in memory is the largest."""
        return self._layout.major_to_minor

    def __str__(self) -> str:
        minor_to_major = self._layout.major_to_minor[::-1]
        tiles = "".join(f"({','.join(map(str, t))})" for t in self._layout.tiling or ())
        order = ",".join(map(str, minor_to_major))
        return f"{{{order}{':T' if tiles else ''}{tiles}}}"

    def __repr__(self) -> str:
        return f"PjRtLayout({self})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PjRtLayout) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))


class HloModule:
    """A compiled program in HLO."""

    def __init__(self, program: hlo.programs.HloProgram):
        self._program = program

    def __getattr__(self, name: str) -> Any:
        return getattr(self._program, name)

    @property
    def name(self) -> str:
        """The module's name."""
        return self._program.name()

    def __repr__(self) -> str:
        return f"HloModule({self.name})"


class ExecuteResults:
    """The results of a call, each as one array per device."""

    def __init__(self, arrays: Sequence[Any]):
        self._parts = [[s.data for s in a.addressable_shards] for a in arrays]

    def __len__(self) -> int:
        return len(self._parts)

    def disassemble_into_single_device_arrays(self) -> list[list[Any]]:
        """For each result, the arrays of the devices of this process."""
        return self._parts

    def disassemble_prefix_into_single_device_arrays(self, n: int) -> list[list[Any]]:
        """Returns the first `n` results, each as its arrays on single devices."""
        return self._parts[:n]


class RuntimeExecutable:
    """What ``Compiled.runtime_executable()`` returns.

    Everything that the native executable offers is there too.

    Args:
        loaded: the executable.
        program: what it computes.
        run: calls it with an array for each of its arguments.
    """

    def __init__(
        self,
        loaded: loading.Loaded,
        program: jaxpr.ClosedJaxpr,
        run: Callable[[Sequence[Any]], list[Any]],
    ):
        self._native = loaded.executable
        self._out_layouts = loaded.assignment.layouts
        self._program = program
        self._run = run

    def __getattr__(self, name: str) -> Any:
        return getattr(self._native, name)

    def __repr__(self) -> str:
        return f"RuntimeExecutable({self._native.name})"

    @property
    def traceback(self) -> None:
        """Where it was compiled, which is not recorded."""
        return None

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *dir(self._native)})

    def local_devices(self) -> list[Any]:
        """The devices of this process that the program runs on."""
        process = self._native.client.process_index()
        return [d for d in self._native.devices() if d.process_index == process]

    def hlo_modules(self) -> list[HloModule]:
        """The compiled program in HLO: one module.

        Raises:
            NotImplementedError: the compiler hands out no program, or one of which HLO has
                no form.
        """
        found = hlo.programs.of_executable(self._native)
        if found is None:
            raise errors.not_implemented(
                "The compiled program cannot be shown.",
                [("platform", self._native.client.platform)],
                "Its compiler hands out no program.",
                "lowered.as_text() shows the program before it.",
            )
        return [HloModule(found)]

    def get_hlo_text(self) -> str:
        """The text of `hlo_modules`, with its errors."""
        (module,) = self.hlo_modules()
        return module.to_string()

    def get_compiled_memory_stats(self) -> plans.CompiledMemoryStats | None:
        """Bytes that the program needs on each device; None where that is not known."""
        return plans.memory_stats(self._native)

    def size_of_generated_code_in_bytes(self) -> int:
        """The size of the machine code; -1 where that is not known."""
        stats = self.get_compiled_memory_stats()
        return -1 if stats is None else stats.generated_code_size_in_bytes

    def get_parameter_shardings(self) -> list[hlo_sharding.HloSharding] | None:
        """The sharding of each parameter; None where the program runs on one device."""
        return _shardings(self._native.parameter_shardings())

    def get_output_shardings(self) -> list[hlo_sharding.HloSharding] | None:
        """The sharding of each result; None where the program runs on one device."""
        return _shardings(self._native.result_shardings())

    def get_output_memory_kinds(self) -> list[list[str]]:
        """For each module, the memory kind of each result."""
        return [list(self._native.result_memory_kinds())]

    def get_parameter_layouts(self) -> list[PjRtLayout]:
        """The order in memory of each parameter."""
        return [_layout_of(aval, None) for aval in self._program.in_avals]

    def get_output_layouts(self) -> list[PjRtLayout]:
        """The order in memory of each result."""
        avals = self._program.out_avals
        stated = self._out_layouts or (None,) * len(avals)
        return [_layout_of(a, said) for a, said in zip(avals, stated, strict=False)]

    def execute(self, arguments: Sequence[Any]) -> list[Any]:
        """Runs the program; returns the part of each result on the first device.

        Args:
            arguments: an array for each argument that the program uses.
        """
        parts = self.execute_sharded(arguments).disassemble_into_single_device_arrays()
        return [shards[0] for shards in parts]

    def execute_sharded(
        self, arguments: Sequence[Any], with_tokens: bool = False
    ) -> ExecuteResults:
        """Runs the program on all of its devices.

        Args:
            arguments: an array for each argument that the program uses.
            with_tokens: accepted: effects are waited for by `jax.effects_barrier`.
        """
        return ExecuteResults(self._run(arguments))


def _layout_of(aval, said):
    if said is None:
        said = layouts.Layout(range(len(avals_lib.physical_aval(aval).shape)))
    return PjRtLayout(said)


def _shardings(found):
    if found is None:
        return None
    return [hlo_sharding.from_bytes(data) for data in found]
