"""rlax 0.1.9: returns, losses and distributions."""

import rlax

import jax
import jax.numpy as jnp

q_tm1 = jnp.array([[1.0, 2.0], [0.5, -1.0]])
q_t = jnp.array([[0.0, 1.0], [2.0, 0.1]])
a, r, d = jnp.array([0, 1]), jnp.array([1.0, -1.0]), jnp.array([0.9, 0.0])
print(jax.vmap(rlax.q_learning)(q_tm1, a, r, d, q_t))
print(jax.vmap(rlax.double_q_learning)(q_tm1, a, r, d, q_t, q_t[:, ::-1]))
print(
    rlax.lambda_returns(
        jnp.array([0.0, 1.0, 2.0]), jnp.full(3, 0.9), jnp.array([1.0, 2.0, 3.0]), 0.8
    )
)
print(
    rlax.vtrace(
        jnp.ones(3),
        jnp.arange(3.0),
        jnp.ones(3),
        jnp.full(3, 0.9),
        jnp.array([0.5, 1.0, 2.0]),
    )
)
print(
    rlax.truncated_generalized_advantage_estimation(
        jnp.ones(3), jnp.full(3, 0.9), 0.95, jnp.arange(4.0)
    )
)
print(
    rlax.epsilon_greedy(0.1).probs(q_tm1),
    rlax.softmax().sample(jax.random.PRNGKey(0), q_tm1),
)
print(
    rlax.categorical_l2_project(
        jnp.array([0.2, 0.7]), jnp.array([0.4, 0.6]), jnp.linspace(0, 1, 3)
    )
)
print(jax.grad(lambda p: rlax.policy_gradient_loss(p, a, r, jnp.ones(2)))(q_tm1))
print(
    rlax.signed_hyperbolic(jnp.array([-3.0, 4.0])),
    rlax.signed_parabolic(rlax.signed_hyperbolic(jnp.array([-3.0, 4.0]))),
)

# Upstream prints:
#   [0.9 0. ]
#   [0. 0.]
#   [3.59568 4.744   4.7    ]
#   [1.1339998 2.52      1.8      ]
#   [4.681742  3.2534997 1.6999998]
#   [[0.05 0.95]
#    [0.95 0.05]] [1 0]
#   [0.24000001 0.52       0.24      ]
#   [[-0.36552927  0.3655293 ]
#    [-0.40878722  0.40878725]]
#   [-1.003     1.240068] [-2.9997559  3.9997988]
