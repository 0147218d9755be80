"""Compiled functions leave their process as bytes, and come back the same."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental import serialize_executable as se
from jax.sharding import NamedSharding, PartitionSpec as P

TABLE = np.arange(100000.0, dtype=np.float32)


def compiled(f, *args, **options):
    return jax.jit(f, **options).lower(*args).compile()


def several(x, y, *, scale):
    return {"sum": x + 1, "pair": (y * scale, x @ y)}


def key_halves(key):
    return jax.random.split(key)


CASES = {
    "trees": (several, (np.ones((2, 3), "f4"), np.ones(3, "f4")), {"scale": 2.0}),
    "an argument that is not used": (lambda x, y: y, (1.0, 2), {}),
    "a table that it closes over": (lambda i: i + jnp.asarray(TABLE), (1.0,), {}),
    "random keys": (key_halves, (jax.random.key(3),), {}),
    "LAPACK": (jnp.linalg.inv, (np.eye(3, dtype="f4") * 2,), {}),
    "nothing": (lambda: (), (), {}),
}


@pytest.mark.parametrize("name", CASES)
def test_it_computes_what_it_computed(name):
    f, args, kwargs = CASES[name]
    made = jax.jit(f).lower(*args, **kwargs).compile()
    again = se.deserialize_and_load(*se.serialize(made))
    assert isinstance(again, jax.stages.Compiled)
    wanted, found = made(*args, **kwargs), again(*args, **kwargs)
    assert jax.tree.structure(found) == jax.tree.structure(wanted)
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
        assert jax.typeof(a) == jax.typeof(b)
        if jax.dtypes.issubdtype(a.dtype, jax.dtypes.prng_key):
            a, b = jax.random.key_data(a), jax.random.key_data(b)
        np.testing.assert_array_equal(a, b)


def test_it_knows_what_it_knew():
    made = compiled(several_positional, np.ones((2, 3), "f4"), donate_argnums=0)
    again = se.deserialize_and_load(*se.serialize(made))
    for question in (
        "in_tree",
        "out_tree",
        "in_avals",
        "args_info",
        "donate_argnums",
        "input_shardings",
        "output_shardings",
    ):
        assert getattr(again, question) == getattr(made, question), question
    assert again.as_text() == made.as_text()
    assert again.cost_analysis() == made.cost_analysis()
    with pytest.raises(TypeError, match="Argument types differ"):
        again(np.ones((2, 4), "f4"))


def several_positional(x):
    return x * 2


def test_it_is_serialized_again():
    once = se.deserialize_and_load(*se.serialize(compiled(jnp.sin, 1.0)))
    twice = se.deserialize_and_load(*se.serialize(once))
    assert twice(1.0) == jnp.sin(1.0)


def test_another_process_runs_it(tmp_path):
    triple = se.serialize(compiled(jnp.linalg.cholesky, np.eye(3, dtype="f4")))
    path = tmp_path / "program"
    path.write_bytes(pickle.dumps(triple))
    script = (
        "import pickle, sys, numpy as np\n"
        "from jax.experimental import serialize_executable as se\n"
        "triple = pickle.loads(open(sys.argv[1], 'rb').read())\n"
        "print(se.deserialize_and_load(*triple)(4 * np.eye(3, dtype='f4')).sum())\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", script, path], capture_output=True, text=True
    )
    assert answer.stdout == "6.0\n", answer.stderr


def test_parts_are_on_the_devices_that_are_named():
    values = np.arange(32, dtype="f4").reshape(8, 4)
    mesh = jax.make_mesh((2, 2), ("x", "y"), devices=jax.devices()[:4])
    x = jax.device_put(values, NamedSharding(mesh, P("x", "y")))
    made = compiled(lambda x: jnp.sin(x) + x.sum(0), x)
    triple = se.serialize(made)
    here = se.deserialize_and_load(*triple)
    np.testing.assert_allclose(here(x), np.sin(values) + values.sum(0), rtol=1e-6)
    assert here(x).sharding == made(x).sharding
    others = jax.devices()[4:]
    there = se.deserialize_and_load(*triple, execution_devices=others)
    moved = jax.device_put(values, there.input_shardings[0][0])
    assert moved.devices() == set(others)
    np.testing.assert_allclose(there(moved), np.sin(values) + values.sum(0), rtol=1e-6)
    assert there(moved).devices() == set(others)


def test_one_device_is_exchanged_for_another():
    triple = se.serialize(compiled(jnp.sin, jax.device_put(1.0, jax.devices()[0])))
    there = se.deserialize_and_load(*triple, execution_devices=jax.devices()[3:4])
    assert there(1.0).devices() == {jax.devices()[3]}


def calls_python(x):
    jax.debug.print("{}", x)
    return x


def test_what_cannot_leave_says_why():
    with pytest.raises(TypeError, match="takes compiled functions"):
        se.serialize(jnp.sin)
    with pytest.raises(ValueError, match="calls Python functions"):
        se.serialize(compiled(calls_python, 1.0))
    ref = jax.new_ref(jnp.zeros(()))
    with pytest.raises(ValueError, match="references"):
        se.serialize(compiled(lambda x: ref[...] + x, 1.0))
    mesh = jax.sharding.AbstractMesh((2,), ("x",))
    there = jax.ShapeDtypeStruct((4,), "f4", sharding=NamedSharding(mesh, P("x")))
    with pytest.raises(ValueError, match="without devices"):
        se.serialize(compiled(jnp.sin, there))


def test_bytes_that_do_not_fit_say_why():
    data, in_tree, out_tree = se.serialize(compiled(jnp.add, 1.0, 2.0))
    with pytest.raises(ValueError, match="not the bytes of a compiled function"):
        se.deserialize_and_load(b"something else", in_tree, out_tree)
    with pytest.raises(ValueError, match="damaged"):
        se.deserialize_and_load(data[:60], in_tree, out_tree)
    with pytest.raises(ValueError, match="in_tree does not fit"):
        se.deserialize_and_load(data, out_tree, out_tree)
    with pytest.raises(ValueError, match="cannot run the function"):
        se.deserialize_and_load(
            data, in_tree, out_tree, execution_devices=jax.devices()
        )
    identity = jax.devices()[0].client.platform_version.encode()
    assert identity in data
    other = data.replace(identity, b"?" * len(identity))
    with pytest.raises(ValueError, match="another compiler made these bytes"):
        se.deserialize_and_load(other, in_tree, out_tree)
