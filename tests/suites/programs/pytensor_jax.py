"""pytensor 3.0.7: a graph run by JAX."""

import numpy as np
import pytensor
import pytensor.tensor as pt

x = pt.matrix("x")
f = pytensor.function(
    [x],
    [
        pt.exp(x).sum(axis=0),
        pt.special.softmax(x, axis=1),
        pt.sort(x, axis=0),
        pt.cumsum(x, axis=1),
    ],
    mode="JAX",
)
print(f(np.arange(9.0).reshape(3, 3)))

# Upstream prints:
#   [Array([ 424.51433042, 1153.94959029, 3136.76020224], dtype=float64), Array([[0.09003057, 0.24472847, 0.66524096],
#          [0.09003057, 0.24472847, 0.66524096],
#          [0.09003057, 0.24472847, 0.66524096]], dtype=float64), Array([[0., 1., 2.],
#          [3., 4., 5.],
#          [6., 7., 8.]], dtype=float64), Array([[ 0.,  1.,  3.],
#          [ 3.,  7., 12.],
#          [ 6., 13., 21.]], dtype=float64)]
