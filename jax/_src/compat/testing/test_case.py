"""The class that classes of tests derive from: options, a generator of numbers, comparisons and checks."""

import contextlib
import importlib
import os
import re
import tempfile
import textwrap
import unittest
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from jax._src import dtypes as dtypes_lib, tree
from jax._src.base import errors, options
from jax._src.compat import deprecations, options as compat_options
from jax._src.compat.testing import blocks, counting, tolerances, warning_blocks
from jax._src.jit import jit as jit_lib


def _base():
    """absl's class, with which tests of several cases work; Python's where absl is not installed."""
    try:
        return importlib.import_module("absl.testing.parameterized").TestCase
    except ModuleNotFoundError:
        return unittest.TestCase


_Base: Any = _base()

TEST_WITH_PERSISTENT_COMPILATION_CACHE = compat_options.bool_flag(
    "jax_test_with_persistent_compilation_cache",
    os.getenv("JAX_TEST_WITH_PERSISTENT_COMPILATION_CACHE", "").lower()
    in ("1", "true", "yes", "y", "on"),
    help="whether each test has a persistent cache for its programs",
)


def _is_array(x):
    return hasattr(x, "__array__")


def _is_series(x):
    return blocks.is_sequence(x) and not _is_array(x)


class JaxTestCase(_Base):
    """Tests of arrays: under strict options, with comparisons that know their dtypes."""

    _default_global_config: dict[str, Any] = {}
    _default_thread_local_config: dict[str, Any] = {
        "jax_enable_checks": True,
        "jax_numpy_dtype_promotion": "strict",
        "jax_numpy_rank_promotion": "raise",
        "jax_traceback_filtering": "off",
        "jax_legacy_prng_key": "error",
    }

    def setUp(self) -> None:
        super().setUp()
        self._enter(blocks.assert_global_configs_unchanged())
        # The same numbers in each run of a test.
        seed = zlib.adler32(self._testMethodName.encode())
        self._rng = np.random.RandomState(seed)
        self._enter(blocks.global_config_context(**self._default_global_config))
        of_thread = self._default_thread_local_config
        self._enter(blocks.thread_local_config_context(**of_thread))
        if TEST_WITH_PERSISTENT_COMPILATION_CACHE.value:
            self._use_a_cache()

    def _use_a_cache(self):
        """All programs of the test go through a persistent cache of its own."""
        folder = self._enter(tempfile.TemporaryDirectory())
        caching = {
            "jax_enable_compilation_cache": True,
            "jax_raise_persistent_cache_errors": True,
            "jax_persistent_cache_min_compile_time_secs": 0,
            "jax_persistent_cache_min_entry_size_bytes": 0,
            "jax_compilation_cache_dir": folder,
        }
        self._enter(blocks.thread_local_config_context(**caching))

    def _enter(self, block):
        value = block.__enter__()
        self.addCleanup(block.__exit__, None, None, None)
        return value

    def rng(self) -> Any:
        """The test's own source of random numbers."""
        return self._rng

    def assertDeprecationWarnsOrRaises(
        self,
        deprecation_id: str,
        message: str,
        *,
        error_class: type[Exception] = ValueError,
    ) -> Any:
        """A block that must warn of what is to go, or raise where it has gone."""
        if deprecations.is_accelerated(deprecation_id):
            return self.assertRaisesRegex(error_class, message)
        return self.assertWarnsRegex(DeprecationWarning, message)

    def assertArraysEqual(
        self,
        actual: Any,
        desired: Any,
        *,
        check_dtypes: bool = True,
        err_msg: str = "",
        allow_object_dtype: bool = False,
        verbose: bool = True,
    ) -> None:
        """Fails unless two arrays have the same elements."""
        if check_dtypes:
            self.assertDtypesMatch(actual, desired)
        pair = np.asarray(actual), np.asarray(desired)
        if not allow_object_dtype and any(x.dtype == object for x in pair):
            raise errors.type_error(
                "assertArraysEqual may be poorly behaved when np.asarray casts to dtype=object.",
                [("types", f"{type(actual).__name__}, {type(desired).__name__}")],
                "NumPy compares their elements as Python does.",
                "Compare random keys by jax.random.key_data, and trees with assertAllClose; or allow_object_dtype=True.",
            )
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(*pair, err_msg=err_msg, verbose=verbose)

    def assertArraysAllClose(
        self,
        actual: Any,
        desired: Any,
        *,
        check_dtypes: bool = True,
        atol: Any = None,
        rtol: Any = None,
        err_msg: str = "",
    ) -> None:
        """Fails unless two arrays are as near as the coarser of their dtypes requires."""
        self.assertEqual(actual.shape, desired.shape)
        kinds = [tolerances.dtype_of(x) for x in (actual, desired)]
        limits = [
            max(tolerances.tolerance(kind, given) for kind in kinds)
            for given in (atol, rtol)
        ]
        atol, rtol = limits
        tolerances.assert_numpy_allclose(actual, desired, atol, rtol, err_msg)
        if check_dtypes:
            self.assertDtypesMatch(actual, desired)

    def assertDtypesMatch(
        self, actual: Any, desired: Any, *, canonicalize_dtypes: bool = True
    ) -> None:
        """Fails unless two arrays have the same dtype, or dtypes that are the same without 64 bits."""
        kinds = [tolerances.dtype_of(x) for x in (actual, desired)]
        if canonicalize_dtypes and not options.enable_x64.value:
            kinds = [
                dtypes_lib.canonicalize_dtype(kind, allow_extended_dtype=True)
                for kind in kinds
            ]
        self.assertEqual(*kinds)

    def assertAllClose(
        self,
        actual: Any,
        desired: Any,
        *,
        check_dtypes: bool = True,
        atol: Any = None,
        rtol: Any = None,
        canonicalize_dtypes: bool = True,
        err_msg: str = "",
    ) -> None:
        """Fails unless two arrays, or dicts and sequences of them, are near each other."""
        given = {
            "check_dtypes": check_dtypes,
            "atol": atol,
            "rtol": rtol,
            "canonicalize_dtypes": canonicalize_dtypes,
            "err_msg": err_msg,
        }
        if isinstance(actual, dict):
            self.assertIsInstance(desired, dict)
            self.assertEqual(set(actual), set(desired))
            for key in actual:
                self.assertAllClose(actual[key], desired[key], **given)
        elif _is_series(actual):
            if not _is_series(desired):
                self.fail(f"Expected sequence, got {desired}")
            self.assertEqual(len(actual), len(desired))
            for one, other in zip(actual, desired, strict=True):
                self.assertAllClose(one, other, **given)
        elif _is_array(actual) or np.isscalar(actual):
            if not (_is_array(desired) or np.isscalar(desired)):
                self.fail(f"Expected array-like, got {desired}")
            if check_dtypes:
                canonical = {"canonicalize_dtypes": canonicalize_dtypes}
                self.assertDtypesMatch(actual, desired, **canonical)
            pair = np.asarray(actual), np.asarray(desired)
            limits = {"atol": atol, "rtol": rtol, "err_msg": err_msg}
            self.assertArraysAllClose(*pair, check_dtypes=False, **limits)
        elif actual != desired:
            raise TypeError((type(actual), type(desired)))

    def assertMultiLineStrippedEqual(self, expected: str, what: str) -> None:
        """Fails unless two texts are the same but for spaces around their lines."""

        def stripped(text):
            return re.sub(r"\s*\n\s*", "\n", textwrap.dedent(text).strip())

        told = f"Found\n{what}\nExpecting\n{expected}"
        self.assertMultiLineEqual(stripped(expected), stripped(what), msg=told)

    @contextlib.contextmanager
    def assertNoWarnings(self) -> Iterator[None]:
        """A block in which a warning is an error."""
        with warning_blocks.raise_on_warnings():
            yield

    @contextlib.contextmanager
    def assertWarns(  # type: ignore[override]
        self, warning: Any, *, msg: str | None = None
    ) -> Iterator[None]:
        """A block that must warn, with `msg` in the text."""
        with warning_blocks.record_warnings() as found:
            yield
        self._require_warning(
            found, warning, msg, lambda text: msg is None or msg in text
        )

    @contextlib.contextmanager
    def assertWarnsRegex(  # type: ignore[override]
        self, warning: Any, regex: Any
    ) -> Iterator[None]:
        """A block that must warn with a text in which a regular expression is found."""
        with warning_blocks.record_warnings() as found:
            yield
        self._require_warning(
            found,
            warning,
            regex,
            lambda text: regex is None or re.search(regex, text) is not None,
        )

    def _require_warning(self, found, warning, wanted, is_wanted):
        texts = [str(w.message) for w in found if isinstance(w.message, warning)]
        if not any(map(is_wanted, texts)):
            told = [str(w.message) for w in found]
            self.fail(
                f"Expected warning not found {warning}:'{wanted}', got warnings: {told}"
            )

    def _CompileAndCheck(
        self,
        fun: Callable,
        args_maker: Callable[[], Sequence[Any]],
        *,
        check_dtypes: bool = True,
        tol: Any = None,
        rtol: Any = None,
        atol: Any = None,
        check_cache_misses: bool = True,
    ) -> None:
        """Calls a function as it is and jitted: results agree, and a second call traces nothing."""
        limits = {
            "check_dtypes": check_dtypes,
            "atol": atol or tol,
            "rtol": rtol or tol,
        }
        is_traced = [True]

        def traced_once(*args):
            self.assertTrue(is_traced[0], "the function was traced a second time")
            return fun(*args)

        args = args_maker()
        plain = fun(*args)
        self.assertEqual(
            tree.tree_map(np.shape, plain),
            tree.tree_map(lambda x: np.asarray(x).shape, plain),
        )
        with counting.count_primitive_compiles() as compiled:
            plain = fun(*args)
        if check_cache_misses:
            told = f"Compilation detected during second call of {fun} in op-by-op mode."
            self.assertEqual(0, compiled(), told)
        jitted = jit_lib.jit(traced_once)
        self.assertAllClose(jitted(*args), plain, **limits)
        is_traced[0] = False
        self.assertAllClose(jitted(*args), plain, **limits)
        args = args_maker()
        plain = fun(*args)
        self.assertAllClose(jitted(*args), plain, **limits)

    def _CheckAgainstNumpy(
        self,
        numpy_reference_op: Callable,
        lax_op: Callable,
        args_maker: Callable[[], Sequence[Any]],
        check_dtypes: bool = True,
        tol: Any = None,
        atol: Any = None,
        rtol: Any = None,
        canonicalize_dtypes: bool = True,
    ) -> None:
        """Compares a function with one of NumPy's."""
        args = args_maker()
        self.assertAllClose(
            lax_op(*args),
            numpy_reference_op(*args),
            check_dtypes=check_dtypes,
            atol=atol or tol,
            rtol=rtol or tol,
            canonicalize_dtypes=canonicalize_dtypes,
        )

    def assertCacheMisses(
        self,
        func: Callable[[], Any],
        *,
        cpp: int | None = None,
        aot_call: int | None = None,
        tracing: int | None = None,
        lowering: int | None = None,
        compilation_after_persistent_cache_miss: int | None = None,
    ) -> None:
        """Fails unless a call of `func` goes so many times through what is counted."""
        counters = {
            counting.count_pjit_cpp_cache_miss: cpp,
            counting.count_aot_jit_cpp_cache_miss: aot_call,
            counting.count_jit_tracing_cache_miss: tracing,
            counting.count_jit_and_pmap_lowerings: lowering,
            counting.count_compilation_after_persistent_cache_miss: (
                compilation_after_persistent_cache_miss
            ),
        }
        with contextlib.ExitStack() as stack:
            counts = [
                (stack.enter_context(begin()), expected)
                for begin, expected in counters.items()
                if expected is not None
            ]
            func()
        for count, expected in counts:
            self.assertEqual(expected, count())


class BufferDonationTestCase(JaxTestCase):
    """Tests of arrays whose memory a call takes."""

    def assertDeleted(self, x: Any) -> None:
        """Fails unless an array is gone."""
        self.assertTrue(x.is_deleted())

    def assertNotDeleted(self, x: Any) -> None:
        """Fails if an array is gone."""
        self.assertFalse(x.is_deleted())


class _WithJit:
    """`jax.jit` with a name, for tests that try functions with and without it."""

    _name = "jit"

    def __call__(self, fun: Callable, **kwargs: Any) -> Any:
        return jit_lib.jit(fun, **kwargs)


class _WithoutJit:
    """Returns functions as they are."""

    _name = "noop"

    def __call__(self, fun: Callable, *args: Any, **kwargs: Any) -> Any:
        return fun


with_jit, without_jit = _WithJit(), _WithoutJit()
JIT_IMPLEMENTATION = (with_jit, without_jit)
