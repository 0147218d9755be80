"""Orbax on our package: checkpoints are written, found again, and restored on another mesh."""

import numpy as np
import optax
import orbax.checkpoint as ocp
import pytest

import jax
import jax.numpy as jnp


def training_state():
    params = {"w": jnp.arange(6.0).reshape(2, 3), "b": jnp.ones(3, jnp.bfloat16)}
    return {
        "params": params,
        "optimizer": optax.adam(1e-2).init(params),
        "key": jax.random.key(3),
        "step": 7,
        "host": np.arange(3),
        "nothing": (),
    }


def plain(leaf):
    if isinstance(leaf, jax.Array) and jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        leaf = jax.random.key_data(leaf)
    return np.asarray(leaf)


def check_equal(found, expected):
    assert jax.tree.structure(found) == jax.tree.structure(expected)
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        assert type(a) is type(b)
        assert getattr(a, "dtype", None) == getattr(b, "dtype", None)
        np.testing.assert_array_equal(plain(a), plain(b))


def test_a_training_state_comes_back_as_it_was(tmp_path):
    state = training_state()
    with ocp.StandardCheckpointer() as checkpointer:
        checkpointer.save(tmp_path / "state", state)
        checkpointer.wait_until_finished()
        target = jax.tree.map(ocp.utils.to_shape_dtype_struct, state)
        check_equal(checkpointer.restore(tmp_path / "state", target), state)
        raw = checkpointer.restore(tmp_path / "state")
    np.testing.assert_array_equal(raw["params"]["w"], state["params"]["w"])


def test_the_manager_keeps_the_best_and_the_last(tmp_path):
    options = ocp.CheckpointManagerOptions(
        max_to_keep=2,
        save_interval_steps=2,
        best_fn=lambda metrics: metrics["loss"],
        best_mode="min",
    )
    args = ocp.args
    with ocp.CheckpointManager(tmp_path, options=options) as manager:
        for step in range(7):
            state = args.StandardSave({"w": jnp.full(3, float(step))})
            saved = args.Composite(state=state, meta=args.JsonSave({"step": step}))
            manager.save(step, args=saved, metrics={"loss": abs(step - 4.0)})
        manager.wait_until_finished()
        assert manager.all_steps() == [4, 6]
        assert (manager.best_step(), manager.latest_step()) == (4, 6)
        target = {"w": jax.ShapeDtypeStruct((3,), jnp.float32)}
        found = manager.restore(
            4,
            args=args.Composite(
                state=args.StandardRestore(target), meta=args.JsonRestore()
            ),
        )
    np.testing.assert_array_equal(found.state["w"], [4.0] * 3)
    assert found.meta == {"step": 4}


def test_training_goes_on_while_a_checkpoint_is_written(tmp_path):
    checkpointer = ocp.AsyncCheckpointer(ocp.StandardCheckpointHandler())
    x = jnp.arange(4)
    step = jax.jit(lambda x: x + 1, donate_argnums=0)
    checkpointer.save(tmp_path / "early", args=ocp.args.StandardSave({"x": x}))
    for _ in range(3):
        x = step(x)
    checkpointer.wait_until_finished()
    found = checkpointer.restore(tmp_path / "early")["x"]
    checkpointer.close()
    assert found.tolist() == [0, 1, 2, 3]
    assert x.tolist() == [3, 4, 5, 6]


@pytest.mark.parametrize(
    "dtype", ["bfloat16", "float8_e4m3fn", "int8", "uint32", "bool"]
)
def test_dtypes_come_back(tmp_path, dtype):
    values = {"x": jnp.arange(6).astype(dtype), "scalar": jnp.ones((), dtype)}
    with ocp.StandardCheckpointer() as checkpointer:
        checkpointer.save(tmp_path / "state", values)
        checkpointer.wait_until_finished()
        check_equal(checkpointer.restore(tmp_path / "state", values), values)
