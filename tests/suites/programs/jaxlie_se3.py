"""jaxlie 1.5.0: rotations and rigid motions."""

import jaxlie

import jax
import jax.numpy as jnp

R = jaxlie.SO3.from_rpy_radians(0.1, 0.2, 0.3)
print(R, R.as_matrix())
T = jaxlie.SE3.exp(jnp.array([1.0, 0.0, 0.0, 0.2, 0.0, 0.1]))
print(T @ jnp.ones(3), T.inverse().log(), (T @ T).translation())
print(T.adjoint()[0])
print(jaxlie.manifold.grad(lambda r: jnp.sum(r.as_matrix() ** 3))(R))
print(jaxlie.manifold.rplus(R, jnp.array([0.1, 0.0, 0.0])).wxyz)
print(jax.vmap(jaxlie.SO2.from_radians)(jnp.arange(3.0)).as_matrix()[2])
print(jaxlie.SO3.sample_uniform(jax.random.PRNGKey(0)).wxyz)

# Upstream prints:
#   SO3(wxyz=[0.98335    0.03427    0.10602    0.14356999]) [[ 0.93629336 -0.27509582  0.21835062]
#    [ 0.28962946  0.9564251  -0.03695699]
#    [-0.19866928  0.09784337  0.9751704 ]]
#   [1.904148  0.9257273 1.1917042] [-1.0000001e+00 -3.2352684e-08  2.9757290e-08 -2.0000000e-01
#    -0.0000000e+00 -1.0000000e-01] [1.9867994  0.19668889 0.02640129]
#   [ 9.9502081e-01 -9.9168740e-02  9.9584013e-03  1.6611144e-04
#     6.6333916e-03  4.9459826e-02]
#   [-0.26754567 -1.1120884  -1.4728879 ]
#   [0.98040575 0.08337486 0.11306364 0.13809395]
#   [[-0.41614684 -0.9092974 ]
#    [ 0.9092974  -0.41614684]]
#   [-0.03069572  0.22669533  0.8462281  -0.48121193]
