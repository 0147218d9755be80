"""Rules of compilation."""

from jax._src.interpreters.mlir import LoweringResult as LoweringResult
from jax._src.interpreters.mlir import LoweringRuleContext as LoweringRuleContext
from jax._src.interpreters.mlir import ModuleContext as ModuleContext
from jax._src.interpreters.mlir import aval_to_ir_type as aval_to_ir_type
from jax._src.interpreters.mlir import aval_to_ir_types as aval_to_ir_types
from jax._src.interpreters.mlir import dense_bool_array as dense_bool_array
from jax._src.interpreters.mlir import dense_int_array as dense_int_array
from jax._src.interpreters.mlir import dense_int_elements as dense_int_elements
from jax._src.interpreters.mlir import dtype_to_ir_type as dtype_to_ir_type
from jax._src.interpreters.mlir import i32_attr as i32_attr
from jax._src.interpreters.mlir import i64_attr as i64_attr
from jax._src.interpreters.mlir import ir as ir
from jax._src.interpreters.mlir import ir_constant as ir_constant
from jax._src.interpreters.mlir import ir_type_handlers as ir_type_handlers
from jax._src.interpreters.mlir import lower_fun as lower_fun
from jax._src.interpreters.mlir import make_ir_context as make_ir_context
from jax._src.interpreters.mlir import module_to_bytecode as module_to_bytecode
from jax._src.interpreters.mlir import module_to_string as module_to_string
from jax._src.interpreters.mlir import (
    register_constant_handler as register_constant_handler,
)
from jax._src.interpreters.mlir import register_lowering as register_lowering
