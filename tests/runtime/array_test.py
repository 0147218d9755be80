"""Arrays: their attributes, how NumPy and Python see them, what happens when they are gone."""

import copy
import gc
import pickle
import weakref

import ml_dtypes
import numpy as np
import pytest

from jax._src.runtime.arrays import array, dlpack
from jax._src.runtime.devices import backends
from jax._src.runtime.transfers import device_put_get

DTYPES = [
    np.bool_,
    np.int8,
    np.int16,
    np.int32,
    np.uint8,
    np.uint16,
    np.uint32,
    np.float16,
    np.float32,
    np.complex64,
    ml_dtypes.bfloat16,
    ml_dtypes.float8_e4m3fn,
    ml_dtypes.float8_e5m2,
    ml_dtypes.int4,
    ml_dtypes.uint4,
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (2, 0, 4)])
def test_an_array_comes_back_as_it_went(dtype, shape):
    value = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    x = device_put_get.device_put(value)
    assert x.shape == shape
    assert x.dtype == value.dtype
    assert (x.ndim, x.size) == (value.ndim, value.size)
    assert x.nbytes == value.nbytes
    back = np.asarray(x)
    assert back.dtype == value.dtype
    assert back.tobytes() == value.tobytes()


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a.T,
        lambda a: a[::-1],
        lambda a: a[:, ::2],
        lambda a: a[::-2, ::-1],
        lambda a: np.asfortranarray(a),
        lambda a: np.broadcast_to(a[0], (5, 6)),
        lambda a: a.astype(">f4"),
    ],
)
def test_strides_and_byte_orders_do_not_show(view):
    value = view(np.arange(24, dtype=np.float32).reshape(4, 6))
    np.testing.assert_array_equal(np.asarray(device_put_get.device_put(value)), value)


def test_sixty_four_bits_become_thirty_two():
    for wide, narrow in [
        (np.int64, np.int32),
        (np.float64, np.float32),
        (np.uint64, np.uint32),
        (np.complex128, np.complex64),
    ]:
        assert device_put_get.device_put(np.ones(2, wide)).dtype == narrow


def test_python_numbers_are_weak_except_truth_values():
    for value, dtype, weak in [
        (1, np.int32, True),
        (1.5, np.float32, True),
        (1j, np.complex64, True),
        (True, np.bool_, False),
        (np.float32(1), np.float32, False),
    ]:
        x = device_put_get.device_put(value)
        assert (x.dtype, x.weak_type, x.shape) == (dtype, weak, ())


def test_the_host_view_is_read_only_and_outlives_the_array():
    x = device_put_get.device_put(np.arange(1000, dtype=np.float32))
    view = np.asarray(x)
    with pytest.raises(ValueError):
        view[0] = 1
    del x
    gc.collect()
    np.testing.assert_array_equal(view, np.arange(1000))


def test_the_host_view_outlives_deletion():
    x = device_put_get.device_put(np.arange(1000, dtype=np.float32))
    view = np.asarray(x)
    x.delete()
    np.testing.assert_array_equal(view, np.arange(1000))


def test_array_protocol_converts_and_copies():
    x = device_put_get.device_put(np.arange(3, dtype=np.float32))
    assert np.asarray(x, np.int32).dtype == np.int32
    assert np.array(x, copy=True).flags.writeable
    with pytest.raises(ValueError, match="copy"):
        np.asarray(x, np.int32, copy=False)
    assert bytes(memoryview(x)) == np.arange(3, dtype=np.float32).tobytes()


@pytest.mark.parametrize(
    "name",
    ["bfloat16", "float8_e5m2", "float8_e4m3fn", "float4_e2m1fn", "int4", "uint2"],
)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
def test_the_buffer_protocol_has_no_narrow_dtypes(name, shape):
    x = device_put_get.device_put(np.ones(shape, getattr(ml_dtypes, name)))
    with pytest.raises(BufferError, match="not supported by the Python buffer"):
        memoryview(x)
    np.testing.assert_array_equal(np.asarray(x).astype(np.float32), np.ones(shape))


def test_deleted_arrays_have_no_buffer():
    x = device_put_get.device_put(np.ones(3, np.float32))
    x.delete()
    with pytest.raises(BufferError, match="deleted"):
        memoryview(x)


def test_scalars_become_python_numbers():
    assert int(device_put_get.device_put(np.float32(3.7))) == 3
    assert float(device_put_get.device_put(np.array(2, ml_dtypes.bfloat16))) == 2.0
    assert complex(device_put_get.device_put(1.5)) == 1.5 + 0j
    assert bool(device_put_get.device_put(np.ones(1)))
    assert not device_put_get.device_put(0)
    assert [10, 11, 12][device_put_get.device_put(1)] == 11


@pytest.mark.parametrize(
    "convert, error, fact",
    [
        (lambda x: bool(x), ValueError, "float32[4]"),
        (lambda x: int(x), TypeError, "float32[4]"),
        (lambda x: float(x), TypeError, "float32[4]"),
        (lambda x: complex(x), TypeError, "float32[4]"),
        (lambda x: [0][x], TypeError, "float32[4]"),
        (lambda x: hash(x), TypeError, "unhashable"),
        (lambda x: x.__setitem__(0, 1), TypeError, ".at[i].set"),
        (lambda x: x.__cuda_array_interface__, AttributeError, "CUDA"),
    ],
)
def test_what_an_array_cannot_do_is_explained(convert, error, fact):
    x = device_put_get.device_put(np.ones(4, np.float32))
    with pytest.raises(error) as caught:
        convert(x)
    assert fact in str(caught.value)


def test_empty_arrays_have_no_truth_value():
    with pytest.raises(ValueError, match="empty"):
        bool(device_put_get.device_put(np.ones(0)))


@pytest.mark.parametrize(
    "value, text",
    [
        (np.ones(3, np.float32), "Array([1., 1., 1.], dtype=float32)"),
        (3, "Array(3, dtype=int32, weak_type=True)"),
        (np.float32(3), "Array(3., dtype=float32)"),
        (np.ones((2, 2)), "Array([[1., 1.],\n       [1., 1.]], dtype=float32)"),
        (np.ones((0, 3), np.int8), "Array([], shape=(0, 3), dtype=int8)"),
        (np.ones(3, ml_dtypes.bfloat16), "Array([1, 1, 1], dtype=bfloat16)"),
        (
            np.arange(2000),
            "Array([   0,    1,    2, ..., 1997, 1998, 1999], dtype=int32)",
        ),
    ],
)
def test_repr_is_that_of_numpy_with_the_dtype(value, text):
    assert repr(device_put_get.device_put(value)) == text


def test_str_and_format_are_those_of_numpy():
    assert str(device_put_get.device_put(np.ones(3))) == "[1. 1. 1.]"
    assert f"{device_put_get.device_put(3.14159):.2f}" == "3.14"


def test_arrays_are_instances_of_the_public_type():
    x = device_put_get.device_put(1)
    assert isinstance(x, array.Array)
    assert issubclass(type(x), array.Array)
    assert not isinstance(np.ones(1), array.Array)
    with pytest.raises(TypeError):
        array.Array()


def test_arrays_pickle_and_copy():
    x = device_put_get.device_put(2)
    for y in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x)):
        assert int(y) == 2
        assert y.weak_type
    y = copy.copy(x)
    x.delete()
    assert int(y) == 2


def test_arrays_can_be_referenced_weakly():
    x = device_put_get.device_put(1)
    reference = weakref.ref(x)
    assert reference() is x
    del x
    gc.collect()
    assert reference() is None


def test_a_deleted_array_says_so():
    x = device_put_get.device_put(np.ones(3, np.float32))
    x.delete()
    assert x.is_deleted()
    assert x.shape == (3,)
    x.delete()
    for use in (
        np.asarray,
        lambda x: x.block_until_ready(),
        lambda x: x.unsafe_buffer_pointer(),
        lambda x: x.unsafe_raw_buffer(),
        lambda x: x.is_ready(),
        lambda x: x.addressable_shards,
        lambda x: x.__dlpack__(),
        copy.copy,
    ):
        with pytest.raises(RuntimeError, match="Array has been deleted") as caught:
            use(x)
        assert "float32[3]" in str(caught.value)
    assert "float32[3]" in repr(x)


def test_live_arrays_lists_what_is_alive():
    x = device_put_get.device_put(np.ones(3))
    assert any(x is y for y in backends.live_arrays())
    x.delete()
    assert not any(x is y for y in backends.live_arrays())


def test_numpy_reads_through_dlpack():
    value = np.arange(6, dtype=np.int32).reshape(2, 3)
    x = device_put_get.device_put(value)
    y = np.from_dlpack(x)
    del x
    gc.collect()
    np.testing.assert_array_equal(y, value)


@pytest.mark.parametrize("dtype", [np.int8, np.float32, np.complex64, np.bool_])
@pytest.mark.parametrize("view", [lambda a: a, lambda a: a.T, lambda a: a[::-1, ::2]])
def test_tensors_of_others_are_taken_over(dtype, view):
    value = view(np.arange(24).reshape(4, 6).astype(dtype))
    x = dlpack.from_dlpack(value)
    assert x.dtype == dtype
    np.testing.assert_array_equal(np.asarray(x), value)
    assert x.committed


def test_what_is_no_tensor_is_refused():
    with pytest.raises(TypeError, match="__dlpack__"):
        dlpack.from_dlpack([1])
    with pytest.raises(BufferError):
        dlpack.from_dlpack(np.array(["a"]))
    with pytest.raises(ValueError, match="copy"):
        dlpack.from_dlpack(np.ones(3), copy=False)


def test_unused_dlpack_capsules_free_their_lease():
    x = device_put_get.device_put(np.ones(3))
    for _ in range(3):
        x.__dlpack__()
        x.__dlpack__(max_version=(1, 0))
    x.delete()


def test_strings_and_objects_are_refused():
    for value in ("a", np.array(["a"]), np.array([object()])):
        with pytest.raises(TypeError):
            device_put_get.device_put(value)


def test_arrays_have_a_format_and_a_platform():
    x = device_put_get.device_put(np.ones((2, 3), np.float32))
    assert x.format.sharding == x.sharding
    assert x.format.layout.major_to_minor == (0, 1)
    assert x.platform() == next(iter(x.devices())).platform
    y = x.clone()
    assert y is not x
    np.testing.assert_array_equal(y, x)


def test_arrays_take_attributes_of_their_users():
    x = device_put_get.device_put(np.arange(3.0))
    assert x.__dict__ == {}
    x.trainable, x.owner = False, [1, 2]
    assert (x.trainable, x.owner) == (False, [1, 2])
    assert not hasattr(x + 0, "trainable")
    del x.trainable
    assert x.__dict__ == {"owner": [1, 2]}
    with pytest.raises(AttributeError):
        x.shape = (1, 3)
    x.part = device_put_get.device_put(1)
    part = weakref.ref(x.part)
    del x
    assert part() is None


def test_a_raw_buffer_keeps_its_array():
    x = device_put_get.device_put(np.ones(3, np.float32))
    address, gone = x.unsafe_buffer_pointer(), weakref.ref(x)
    raw = x.unsafe_raw_buffer()
    del x
    gc.collect()
    assert gone() is not None
    assert raw.ptr == address
    assert str(address) in repr(raw)
    del raw
    gc.collect()
    assert gone() is None


def test_the_class_has_the_name_that_texts_of_libraries_show():
    x = device_put_get.device_put(np.arange(3))
    assert str(type(x)) == "<class 'jaxlib._jax.ArrayImpl'>"
    assert type(x).__name__ == type(x).__qualname__ == "ArrayImpl"
    assert pickle.loads(pickle.dumps(type(x))) is type(x)
    with pytest.raises(TypeError, match=r"unhashable type: 'jaxlib\._jax\.ArrayImpl'"):
        hash(x)
