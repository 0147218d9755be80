"""The executable behind a compiled function: memory, layouts, shardings, HLO, and calls without `jax.jit`."""

import gc
import weakref

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P

X = jnp.arange(12.0).reshape(3, 4)
TREE = {"a": jnp.ones(2)}


def executable(f, *args):
    return jax.jit(f).lower(*args).compile().runtime_executable()


def test_a_program_of_one_device_says_what_it_needs():
    run = executable(lambda x: (x @ x.T, jnp.sin(x)), X)
    stats = run.get_compiled_memory_stats()
    assert stats.argument_size_in_bytes == 48
    assert stats.output_size_in_bytes == 36 + 48
    assert run.size_of_generated_code_in_bytes() == stats.generated_code_size_in_bytes
    assert [str(x) for x in run.get_parameter_layouts()] == ["{1,0}"]
    assert run.get_output_layouts() == run.get_parameter_layouts() * 2
    assert len({*run.get_output_layouts()}) == 1
    assert run.get_parameter_shardings() is run.get_output_shardings() is None
    assert run.get_output_memory_kinds() == [["device", "device"]]
    assert run.local_devices() == jax.local_devices()[:1]
    assert run.client is jax.devices()[0].client
    assert run.cost_analysis()["flops"] > 0 and run.fingerprint
    assert "size_of_generated_code_in_bytes" in dir(run) and "serialize" in dir(run)


def test_its_modules_are_hlo():
    run = executable(lambda x: x * 2, X)
    (module,) = run.hlo_modules()
    assert module.name.startswith("jit__lambda")
    assert module.to_string().startswith("HloModule jit__lambda")
    assert run.get_hlo_text() == module.to_string()
    assert module.as_serialized_hlo_module_proto()


def test_it_is_called_with_the_arguments_that_it_uses():
    run = executable(lambda x, unused, y: (x + y, y), X, X, X)
    total, same = run.execute([X, X])
    assert np.array_equal(total, 2 * X) and np.array_equal(same, X)
    results = run.execute_sharded([X, X])
    assert len(results) == 2
    ((whole,), _) = results.disassemble_into_single_device_arrays()
    assert np.array_equal(whole, 2 * X)
    assert len(results.disassemble_prefix_into_single_device_arrays(1)) == 1


def test_random_keys_are_arguments_too():
    key = jax.random.key(3)
    run = executable(jax.random.split, key)
    (out,) = run.execute([key])
    assert np.array_equal(
        jax.random.key_data(out), jax.random.key_data(jax.random.split(key))
    )


def test_a_program_of_several_devices_says_how_it_is_divided():
    mesh = jax.make_mesh((len(jax.devices()),), ("x",))
    count = mesh.size
    x = jax.device_put(jnp.arange(2.0 * count), NamedSharding(mesh, P("x")))
    run = executable(lambda x: x * 2, x)
    assert len(run.local_devices()) == count
    if count > 1:
        assert (
            str(run.get_parameter_shardings()[0]) == f"{{devices=[{count}]<=[{count}]}}"
        )
        assert run.get_output_shardings() == run.get_parameter_shardings()
    (parts,) = run.execute_sharded([x]).disassemble_into_single_device_arrays()
    assert [p.tolist() for p in parts] == [[4.0 * i, 4.0 * i + 2] for i in range(count)]
    assert run.execute([x])[0].tolist() == [0.0, 2.0]


def _statistics(compiled):
    return compiled._function._cache_statistics()


def test_a_compiled_call_that_was_checked_is_not_checked_again():
    compiled = (
        jax.jit(lambda tree, y: {"sum": tree["a"] + y}).lower(TREE, 2.0).compile()
    )
    for _ in range(3):
        np.testing.assert_array_equal(compiled(TREE, 2.0)["sum"], [3.0, 3.0])
    assert _statistics(compiled) == {"size": 1, "hits": 2, "misses": 1}
    for wrong in ((TREE,), (TREE, jnp.ones(3)), ({"b": jnp.ones(2)}, 2.0)):
        for _ in range(2):
            with pytest.raises(TypeError):
                compiled(*wrong)
    with pytest.raises(TypeError, match="Tracer"):
        jax.jit(compiled)(TREE, 2.0)
    np.testing.assert_array_equal(compiled(TREE, 2.0)["sum"], [3.0, 3.0])


def test_compiled_calls_look_for_bad_values_when_told_to():
    compiled = jax.jit(jnp.log).lower(jnp.ones(2)).compile()
    for x in (jnp.ones(2), -jnp.ones(2)):
        compiled(x)
    with jax.debug_nans(True), pytest.raises(FloatingPointError):
        compiled(-jnp.ones(2))
    assert np.isnan(compiled(-jnp.ones(2))).all()


def test_compiled_calls_take_donated_arguments_each_time():
    compiled = jax.jit(lambda x: x * 2, donate_argnums=0).lower(jnp.ones(3)).compile()
    for _ in range(3):
        x = jnp.ones(3)
        np.testing.assert_array_equal(compiled(x), [2.0] * 3)
        assert x.is_deleted()


@pytest.mark.skipif(jax.device_count() < 2, reason="needs two devices")
def test_compiled_calls_refuse_arrays_of_other_devices_after_a_known_call():
    compiled = jax.jit(lambda x: x + 1).lower(jnp.ones(3)).compile()
    compiled(jnp.ones(3))
    with pytest.raises(ValueError, match="shardings that disagree"):
        compiled(jax.device_put(jnp.ones(3), jax.devices()[1]))


def test_a_compiled_program_is_gone_with_its_last_name():
    compiled = jax.jit(lambda x: x + 1).lower(jnp.ones(3)).compile()
    compiled(jnp.ones(3))
    gone = weakref.ref(compiled)
    gc.disable()
    try:
        del compiled
        assert gone() is None
    finally:
        gc.enable()
