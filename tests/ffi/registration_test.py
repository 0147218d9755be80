"""Handlers, their stages and types are made known; headers are found."""

import ctypes
import pathlib

import pytest

import jax
from jax._src.lib import callbacks, headers
from jax._src.runtime import ffi as handlers

HANDLER = callbacks.handler()
NUMBER = ctypes.c_int64(0)
NUMBER_CAPSULE = jax.ffi.pycapsule(ctypes.addressof(NUMBER))


def test_a_type_gets_a_number_once():
    jax.devices()  # From now on there is a plugin that gives numbers.
    jax.ffi.register_ffi_type("numbered", {"type_id": NUMBER_CAPSULE})
    first = NUMBER.value
    assert first > 0
    jax.ffi.register_ffi_type("numbered", {"type_id": NUMBER_CAPSULE})
    assert NUMBER.value == first


@pytest.mark.parametrize(
    "registration", [None, {}, {"type_id": 3}, {"type_id": NUMBER_CAPSULE, "more": 1}]
)
def test_what_is_no_type_is_refused(registration):
    with pytest.raises(TypeError, match="no registration of a type"):
        jax.ffi.register_ffi_type("unregistered", registration)
    assert ("cpu", "unregistered") not in handlers._types


def test_numbers_alone_make_no_type():
    with pytest.raises(ValueError, match="register_ffi_type"):
        jax.ffi.register_ffi_type_id("unregistered", NUMBER_CAPSULE)


@pytest.mark.parametrize("stages", [{}, {"instantiate"}, {"execute", "finish"}])
def test_stages_have_names(stages):
    with pytest.raises(ValueError, match="not the stages of a handler"):
        jax.ffi.register_ffi_target("unstaged", dict.fromkeys(stages, HANDLER))
    assert ("cpu", "unstaged") not in handlers._handlers


def test_stages_are_capsules():
    with pytest.raises(TypeError, match="no name and handler"):
        jax.ffi.register_ffi_target("unstaged", {"execute": print})


def test_a_dictionary_of_one_stage_is_a_handler():
    jax.devices()
    jax.ffi.register_ffi_target("staged_callback", {"execute": HANDLER})
    jax.ffi.register_ffi_target("staged_callback", HANDLER)


def test_the_headers_are_where_include_dir_says():
    folder = pathlib.Path(jax.ffi.include_dir())
    assert "struct XLA_FFI_Api" in (folder / "xla/ffi/api/c_api.h").read_text()
    assert (folder / "xla/ffi/api/ffi.h").is_file()


def test_a_jaxlib_without_headers_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(headers, "package", lambda: str(tmp_path))
    with pytest.raises(RuntimeError, match="has no headers"):
        jax.ffi.include_dir()
