"""The executable behind a compiled function, by the names of upstream's runtime."""

from typing import Any

from jax._src.base import errors
from jax._src.core import hlo_sharding
from jax._src.interpreters import hlo
from jax._src.runtime import layouts
from jax._src.transforms import compiled_call, plans


class RuntimeExecutable:
    """What ``Compiled.runtime_executable()`` returns.

    Everything that the native executable offers is there too.

    Args:
        compiled: the compiled program.
    """

    def __init__(self, compiled: compiled_call.CompiledProgram):
        self._compiled = compiled
        self._native = compiled.executable

    def __getattr__(self, name: str) -> Any:
        return getattr(self._native, name)

    def __repr__(self) -> str:
        return f"RuntimeExecutable({self._native.name})"

    def local_devices(self) -> list[Any]:
        """The devices of this process that the program runs on."""
        process = self._native.client.process_index()
        return [d for d in self._native.devices() if d.process_index == process]

    def hlo_modules(self) -> list[hlo.programs.HloProgram]:
        """The compiled program in HLO: one module.

        Raises:
            NotImplementedError: the compiler hands out no program, or one of which HLO has
                no form.
        """
        found = hlo.programs.of_executable(self._native)
        if found is None:
            raise NotImplementedError(
                errors.explain(
                    "The compiled program cannot be shown.",
                    [("platform", self._native.client.platform)],
                    "Its compiler hands out no program.",
                    "lowered.as_text() shows the program before it.",
                )
            )
        return [found]

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

    def get_parameter_layouts(self) -> list[Any]:
        """The order in memory of each parameter."""
        avals = self._compiled.closed.in_avals
        return [layouts.of_array(None, len(aval.shape)) for aval in avals]

    def get_output_layouts(self) -> list[Any]:
        """The order in memory of each result."""
        avals = self._compiled.closed.out_avals
        stated = self._compiled.out_layouts or (None,) * len(avals)
        return [
            layouts.of_array(
                None if layout is None else layouts.order_of(layout), len(aval.shape)
            )
            for aval, layout in zip(avals, stated, strict=False)
        ]


def _shardings(found):
    if found is None:
        return None
    return [hlo_sharding.from_bytes(data) for data in found]
