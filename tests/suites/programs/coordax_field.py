"""coordax 0.2.8: arrays with coordinates."""

import coordax as cx

import jax
import jax.numpy as jnp

x = cx.LabeledAxis("x", jnp.linspace(0.0, 1.0, 3))
y = cx.SizedAxis("y", 2)
field = cx.field(jnp.arange(6.0).reshape(3, 2), x, y)
print(field + 1)
print((cx.cmap(jnp.sum)(field.untag(y))).data, field.dims, field.axes)
print(jax.jit(lambda f: f * 2)(field).data)

# Upstream prints:
#   <Field dims=('x', 'y') shape=(3, 2) axes={'x': LabeledAxis, 'y': SizedAxis} >
#   [1. 5. 9.] ('x', 'y') {'x': coordax.LabeledAxis('x', ticks=array([0. , 0.5, 1. ], dtype=float32)), 'y': coordax.SizedAxis('y', size=2)}
#   [[ 0.  2.]
#    [ 4.  6.]
#    [ 8. 10.]]
