"""The native call path: signatures, the cache, placement, donation, threads."""

import contextvars
import enum
import gc
import os
import threading
import weakref

import numpy as np
import pytest

import jax
from jax._src import tree
from jax._src.base import config, options
from jax._src.core import partition_spec, shardings, state
from jax._src.lib import fastpath
from jax._src.runtime import context
from jax._src.runtime.arrays import array
from jax._src.runtime.compilation import compile
from jax._src.runtime.devices import backends, make_mesh
from jax._src.runtime.transfers import device_put_get
from tests.runtime import programs

assert context  # connects the configuration


class Counted:
    """A `cache_miss` that compiles one program and counts its calls."""

    def __init__(self, program=programs.ADD_ONE, shape=(3,), count=1, **fields):
        self.calls = []
        self.program, self.shape, self.count, self.fields = (
            program,
            shape,
            count,
            fields,
        )

    def __call__(self, *args, **kwargs):
        self.calls.append((args, kwargs))
        leaves = tree.tree_leaves((args, kwargs))
        arrays = [x for x in leaves if hasattr(x, "sharding")]
        sharding = (
            arrays[0].sharding if arrays else shardings.of_device(backends.devices()[0])
        )
        fields = {
            "executable": compile.compile_module(
                self.program, devices=sharding.ordered_devices
            ),
            "out_tree": None,
            "out_types": [(self.shape, np.float32, False)] * self.count,
            "out_shardings": [sharding] * self.count,
            "out_committed": any(x.committed for x in arrays),
        }
        data = fastpath.FastpathData(**{**fields, **self.fields})
        outs = data.run(leaves)
        out_tree = fields["out_tree"] or self.fields.get("out_tree")
        return tree.tree_unflatten(out_tree, outs) if out_tree else outs[0], data


def ones(device=None):
    return device_put_get.device_put(np.ones(3, np.float32), device)


def test_the_second_call_does_not_ask_python():
    miss = Counted()
    f = fastpath.Function(None, miss)
    for _ in range(3):
        np.testing.assert_array_equal(np.asarray(f(ones())), 2 * np.ones(3))
    assert len(miss.calls) == 1
    assert f._cache_size() == 1
    assert f._cache_statistics() == {"size": 1, "hits": 2, "misses": 1}


def test_host_values_are_placed_on_the_way():
    miss = Counted()
    f = fastpath.Function(None, miss)
    f(np.zeros(3, np.float32))
    out = f(np.arange(3, dtype=np.float32))
    np.testing.assert_array_equal(np.asarray(out), [1, 2, 3])
    # float64 is narrowed, so the signature is the same.
    np.testing.assert_array_equal(np.asarray(f(np.arange(3.0))), [1, 2, 3])
    assert len(miss.calls) == 1


def test_numbers_of_each_kind_have_a_signature_of_their_own():
    miss = Counted(programs.ADD_SCALARS, ())
    f = fastpath.Function(None, miss)
    assert float(f(1.0, 2.0)) == 3.0
    assert float(f(1.5, np.float32(2.0))) == 3.5
    assert float(f(2.5, 2.0)) == 4.5
    assert len(miss.calls) == 2
    assert f._cache_size() == 2


def test_shared_scalars_are_told_apart_by_value_and_sign():
    f = fastpath.Function(None, Counted(programs.ADD_SCALARS, ()))
    for x in [0.0, -0.0, 1.0, float("nan"), float("inf"), 0.0, -0.0]:
        out = np.asarray(f(x, -0.0))
        expected = np.float32(x) + np.float32(-0.0)
        assert out.tobytes() == np.float32(expected).tobytes()


def test_signatures_distinguish_what_must_be_distinguished():
    calls = []

    def miss(*args, **kwargs):
        calls.append((args, kwargs))
        return len(calls), None

    f = fastpath.Function(None, miss)
    one = backends.devices()[1]
    variants = [
        lambda: f(ones()),
        lambda: f(ones(), None),
        lambda: f(ones(one)),
        lambda: f((ones(),)),
        lambda: f([ones()]),
        lambda: f({"a": ones()}),
        lambda: f({"b": ones()}),
        lambda: f(a=ones()),
        lambda: f(b=ones()),
        lambda: f(1),
        lambda: f(1.0),
        lambda: f(True),
        lambda: f(np.int32(1)),
        lambda: f(np.ones((1, 3), np.float32)),
    ]
    # Without data nothing is remembered, so every call asks.
    assert [call() for call in variants] == list(range(1, len(variants) + 1))
    assert f._cache_size() == 0


def test_keyword_order_does_not_matter():
    miss = Counted(programs.TWO_RESULTS, count=2, out_tree=tree.tree_structure((0, 0)))
    f = fastpath.Function(None, miss)
    x, y = np.full(3, 5, np.float32), np.full(3, 2, np.float32)
    for kwargs in ({"x": x, "y": y}, {"y": y, "x": x}):
        a, b = f(**kwargs)
        np.testing.assert_array_equal(np.asarray(a), [7, 7, 7])
        np.testing.assert_array_equal(np.asarray(b), [3, 3, 3])
    assert len(miss.calls) == 1


def test_static_arguments_are_compared_by_type_and_value():
    miss = Counted()
    miss_of_dynamic = lambda mode, x, *, flag=None: miss(x)
    f = fastpath.Function(
        None, miss_of_dynamic, static_argnums=(0,), static_argnames=("flag",)
    )
    for mode in ["a", "a", "b", 1, True, 1.0, 1]:
        f(mode, ones())
    assert len(miss.calls) == 5
    f("a", ones(), flag=1)
    f("a", ones(), flag=1)
    f("a", ones(), flag=2)
    assert len(miss.calls) == 7


def test_negative_static_positions_count_from_the_last_argument():
    miss = Counted()
    f = fastpath.Function(None, lambda x, mode: miss(x), static_argnums=(-1,))
    for mode in ["a", "b", "a"]:
        f(ones(), mode)
    assert len(miss.calls) == 2


def test_a_static_value_without_a_hash_is_left_to_python():
    seen = []
    f = fastpath.Function(
        None, lambda *args: (seen.append(args), None), static_argnums=(0,)
    )
    f([1], ones())
    assert len(seen) == 1


def test_an_error_while_comparing_static_values_is_the_cause_of_a_value_error():
    class Grumpy:
        def __hash__(self):
            return 1

        def __eq__(self, other):
            raise KeyError("grumpy")

    miss = Counted()
    f = fastpath.Function(None, lambda s, x: miss(x), static_argnums=(0,))
    f(Grumpy(), ones())
    with pytest.raises(ValueError, match="should be comparable using __eq__") as caught:
        f(Grumpy(), ones())
    assert isinstance(caught.value.__cause__, KeyError)


def test_unknown_leaves_and_traces_are_left_to_python():
    seen = []
    f = fastpath.Function(None, lambda *args: (seen.append(args), None))
    f("text")
    f(object(), 1)
    token = state.enter(object())
    try:
        f(ones())
    finally:
        state.leave(token)
    assert len(seen) == 3
    assert f._cache_statistics()["misses"] == 0


def test_inline_functions_are_themselves_inside_a_trace():
    miss = Counted()
    f = fastpath.Function(lambda x: ("itself", x), miss, inline=True)
    token = state.enter(object())
    try:
        assert f(1) == ("itself", 1)
    finally:
        state.leave(token)
    assert f("text") == ("itself", "text")
    assert not miss.calls
    np.testing.assert_array_equal(np.asarray(f(ones())), [2, 2, 2])


def test_the_configuration_is_part_of_the_signature():
    seen = []

    def miss(x):
        seen.append(options.enable_x64.value)
        return Counted()(x)

    f = fastpath.Function(None, miss)
    x = ones()
    f(x)
    with options.enable_x64(True):
        f(x)
        f(x)
    f(x)
    config.config.update("jax_numpy_rank_promotion", "warn")
    f(x)
    config.config.update("jax_numpy_rank_promotion", "allow")
    f(x)
    assert seen == [False, True, False]


def test_kept_leaves_and_constants_reach_the_program():
    constant = device_put_get.device_put(np.float32(10))
    miss = Counted(programs.ADD_SCALARS, (), kept=[1], constants=[constant])
    f = fastpath.Function(None, miss)
    for _ in range(2):
        assert float(f(1.0, 2.0, 3.0)) == 12.0


def test_uncommitted_arrays_follow_the_program():
    one = backends.devices()[1]
    miss = Counted(programs.ADD_SCALARS, ())
    f = fastpath.Function(None, miss)
    x = device_put_get.device_put(np.float32(1), one)
    y = device_put_get.device_put(np.float32(2))
    for _ in range(2):
        out = f(x, y)
        assert float(out) == 3.0
        assert out.committed
        assert out.device is one


def test_donated_arguments_are_gone():
    f = fastpath.Function(None, Counted(programs.DONATING, donates=True))
    for _ in range(2):
        x = ones()
        y = f(x)
        assert x.is_deleted()
        np.testing.assert_array_equal(np.asarray(y), [2, 2, 2])
        with pytest.raises(RuntimeError, match="Array has been deleted"):
            f(x)
    # A host value may be given where an array is donated.
    f(np.ones(3, np.float32))
    np.testing.assert_array_equal(np.asarray(f(np.ones(3, np.float32))), [2, 2, 2])


def test_a_host_view_is_not_overwritten_by_donation():
    f = fastpath.Function(None, Counted(programs.DONATING, donates=True))
    f(ones())
    x = device_put_get.device_put(np.arange(3, dtype=np.float32))
    view = np.asarray(x)
    f(x)
    np.testing.assert_array_equal(view, np.arange(3))


@pytest.mark.skipif(
    os.environ.get("TEST_PLUGIN") != "real",
    reason="the CPU plugin cannot partition a program yet",
)
def test_programs_run_on_several_devices():
    mesh = make_mesh.make_mesh((8,), ("x",), devices=backends.devices())
    sharding = shardings.NamedSharding(mesh, partition_spec.PartitionSpec())
    miss = Counted(in_shardings=[sharding])
    f = fastpath.Function(None, miss)
    x = device_put_get.device_put(np.arange(3, dtype=np.float32), sharding)
    for _ in range(2):
        out = f(x)
        assert out.sharding == sharding
        np.testing.assert_array_equal(np.asarray(out), [1, 2, 3])
        assert len(out.addressable_shards) == 8
    assert len(miss.calls) == 1


def test_python_integers_that_do_not_fit_are_refused():
    program = programs.ADD_SCALARS.replace("f32", "i32")
    miss = Counted(program, (), out_types=[((), np.int32, True)])
    f = fastpath.Function(None, miss)
    assert int(f(1, 2)) == 3
    with pytest.raises(OverflowError, match="int32"):
        f(1, 2**31)


class Fraction(float):
    """A number of a class of somebody's own."""


class Rows(np.ndarray):
    """Arrays of a class of somebody's own."""


class Order(enum.IntEnum):
    """Numbers with names."""

    FIRST = 1


def derived_values(folder):
    mapped = np.memmap(folder / "rows", dtype="f4", shape=(3,), mode="w+")
    mapped[:] = [1, 2, 3]
    return {
        "mapped": (mapped, np.float32([1, 2, 3])),
        "array": (np.float32([1, 2]).view(Rows), np.float32([1, 2])),
        "float": (Fraction(0.5), 0.5),
        "named": (Order.FIRST, 1),
        "complex": (type("C", (complex,), {})(1 + 2j), 1 + 2j),
    }


@pytest.mark.parametrize("name", ["mapped", "array", "float", "named", "complex"])
def test_objects_of_derived_classes_are_remembered(name, tmp_path):
    value, plain = derived_values(tmp_path)[name]
    f, misses = jax.jit(lambda x: x * 2), []
    for x in (plain, value, value):
        out = f(x)
        misses.append(f._cache_statistics()["misses"])
        np.testing.assert_array_equal(out, 2 * np.asarray(plain))
        assert out.dtype == f(plain).dtype and out.weak_type == f(plain).weak_type
    assert misses == [1, 1, 1]


def test_what_is_special_of_a_class_is_not_passed_over():
    f = jax.jit(lambda x: x * 2)
    f(np.ones(2))
    for _ in range(2):
        with pytest.raises(ValueError, match="masked NumPy array"):
            f(np.ma.masked_array([1.0, 2.0], [True, False]))


class Wrapped:
    """Stands for an array, as random keys do."""

    def __init__(self, base, dtype):
        self._base_array, self._dtype = base, dtype


array.register_extended_array_type(Wrapped)


def test_arrays_of_extended_dtypes_are_unwrapped_and_wrapped():
    inner = Counted(out_wrappers=[lambda x: Wrapped(x, "keys")])
    calls = []

    def miss(x):
        calls.append(x)
        out, data = inner(x._base_array)
        return Wrapped(out, "keys"), data

    f = fastpath.Function(None, miss)
    for _ in range(2):
        out = f(Wrapped(ones(), "keys"))
        assert isinstance(out, Wrapped)
        np.testing.assert_array_equal(np.asarray(out._base_array), [2, 2, 2])
    assert len(calls) == 1
    f(Wrapped(ones(), "other keys"))
    assert len(calls) == 2
    assert isinstance(out, array.Array)


def test_wrong_data_is_refused():
    f = fastpath.Function(None, lambda x: 1)
    with pytest.raises(TypeError, match="outputs, data"):
        f(1)
    f = fastpath.Function(None, lambda x: (1, 2))
    with pytest.raises(TypeError, match="FastpathData"):
        f(1)
    executable = compile.compile_module(
        programs.ADD_ONE, devices=backends.devices()[:1]
    )
    with pytest.raises(ValueError, match="2 out_types"):
        fastpath.FastpathData(
            executable=executable,
            out_tree=tree.tree_structure((0, 0)),
            out_types=[((3,), np.float32, False)] * 2,
            out_shardings=[None] * 2,
            out_committed=False,
        )


def test_functions_take_attributes_and_bind_as_methods():
    class Model:
        f = fastpath.Function(None, lambda self, x: ((self, x), None))

    model = Model()
    assert model.f("x") == (model, "x")
    Model.f.lower = 3
    assert Model.f.lower == 3


def test_functions_and_what_they_hold_are_collected():
    class Setting:
        pass

    setting = Setting()
    miss = Counted()
    f = fastpath.Function(None, lambda s, x: miss(x), static_argnums=(0,))
    setting.function = f
    f(setting, ones())
    gone = weakref.ref(setting), weakref.ref(f)
    del setting, f
    miss.calls.clear()
    gc.collect()
    assert [r() for r in gone] == [None, None]


def test_clearing_forgets_signatures():
    miss = Counted()
    f = fastpath.Function(None, miss)
    f(ones())
    f.clear_cache()
    f(ones())
    fastpath.clear_all_caches()
    f(ones())
    assert len(miss.calls) == 3


def test_a_function_may_call_and_clear_itself():
    inner = Counted()

    def miss(x):
        if len(inner.calls) < 3:
            answer = inner(x)
            f(x)
            f.clear_cache()
            return answer
        return inner(x)

    f = fastpath.Function(None, miss)
    np.testing.assert_array_equal(np.asarray(f(ones())), [2, 2, 2])


def test_many_threads_may_call_and_clear():
    miss = Counted(programs.LOOP, ())
    f = fastpath.Function(None, miss)
    failures = []
    expected = float(f(np.float32(1), 100))

    def work(seed):
        try:
            for turn in range(100):
                if seed == 0 and turn % 10 == 0:
                    f.clear_cache()
                assert float(f(np.float32(1), 100)) == expected
                x = device_put_get.device_put(np.float32(seed))
                assert float(f(x, 0)) == seed
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    threads = [
        threading.Thread(target=contextvars.copy_context().run, args=(work, i))
        for i in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_the_interpreter_runs_while_a_program_runs():
    f = fastpath.Function(None, Counted(programs.LOOP, ()))
    f(np.float32(1), 1)

    def ticks():
        found = []
        done = threading.Event()

        def tick():
            while not done.wait(0.001):
                found.append(1)

        ticker = threading.Thread(target=tick)
        ticker.start()
        float(f(np.float32(1), 20_000_000))
        done.set()
        ticker.join()
        return len(found)

    # The system may keep the other thread from its turn, but not every time.
    assert any(ticks() > 10 for _ in range(20))
