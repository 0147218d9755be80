"""Functions whose derivative the user gives."""

from jax._src.interpreters.ad.zeros import (
    SymbolicZero as SymbolicZero,
    zero_from_primal as zero_from_primal,
)
from jax._src.transforms.closures import (
    closure_convert as closure_convert,
    custom_gradient as custom_gradient,
)
from jax._src.transforms.custom_jvp import (
    custom_jvp as custom_jvp,
    custom_jvp_call_p as custom_jvp_call_p,
)
from jax._src.transforms.custom_vjp import (
    CustomVJPPrimal as CustomVJPPrimal,
    custom_vjp as custom_vjp,
    custom_vjp_call_p as custom_vjp_call_p,
    custom_vjp_primal_tree_values as custom_vjp_primal_tree_values,
)
from jax._src.transforms.linear_call import linear_call as linear_call
