"""HLO programs as users see them: text, bytes and shapes."""

from collections.abc import Sequence
from typing import Any

from jax._src.base import errors
from jax._src.interpreters import mlir
from jax._src.interpreters.hlo import conversion, messages, printing, shardings
from jax._src.interpreters.mlir import portable


class HloProgram:
    """A program in HLO: what ``Lowered.compiler_ir("hlo")`` returns.

    The text forms are those that XLA's tools parse; the bytes are the protocol buffer
    ``HloModuleProto``.
    """

    def __init__(self, module: messages.Message, partition_count: int = 1):
        self._module = module
        self._partition_count = partition_count

    def __repr__(self) -> str:
        return f"HloProgram({self.name()})"

    def name(self) -> str:
        """The module's name."""
        return self._module.get("name", "")

    def text(self, options: printing.PrintOptions) -> str:
        """The program as text.

        Args:
            options: what the text shows.
        """
        return printing.module_text(self._module, options, self._partition_count)

    def as_hlo_text(self, print_large_constants: bool = False) -> str:
        """The program as short text, without percent signs and source lines.

        Args:
            print_large_constants: whether constants of more than ten elements are written
                out; they are ``{...}`` otherwise.
        """
        options = printing.PrintOptions(has_whole_constants=print_large_constants)
        return self.text(options)

    def to_string(self, options: Any = None) -> str:
        """The program as text with signatures and source lines.

        Args:
            options: a `PrintOptions`; None for the full form.
        """
        full = printing.PrintOptions(has_percent=True, has_metadata=True)
        return self.text(options or full)

    def as_serialized_hlo_module_proto(self) -> bytes:
        """The bytes of the program's ``HloModuleProto``."""
        return messages.encode("HloModuleProto", self._module)

    def program_shape(self) -> str:
        """The types of parameters and result, such as ``(x: f32[2]) -> f32[2]``."""
        shape = self._module.get("host_program_shape", {})
        return printing.named_signature(shape)

    def as_hlo_module(self) -> "HloProgram":
        """The program itself, which other implementations keep in another class."""
        return self

    get_hlo_module = as_hlo_module

    @property
    def spmd_output_sharding(self) -> bytes | None:
        """The ``OpSharding`` of the result of a partitioned program; None if unknown."""
        return self._module.get("spmd_output_sharding")

    @property
    def spmd_parameters_shardings(self) -> Sequence[bytes] | None:
        """The ``OpSharding`` of each parameter of a partitioned program; None if unknown."""
        return self._module.get("spmd_parameters_shardings")

    def computations(self) -> list[str]:
        """The names of the computations, those that are called first."""
        return [c.get("name", "") for c in self._module.get("computations", [])]


def of_stablehlo(module: Any, *, has_locations: bool = True) -> HloProgram:
    """The HLO program of a StableHLO module.

    Args:
        module: a verified module with a function ``main``.
        has_locations: whether its locations are lines of the user's program.

    Raises:
        NotImplementedError: HLO has no form of one of its operations.
    """
    module = portable.without_chlo(module)
    attributes = module.operation.attributes
    count = 1
    if "mhlo.num_partitions" in attributes:
        count = int(attributes["mhlo.num_partitions"].value)
    found = conversion.module_of(module, has_locations=has_locations)
    if "mhlo.spmd_output_sharding" in attributes:
        text = attributes["mhlo.spmd_output_sharding"].value
        found["spmd_output_sharding"] = shardings.bytes_of_text(text)
    if "mhlo.spmd_parameters_shardings" in attributes:
        found["spmd_parameters_shardings"] = [
            shardings.bytes_of_text(text.value)
            for text in attributes["mhlo.spmd_parameters_shardings"]
        ]
    return HloProgram(found, count)


def of_bytes(program: bytes, *, has_config: bool) -> HloProgram:
    """The HLO program that a compiler serialized.

    Args:
        program: an ``HloModuleProto``.
        has_config: whether it is wrapped in an ``HloModuleProtoWithConfig``.

    Raises:
        ValueError: the bytes are no such message.
    """
    if has_config:
        whole = messages.decode("HloModuleProtoWithConfig", program)
        return HloProgram(whole.get("hlo_module", {}))
    return HloProgram(messages.decode("HloModuleProto", program))


def of_executable(executable: Any) -> HloProgram | None:
    """The HLO program of a compiled program; None where its compiler hands out none.

    Args:
        executable: a native executable, of our compiler or of another plugin.

    Raises:
        NotImplementedError: HLO has no form of one of its operations.
        ValueError: the plugin hands out bytes that are no HLO program.
    """
    try:
        form, code = executable.optimized_program()
    except (NotImplementedError, errors.JaxRuntimeError):
        return None
    if form in ("hlo", "hlo_with_config"):
        return of_bytes(code, has_config=form == "hlo_with_config")
    with mlir.make_ir_context() as context:
        module = mlir.ir.Module.parse(code, context)
        # The text names no locations; those of its own lines are of no use.
        return of_stablehlo(module, has_locations=False)
