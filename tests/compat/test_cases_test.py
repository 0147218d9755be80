"""The class that test files derive from, the blocks beside it, and what it counts; cases that upstream 0.10.2 agrees to."""

import functools as ft
import io
import os
import unittest
import warnings

import numpy as np
import pytest
from absl.testing import parameterized

import jax
import jax.numpy as jnp
from jax import lax
from jax._src import (
    deprecations,
    dtypes,
    mesh as mesh_lib,
    test_util as jtu,
    test_warning_util,
)


def thread_resources():
    return mesh_lib.thread_resources.env.physical_mesh


class Comparisons(jtu.JaxTestCase):
    """Runs as test files do: under strict options."""

    @jtu.sample_product(
        shape=[(3,), (2, 4), ()], dtype=[np.float32, np.int32, np.complex64]
    )
    def test_a_function_agrees_with_one_of_numpy(self, shape, dtype):
        rng = jtu.rand_default(self.rng())
        self._CheckAgainstNumpy(np.negative, jnp.negative, lambda: [rng(shape, dtype)])
        self._CompileAndCheck(jnp.negative, lambda: [rng(shape, dtype)])

    @parameterized.named_parameters(
        jtu.named_cases_from_sampler(
            lambda choose: [{"testcase_name": f"_{a}", "a": a} for a in choose([1, 2])]
        )
    )
    def test_named_cases(self, a):
        self.assertIn(a, (1, 2))

    @jtu.parameterized_filterable(kwargs=[{"a": "x y"}, {"a": "z"}])
    def test_filterable_cases(self, a):
        self.assertIn(a, ("x y", "z"))

    @jtu.parameterized_filterable(
        kwargs=[{"a": 1}, {"a": 2}], one_containing="2", testcase_name=str
    )
    def test_one_of_the_cases(self, a):
        self.assertEqual(a, 2)

    @jtu.run_on_devices("cpu")
    def test_on_the_cpu(self):
        self.assertTrue(jtu.test_device_matches(["cpu"]))
        self.assertFalse(jtu.test_device_matches(["gpu", "tpu"]))

    @jtu.skip_on_devices("cpu")
    def test_on_no_cpu(self):
        raise AssertionError

    @jtu.run_on_devices("tpu")
    def test_on_tpus(self):
        raise AssertionError

    @jtu.skip_on_flag("jax_enable_checks", True)
    def test_without_checks(self):
        raise AssertionError

    def test_options_are_strict(self):
        with self.assertRaisesRegex(dtypes.TypePromotionError, "strict"):
            jnp.zeros(1, jnp.int32) + jnp.zeros(1, jnp.float32)
        with self.assertRaises(ValueError):
            jnp.zeros((2, 1)) + jnp.zeros(1)

    def test_trees_are_compared(self):
        self.assertAllClose({"a": jnp.ones(3)}, {"a": np.ones(3, np.float32)})
        self.assertAllClose([jnp.ones(3), 2.0], [jnp.ones(3) * (1 + 1e-7), 2.0])
        for actual, desired in [
            ({"a": 1}, {"b": 1}),
            ([1.0], [1.0, 2.0]),
            (jnp.ones(3), np.ones(3, np.float32) + np.float32(1e-3)),
            (jnp.ones(3, jnp.int32), np.ones(3, np.float32)),
            (jnp.ones(3), [1.0, 1.0, 1.0]),
        ]:
            with self.assertRaises(AssertionError):
                self.assertAllClose(actual, desired)

    def test_arrays_of_objects_are_refused(self):
        self.assertArraysEqual(jnp.ones(3), np.ones(3, np.float32))
        with self.assertRaisesRegex(TypeError, "dtype=object"):
            self.assertArraysEqual(np.array([None]), np.array([None]))

    def test_texts_are_compared_without_spaces(self):
        self.assertMultiLineStrippedEqual("\n   a\n     b ", "a\nb")
        with self.assertRaises(AssertionError):
            self.assertMultiLineStrippedEqual("a", "b")

    def test_warnings(self):
        with self.assertWarnsRegex(UserWarning, "he.lo"):
            warnings.warn("say hello", stacklevel=1)
        with self.assertRaises(UserWarning), self.assertNoWarnings():
            warnings.warn("x", stacklevel=1)
        with self.assertRaises(AssertionError), self.assertWarns(UserWarning):
            pass
        with jtu.ignore_warning(category=UserWarning, message="say"):
            warnings.warn("say it", stacklevel=1)
        with self.assertDeprecationWarnsOrRaises("jax-array-positional-args", "gone"):
            deprecations.warn("jax-array-positional-args", "it is gone", 1)

    def test_calls_are_counted(self):
        x, y = jnp.ones(3), jnp.ones(5)
        counters = [
            jtu.count_jit_tracing_cache_miss,
            jtu.count_jit_and_pmap_lowerings,
            jtu.count_pjit_cpp_cache_miss,
            jtu.count_jit_compilation_cache_miss,
            jtu.count_compilation_after_persistent_cache_miss,
        ]
        for begin in counters:
            f = jax.jit(lambda x: lax.sin(x))
            with begin() as count:
                f(x), f(x), f(x)
            self.assertEqual(count(), 1)
        self.assertCacheMisses(lambda: f(x), cpp=0, tracing=0, lowering=0)
        self.assertCacheMisses(lambda: f(y), cpp=1, tracing=1, lowering=1)
        with jtu.assert_num_jit_and_pmap_compilations(0):
            f(x)
        with (
            self.assertRaisesRegex(AssertionError, "exactly 2 XLA"),
            jtu.assert_num_jit_and_pmap_compilations(2),
        ):
            f(x)
        compiled = f.lower(x).compile()
        self.assertCacheMisses(lambda: compiled(x), aot_call=1)
        self.assertCacheMisses(lambda: compiled(x), aot_call=0)

    def test_transfers_are_counted(self):
        for value, times in [(np.ones(3), 1), ([np.ones(2), 1.0], 2), (jnp.ones(3), 0)]:
            with jtu.count_device_put() as count:
                jax.device_put(value)
            self.assertEqual(count(), times)

    def test_lowered_programs_are_collected(self):
        with jtu.collect_lowered_jaxprs() as collected:
            jax.jit(lambda x: lax.sin(x) * 2)(np.float32(1))
        ((jaxpr, module),) = collected
        self.assertIn("sin", str(jaxpr))
        self.assertIn("stablehlo.sine", str(module))

    def test_what_is_not_counted_skips(self):
        with self.assertRaises(unittest.SkipTest), jtu.count_internal_device_puts():
            pass
        with self.assertRaisesRegex(ValueError, "nothing is counted"):
            jtu.count_events("unknown")

    def test_meshes(self):
        mesh = jtu.create_mesh((1,), ("x",))
        self.assertEqual(dict(mesh.shape), {"x": 1})
        with self.assertRaises(unittest.SkipTest):
            jtu.create_mesh((4096,), ("x",))
        with jtu.ignore_warning(category=DeprecationWarning, message="`with mesh:`"):
            with jtu.with_mesh([("a", 1)]):
                self.assertEqual(thread_resources().axis_names, ("a",))

    @jtu.with_explicit_mesh((1, 1), ("x", "y"))
    def test_an_explicit_mesh_is_given(self, mesh):
        x = jax.device_put(np.ones((4, 2)), jax.NamedSharding(mesh, jax.P("x", "y")))
        self.assertEqual(x.aval.sharding.spec, jax.P("x", "y"))

    def test_changed_options_are_found(self):
        with (
            self.assertRaisesRegex(AssertionError, "jax_debug_infs"),
            jtu.assert_global_configs_unchanged(),
        ):
            jax.config.update("jax_debug_infs", True)
        jax.config.update("jax_debug_infs", False)


@jtu.with_config(jax_numpy_dtype_promotion="standard")
class Donated(jtu.BufferDonationTestCase):
    def test_an_option_of_the_class(self):
        self.assertEqual((jnp.zeros(1, int) + jnp.zeros(1)).dtype, jnp.float32)

    def test_memory_that_is_taken(self):
        x = jnp.ones(3)
        y = jax.jit(lambda x: x + 1, donate_argnums=0)(x)
        self.assertDeleted(x)
        self.assertNotDeleted(y)


@jtu.with_global_config(jax_default_matmul_precision="high")
class OfTheProcess(jtu.JaxTestCase):
    def test_an_option_of_the_process(self):
        self.assertEqual(jax.config.jax_default_matmul_precision, "high")


@jtu.with_global_config(jax_debug_nans=True)
class Inherited(OfTheProcess):
    def test_options_are_inherited(self):
        self.assertEqual(jax.config.jax_default_matmul_precision, "high")
        self.assertTrue(jax.config.jax_debug_nans)


def test_only_classes_of_tests_hold_options():
    with pytest.raises(AssertionError, match="JaxTestCase"):
        jtu.with_config(jax_debug_nans=True)(int)


def test_derivatives_by_linearize_are_compared():
    jtu.check_grads(jnp.sin, (1.0,), order=2, modes=["lin"])

    @jax.custom_jvp
    def wrong(x):
        return jnp.sin(x)

    wrong.defjvp(lambda primals, tangents: (wrong(*primals), 2 * tangents[0]))
    with pytest.raises(AssertionError):
        jtu.check_grads(wrong, (1.0,), order=1, modes=["lin"])
    with pytest.raises(ValueError, match='"lin"'):
        jtu.check_grads(jnp.sin, (1.0,), order=1, modes=["back"])


def test_precisions_of_products_are_found():
    high = ft.partial(jnp.dot, precision="high")
    x = jnp.ones((2, 2))
    jtu.assert_dot_precision(lax.Precision.HIGH, high, x, x)
    with pytest.raises(AssertionError, match="Unexpected precision"):
        jtu.assert_dot_precision(None, jax.jit(high), x, x)
    wide = ft.partial(jnp.dot, preferred_element_type=jnp.float32)
    jtu.assert_dot_preferred_element_type(jnp.float32, wide, x, x)
    with pytest.raises(AssertionError, match="preferred_element_type"):
        jtu.assert_dot_preferred_element_type(jnp.float16, wide, x, x)
    there, back = jtu.fwd_bwd_jaxprs(jnp.sin, 1.0)
    assert "cos" in str(there) and "mul" in str(back)


def test_variables_and_streams_are_put_back():
    os.environ["JAX_TEST_SET"] = "before"
    with jtu.set_env(JAX_TEST_SET=None, JAX_TEST_OTHER="1"):
        assert "JAX_TEST_SET" not in os.environ
        assert os.environ["JAX_TEST_OTHER"] == "1"
    assert os.environ.pop("JAX_TEST_SET") == "before"
    assert "JAX_TEST_OTHER" not in os.environ


def test_what_native_code_prints_is_taken(tmp_path):
    with open(tmp_path / "stream", "w") as stream:
        with jtu._capture_output(stream) as taken:
            os.write(stream.fileno(), b"native ")
            print("python", file=stream, flush=True)
            with pytest.raises(ValueError, match="active"):
                taken()
        print("after", file=stream)
    assert taken() == "native python\n"
    assert (tmp_path / "stream").read_text() == "after\n"
    with pytest.raises(io.UnsupportedOperation):
        jtu._capture_output(io.StringIO()).__enter__()


def test_dtypes_of_numpy_follow_the_options():
    doubled = jtu.with_jax_dtype_defaults(lambda x: (np.float64(x), np.int64(x)))
    assert [x.dtype for x in doubled(2)] == [np.float32, np.int32]
    kept = jtu.with_jax_dtype_defaults(
        lambda x: (np.float64(x), np.int64(x)), (False, True)
    )
    assert [x.dtype for x in kept(2)] == [np.float64, np.int32]
    with jax.enable_x64(True):
        assert jtu.to_default_dtype(1.0).dtype == np.float64
    types = jtu.promote_like_jnp(lambda a, b: (a.dtype, b.dtype))
    assert types(np.int8(1), np.float32(2)) == (np.float32, np.float32)


def test_warnings_of_threads_go_to_their_handlers(monkeypatch):
    with warnings.catch_warnings():
        monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
        test_warning_util.install_threadsafe_warning_handlers()
        with test_warning_util.record_warnings() as found:
            warnings.warn("one", stacklevel=1)
        assert [str(w.message) for w in found] == ["one"]
        with pytest.raises(UserWarning, match="two"):
            warnings.warn("two", stacklevel=1)
        with test_warning_util.ignore_warning(message="thr"):
            warnings.warn("three", stacklevel=1)
            with (
                test_warning_util.raise_on_warnings(),
                pytest.raises(UserWarning, match="three"),
            ):
                warnings.warn("three", stacklevel=1)


@pytest.mark.parametrize("threads", [0, 2])
def test_a_loader_selects_tests_and_threads_run_them(monkeypatch, threads):
    from jax._src import test_loader

    class Small(unittest.TestCase):
        def test_good(self):
            with jtu.thread_unsafe_test():
                pass

        def test_bad(self):
            self.fail("as it should")

        def test_left_out(self):
            raise AssertionError

    jtu.thread_unsafe_test_class()(Small)
    monkeypatch.setenv("NOTHING", "")
    jax.config.update("test_targets", "good|bad")
    before = warnings.showwarning, warnings.filters[:]
    jax.config.update("jax_test_num_threads", threads)
    try:
        suite = test_loader.JaxTestLoader().loadTestsFromTestCase(Small)
        result = unittest.TestResult()
        if not threads:
            suite.run(result)
        else:
            Small.thread_hostile = False
            suite.run(result)
    finally:
        jax.config.update("jax_test_num_threads", 0)
        jax.config.update("test_targets", "")
        warnings.showwarning, warnings.filters[:] = before
    assert result.testsRun == 2
    assert len(result.failures) == 1
    assert "as it should" in result.failures[0][1]
