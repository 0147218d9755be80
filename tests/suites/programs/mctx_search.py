"""mctx 0.0.71: searches with two policies."""

import mctx

import jax
import jax.numpy as jnp


def recurrent(params, key, action, embedding):
    reward = jnp.where(action == 1, 1.0, 0.0)
    return mctx.RecurrentFnOutput(
        reward=reward,
        discount=jnp.full_like(reward, 0.9),
        prior_logits=jnp.zeros((1, 3)),
        value=jnp.zeros(1),
    ), embedding + 1


root = mctx.RootFnOutput(
    prior_logits=jnp.zeros((1, 3)), value=jnp.zeros(1), embedding=jnp.zeros(1)
)
for policy in (mctx.gumbel_muzero_policy, mctx.muzero_policy):
    out = jax.jit(lambda k, p=policy: p((), k, root, recurrent, num_simulations=16))(
        jax.random.PRNGKey(0)
    )
    print(out.action, out.action_weights, out.search_tree.summary().visit_counts)

# Upstream prints:
#   [1] [[0.00312971 0.9353687  0.06150162]] [[2. 7. 7.]]
#   [0] [[0.125  0.8125 0.0625]] [[ 2. 13.  1.]]
