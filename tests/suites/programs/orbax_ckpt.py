"""orbax-checkpoint 0.12.8: saves and restores trees."""

import tempfile

import optax
import orbax.checkpoint as ocp

import jax
import jax.numpy as jnp

tree = {
    "w": jnp.arange(8.0).reshape(2, 4),
    "b": jnp.ones(3, jnp.bfloat16),
    "step": 3,
    "key": jax.random.key(0),
}
tree = {
    **tree,
    "key": jax.random.key_data(tree["key"]),
    "opt": optax.adam(1e-3).init({"w": jnp.zeros(2)}),
}
with tempfile.TemporaryDirectory() as folder:
    with ocp.StandardCheckpointer() as checkpointer:
        checkpointer.save(folder + "/one", tree)
        checkpointer.wait_until_finished()
        back = checkpointer.restore(
            folder + "/one", jax.tree.map(ocp.utils.to_shape_dtype_struct, tree)
        )
    print(
        jax.tree.map(
            lambda a: (a.dtype.name, a.shape) if hasattr(a, "shape") else a, back
        )
    )
    options = ocp.CheckpointManagerOptions(max_to_keep=2)
    with ocp.CheckpointManager(folder + "/many", options=options) as manager:
        for step in range(4):
            manager.save(step, args=ocp.args.StandardSave({"x": jnp.full(2, step)}))
        manager.wait_until_finished()
        print(
            manager.all_steps(),
            manager.latest_step(),
            manager.restore(2, args=ocp.args.StandardRestore({"x": jnp.zeros(2, int)})),
        )

# Upstream prints:
#   {'b': ('bfloat16', (3,)), 'key': ('uint32', (2,)), 'opt': (ScaleByAdamState(count=('int32', ()), mu={'w': ('float32', (2,))}, nu={'w': ('float32', (2,))}), EmptyState()), 'step': 3, 'w': ('float32', (2, 4))}
#   [2, 3] 3 {'x': Array([2, 2], dtype=int32)}
