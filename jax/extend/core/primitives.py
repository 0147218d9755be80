"""The primitives of transformations; those of operations are in `jax.lax`."""

from jax._src.transforms.checkpoint import remat_p as remat_p
from jax._src.transforms.custom_jvp import custom_jvp_call_p as custom_jvp_call_p
from jax._src.transforms.custom_vjp import custom_vjp_call_p as custom_vjp_call_p
from jax._src.transforms.jit_primitive import jit_p as jit_p
