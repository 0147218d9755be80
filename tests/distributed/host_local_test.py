"""Arrays of one process and of all, changed into each other: as values, differentiated, mapped, traced."""

from tests.testing import processes

BEGIN = """
import functools
import numpy as np
import jax, jax.numpy as jnp
from jax.experimental import multihost_utils as mu
from jax.sharding import PartitionSpec as P

jax.distributed.initialize()
me = jax.process_index()
mesh = jax.make_mesh((2, 2), ("p", "d"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
to_global = functools.partial(mu.host_local_array_to_global_array, global_mesh=mesh)
to_local = functools.partial(mu.global_array_to_host_local_array, global_mesh=mesh)
def same(x, wanted, is_local):
    assert x.is_fully_addressable == is_local, x.sharding
    if not is_local:
        x = mu.process_allgather(x, tiled=True)
    np.testing.assert_array_equal(x, wanted)
def raises(kind, text, f, *args):
    try:
        f(*args)
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError("it raised nothing")
x = jnp.arange(4.0) + 10 * me
whole = np.concatenate([np.arange(4.0), np.arange(4.0) + 10])
"""

PROGRAM = (
    BEGIN
    + """
there = lambda x: to_global(x, pspecs=P("p"))
back = lambda x: to_local(x, pspecs=P("p"))
same(there(x), whole, False)
same(back(there(x)), x, True)
same(to_global(3.5, pspecs=P()), 3.5, False)

# Each is the other's transpose.
same(jax.grad(lambda x: (there(x) ** 2).sum())(x), 2 * x, True)
same(jax.grad(lambda y: (back(y) ** 2).sum())(there(x)), 2 * whole, False)
y, tangent = jax.jvp(there, (x,), (2 * x,))
same(y, whole, False)
same(tangent, 2 * whole, False)
y, pull = jax.vjp(back, there(x))
same(y, x, True)
same(pull(x)[0], whole, False)

# A step over all, with weights that each process has whole.
@jax.jit
def step(w, rows):
    return ((rows @ w) ** 2).sum()
def loss(w, rows):
    return to_local(step(to_global(w, pspecs=P()), to_global(rows, pspecs=P("p"))), pspecs=P())
value, gradient = jax.value_and_grad(loss)(jnp.arange(3.0), jnp.ones((2, 3)) * (me + 1))
same(value, 90.0, True)
same(gradient, [60.0] * 3, True)

# Rows are mapped along any axis.
rows = np.stack([whole, whole + 100])
local_rows = jnp.stack([x, x + 100])
same(jax.vmap(there)(local_rows), rows, False)
same(jax.vmap(there, in_axes=1, out_axes=1)(local_rows.T), rows.T, False)
same(jax.vmap(back)(to_global(local_rows, pspecs=P(None, "p"))), local_rows, True)

assert jax.eval_shape(there, x).shape == (8,)
text = str(jax.make_jaxpr(lambda x: back(there(x)))(x))
assert "f32[8] = host_local_array_to_global_array[" in text, text
assert "f32[4] = global_array_to_host_local_array[" in text, text
raises(TypeError, "in a function that is compiled", jax.jit(there), x)
raises(ValueError, "PartitionSpec()", lambda: to_global(x, pspecs=None))

# Random keys are what is behind them.
keys = there(jax.random.split(jax.random.key(me), 2))
assert keys.shape == (4,) and not keys.is_fully_addressable
mine = np.asarray(jax.random.key_data(back(keys)))
np.testing.assert_array_equal(mine, jax.random.key_data(jax.random.split(jax.random.key(me), 2)))
for f in (mu.broadcast_one_to_all, mu.process_allgather, mu.assert_equal):
    raises(TypeError, "jax.random.key_data", f, jax.random.key(me))
raises(TypeError, "jax.random.key_data", lambda: mu.process_allgather(keys, tiled=True))

# Every dtype; numbers come as arrays of rank 0.
with jax.enable_x64(True):
    names = "bool int4 int8 int16 int32 int64 uint4 uint8 uint16 uint32 uint64 float8_e4m3fn float8_e5m2"
    for name in (names + " float16 bfloat16 float32 float64 complex64 complex128").split():
        given = jnp.asarray([0, 1, me + 2]).astype(name)
        got = mu.broadcast_one_to_all(given)
        assert got.dtype == given.dtype and isinstance(got, np.ndarray), name
        assert got.tolist() == jnp.asarray([0, 1, 2]).astype(name).tolist(), name
        assert mu.process_allgather(given).shape == (2, 3), name
        mu.assert_equal(got)
for leaf in jax.tree.leaves(mu.broadcast_one_to_all({"a": me, "b": 1.5, "c": True, "d": 2j})):
    assert type(leaf) is np.ndarray and leaf.shape == ()
print("all is well")
"""
)

UNEVEN = (
    """
import os
os.environ["JAX_NUM_CPU_DEVICES"] = {"0": "1", "1": "3"}[os.environ["JAX_PROCESS_ID"]]
"""
    + """
import numpy as np
import jax, jax.numpy as jnp
from jax.experimental import multihost_utils as mu
from jax.sharding import NamedSharding, PartitionSpec as P

jax.distributed.initialize()
me = jax.process_index()
assert [d.id for d in jax.devices()] == [0, 2048, 2049, 2050]
assert jax.local_device_count() == 1 + 2 * me
assert mu.broadcast_one_to_all(me, is_source=me == 1) == 1
assert mu.process_allgather(np.full(2, me), tiled=True).tolist() == [0, 0, 1, 1]
mu.sync_global_devices("here")
mesh = jax.make_mesh((4,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
x = jax.make_array_from_callback((8,), NamedSharding(mesh, P("x")), lambda i: np.arange(8.0)[i])
assert float(jax.jit(jnp.sum)(x)) == 28
assert mu.process_allgather(x, tiled=True).tolist() == list(range(8))
local = mu.global_array_to_host_local_array(x, mesh, P("x"))
assert local.tolist() == [list(range(2)), list(range(2, 8))][me]
"""
)


def test_conversions_are_linear_operations_outside_of_programs():
    for ended in processes.run(PROGRAM, 2, JAX_NUM_CPU_DEVICES="2"):
        assert (ended.status, ended.out) == (0, "all is well\n"), ended.err


def test_processes_may_have_different_numbers_of_devices():
    for ended in processes.run(UNEVEN, 2):
        assert ended.status == 0, ended.err
