"""flowjax 19.1.2: fits a normalizing flow."""

from flowjax.bijections import Affine, Chain, RationalQuadraticSpline, Tanh
from flowjax.distributions import Normal, StandardNormal, Transformed
from flowjax.flows import masked_autoregressive_flow
from flowjax.train import fit_to_data

import jax
import jax.numpy as jnp

x = jax.random.uniform(jax.random.key(0), (200, 2))
flow = masked_autoregressive_flow(
    jax.random.key(1), base_dist=Normal(jnp.zeros(2)), flow_layers=2, nn_width=8
)
print(flow.log_prob(x[:3]), flow.sample(jax.random.key(2), (2,)))
flow, losses = fit_to_data(
    jax.random.key(3), flow, x, learning_rate=5e-3, max_epochs=3, show_progress=False
)
print(losses)
d = Transformed(StandardNormal(()), Chain([Affine(1.0, 2.0), Tanh(())]))
print(
    d.log_prob(0.3),
    RationalQuadraticSpline(knots=4, interval=2).transform_and_log_det(jnp.array(0.5)),
)

# Upstream prints:
#   [-2.4625947 -1.4239383 -1.4817249] [[0.3617705  0.4980382 ]
#    [2.025781   0.18349119]]
#   {'train': [1.6799594163894653, 1.6212270259857178, 1.5989842414855957], 'val': [1.6355717182159424, 1.5957499742507935, 1.5564002990722656]}
#   -1.5773706 (Array(0.5, dtype=float32), Array(0., dtype=float32))
