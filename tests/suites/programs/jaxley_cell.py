"""jaxley 0.14.0: stimulates a cell with three branches."""

import jaxley as jx
from jaxley.channels import HH

import jax

jax.config.update("jax_enable_x64", True)
comp = jx.Compartment()
branch = jx.Branch(comp, ncomp=2)
cell = jx.Cell(branch, parents=[-1, 0, 0])
cell.insert(HH())
current = jx.step_current(i_delay=1.0, i_dur=1.0, i_amp=0.1, delta_t=0.025, t_max=5.0)
cell.branch(0).comp(0).stimulate(current, verbose=False)
cell.branch(1).comp(0).record("v", verbose=False)
v = jx.integrate(cell)
print(v.shape, v[0, ::40])
cell.branch(0).make_trainable("radius", verbose=False)
params = cell.get_parameters()
print(jax.grad(lambda p: jx.integrate(cell, params=p).mean())(params))

# Upstream prints:
#   (1, 202) [-70.         -65.01520646 -24.76565425   6.16385611 -47.21259454
#    -75.73249144]
#   [{'radius': Array([0.5962298], dtype=float64)}]
