"""What cannot work on this platform says so when it is used."""

import pytest

import jax
from jax.experimental import fused, profiler


def test_no_compiler_makes_kernels_on_request():
    f = fused.fused(out_spaces=jax.memory.Space.Device)(lambda x: x)
    with pytest.raises(NotImplementedError, match="jax.jit fuses what it can"):
        f(1.0)


def test_profiles_are_not_read_back():
    with pytest.raises(NotImplementedError, match="plan"):
        profiler.get_profiled_instructions_proto("/somewhere")
