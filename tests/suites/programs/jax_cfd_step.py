"""jax-cfd 0.2.1: a flow with decaying turbulence."""

import jax_cfd.base as cfd

import jax
import jax.numpy as jnp

grid = cfd.grids.Grid((16, 16), domain=((0, 2 * jnp.pi), (0, 2 * jnp.pi)))
v0 = cfd.initial_conditions.filtered_velocity_field(jax.random.PRNGKey(0), grid, 1.0, 2)
step = cfd.funcutils.repeated(
    cfd.equations.semi_implicit_navier_stokes(
        density=1.0, viscosity=1e-2, dt=0.01, grid=grid
    ),
    steps=5,
)
v = jax.jit(step)(v0)
print([float(u.data.std()) for u in v0], [float(u.data.std()) for u in v])
print(float(jnp.abs(cfd.finite_differences.divergence(v).data).max()) < 1e-3)

# Upstream prints:
#   [0.23052014410495758, 0.27295640110969543] [0.22928409278392792, 0.2713063359260559]
#   True
