"""quimb 1.16.0: a circuit's norm and a random network."""

import quimb.tensor as qtn

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
circ = qtn.Circuit(3)
circ.apply_gate("H", 0)
circ.apply_gate("CX", 0, 1)
circ.apply_gate("RY", 0.3, 2)
psi = circ.psi
psi.apply_to_arrays(jnp.asarray)
print((psi.H & psi).contract(all, backend="jax"))
tn = qtn.TN_rand_reg(6, 3, 2, seed=0)
print(tn.contract(all, optimize="greedy", backend="jax"))


def norm(x):
    t = qtn.Tensor(x, inds=("a", "b"))
    return (t.H & t).contract(all)


print(jax.grad(norm)(jnp.arange(4.0).reshape(2, 2)))

# Upstream prints:
#   (0.9999999999999989+0j)
#   -1.8182699248329492
#   [[0. 2.]
#    [4. 6.]]
