"""Lowering to StableHLO."""

from jax._src.interpreters.mlir.types import ir_attribute as ir_attribute
from jax._src.interpreters.mlir.custom_calls import custom_call as custom_call
from jax._src.interpreters.mlir.contexts import LoweringResult as LoweringResult
from jax._src.interpreters.mlir.contexts import ModuleContext as ModuleContext
from jax._src.interpreters.mlir.contexts import (
    DeferredLoweringError as DeferredLoweringError,
)
from jax._src.interpreters.mlir.contexts import RuleContext as LoweringRuleContext
from jax._src.interpreters.mlir.contexts import RuleContext as RuleContext
from jax._src.interpreters.mlir.contexts import Signature as Signature
from jax._src.interpreters.mlir.lowering import (
    add_private_function as add_private_function,
)
from jax._src.interpreters.mlir.lowering import annotate as annotate
from jax._src.interpreters.mlir.lowering import call_closed as call_closed
from jax._src.interpreters.mlir.lowering import call_in_module as call_in_module
from jax._src.interpreters.mlir.lowering import function_of as function_of
from jax._src.interpreters.mlir.lowering import inline_closed as inline_closed
from jax._src.interpreters.mlir.lowering import lower_equations as lower_equations
from jax._src.interpreters.mlir.lowering import lower_fun as lower_fun
from jax._src.interpreters.mlir.lowering import lower_to_module as lower_to_module
from jax._src.interpreters.mlir.ir_contexts import (
    make_ir_context as make_ir_context,
)
from jax._src.interpreters.mlir.lowering import module_costs as module_costs
from jax._src.interpreters.mlir.lowering import module_to_bytecode as module_to_bytecode
from jax._src.interpreters.mlir.lowering import module_to_string as module_to_string
from jax._src.interpreters.mlir.ordering import is_ordered as is_ordered
from jax._src.interpreters.mlir.ordering import with_token as with_token
from jax._src.interpreters.mlir.shardings import constrain as constrain
from jax._src.interpreters.mlir.shardings import group_shardings as group_shardings
from jax._src.interpreters.mlir.shardings import mesh_symbol as mesh_symbol
from jax._src.interpreters.mlir.shardings import on_first_device as on_first_device
from jax._src.interpreters.mlir.shardings import (
    per_value_attribute as per_value_attribute,
)
from jax._src.interpreters.mlir.shardings import (
    sharding_attribute as sharding_attribute,
)
from jax._src.interpreters.mlir.shardings import sharding_text as sharding_text
from jax._src.interpreters.mlir.types import aval_to_ir_type as aval_to_ir_type
from jax._src.interpreters.mlir.types import aval_to_ir_types as aval_to_ir_types
from jax._src.interpreters.mlir.types import dense_attribute as dense_attribute
from jax._src.interpreters.mlir.types import dense_bool_array as dense_bool_array
from jax._src.interpreters.mlir.types import dense_int_array as dense_int_array
from jax._src.interpreters.mlir.types import dense_int_elements as dense_int_elements
from jax._src.interpreters.mlir.types import dtype_to_ir_type as dtype_to_ir_type
from jax._src.interpreters.mlir.types import i32_attr as i32_attr
from jax._src.interpreters.mlir.types import i64_attr as i64_attr
from jax._src.interpreters.mlir.types import ir_constant as ir_constant
from jax._src.interpreters.mlir.types import ir_type_handlers as ir_type_handlers
from jax._src.interpreters.mlir.types import physical_aval as physical_aval
from jax._src.interpreters.mlir.types import (
    register_constant_handler as register_constant_handler,
)
from jax._src.lib.mlir import ir as ir
