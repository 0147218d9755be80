"""Functions of the untyped interface: memory of results and arguments as pointers, and what the version adds."""

import ctypes

import numpy as np
import pytest

import jax
import jax.numpy as jnp

POINTERS = ctypes.POINTER(ctypes.c_void_p)
PLAIN = ctypes.CFUNCTYPE(None, ctypes.c_void_p, POINTERS)
WITH_OPAQUE = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, POINTERS, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p
)
TYPE = jax.ShapeDtypeStruct((3,), np.float32)
X = jnp.arange(3.0)


def numbers(address):
    return np.frombuffer((ctypes.c_float * 3).from_address(address), np.float32)


@PLAIN
def double(out, operands):
    numbers(out)[:] = 2 * numbers(operands[0])


@PLAIN
def add_and_subtract(out, operands):
    results = ctypes.cast(out, POINTERS)
    a, b = numbers(operands[0]), numbers(operands[1])
    numbers(results[0])[:] = a + b
    numbers(results[1])[:] = a - b


@PLAIN
def ones(out, operands):
    numbers(out)[:] = 1


seen = []


@WITH_OPAQUE
def remember(out, operands, opaque, count, status):
    seen.append((opaque[:count], count, bool(status)))
    numbers(out)[:] = count


for _name in ("double", "add_and_subtract", "ones", "remember"):
    jax.ffi.register_ffi_target(
        f"untyped_{_name}", jax.ffi.pycapsule(globals()[_name]), "cpu", api_version=0
    )


@pytest.mark.parametrize("version", [1, 2])
def test_a_function_gets_the_memory_of_results_and_arguments(version):
    more = {"custom_call_api_version": version}
    doubled = jax.ffi.ffi_call("untyped_double", TYPE, **more)
    for run in (doubled, jax.jit(doubled)):
        assert run(X).tolist() == [0.0, 2.0, 4.0]
    total, difference = jax.ffi.ffi_call(
        "untyped_add_and_subtract", [TYPE, TYPE], **more
    )(X, X + 1)
    assert total.tolist() == [1.0, 3.0, 5.0] and difference.tolist() == [-1.0] * 3
    assert jax.ffi.ffi_call("untyped_ones", TYPE, **more)().tolist() == [1.0] * 3
    (alone,) = jax.ffi.ffi_call("untyped_double", [TYPE], **more)(X)
    assert alone.tolist() == [0.0, 2.0, 4.0]
    mapped = jax.vmap(
        jax.ffi.ffi_call("untyped_double", TYPE, vmap_method="sequential", **more)
    )(jnp.stack([X, X + 1]))
    assert mapped.tolist() == [[0.0, 2.0, 4.0], [2.0, 4.0, 6.0]]


def test_version_three_passes_opaque_bytes():
    for config in ("hello", None):
        call = jax.ffi.ffi_call(
            "untyped_remember",
            TYPE,
            custom_call_api_version=3,
            legacy_backend_config=config,
        )
        text = (config or "").encode()
        assert call(X).tolist() == [len(text)] * 3
        assert seen.pop() == (text, len(text), True)


def test_misuse_is_refused():
    with pytest.raises(ValueError, match="requires custom_call_api_version < 4"):
        jax.ffi.ffi_call("untyped_double", TYPE, legacy_backend_config="x")
    with pytest.raises(ValueError, match="attributes requires a custom call API"):
        jax.ffi.ffi_call("untyped_double", TYPE, custom_call_api_version=1)(X, a=1)
    with pytest.raises(jax.errors.JaxRuntimeError, match="NOT_FOUND.*untyped_double"):
        jax.ffi.ffi_call("untyped_double", TYPE)(X)
    with pytest.raises(jax.errors.JaxRuntimeError, match="NOT_FOUND.*nobody"):
        jax.ffi.ffi_call("nobody", TYPE, custom_call_api_version=1)(X)
    with pytest.raises(NotImplementedError, match="api_version"):
        capsule = jax.ffi.pycapsule(double)
        jax.ffi.register_ffi_target("untyped_double", capsule, api_version=5)


def test_other_platforms_take_such_functions_and_call_none():
    jax.ffi.register_ffi_target(
        "untyped_on_cuda", jax.ffi.pycapsule(double), "CUDA", api_version=0
    )
