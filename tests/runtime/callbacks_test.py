"""Python functions that compiled programs call, through the native handler."""

import gc
import threading
import weakref

import numpy as np
import pytest

from jax._src import tree
from jax._src.base import errors
from jax._src.core import shardings
from jax._src.lib import callbacks, fastpath
from jax._src.runtime import ffi
from jax._src.runtime.compilation import compile
from jax._src.runtime.devices import backends
from jax._src.runtime.transfers import device_put_get
from tests.testing import patience


def call(operands, results, descriptor, effect=False):
    """The text of one call of a callback."""
    arguments = ", ".join(f"%{i}" for i in range(len(operands)))
    return f"""stablehlo.custom_call @{callbacks.TARGET}({arguments}) {{
      api_version = 4 : i32, has_side_effect = {str(effect).lower()},
      backend_config = {{descriptor = {descriptor} : i64}}
    }} : ({", ".join(operands)}) -> ({", ".join(results)})"""


def program(operands, results, descriptor, effect=False):
    """A module that hands its arguments to a callback and returns its results."""
    parameters = ", ".join(f"%{i}: {t}" for i, t in enumerate(operands))
    body = call(operands, results, descriptor, effect)
    if results:
        names = ", ".join(f"%r#{i}" for i in range(len(results)))
        body = f"%r:{len(results)} = {body}\n return {names} : {', '.join(results)}"
    else:
        body += "\n return"
    return f"""module @calls_python {{
      func.func public @main({parameters}) -> ({", ".join(results)}) {{
        {body}
      }}
    }}"""


def load(text, out_types, *registrations):
    """What runs a module whose callbacks it keeps."""
    ffi.install_callbacks("cpu")
    device = backends.devices()[0]
    executable = compile.compile_module(text, devices=[device])
    for registration in registrations:
        executable.keep_alive(registration)
    return fastpath.FastpathData(
        executable=executable,
        out_tree=tree.tree_structure((0,) * len(out_types)),
        out_types=[(shape, dtype, False) for shape, dtype in out_types],
        out_shardings=[shardings.of_device(device)] * len(out_types),
        out_committed=False,
    )


def put(*values):
    return [device_put_get.device_put(value) for value in values]


def test_a_callback_gets_arrays_and_returns_them():
    seen = []

    def function(x, n):
        seen.append((x, n))
        return x.T * n, np.int32(7)

    registration = callbacks.register(function)
    loaded = load(
        program(
            ["tensor<2x3xf32>", "tensor<f32>"],
            ["tensor<3x2xf32>", "tensor<i32>"],
            registration.descriptor,
        ),
        [((3, 2), np.float32), ((), np.int32)],
        registration,
    )
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    product, seven = loaded.run(put(x, np.float32(2)))
    np.testing.assert_array_equal(np.asarray(product), x.T * 2)
    assert int(seven) == 7
    (operand, number), *rest = seen
    assert not rest
    assert not operand.flags.writeable and operand.dtype == np.float32
    np.testing.assert_array_equal(operand, x)  # kept, and still its own
    assert number.shape == ()


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("i1", np.bool_),
        ("ui8", np.uint8),
        ("i16", np.int16),
        ("f16", np.float16),
        ("complex<f32>", np.complex64),
    ],
)
def test_element_types_pass_through(name, dtype):
    registration = callbacks.register(lambda x: (x[::-1],))
    loaded = load(
        program([f"tensor<2x{name}>"], [f"tensor<2x{name}>"], registration.descriptor),
        [((2,), dtype)],
        registration,
    )
    x = np.array([1, 0], dtype=dtype)
    (result,) = loaded.run(put(x))
    np.testing.assert_array_equal(np.asarray(result), x[::-1])


def test_empty_arrays_and_no_results():
    shapes = []
    called = threading.Event()

    def function(x):
        shapes.append(x.shape)
        called.set()

    registration = callbacks.register(function)
    text = program(["tensor<0x3xf32>"], [], registration.descriptor, effect=True)
    loaded = load(text, [], registration)
    loaded.run(put(np.zeros((0, 3), np.float32)))
    assert called.wait(patience.LIMIT_S)
    assert shapes == [(0, 3)]


def test_an_exception_fails_the_run_with_its_text():
    def function(x):
        raise ValueError("seven is no colour")

    registration = callbacks.register(function)
    loaded = load(
        program(["tensor<f32>"], ["tensor<f32>"], registration.descriptor),
        [((), np.float32)],
        registration,
    )
    with pytest.raises(errors.JaxRuntimeError, match="ValueError: seven is no colour"):
        np.asarray(loaded.run(put(np.float32(1)))[0])
    exception = registration.take_exception()
    assert isinstance(exception, ValueError)
    assert registration.take_exception() is None


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((np.zeros(3, np.float32),), r"wanted   float32\[2\]\s+found    float32\[3\]"),
        ((np.zeros(2, np.float64),), "found    float64"),
        ((), "a tuple of 1 arrays, and returned 0 of them"),
        (None, "returned a NoneType"),
        (("text",), "found    <U4"),
    ],
)
def test_results_that_do_not_fit_are_named(answer, message):
    registration = callbacks.register(lambda: answer)
    loaded = load(
        program([], ["tensor<2xf32>"], registration.descriptor),
        [((2,), np.float32)],
        registration,
    )
    with pytest.raises(errors.JaxRuntimeError, match=message):
        np.asarray(loaded.run([])[0])


def test_a_callback_may_run_programs_itself():
    inner = load(
        """module @add { func.func public @main(%x: tensor<f32>) -> tensor<f32> {
          %y = stablehlo.add %x, %x : tensor<f32>
          return %y : tensor<f32>
        } }""",
        [((), np.float32)],
    )
    registration = callbacks.register(lambda x: (np.asarray(inner.run(put(x))[0]) + 1,))
    loaded = load(
        program(["tensor<f32>"], ["tensor<f32>"], registration.descriptor),
        [((), np.float32)],
        registration,
    )
    x = np.float32(3)
    for _ in range(50):  # in the queue and, once it is known to be short, in place
        (x,) = loaded.run(put(x))
        x = np.float32(np.asarray(x)) % 100
    assert np.isfinite(x)


def test_threads_run_callbacks_at_once():
    registration = callbacks.register(lambda x: (x + 1,))
    loaded = load(
        program(["tensor<f32>"], ["tensor<f32>"], registration.descriptor),
        [((), np.float32)],
        registration,
    )
    results = []

    def work(start):
        x = np.float32(start)
        for _ in range(50):
            (x,) = loaded.run([device_put_get.device_put(x)])
        results.append(float(np.asarray(x)))

    threads = [threading.Thread(target=work, args=(i * 1000,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(patience.LIMIT_S)
    assert sorted(results) == [50, 1050, 2050, 3050]


def test_a_run_keeps_its_callback():
    started = threading.Event()
    go = threading.Event()

    def function(x):
        started.set()
        go.wait(patience.LIMIT_S)
        return (x,)

    registration = callbacks.register(function)
    loaded = load(
        program(["tensor<f32>"], ["tensor<f32>"], registration.descriptor),
        [((), np.float32)],
        registration,
    )
    alive = weakref.ref(function)
    results = []

    def work(run, value):
        results.extend(run(put(np.float32(value))))

    # A plugin may run programs on the thread that asks for them.
    threads = [threading.Thread(target=work, args=(loaded.run, i)) for i in (1, 2)]
    for thread in threads:
        thread.start()
    assert started.wait(patience.LIMIT_S)
    del loaded, registration, function
    gc.collect()
    go.set()
    for thread in threads:
        thread.join(patience.LIMIT_S)
    del threads, thread
    assert sorted(float(np.asarray(x)) for x in results) == [1, 2]

    def is_gone():  # the last holder is the plugin's
        callbacks.register(len)
        return alive() is None

    patience.wait_for(is_gone)


def test_a_descriptor_that_nobody_keeps_is_not_found():
    descriptor = callbacks.register(lambda x: (x,)).descriptor
    loaded = load(
        program(["tensor<f32>"], ["tensor<f32>"], descriptor), [((), np.float32)]
    )
    with pytest.raises(errors.JaxRuntimeError, match=f"the descriptor {descriptor}"):
        np.asarray(loaded.run(put(np.float32(1)))[0])


def test_only_functions_are_registered():
    with pytest.raises(TypeError, match="takes a function"):
        callbacks.register(3)
