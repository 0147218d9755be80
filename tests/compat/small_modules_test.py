"""Small modules of upstream's that libraries import: hardware, pickles, lazy packages, announcements."""

import dataclasses
import types

import pytest
from jax._src.debugger import core as debugger_core
from jax._src.extend import random as extend_random
from jax._src.internal_test_util import deprecation_module, lazy_loader_module

import jax
from jax._src import (
    cloud_tpu_init,
    debugger,
    deprecations,
    frozen_dict,
    hardware_utils,
    lazy_loader,
    pickle_util,
)
from jax.experimental.sparse import BCOO, _base


def test_a_frozen_dict_has_a_hash():
    one, other = frozen_dict.FrozenDict({"a": 1}), frozen_dict.FrozenDict({"a": 1})
    assert one == other and hash(one) == hash(other) and {one: 2}[other] == 2
    assert one != {"a": 1} and one["a"] == 1 and list(one) == ["a"] and len(one) == 1
    assert one.get("b") is None and repr(one) == "FrozenDict({'a': 1})"


def test_functions_are_pickled_by_their_code():
    factor = 3
    f = pickle_util.loads(pickle_util.dumps(lambda x: factor * x))
    assert f(2) == 6


def test_marks_of_dataclasses_arrive_as_themselves():
    marks = [dataclasses.MISSING, dataclasses.KW_ONLY, dataclasses._FIELD]
    back = pickle_util.loads(pickle_util.dumps(marks))
    assert all(a is b for a, b in zip(marks, back, strict=True))


def test_a_lazy_package_imports_what_is_named():
    assert lazy_loader_module.__all__ == ["lazy_test_submodule"]
    assert lazy_loader_module.lazy_test_submodule.a_function() == 42
    with pytest.raises(AttributeError, match="has no attribute 'missing'"):
        _ = lazy_loader_module.missing
    get, listed, names = lazy_loader.attach("xml", ["dom"])
    assert get("dom").__name__ == "xml.dom" and listed() == names == ["dom"]
    with pytest.raises(AttributeError, match="'xml' has no attribute 'sax'"):
        get("sax")


def test_names_that_are_to_go_warn():
    assert deprecation_module.x == 42
    # A name warns at its first use, which may have been another test's.
    first = deprecations.deprecation_getattr(
        "example", deprecation_module._deprecations
    )
    with pytest.warns(DeprecationWarning, match="Please use x"):
        assert first("y") == 101
    assert deprecation_module.y == 101
    with pytest.raises(AttributeError, match="no attribute 'w'"):
        _ = deprecation_module.w


def test_announced_names_may_be_gone_before():
    module = types.ModuleType("announcing")
    module._deprecations = {"old": ("use new", 1)}
    assert not deprecations.is_accelerated_attribute(module, "old")
    deprecations.accelerate_getattr_deprecation(module, "old")
    assert deprecations.is_accelerated_attribute(module, "old")
    get = deprecations.deprecation_getattr("announcing", module._deprecations)
    with pytest.raises(AttributeError, match="use new"):
        get("old")


def test_announced_uses_warn_and_then_raise():
    name = "a-use-of-a-test"
    with pytest.raises(ValueError, match="not registered"):
        deprecations.is_accelerated(name)
    deprecations.register(name)
    try:
        with pytest.warns(DeprecationWarning, match="soon"):
            deprecations.warn(name, "soon", stacklevel=1)
        deprecations.accelerate(name)
        assert deprecations.is_accelerated(name)
        with pytest.raises(TypeError, match="soon"):
            deprecations.warn(name, "soon", stacklevel=1, error_class=TypeError)
    finally:
        deprecations.unregister(name)
    with pytest.raises(ValueError, match="not registered"):
        deprecations.unregister(name)


def test_hardware_is_listed():
    count, version = hardware_utils.num_available_tpu_chips_and_device_id()
    assert (count == 0) == (version is None)
    assert isinstance(hardware_utils.has_visible_nvidia_gpu(), bool)
    assert hardware_utils.num_available_amd_gpus(stop_at=0) == 0
    assert isinstance(hardware_utils.transparent_hugepages_enabled(), bool)
    assert hardware_utils.get_shm_size_in_mb() >= 0
    assert hardware_utils.TpuVersion.v5e > hardware_utils.TpuVersion.v4


class OfTpus:
    def __init__(self, version):
        self.platform_version = version


def test_dates_of_tpu_libraries_are_read():
    old = OfTpus(
        "PJRT C API\nTFRT TPU v2\nBuilt on Oct 30 2023 03:04:42 (1698660263) cl/1"
    )
    assert cloud_tpu_init.is_cloud_tpu_older_than(2023, 11, 1, old)
    assert not cloud_tpu_init.is_cloud_tpu_older_than(2023, 10, 1, old)
    assert not cloud_tpu_init.is_cloud_tpu_older_than(2023, 11, 1, OfTpus("cpu"))


def test_modules_lead_to_public_functions():
    assert debugger.breakpoint is jax.debug.breakpoint is debugger_core.breakpoint
    assert issubclass(BCOO, _base.JAXSparse)
    assert extend_random.define_prng_impl is jax.extend.random.define_prng_impl
