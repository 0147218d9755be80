"""Rules of compilation."""

from jax._src.compat.contexts import (
    DEVICE_TO_DEVICE_TYPE as DEVICE_TO_DEVICE_TYPE,
    RECV_FROM_HOST_TYPE as RECV_FROM_HOST_TYPE,
    SEND_TO_HOST_TYPE as SEND_TO_HOST_TYPE,
    AxisContext as AxisContext,
    ConstantHandler as ConstantHandler,
    LoweringRule as LoweringRule,
    MeshAxisName as MeshAxisName,
    ShardingContext as ShardingContext,
    SPMDAxisContext as SPMDAxisContext,
    Token as Token,
    TokenSet as TokenSet,
    emit_python_callback as emit_python_callback,
    lower_jaxpr_to_fun as lower_jaxpr_to_fun,
)
from jax._src.compat.lowering import (
    Value as Value,
    aval_to_ir_type as aval_to_ir_type,
    aval_to_ir_types as aval_to_ir_types,
    call_lowering as _call_lowering,  # noqa: F401
    core_call_lowering as core_call_lowering,
    flatten_ir_types as flatten_ir_types,
    flatten_ir_values as flatten_ir_values,
    ir_constants as ir_constants,
    jaxpr_subcomp as jaxpr_subcomp,
    shape_tensor as shape_tensor,
    token_type as token_type,
    unflatten_ir_values_like_types as unflatten_ir_values_like_types,
)
from jax._src.compat.modules import (
    LoweringParameters as LoweringParameters,
    LoweringResult as LoweringResult,
    ShapePolyLoweringState as ShapePolyLoweringState,
    ir_tree_registry as ir_tree_registry,
    lower_jaxpr_to_module as lower_jaxpr_to_module,
    merge_mlir_modules as merge_mlir_modules,
)
from jax._src.compat.registration import (
    register_lowering as register_lowering,
)
from jax._src.core.effects import lowerable_effects as lowerable_effects
from jax._src.core.mesh import Mesh as Mesh
from jax._src.interpreters.mlir import (
    LoweringRuleContext as LoweringRuleContext,
    ModuleContext as ModuleContext,
    dense_bool_array as dense_bool_array,
    dense_int_array as dense_int_array,
    dense_int_elements as dense_int_elements,
    dtype_to_ir_type as dtype_to_ir_type,
    i32_attr as i32_attr,
    i64_attr as i64_attr,
    ir as ir,
    ir_attribute as ir_attribute,
    ir_constant as ir_constant,
    ir_type_handlers as ir_type_handlers,
    lower_fun as lower_fun,
    make_ir_context as make_ir_context,
    module_to_bytecode as module_to_bytecode,
    module_to_string as module_to_string,
    register_constant_handler as register_constant_handler,
)
