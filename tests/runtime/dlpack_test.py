"""Arrays shared by the DLPack protocol, with NumPy always, with PyTorch where it is."""

import ctypes
import datetime
import gc
import importlib.util
import inspect
import threading
import weakref

import ml_dtypes
import numpy as np
import pytest

import jax
import jax.numpy as jnp
from tests.testing import patience

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
    with pytest.raises(BufferError, match=r"(?s)requested device.*\(2, 0\)"):
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
    for target in (None, device, single):
        found = jax.dlpack.from_dlpack(np.ones(2, "f4"), device=target)
        assert found.devices() == {device} and found.committed


def _aligned(shape, dtype="f4", offset=0):
    """An array of NumPy's at such a distance from a border of 64 bytes."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.zeros(size + 128, np.uint8)
    start = -raw.ctypes.data % 64 + offset
    return raw[start : start + size].view(dtype).reshape(shape)


def _address(x):
    return x.ctypes.data if isinstance(x, np.ndarray) else x.unsafe_buffer_pointer()


SHARED = {
    "matrix": lambda: _aligned((4, 16)),
    "booleans": lambda: _aligned((64,), "bool"),
    "complex": lambda: _aligned((8,), "c8"),
    "0-d": lambda: _aligned(()),
    "read-only": lambda: _read_only(_aligned((4, 4))),
    "length 1": lambda: _aligned((4, 16))[:1, :],
    "rows": lambda: _aligned((8, 16))[2:5],
}


@pytest.mark.parametrize("name", SHARED)
def test_memory_that_fits_is_shared(name):
    value = SHARED[name]()
    for copy in (None, False):
        assert _address(jnp.from_dlpack(value, copy=copy)) == _address(value)
    copied = jnp.from_dlpack(value, copy=True)
    assert _address(copied) != _address(value)
    np.testing.assert_array_equal(copied, value)


REASONS = {
    "unaligned": (lambda: _aligned((16,), offset=16), "aligned to 64 bytes"),
    "strided": (lambda: _aligned((16,))[::2], "not dense"),
    "backwards": (lambda: _aligned((16,))[::-1], "not dense|aligned"),
    "transposed": (lambda: _aligned((4, 4)).T, "not dense"),
    "repeated": (lambda: np.broadcast_to(_aligned((4,)), (3, 4)), "not dense"),
    "wide": (lambda: _aligned((4,), "f8"), "jax_enable_x64"),
}


@pytest.mark.parametrize("name", REASONS)
def test_memory_that_does_not_fit_is_copied(name):
    make, reason = REASONS[name]
    value = make()
    value[...] if not value.flags.writeable else value.__setitem__(..., 3)
    with pytest.raises(ValueError, match=reason):
        jnp.from_dlpack(value, copy=False)
    for copy in (None, True):
        found = jnp.from_dlpack(value, copy=copy)
        assert _address(found) != _address(value)
        np.testing.assert_array_equal(found, value)


def test_an_empty_array_is_shared_at_any_address():
    for value in (np.zeros((0, 3), "f4"), _aligned((4,), offset=4)[:0]):
        assert jnp.from_dlpack(value, copy=False).shape == value.shape


def test_what_is_shared_lives_as_long_as_it_is_used():
    value = _aligned((1000,))
    value[:] = np.arange(1000)
    gone = weakref.ref(value)
    found = jnp.from_dlpack(value, copy=False)
    value[0] = 7.0  # one memory
    assert found[0] == 7.0
    seen = np.asarray(found)
    del value
    gc.collect()
    assert gone() is not None
    total = jax.jit(jnp.sum)(found)
    del found
    gc.collect()
    assert gone() is not None and seen[0] == 7.0
    del seen
    gc.collect()
    assert total == 499507.0  # until then the program may hold it
    patience.wait_for(lambda: gone() is None)


def test_what_is_shared_is_given_back_by_a_thread_of_ours():
    value = _aligned((1000,))
    gone = weakref.ref(value)
    go_on = threading.Event()

    def wait(x):
        go_on.wait(1)  # not for ever: a plugin may run it on the thread that calls
        return x

    slow = jax.jit(lambda x: jax.pure_callback(wait, x, x) * 2)
    result = slow(jnp.from_dlpack(value, copy=False))
    del value
    go_on.set()
    jax.block_until_ready(result)
    patience.wait_for(lambda: gone() is None)


def test_shared_memory_is_never_donated():
    value = _aligned((1000,))
    found = jnp.from_dlpack(value, copy=False)
    gone = weakref.ref(value)
    out = jax.jit(lambda x: x + 1, donate_argnums=0)(found)
    jax.block_until_ready(out)
    assert found.is_deleted() and _address(out) != _address(value)
    np.testing.assert_array_equal(value, np.zeros(1000))
    del value
    gc.collect()
    patience.wait_for(lambda: gone() is None)


class _Producer:
    """Hands out one capsule, whatever it is."""

    def __init__(self, capsule, device=(1, 0)):
        self.capsule, self.device = capsule, device

    def __dlpack__(self, **options):
        return self.capsule

    def __dlpack_device__(self):
        return self.device


@pytest.mark.parametrize("copy", [None, True, False])
def test_a_capsule_is_taken_once(copy):
    capsule = _aligned((4,)).__dlpack__()
    np.testing.assert_array_equal(
        jnp.from_dlpack(_Producer(capsule), copy=copy), np.zeros(4)
    )
    assert "used_dltensor" in repr(capsule)
    with pytest.raises(BufferError, match="(?s)no tensor to take.*used_dltensor"):
        jnp.from_dlpack(_Producer(capsule), copy=copy)


def test_what_is_refused_stays_in_its_capsule():
    capsule = _aligned((4,), offset=4).__dlpack__()
    with pytest.raises(ValueError, match="aligned"):
        jnp.from_dlpack(_Producer(capsule), copy=False)
    assert jnp.from_dlpack(_Producer(capsule)).shape == (4,)


def test_what_is_no_capsule_of_a_tensor():
    other = datetime.datetime_CAPI
    with pytest.raises(BufferError, match=r"(?s)datetime\.datetime_CAPI"):
        jnp.from_dlpack(_Producer(other))
    with pytest.raises(TypeError, match="(?s)no capsule.*NoneType"):
        jnp.from_dlpack(_Producer(None))
    with pytest.raises(BufferError, match="not in memory that the host"):
        jnp.from_dlpack(_Producer(_aligned((4,)).__dlpack__(), (2, 0)))


class _Tensor(ctypes.Structure):
    """DLManagedTensorVersioned, as the protocol lays it out."""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


def _capsule(shape=(4,), strides=None, **fields):
    """A capsule with a tensor that nobody needs to free, and what it points to."""
    numbers = lambda values: (ctypes.c_int64 * len(values))(*values)
    data = _aligned((64,))
    tensor = _Tensor(
        major=1, data=data.ctypes.data, device_type=1, code=2, bits=32, lanes=1
    )
    tensor.ndim = len(shape or ())
    tensor.shape = None if shape is None else numbers(shape)
    tensor.strides = None if strides is None else numbers(strides)
    for name, value in fields.items():
        setattr(tensor, name, value)
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p] * 3
    return make(ctypes.addressof(tensor), _VERSIONED, None), (tensor, data)


_VERSIONED = ctypes.cast(
    ctypes.create_string_buffer(b"dltensor_versioned"), ctypes.c_void_p
)
NONSENSE = {
    "version": ({"major": 2}, "DLPack version 2"),
    "rank": ({"ndim": -1}, "rank is not"),
    "large rank": ({"ndim": 65}, "rank is not"),
    "no shape": ({"shape": None, "ndim": 2}, "no shape"),
    "negative": ({"shape": (4, -1)}, "negative"),
    "huge": ({"shape": (2**40, 2**40)}, "more than 2.62 bytes"),
    "far strides": ({"shape": (4, 4), "strides": (2**61, 1)}, "strides reach"),
    "no memory": ({"data": None}, "no memory"),
    "lanes": ({"lanes": 4}, "4 lanes"),
    "bits": ({"bits": 4}, "4 bits"),
    "code": ({"code": 3}, "code 3"),
    "device": ({"device_type": 2}, "device  type 2"),
}


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_in_capsules_is_refused(name):
    fields, message = NONSENSE[name]
    capsule, kept = _capsule(**fields)
    for copy in (None, True, False):
        with pytest.raises(BufferError, match=message):
            jnp.from_dlpack(_Producer(capsule), copy=copy)
    del kept


def test_a_tensor_without_deleter_is_taken():
    for copy in (False, True):
        capsule, kept = _capsule((2, 3), (3, 1))
        assert jnp.from_dlpack(_Producer(capsule), copy=copy).shape == (2, 3)
        del kept


def _fields_of(capsule):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return _Tensor.from_address(get(capsule, b"dltensor_versioned"))


def test_flags_say_who_may_write():
    x = jnp.arange(4.0)
    for copy, flags in ((None, 1), (False, 1), (True, 2)):
        found = _fields_of(x.__dlpack__(max_version=(1, 0), copy=copy))
        assert (found.major, found.flags) == (1, flags)
    copied = np.from_dlpack(x, copy=True)
    copied[0] = 9.0
    assert x[0] == 0.0


FLOAT8 = "e3m4 e4m3 e4m3b11fnuz e4m3fn e4m3fnuz e5m2 e5m2fnuz e8m0fnu".split()


@pytest.mark.parametrize("name", FLOAT8)
def test_floats_of_8_bits_go_both_ways(name):
    x = jnp.asarray([1.0, 2.0, 4.0], f"float8_{name}")
    found = jnp.from_dlpack(_Producer(x.__dlpack__(max_version=(1, 1))), copy=False)
    assert found.dtype == x.dtype and _address(found) == _address(x)
    # NumPy and others have no such dtype.
    assert not jax.dlpack.is_supported_dtype(x.dtype)
    np.testing.assert_array_equal(found.astype("f4"), [1, 2, 4])


def test_our_own_arrays_are_copied_on_request():
    x = jnp.arange(3.0)
    for copy in (None, False):
        assert _address(jax.dlpack.from_dlpack(x, copy=copy)) == _address(x)
    assert _address(jax.dlpack.from_dlpack(x, copy=True)) != _address(x)


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
def test_pytorch_and_we_share_memory():
    tensor = torch.zeros(64)  # PyTorch aligns to 64 bytes
    found = jnp.from_dlpack(tensor, copy=False)
    assert _address(found) == tensor.data_ptr()
    tensor += 1
    assert float(found.sum()) == 64.0
    back = torch.from_dlpack(found)
    assert back.data_ptr() == tensor.data_ptr()
    with pytest.raises(ValueError, match="not dense"):
        jnp.from_dlpack(tensor.reshape(8, 8).T, copy=False)


@needs_torch
def test_pytorch_refuses_what_it_cannot_share():
    with pytest.raises(BufferError, match="require gradient"):
        jnp.from_dlpack(torch.ones(3, requires_grad=True))
