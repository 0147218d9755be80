"""Arrays shared by the DLPack protocol, with NumPy always, with PyTorch where it is."""

import gc
import importlib.util
import inspect

import ml_dtypes
import numpy as np
import pytest

import jax
import jax.numpy as jnp

if importlib.util.find_spec("torch"):
    import torch
else:
    torch = None

needs_torch = pytest.mark.skipif(torch is None, reason="PyTorch is not installed")

DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "float16"]
DTYPES += ["float32", "complex64", "int64", "uint64", "float64", "complex128"]
VALUES = np.array([[0, 1, 2], [3, 4, 5]])


@pytest.mark.parametrize("dtype", DTYPES)
def test_numpy_and_we_share_every_dtype(dtype):
    value = VALUES.astype(dtype)
    with jax.enable_x64(True):
        found = jnp.from_dlpack(value)
        assert found.dtype == value.dtype and found.committed
        np.testing.assert_array_equal(found, value)
        back = np.from_dlpack(found)
    assert back.dtype == value.dtype
    np.testing.assert_array_equal(back, value)


@pytest.mark.parametrize("dtype", ["int64", "float64", "complex128"])
def test_64_bits_are_narrowed_while_they_are_off(dtype):
    found = jnp.from_dlpack(VALUES.astype(dtype))
    assert found.dtype == jnp.asarray(VALUES.astype(dtype)).dtype
    np.testing.assert_array_equal(found, VALUES)


def _read_only(x):
    x.flags.writeable = False
    return x


def _unaligned(x):
    raw = np.frombuffer(b"x" + x.tobytes(), np.uint8)[1:]
    return raw.view(x.dtype).reshape(x.shape)


VIEWS = {
    "strided": lambda x: x[:, ::2],
    "transposed": lambda x: x.T,
    "backwards": lambda x: x[::-1, ::-1],
    "one element": lambda x: x[1, 2],
    "0-d": lambda x: np.array(x[1, 2]),
    "empty": lambda x: x[:0],
    "repeated": lambda x: np.broadcast_to(x[0], (4, 3)),
    "read-only": lambda x: _read_only(x.copy()),
    "unaligned": _unaligned,
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_of_numpy_are_taken_over(name):
    value = np.asarray(VIEWS[name](VALUES.astype("f4")))
    found = jnp.from_dlpack(value)
    assert found.shape == value.shape
    np.testing.assert_array_equal(found, value)


@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3)])
def test_numpy_reads_our_memory_and_does_not_write_it(shape):
    x = jnp.full(shape, 3.0)
    seen = np.from_dlpack(x)
    assert seen.shape == shape and not seen.flags.writeable
    if seen.size:
        assert seen.ctypes.data == x.unsafe_buffer_pointer()


def test_the_memory_lives_as_long_as_it_is_seen():
    seen = np.from_dlpack(jnp.arange(1000.0) + 1)
    gc.collect()
    others = [jnp.full(1000, 7.0) for _ in range(20)]
    np.testing.assert_array_equal(seen, np.arange(1000.0) + 1)
    del others


def test_what_is_taken_over_does_not_change_with_its_origin():
    value = np.zeros(64, "f4")
    found = jax.dlpack.from_dlpack(value, copy=True)
    value[0] = 5.0
    assert found[0] == 0.0


def test_a_copy_is_handed_out():
    x = jnp.arange(3.0)
    copied = np.from_dlpack(x, copy=True)
    assert copied.ctypes.data != x.unsafe_buffer_pointer()
    np.testing.assert_array_equal(copied, x)


def test_versions_of_capsules():
    x = jnp.arange(3.0)
    for version, name in [(None, '"dltensor"'), ((0, 8), '"dltensor"')]:
        assert name in repr(x.__dlpack__(max_version=version))
    assert '"dltensor_versioned"' in repr(x.__dlpack__(max_version=(1, 0)))
    assert tuple(map(int, x.__dlpack_device__())) == (1, 0)
    names = list(inspect.signature(x.__dlpack__).parameters)
    assert names == ["stream", "max_version", "dl_device", "copy"]


def test_what_cannot_be_handed_out():
    x = jnp.arange(3.0)
    assert x.__dlpack__(stream=None, dl_device=(1, 0), copy=False)
    with pytest.raises(BufferError, match=r"(?s)device that is asked for.*\(2, 0\)"):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError, match="a stream was given"):
        x.__dlpack__(stream=1)
    with pytest.raises(BufferError, match="int4"):
        jnp.ones(2, jnp.int4).__dlpack__()
    with pytest.raises(TypeError, match="__dlpack_device__"):
        jax.dlpack.from_dlpack(x.__dlpack__())


def test_where_arrays_are_put():
    device = jax.devices()[0]
    single = jax.sharding.SingleDeviceSharding(device)
    for place in (None, device, single):
        found = jax.dlpack.from_dlpack(np.ones(2, "f4"), device=place)
        assert found.devices() == {device} and found.committed


def test_our_own_arrays_pass_through():
    x = jnp.arange(3.0)
    same = jax.dlpack.from_dlpack(x)
    assert same.unsafe_buffer_pointer() == x.unsafe_buffer_pointer()
    np.testing.assert_array_equal(same, x)


def test_a_donated_array_stays_while_it_is_seen():
    x = jnp.arange(1000.0) + 0
    seen = np.from_dlpack(x)
    jax.block_until_ready(jax.jit(lambda x: x * 2 + 1, donate_argnums=0)(x))
    np.testing.assert_array_equal(seen, np.arange(1000.0))


TORCH_DTYPES = ["bool", "int8", "uint8", "int16", "int32", "float16", "bfloat16"]
TORCH_DTYPES += ["float32", "complex64", "uint16", "uint32"]


@needs_torch
@pytest.mark.parametrize("dtype", TORCH_DTYPES)
def test_pytorch_and_we_share_every_dtype(dtype):
    tensor = torch.tensor(VALUES.tolist()).to(getattr(torch, dtype))
    found = jnp.from_dlpack(tensor)
    wanted = VALUES.astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)
    back = torch.from_dlpack(found)
    assert back.dtype == tensor.dtype and torch.equal(back, tensor)


TORCH_VIEWS = {
    "strided": lambda x: x[:, ::2],
    "transposed": lambda x: x.T,
    "0-d": lambda x: x[1, 2],
    "empty": lambda x: x[:0],
    "expanded": lambda x: x[:1].expand(4, 3),
}


@needs_torch
@pytest.mark.parametrize("name", TORCH_VIEWS)
def test_views_of_pytorch_are_taken_over(name):
    tensor = TORCH_VIEWS[name](torch.tensor(VALUES.tolist()).to(torch.float32))
    found = jnp.from_dlpack(tensor)
    np.testing.assert_array_equal(found, tensor.numpy())
    assert torch.equal(torch.from_dlpack(found), tensor)
    assert torch.equal(torch.from_dlpack(found, copy=True), tensor)


@needs_torch
def test_pytorch_refuses_what_it_cannot_share():
    with pytest.raises(BufferError, match="require gradient"):
        jnp.from_dlpack(torch.ones(3, requires_grad=True))
