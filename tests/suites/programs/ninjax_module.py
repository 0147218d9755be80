"""ninjax 3.6.3: a module with state, made pure."""

import ninjax as nj

import jax.numpy as jnp


class M(nj.Module):
    def __call__(self, x):
        w = self.value("w", jnp.ones, (3,)) if hasattr(self, "value") else 1.0
        return (w * x).sum()


m = M(name="m")
state = nj.init(lambda x: m(x))({}, jnp.arange(3.0), seed=0)
print(sorted(state))
print(nj.pure(lambda x: m(x))(state, jnp.arange(3.0), seed=0)[1])

# Upstream prints:
#   ['m/w']
#   3.0
