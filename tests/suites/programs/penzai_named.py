"""penzai 0.2.5: named axes and selections."""

from penzai import pz

import jax
import jax.numpy as jnp

x = pz.nx.wrap(jnp.arange(8.0).reshape(2, 4)).tag("batch", "features")
print(x.named_shape)
print(pz.nx.nmap(jnp.sum)(x.untag("features")))
print(
    (x + 1).unwrap("batch", "features"),
    jax.grad(
        lambda v: pz.nx.nmap(jnp.sum)((v * v).untag("batch", "features")).unwrap()
    )(x).unwrap("batch", "features"),
)
tree = {"a": [1.0, jnp.ones(2)], "b": "text"}
print(pz.select(tree).at_instances_of(float).set(5.0))

# Upstream prints:
#   {'batch': 2, 'features': 4}
#   <NamedArray float32(| batch:2) ≈1.4e+01 ±8.0 [≥6.0, ≤2.2e+01] nonzero:2 (wrapping jax.Array)>
#   [[1. 2. 3. 4.]
#    [5. 6. 7. 8.]] [[ 0.  2.  4.  6.]
#    [ 8. 10. 12. 14.]]
#   {'a': [5.0, Array([1., 1.], dtype=float32)], 'b': 'text'}
