"""exponax 0.2.0: Kuramoto and Sivashinsky's equation."""

import exponax as ex

import jax

stepper = ex.stepper.KuramotoSivashinskyConservative(
    num_spatial_dims=1, domain_extent=100.0, num_points=64, dt=0.1
)
u0 = ex.ic.RandomTruncatedFourierSeries(num_spatial_dims=1, cutoff=5)(
    num_points=64, key=jax.random.PRNGKey(0)
)
trajectory = ex.rollout(stepper, 50, include_init=True)(u0)
print(trajectory.shape, trajectory[10, 0, ::16], trajectory[-1].std())
print(jax.jacfwd(stepper)(u0).shape)
burgers = ex.stepper.Burgers(2, 1.0, 16, 0.01)
grid = ex.make_grid(2, 1.0, 16)
print(ex.repeat(burgers, 5)(0.1 * grid)[:, 2, 3], ex.fft(u0)[0, :3])

# Upstream prints:
#   (51, 1, 64) [-0.32739452  0.3049722  -0.13087216 -0.02957323] 0.3975313
#   (1, 64, 1, 64)
#   [0.01815058 0.02000155] [ 1.7881393e-06+0.j       -2.0932140e+00+4.214039j
#    -5.7124090e+00+9.582682j]
