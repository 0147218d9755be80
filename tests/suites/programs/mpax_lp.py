"""mpax 0.2.4: a linear program."""

from mpax import create_lp, r2HPDHG

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
lp = create_lp(
    jnp.array([-1.0, -2.0]),
    jnp.array([[1.0, 1.0]]),
    jnp.array([1.0]),
    jnp.array([[1.0, -1.0]]),
    jnp.array([-0.5]),
    jnp.zeros(2),
    jnp.ones(2),
)
result = r2HPDHG(eps_abs=1e-5, eps_rel=1e-5, verbose=False).optimize(lp)
print(
    result.primal_solution.round(3),
    result.primal_objective.round(3),
    result.termination_status,
)

# Upstream prints:
#   [0.25 0.75] -1.75 2
