"""Events and their listeners."""

import pytest

import jax


@pytest.fixture(autouse=True)
def no_listeners_left():
    yield
    jax.monitoring.clear_event_listeners()


def test_listeners_hear_what_is_recorded():
    heard = []
    jax.monitoring.register_event_listener(lambda e, **k: heard.append((e, k)))
    jax.monitoring.register_scalar_listener(lambda e, v, **k: heard.append((e, v)))
    jax.monitoring.record_event("/a", kind="x")
    jax.monitoring.record_scalar("/b", 3)
    jax.monitoring.record_event_duration_secs("/nobody", 1.0)
    assert heard == [("/a", {"kind": "x"}), ("/b", 3)]


def test_a_listener_that_left_hears_nothing():
    heard = []

    def listen(event, seconds, **_):
        heard.append(event)

    jax.monitoring.register_event_duration_secs_listener(listen)
    jax.monitoring.unregister_event_duration_listener(listen)
    jax.monitoring.record_event_duration_secs("/c", 1.0)
    assert heard == []
    with pytest.raises(ValueError, match="not registered"):
        jax.monitoring.unregister_event_duration_listener(listen)


def test_compiling_is_recorded():
    heard = {}
    jax.monitoring.register_event_duration_secs_listener(
        lambda e, seconds, **_: heard.update({e: seconds})
    )
    jax.jit(lambda x: x * 3.5)(1.0)
    for event in ("jaxpr_trace", "jaxpr_to_mlir_module", "backend_compile"):
        assert heard[f"/jax/core/compile/{event}_duration"] > 0
