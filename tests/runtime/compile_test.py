"""Compiling on plugins that others wrote, and what distinguishes cached programs."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax._src.lib import client
from jax._src.runtime.compilation import compilation_cache, compile as compile_lib
from jax._src.runtime.devices import backends


def test_extremes_keep_nan():
    x, y = np.array([np.nan, 1], "f4"), np.array([1, np.nan], "f4")
    for pick in (jnp.maximum, jnp.minimum, jax.jit(jnp.maximum)):
        assert np.isnan(pick(x, y)).all()
    assert np.isnan(jnp.max(np.array([1, np.nan, 2, 3], "f4")))


class Compiler:
    """A compiler that knows some options, and reports what it was given."""

    def __init__(self, *known):
        self.known = known

    def compile(self, module, options):
        for name in options.overrides:
            if name not in self.known:
                text = f"INVALID_ARGUMENT: No such compile option: '{name}'"
                raise jax.errors.JaxRuntimeError(text)
        return dict(options.overrides)


class Settings:
    overrides = None


def compiled_by(compiler, options, monkeypatch):
    monkeypatch.setitem(backends._compile_options, compiler, {"safe": True})
    return compile_lib._compile(compiler, b"", Settings(), options)


def test_a_compiler_gets_the_options_of_its_client(monkeypatch):
    known = Compiler("safe", "more")
    assert compiled_by(known, {"more": 1}, monkeypatch) == {"safe": True, "more": 1}
    assert compiled_by(known, {"safe": False}, monkeypatch) == {"safe": False}


def test_a_compiler_that_knows_no_such_option_goes_without(monkeypatch):
    strange = Compiler("more")
    assert compiled_by(strange, {"more": 1}, monkeypatch) == {"more": 1}
    assert backends.compile_options(strange) == {}


def test_a_wrong_option_of_the_user_is_an_error(monkeypatch):
    known = Compiler("safe")
    with pytest.raises(jax.errors.JaxRuntimeError, match="'safer'"):
        compiled_by(known, {"safer": 1}, monkeypatch)
    assert backends.compile_options(known) == {"safe": True}


def test_an_entry_of_the_cache_is_for_one_program_with_its_settings_on_one_compiler():
    plain, on_other_device = client.CompileOptions(), client.CompileOptions()
    on_other_device.device_ids = [3]
    keys = {
        compilation_cache._key(text, settings, compiler)
        for text in ("a", "ab")
        for settings in (plain, on_other_device)
        for compiler in ("cpu 1", "cpu 2")
    }
    assert len(keys) == 8
