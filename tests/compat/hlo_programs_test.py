"""HLO where libraries look for it: in the executable, and in the native module."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
import jaxlib
from jax.sharding import SingleDeviceSharding


def _compiled():
    def both(x):
        return x @ x, x.sum()

    return jax.jit(both, donate_argnums=0).lower(jnp.ones((4, 4))).compile()


def test_the_executable_shows_its_program():
    executable = _compiled().runtime_executable()
    (module,) = executable.hlo_modules()
    text = executable.get_hlo_text()
    assert module.name == "jit_both" and text == module.to_string()
    assert " dot(%" in text and "input_output_alias" in text
    assert module.as_serialized_hlo_module_proto()
    assert module.computations()[-1].startswith("main")


def test_the_executable_describes_itself():
    compiled = _compiled()
    executable = compiled.runtime_executable()
    assert executable.local_devices() == [jax.devices()[0]]
    assert executable.client is jax.devices()[0].client
    stats = executable.get_compiled_memory_stats()
    assert stats == compiled.memory_analysis()
    assert stats.output_size_in_bytes == 4 * 17
    code = stats.generated_code_size_in_bytes
    assert executable.size_of_generated_code_in_bytes() == code > 0
    assert executable.get_output_memory_kinds() == [["device", "device"]]
    assert executable.get_parameter_shardings() is None
    assert executable.get_output_shardings() is None
    orders = [layout.major_to_minor for layout in executable.get_output_layouts()]
    assert orders == [(0, 1), ()]
    assert [x.major_to_minor for x in executable.get_parameter_layouts()] == [(0, 1)]
    assert executable.cost_analysis()["flops"] > 0


def test_parameters_that_are_not_used_are_none_of_the_executable():
    compiled = jax.jit(lambda x, y: y + 1).lower(1.0, jnp.ones(3)).compile()
    assert len(compiled.runtime_executable().get_parameter_layouts()) == 1
    assert isinstance(compiled.output_shardings, SingleDeviceSharding)


@pytest.mark.parametrize(
    "form", [str, lambda text: text.encode()], ids=["text", "bytes"]
)
def test_stablehlo_becomes_hlo(form):
    text = jax.jit(lambda x: jnp.sin(x) + 1).lower(np.float32(1)).as_text()
    convert = jaxlib._jax.mlir.mlir_module_to_xla_computation
    program = convert(form(text), use_tuple_args=False)
    assert " sine(" in program.as_hlo_text()
    assert program.program_shape().endswith("-> f32[]")
    with pytest.raises(NotImplementedError, match="no tuples"):
        convert(text, return_tuple=True)


def test_the_native_module_by_its_older_name():
    assert jaxlib.xla_client._xla is jaxlib._jax
