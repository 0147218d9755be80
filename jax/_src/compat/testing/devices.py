"""Which devices, libraries and builds tests run on, and decorators that skip tests for them."""

import functools as ft
import os
import re
import sys
import unittest
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from jax._src import dtypes as dtypes_lib
from jax._src.base import config, errors, options
from jax._src.compat import library, options as compat_options
from jax._src.lib import cuda
from jax._src.runtime.devices import backends

# What a device is called in the conditions of tests, where that is not its platform.
device_flag = compat_options.string_flag(
    "jax_test_dut", "", help="the platform that tests assume; empty: the default one"
)
# How much shared memory tests take that shall run on every NVIDIA device.
SMEM_SIZE_BOUND_FOR_TESTS = 99 * 1024

_DONATING = ("cpu", "cuda", "rocm", "gpu", "tpu", "neuron", "METAL")


def device_under_test() -> str:
    """The platform that tests run on."""
    return device_flag.value or backends.get_backend().platform


def _platform_version():
    return backends.get_backend().platform_version


def is_device_rocm() -> bool:
    """Whether the default devices are AMD's."""
    return "rocm" in _platform_version()


def is_device_cuda() -> bool:
    """Whether the default devices are NVIDIA's."""
    return "cuda" in _platform_version()


def is_cloud_tpu() -> bool:
    """Whether the machine is one of Google's with TPUs."""
    return device_under_test() == "tpu" and "TFRT TPU" in _platform_version()


def _no_sanitizer() -> bool:
    """Whether jaxlib was compiled with a sanitizer, which wheels are not."""
    return False


is_asan = is_msan = is_tsan = is_sanitized = _no_sanitizer


def is_optimized_build() -> bool:
    """Whether jaxlib was compiled with optimization: always."""
    return True


def is_gil_disabled() -> bool:
    """Whether several threads of Python run at once."""
    return not getattr(sys, "_is_gil_enabled", lambda: True)()


def is_test_rbe() -> bool:
    """Whether the environment says that a remote executor runs the tests."""
    return os.getenv("IS_JAX_RBE_TESTING", "").lower() in {"true", "1", "yes", "y"}


def date(year: int, month: int, day: int) -> np.datetime64:
    """A day."""
    return np.datetime64(f"{year:04}-{month:02}-{day:02}")


def build_date(platform_version: str) -> np.datetime64 | None:
    """When the library of a client was built, which the last line of its version says; None: it does not."""
    stamp = re.search(r"\((\d+)\)", platform_version.split("\n")[-1])
    return None if stamp is None else np.datetime64(int(stamp[1]), "s")


def is_cloud_tpu_at_least(year: int, month: int, day: int) -> bool:
    """Whether the TPU library is as new as a date; true where there are no TPUs."""
    built = build_date(_platform_version())
    if not is_cloud_tpu() or built is None:
        return True
    return bool(built >= date(year, month, day))


def _always(*_: Any) -> bool:
    """Whether the plugin has a version: the one beside this package always does."""
    return True


def pjrt_c_api_version_at_least(major_version: int, minor_version: int) -> bool:
    """Whether the plugin of the default devices has at least this version of the PJRT C API."""
    found = getattr(backends.get_backend(), "pjrt_c_api_version", None)
    return found is None or tuple(found) >= (major_version, minor_version)


stablehlo_version_at_least = _always


def _tpu_kind():
    return backends.devices()[0].device_kind


def get_tpu_version() -> int:
    """The generation of the TPUs.

    Raises:
        ValueError: the devices are none.
    """
    if device_under_test() != "tpu":
        raise ValueError("Device is not TPU")
    found = re.match(r"TPU\D*(\d+)", _tpu_kind())
    if found is None:
        raise ValueError(f"Device kind {_tpu_kind()} is not supported")
    return int(found[1])


def is_device_tpu_at_least(version: int) -> bool:
    """Whether the devices are TPUs of this generation or a later one."""
    return device_under_test() == "tpu" and get_tpu_version() >= version


def is_device_tpu(version: int | None = None, variant: str = "") -> bool:
    """Whether the devices are TPUs: of any kind, or of one generation and variant."""
    if device_under_test() != "tpu":
        return False
    if version is None:
        return True
    wanted = f"v{version}{variant}"
    if wanted == "v5p":
        return _tpu_kind().endswith("v5")
    called = {"v5e": "v5 lite", "v6e": "v6 lite", "v7x": "TPU7x"}
    return called.get(wanted, wanted) in _tpu_kind()


def pattern_search(patterns: str | Sequence[str], string: str) -> str | None:
    """The first of some regular expressions that is found in a text; None: none is."""
    listed = (patterns,) if isinstance(patterns, str) else patterns
    return next((p for p in listed if re.search(p, string)), None)


def device_kind_match(device_patterns: str | Sequence[str]) -> str | None:
    """The first of some regular expressions that is found in the kind of the devices."""
    return pattern_search(device_patterns, backends.devices()[0].device_kind)


def get_cuda_nonportable_max_cluster_size() -> int:
    """The largest cluster of blocks that NVIDIA's device may run if it need not run on others."""
    sizes = {"Thor$": 8, "GB10$": 12}
    return sizes.get(device_kind_match(list(sizes)) or "", 16)


def _capability(text):
    return tuple(map(int, text.split(".")))


def _cuda_capability():
    """The compute capability of the first NVIDIA device; None where there is none."""
    if not is_device_cuda():
        return None
    return _capability(backends.local_devices(backend="gpu")[0].compute_capability)


def is_cuda_compute_capability_at_least(capability: str) -> bool:
    """Whether there is an NVIDIA device of this compute capability or a greater one."""
    found = _cuda_capability()
    return found is not None and found >= _capability(capability)


def is_cuda_compute_capability_equal(capability: str) -> bool:
    """Whether there is an NVIDIA device of exactly this compute capability."""
    return _cuda_capability() == _capability(capability)


def is_cuda_version_at_least(major: int, minor: int) -> bool:
    """Whether NVIDIA's runtime is there, at this version or a later one."""
    versions = cuda.cuda_versions
    if versions is None:
        return False
    return versions.cuda_runtime_get_version() >= major * 1000 + minor * 10


class CudaArchSpecificTest:
    """What a class of tests inherits to skip those of single NVIDIA architectures."""

    skipTest: Callable[[str], Any]

    def skip_unless_sm90a(self) -> None:
        """Skips the test where there is no device of compute capability 9.0."""
        if not is_cuda_compute_capability_equal("9.0"):
            self.skipTest("Only works on GPU with capability sm90a")

    def skip_unless_tcgen05(self) -> None:
        """Skips the test where no device has the matrix instructions of 10.x and 11.x."""
        if (_cuda_capability() or (0,))[0] not in (10, 11):
            self.skipTest("Only works on GPU with tcgen05 instructions")

    def skip_unless_tcgen05_int8(self) -> None:
        """Skips the test where no device has these instructions for int8."""
        if _cuda_capability() not in ((10, 0), (10, 1), (11, 0)):
            self.skipTest("Only works on GPU with tcgen05 instructions for int8")


def get_device_tags() -> set[str]:
    """The names that conditions of tests may call the devices by."""
    tags = {device_under_test()}
    if is_device_rocm():
        tags.add("rocm")
    elif is_device_cuda():
        tags.add("cuda")
    return tags


def test_device_matches(device_types: Iterable[str]) -> bool:
    """Whether one of some names is one of the devices'."""
    if isinstance(device_types, str):
        raise AssertionError("device_types should be a list of strings")
    return bool(get_device_tags().intersection(device_types))


test_device_matches.__test__ = False  # type: ignore[attr-defined]  # no test of pytest's


def device_filter(
    predicate: Callable[[], bool], skip_reason: str | None = None
) -> Callable:
    """A decorator that skips a test where `predicate` does not hold when it runs."""

    def decorate(test):
        @ft.wraps(test)
        def run(self, *args, **kwargs):
            if predicate():
                return test(self, *args, **kwargs)
            tags, name = get_device_tags(), getattr(test, "__name__", "[unknown test]")
            told = skip_reason or f"{name} not supported on device with tags {tags}."
            raise unittest.SkipTest(told)

        return run

    return decorate


def skip_on_devices(*disabled_devices: str, skip_reason: str | None = None) -> Callable:
    """A decorator that skips a test on some devices."""
    told = f"Skipped on devices with tags: {', '.join(disabled_devices)}"
    return device_filter(
        lambda: not test_device_matches(disabled_devices), skip_reason or told
    )


def run_on_devices(*enabled_devices: str, skip_reason: str | None = None) -> Callable:
    """A decorator that skips a test on all devices but some."""
    told = f"Skipped unless running on devices with tags: {', '.join(enabled_devices)}"
    return device_filter(
        lambda: test_device_matches(enabled_devices), skip_reason or told
    )


def device_supports_buffer_donation() -> Callable:
    """A decorator that skips a test where a program cannot take its arguments' memory."""
    return device_filter(lambda: test_device_matches(_DONATING))


def request_cpu_devices(nr_devices: int) -> None:
    """Requests so many virtual CPU devices; devices that are in use stay as they are."""
    if options.num_cpu_devices.value >= nr_devices:
        return
    try:
        config.config.update("jax_num_cpu_devices", nr_devices)
    except RuntimeError:
        pass  # tests that need more skip themselves


def skip_on_flag(flag_name: str, skip_value: Any) -> Callable:
    """A decorator that skips a test where an option has a value."""

    def decorate(test):
        @ft.wraps(test)
        def run(self, *args, **kwargs):
            value = config.config.read(flag_name)
            if value != skip_value:
                return test(self, *args, **kwargs)
            name = getattr(test, "__name__", "[unknown test]")
            told = f"{name} not supported when FLAGS.{flag_name} is {value}"
            raise unittest.SkipTest(told)

        return run

    return decorate


def is_running_under_pytest() -> bool:
    """Whether pytest was imported."""
    return "pytest" in sys.modules


def skip_under_pytest(reason: str) -> Callable:
    """A decorator that skips a test which pytest runs."""
    return unittest.skipIf(is_running_under_pytest(), f"Running under pytest: {reason}")


def pytest_mark_if_available(marker: str) -> Callable:
    """A decorator that marks a test for pytest, where it runs."""

    def decorate(test):
        pytest = sys.modules.get("pytest")
        return test if pytest is None else getattr(pytest.mark, marker)(test)

    return decorate


def runtime_environment() -> str | None:
    """What runs the tests: "bazel", "pytest", or None where nothing says it."""
    if sys.executable is None:
        return None
    return "bazel" if "bazel-out" in sys.executable else "pytest"


_NARROW = ("int4", "uint4", "float8_e4m3fn", "float8_e5m2")
_OF_PLATFORM = {
    "tpu": (
        "bool_ int8 int16 int32 uint8 uint16 uint32 float16 float32 complex64".split(),
        ["bfloat16", *_NARROW, "float8_e4m3b11fnuz"],
    ),
    "gpu": (
        "bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 "
        "float64 complex64 complex128".split(),
        ["bfloat16", *_NARROW[2:]],
    ),
}
_OF_OTHERS = (_OF_PLATFORM["gpu"][0], ["bfloat16", *_NARROW[:2]])
_LONG = {np.int64, np.uint64, np.float64, np.complex128}


def supported_dtypes() -> set[Any]:
    """The scalar types that arrays can have on the devices under the current options."""
    of_numpy, own = _OF_PLATFORM.get(device_under_test(), _OF_OTHERS)
    found = {getattr(np, name) for name in of_numpy}
    found |= {getattr(dtypes_lib, name) for name in own}
    return found if options.enable_x64.value else found - _LONG


class LazyDtypes:
    """Lists of scalar types by kind, of those that the devices have; made at their first use."""

    @staticmethod
    def supported(dtypes: Sequence[Any]) -> list[Any]:
        """Filters scalar types: arrays can have those that are left."""
        there = supported_dtypes()
        return [dtype for dtype in dtypes if dtype in there]

    def _own(self, names):
        return self.supported([getattr(dtypes_lib, name) for name in names.split()])

    @ft.cached_property
    def custom_floats(self) -> list[Any]:
        """Floating-point numbers that NumPy does not have."""
        return self._own(
            "bfloat16 float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 "
            "float8_e5m2fnuz float8_e3m4 float8_e4m3 float8_e8m0fnu float4_e2m1fn"
        )

    @ft.cached_property
    def floating(self) -> list[Any]:
        """Floating-point numbers of 32 and 64 bits."""
        return self.supported([np.float32, np.float64])

    @ft.cached_property
    def all_floating(self) -> list[Any]:
        """Floating-point numbers of 16 to 64 bits."""
        return [*self._own("bfloat16"), *self.supported([np.float16]), *self.floating]

    @ft.cached_property
    def integer(self) -> list[Any]:
        """Signed integers of 32 and 64 bits."""
        return self.supported([np.int32, np.int64])

    @ft.cached_property
    def all_integer(self) -> list[Any]:
        """Signed integers of 8 to 64 bits."""
        return [*self.supported([np.int8, np.int16]), *self.integer]

    @ft.cached_property
    def unsigned(self) -> list[Any]:
        """Unsigned integers of 32 and 64 bits."""
        return self.supported([np.uint32, np.uint64])

    @ft.cached_property
    def all_unsigned(self) -> list[Any]:
        """Unsigned integers of 8 to 64 bits."""
        return [*self.supported([np.uint8, np.uint16]), *self.unsigned]

    @ft.cached_property
    def complex(self) -> list[Any]:
        """Complex numbers."""
        return self.supported([np.complex64, np.complex128])

    @ft.cached_property
    def boolean(self) -> list[Any]:
        """Truth values."""
        return self.supported([np.bool_])

    inexact = property(lambda self: self.floating + self.complex)
    all_inexact = property(lambda self: self.all_floating + self.complex)
    numeric = property(
        lambda self: self.floating + self.integer + self.unsigned + self.complex
    )
    all = property(
        lambda self: [
            *self.all_floating,
            *self.all_integer,
            *self.all_unsigned,
            *self.complex,
            *self.boolean,
        ]
    )


dtypes = LazyDtypes()


def strict_promotion_if_dtypes_match(dtypes: Sequence[Any]) -> Any:
    """A block in which types are promoted strictly if all of `dtypes` are the same, else as usual."""
    are_same = all(dtype == dtypes[0] for dtype in dtypes)
    return options.numpy_dtype_promotion("strict" if are_same else "standard")


def parse_version(v: str) -> tuple[int, ...]:
    """The numbers of a version; what says that it is a candidate is left out.

    Raises:
        ValueError: the text begins with no number.
    """
    found = re.match(r"\d+(?:\.\d+)*", v)
    if found is None:
        raise errors.value_error(f"Unable to parse version '{v}'", [])
    return tuple(map(int, found[0].split(".")))


def numpy_version() -> tuple[int, ...]:
    """The version of NumPy."""
    return parse_version(np.__version__)


def jaxlib_version() -> tuple[int, ...]:
    """The version of jaxlib."""
    return tuple(library.version)
