"""`multihost_utils` in a program of one process, as `broadcast` and `gather` define it."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental import multihost_utils


@pytest.mark.parametrize(
    ("value", "tiled", "shape"),
    [
        (np.arange(3), False, (1, 3)),
        (np.arange(3), True, (3,)),
        (3.0, False, (1,)),
        (3.0, True, ()),
        (jnp.ones((2, 2)), False, (1, 2, 2)),
    ],
)
def test_gathered_values_stack_or_join(value, tiled, shape):
    found = multihost_utils.process_allgather({"a": value}, tiled=tiled)["a"]
    assert type(found) is np.ndarray
    assert found.shape == shape
    np.testing.assert_array_equal(found.reshape(np.shape(value)), value)


@pytest.mark.parametrize("is_source", [None, True, False])
def test_one_process_sends_to_itself(is_source):
    sent = {"a": jnp.arange(2), "b": 1.5}
    found = multihost_utils.broadcast_one_to_all(sent, is_source)
    assert found["a"].tolist() == [0, 1]
    assert found["b"] == 1.5
    assert all(type(x) is np.ndarray for x in jax.tree.leaves(found))


def test_one_process_waits_for_none():
    multihost_utils.sync_global_devices("here")
    multihost_utils.assert_equal(np.arange(2), "they differ")
    assert multihost_utils.reached_preemption_sync_point(3) is False


def test_parts_of_one_process_are_the_whole():
    mesh = jax.make_mesh((1,), ("i",))
    rows, whole = jax.P("i"), jax.P()
    values = {"a": np.arange(4.0), "b": np.ones((2, 2))}
    found = multihost_utils.host_local_array_to_global_array(
        values, mesh, {"a": rows, "b": whole}
    )
    assert found["a"].sharding == jax.NamedSharding(mesh, rows)
    assert found["b"].sharding == jax.NamedSharding(mesh, whole)
    back = multihost_utils.global_array_to_host_local_array(found, mesh, whole)
    assert back["a"].tolist() == values["a"].tolist()


def test_types_of_parts_and_wholes():
    mesh = jax.make_mesh((1,), ("x",))
    aval = jax.typeof(jnp.ones((4, 2)))
    for rule in (multihost_utils.ltg_abstract_eval, multihost_utils.gtl_abstract_eval):
        assert rule(aval, global_mesh=mesh, pspec=jax.P("x")).shape == (4, 2)
    whole = multihost_utils.host_local_array_to_global_array_impl(
        np.ones((4, 2)), global_mesh=mesh, pspec=jax.P("x")
    )
    assert whole.sharding == jax.NamedSharding(mesh, jax.P("x"))
    part = multihost_utils.global_array_to_host_local_array_impl(
        whole, global_mesh=mesh, pspec=jax.P("x")
    )
    assert part.tolist() == whole.tolist()
    jaxpr = jax.make_jaxpr(
        lambda x: multihost_utils.host_local_array_to_global_array(x, mesh, jax.P("x"))
    )(jnp.ones(4))
    assert jaxpr.eqns[0].primitive is multihost_utils.host_local_array_to_global_array_p
