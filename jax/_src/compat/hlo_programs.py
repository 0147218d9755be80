"""Functions between StableHLO and HLO, as upstream's native module has them."""

from jax._src.base import errors
from jax._src.interpreters import hlo, mlir
from jax._src.interpreters.mlir.portable import (
    deserialize_portable_artifact as deserialize_portable_artifact,
    hlo_to_stablehlo as hlo_to_stablehlo,
    refine_polymorphic_shapes as refine_polymorphic_shapes,
    serialize_portable_artifact as serialize_portable_artifact,
)


def mlir_module_to_xla_computation(
    mlir_module: str | bytes, use_tuple_args: bool = False, return_tuple: bool = False
) -> "hlo.programs.HloProgram":
    """The HLO program of a StableHLO module.

    Args:
        mlir_module: the module as text or bytecode.
        use_tuple_args: must be False: programs take their arguments one by one.
        return_tuple: must be False: a single result is returned as it is.

    Raises:
        NotImplementedError: an option is True, or HLO has no form of an operation.
    """
    if use_tuple_args or return_tuple:
        raise errors.not_implemented(
            "mlir_module_to_xla_computation: arguments and results are no tuples.",
            [
                ("use_tuple_args", str(use_tuple_args)),
                ("return_tuple", str(return_tuple)),
            ],
            "Programs take and return arrays one by one.",
            "Leave both options out.",
        )
    with mlir.make_ir_context() as context:
        module = mlir.ir.Module.parse(mlir_module, context)
        return hlo.programs.of_stablehlo(module, has_locations=False)
