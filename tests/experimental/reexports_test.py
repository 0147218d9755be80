"""Names of `jax.experimental` that are other names of what other modules define, and parts of packages."""

import inspect
import subprocess
import sys

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental import colocated_python, hijax, pjit, rnn, topologies
from jax.experimental.colocated_python import obj
from jax.sharding import SingleDeviceSharding

# Names that are to go warn at their first use.
pytestmark = pytest.mark.filterwarnings(r"ignore:jax\..* is deprecated; ")


def test_classes_are_those_of_values():
    ref = jax.new_ref(jnp.ones(3))
    assert isinstance(jax.typeof(ref), hijax.AbstractRef)
    assert isinstance(jax.random.key(0), rnn.PRNGKeyArray)
    assert isinstance(jax.devices()[0], topologies.Device)


def test_parts_are_there_after_the_package():
    assert colocated_python.api.colocated_python is colocated_python.colocated_python
    for part in ("func", "obj", "obj_backend", "serialization"):
        assert inspect.ismodule(getattr(colocated_python, part))
    script = (
        "import jax; c = jax.experimental.compilation_cache;"
        "print(c.compilation_cache.set_cache_dir.__name__, 'compilation_cache' in dir(jax.experimental))"
    )
    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert found.stdout.split() == ["set_cache_dir", "True"]
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        jax.experimental.nothing_of_the_kind  # noqa: B018


def test_pjit_takes_shardings_by_position():
    here = SingleDeviceSharding(jax.devices()[0])
    f = pjit.pjit(lambda x, n: x * n, here, here, (1,))
    np.testing.assert_array_equal(f(jnp.arange(3), 2), [0, 2, 4])
    assert f.lower(jnp.arange(3), 2).compile()(jnp.arange(3)).sharding == here
    g = pjit.pjit(fun=lambda x: x + 1, donate_argnums=0)
    x = jnp.arange(3)
    np.testing.assert_array_equal(g(x), [1, 2, 3])
    assert x.is_deleted()


def test_messages_say_what_class_was_wrapped():
    class Counter:
        def add(self, x):
            return x

    wrapped = obj.wrap_class(Counter, "Counter at counting.py:7")
    with pytest.raises(ValueError, match=r"add of Counter at counting\.py:7"):
        wrapped().add(1)
    with pytest.raises(ValueError, match=r"reexports_test\.py"):
        obj.wrap_class(Counter, None)().add(1)
