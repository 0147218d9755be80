"""Backends that are dropped and start anew, and backends that libraries make."""

import os
import subprocess
import sys

import pytest

import jax
import jax.extend
from jax.extend import backend


def run(script, **environment):
    """Runs a script in a process of its own: it changes the backends."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("JAX_", "XLA_"))}
    found = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=False,
        env={**clean, **environment},
    )
    assert found.returncode == 0, found.stderr[-3000:]
    return found.stdout.split()


def test_backends_start_anew_with_other_options():
    out = run("""
import jax, jax.extend, jax.numpy as jnp
old = jnp.arange(3.0)
f = jax.jit(lambda x: x * 2)
f(old)
jax.extend.backend.clear_backends()
jax.config.update("jax_num_cpu_devices", 3)
print(jax.device_count(), old.device in jax.devices())
for _ in range(3):
    print(*f(old).tolist(), *(old + jnp.ones(3)).tolist(), *jnp.sin(old * 0).tolist())
    assert f(old).device in jax.devices()
moved = jax.device_put(old, jax.devices()[2])
print(*moved.tolist(), moved.device.id, *jax.grad(lambda x: (x * old).sum())(old).tolist())
del old
print(*f(jnp.ones(1)).tolist(), *f(jnp.ones(1)).tolist())
jax.extend.backend.clear_backends()
print(jax.device_count(), *f(moved).tolist())
""")
    row = ["0.0", "2.0", "4.0", "1.0", "2.0", "3.0", "0.0", "0.0", "0.0"]
    assert out[:2] == ["3", "False"] and out[2:29] == row * 3
    assert out[29:36] == ["0.0", "1.0", "2.0", "2", "0.0", "1.0", "2.0"]
    assert out[36:] == ["2.0", "2.0", "3", "0.0", "2.0", "4.0"]


MINE = """
import jax, jax.extend, jax.numpy as jnp
from jax._src.lib import client
made = []
def factory():
    made.append(client.make_client(client.linked_plugin(), {"cpu_device_count": 2}))
    return made[-1]
jax.extend.backend.register_backend_factory("mine", factory, priority=500)
"""


def test_a_factory_makes_the_default_backend():
    out = run(
        MINE
        + """
assert not made
print(jax.device_count(), jax.extend.backend.get_backend("mine") is made[0])
print((jnp.ones(2) + 1).device.client is made[0], len(made))
jax.extend.backend.clear_backends()
jax.devices()
print(len(made))
"""
    )
    assert out == ["2", "True", "True", "1", "2"]


def test_a_factory_is_requested_by_name():
    script = MINE + "print(len(jax.devices()), list(jax.extend.backend.backends()))"
    assert run(script, JAX_PLATFORMS="cpu,mine") == ["1", "['cpu',", "'mine']"]
    assert run(script, JAX_PLATFORMS="cpu") == ["1", "['cpu']"]


FAILS = """
import warnings, jax, jax.extend
def factory():
    raise RuntimeError("no such machine")
jax.extend.backend.register_backend_factory("mine", factory, priority=500, fail_quietly=QUIETLY)
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    try:
        print(jax.devices()[0].platform, "machine" in str(told[0].message))
    except RuntimeError as error:
        print("no such machine" in str(error))
"""


def test_a_factory_that_fails():
    assert run(FAILS.replace("QUIETLY", "True")) == ["cpu", "True"]
    assert run(FAILS.replace("QUIETLY", "False")) == ["True"]
    assert run(FAILS.replace("QUIETLY", "True"), JAX_PLATFORMS="mine") == ["True"]


def test_a_factory_that_returns_no_client():
    script = FAILS.replace('raise RuntimeError("no such machine")', "return 3")
    script = script.replace("QUIETLY", "False").replace(
        "no such machine", "returned no client"
    )
    assert run(script) == ["True"]


@pytest.mark.parametrize("option", ["make_topology", "c_api"])
def test_what_factories_are_not_for(option):
    with pytest.raises(NotImplementedError, match=f"{option} is not used"):
        backend.register_backend_factory("mine", lambda: None, **{option: object()})
    assert jax.devices()
