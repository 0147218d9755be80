"""ott-jax 0.6.0: Sinkhorn's algorithm and its slope."""

from ott.geometry import costs, pointcloud
from ott.problems.linear import linear_problem
from ott.solvers.linear import sinkhorn

import jax

x = jax.random.normal(jax.random.key(0), (12, 2))
y = jax.random.normal(jax.random.key(1), (10, 2)) + 1.0


def cost(x):
    geom = pointcloud.PointCloud(x, y, epsilon=0.1)
    return sinkhorn.Sinkhorn()(linear_problem.LinearProblem(geom))


out = jax.jit(cost)(x)
print(out.reg_ot_cost, out.converged, out.n_iters, out.matrix.sum())
print(jax.grad(lambda x: cost(x).reg_ot_cost)(x)[0])
print(costs.Cosine()(x[0], y[0]), costs.SqEuclidean().all_pairs(x[:2], y[:2]))

# Upstream prints:
#   3.1656895 True 150 0.99999976
#   [-0.25313815  0.0037677 ]
#   8.893013e-05 [[1.4885006 1.9686184]
#    [2.9895673 2.5368037]]
