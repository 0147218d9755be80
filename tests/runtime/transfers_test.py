"""Transfers are refused or logged where `jax_transfer_guard` says so, and only there."""

import logging

import numpy as np
import pytest

import jax
import jax.numpy as jnp

HOST = np.ones(2, np.float32)
DEVICE = jnp.ones(2)
add_one = jax.jit(lambda x: x + 1)

IMPLICIT = {
    "operator": lambda: DEVICE + HOST,
    "function": lambda: jnp.add(DEVICE, HOST),
    "number": lambda: DEVICE + 1.0,
    "compiled": lambda: add_one(HOST),
    "compiled with a number": lambda: add_one(1.0),
    "asarray": lambda: jnp.asarray(HOST),
    "list": lambda: jnp.array([1.0, 2.0]),
    "index": lambda: DEVICE[0],
    "parts from a function": lambda: jax.make_array_from_callback(
        (2,), jax.sharding.SingleDeviceSharding(jax.devices()[0]), lambda i: HOST[i]
    ),
}
EXPLICIT = {"device_put": lambda: jax.device_put(HOST)}
NONE = {
    "compiled": lambda: add_one(DEVICE),
    "arange": lambda: jnp.arange(3),
    "constant in a program": lambda: jax.jit(lambda x: x + HOST)(DEVICE),
    "already there": lambda: jax.device_put(DEVICE, jax.devices()[0]),
    "reading": lambda: np.asarray(DEVICE),
}


def refused(call, level):
    """Whether a call is refused, also when it has been made before."""
    call()
    with jax.transfer_guard(level):
        try:
            call()
        except jax.errors.JaxRuntimeError as error:
            assert "Disallowed host-to-device transfer" in str(error)  # noqa: PT017
            return True
    call()
    return False


@pytest.mark.parametrize("name", IMPLICIT)
def test_implicit_transfers_can_be_disallowed(name):
    levels = ["allow", "log", "log_explicit", "disallow", "disallow_explicit"]
    found = [refused(IMPLICIT[name], level) for level in levels]
    assert found == [False, False, False, True, True]


@pytest.mark.parametrize("name", EXPLICIT)
def test_explicit_transfers_need_a_stronger_word(name):
    assert not refused(EXPLICIT[name], "disallow")
    assert refused(EXPLICIT[name], "disallow_explicit")


@pytest.mark.parametrize("name", NONE)
def test_where_nothing_moves_nothing_is_refused(name):
    assert not refused(NONE[name], "disallow_explicit")


def test_every_call_is_logged(caplog):
    with caplog.at_level(logging.WARNING, "jax.transfers"), jax.transfer_guard("log"):
        for _ in range(3):
            add_one(HOST)
    assert len(caplog.records) == 3
    assert "float32[2]" in caplog.records[0].getMessage()


def test_the_inner_context_counts():
    with jax.transfer_guard_host_to_device("disallow"), jax.transfer_guard("allow"):
        add_one(HOST)
    with jax.transfer_guard("disallow"), jax.transfer_guard_host_to_device("allow"):
        add_one(HOST)


def test_the_process_wide_setting_counts_in_every_direction():
    jax.config.update("jax_transfer_guard", "disallow")
    try:
        with pytest.raises(jax.errors.JaxRuntimeError, match=r"value +float32\[2\]"):
            add_one(HOST)
        assert jax.config.jax_transfer_guard_device_to_device == "disallow"
    finally:
        jax.config.update("jax_transfer_guard", None)
    add_one(HOST)
