"""e3nn-jax 0.21.0: spherical harmonics and tensor products."""

import e3nn_jax as e3nn

import jax
import jax.numpy as jnp

array = e3nn.normal("0e + 1o", jax.random.PRNGKey(0))
print(array)
print(e3nn.norm(array), e3nn.norm(array, per_irrep=False))
print(e3nn.tensor_square(array))
sh = e3nn.spherical_harmonics("0e + 1o + 2e", jnp.array([1.0, 2.0, 3.0]), True)
print(sh)
R = e3nn.rand_matrix(jax.random.PRNGKey(1), ())
rotated = e3nn.spherical_harmonics("2e", R @ jnp.array([1.0, 2.0, 3.0]), True)
print(
    jnp.abs(rotated.array - sh.filter("2e").transform_by_matrix(R).array).max() < 1e-4
)
print(e3nn.Irreps("3x0e + 2x1o").dim, e3nn.clebsch_gordan(1, 1, 2).shape)
print(e3nn.gate(e3nn.IrrepsArray("2x0e + 1o", jnp.arange(5.0))))
print(
    e3nn.bessel(jnp.array([0.5, 1.0]), 3, 2.0),
    e3nn.soft_one_hot_linspace(
        jnp.array([0.3]), start=0.0, end=1.0, number=3, basis="gaussian", cutoff=False
    ),
)

# Upstream prints:
#   1x0e+1x1o [ 1.6226422   2.0252647  -0.43359444 -0.07861735]
#   1x0e+1x0e [1.6226422 2.072651 ] 1x0e [2.6322708]
#   2x0e+1x1o+1x2e
#   [ 1.5201445   1.109192    3.2862797  -0.7035686  -0.12756781 -0.15922095
#    -0.87814355 -1.077298    0.03408805 -2.0477583 ]
#   1x0e+1x1o+1x2e
#   [ 1.          0.46291003  0.92582005  1.38873     0.8299249   0.5532833
#    -0.15971911  1.6598498   1.1065664 ]
#   True
#   9 (3, 3, 5)
#   1x0e+1x1o [0.        2.6994035 4.049105  5.398807 ]
#   [[ 1.4142135e+00  2.0000000e+00  1.4142135e+00]
#    [ 1.0000000e+00 -8.7422777e-08 -1.0000000e+00]] [[0.6229253  0.7608427  0.12576646]]
