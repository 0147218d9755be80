"""Options: values for the process, for a block, and from the environment."""

import contextvars
import gc
import threading

import pytest

import jax
from jax._src.base import config, options


def test_a_block_sets_an_option_for_itself_only():
    before = options.enable_x64.value
    with options.enable_x64(not before):
        assert options.enable_x64.value is not before
    assert options.enable_x64.value is before


def test_another_thread_does_not_see_the_block():
    seen = []
    with options.enable_x64(True):
        thread = threading.Thread(target=lambda: seen.append(options.enable_x64.value))
        thread.start()
        thread.join()
    assert seen == [False]


def test_blocks_nest():
    with options.debug_nans(True), options.enable_x64(True):
        assert options.debug_nans.value and options.enable_x64.value


def test_the_trace_key_changes_with_what_a_trace_depends_on():
    key = config.config.trace_key()
    with options.enable_x64(True):
        assert config.config.trace_key() != key
    with options.log_compiles(True):
        assert config.config.trace_key() == key
    assert config.config.trace_key() is key


def test_update_refuses_a_value_of_the_wrong_kind():
    with pytest.raises(ValueError, match="cannot be 'maybe'"):
        config.config.update("jax_enable_x64", "maybe")


def test_update_refuses_an_unknown_name():
    with pytest.raises(
        AttributeError, match="Unrecognized config option: jax_enable_x65"
    ):
        config.config.update("jax_enable_x65", True)


def test_an_option_is_not_a_truth_value():
    with pytest.raises(TypeError, match="used as a truth value"):
        bool(options.enable_x64)


def test_options_are_listed_as_attributes():
    assert "jax_enable_x64" in dir(config.config)


def test_an_option_of_others_is_accepted_and_changes_no_program():
    def sums(x):
        return jax.lax.associative_scan(jax.numpy.add, x), x.sum()

    before = str(jax.make_jaxpr(sums)(jax.numpy.ones(8)))
    with jax.jax2tf_associative_scan_reductions(True):
        assert jax.config.jax2tf_associative_scan_reductions
        assert str(jax.make_jaxpr(sums)(jax.numpy.ones(8))) == before
    assert not jax.config.jax2tf_associative_scan_reductions


def test_a_collection_at_the_end_of_a_block_leaves_no_value_behind():
    class Held:
        pass

    collections = []

    def read(phase, info):
        collections.append(jax.config.jax_enable_x64)

    def values_after_blocks():
        # A context that holds other variables makes objects when one ends.
        for name in "abc":
            contextvars.ContextVar(name).set(0)
        setting = config.Setting({"jax_enable_x64": True})
        for threshold in range(20, 60):
            gc.set_threshold(threshold)
            for count in range(70):
                held = []
                with setting:
                    for _ in range(count):
                        held.append(Held())
                found.add(jax.config.jax_enable_x64)

    found = set()
    thresholds = gc.get_threshold()
    gc.callbacks.append(read)
    try:
        contextvars.copy_context().run(values_after_blocks)
    finally:
        gc.callbacks.remove(read)
        gc.set_threshold(*thresholds)
    assert collections and found == {False}
