"""The executable behind a compiled function: memory, layouts, shardings, HLO, and calls without `jax.jit`."""

import numpy as np

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P

X = jnp.arange(12.0).reshape(3, 4)


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
