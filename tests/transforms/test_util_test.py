"""`jax.test_util`: right derivatives pass, wrong ones are found."""

import functools as ft

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.test_util import check_grads, check_jvp, check_vjp


def tree_function(x, y):
    return {"a": jnp.sin(x) * y, "b": jnp.arange(3), "c": jnp.sum(x * x)}


@jax.custom_jvp
def wrong(x):
    return jnp.sin(x)


wrong.defjvp(lambda p, t: (wrong(*p), 1.01 * jnp.cos(p[0]) * t[0]))


@jax.custom_jvp
def wrong_in_second_order(x):
    return x * x * x


@jax.custom_jvp
def _slope(x):
    return 3 * x * x


_slope.defjvp(lambda p, t: (_slope(*p), 5 * p[0] * t[0]))
wrong_in_second_order.defjvp(
    lambda p, t: (wrong_in_second_order(*p), _slope(p[0]) * t[0])
)


@pytest.mark.parametrize("mode", ["fwd", "rev"])
@pytest.mark.parametrize("order", [1, 2])
def test_right_derivatives_pass(mode, order):
    args = (jnp.arange(3.0) + 0.3, 1.5)
    check_grads(tree_function, args, order, modes=(mode,))


def test_integer_arguments_have_no_derivative():
    check_grads(lambda x, n: x * n, (2.0, jnp.arange(3)), 2)


def test_complex_arguments_are_checked():
    check_grads(lambda z: z * z * 1j, (jnp.array([1.0 + 2j, 0.5j]),), 2)


@pytest.mark.parametrize("mode", ["fwd", "rev"])
def test_a_wrong_derivative_is_found(mode):
    with pytest.raises(AssertionError, match=mode):
        check_grads(wrong, (0.3,), 1, modes=(mode,))


@pytest.mark.parametrize("mode", ["fwd", "rev"])
def test_a_wrong_second_derivative_is_found(mode):
    check_grads(wrong_in_second_order, (0.7,), 1, modes=(mode,))
    with pytest.raises(AssertionError):
        check_grads(wrong_in_second_order, (0.7,), 2, modes=(mode,))


def test_each_way_alone():
    check_jvp(jnp.sin, ft.partial(jax.jvp, jnp.sin), (0.3,), eps=1e-2)
    check_vjp(jnp.sin, ft.partial(jax.vjp, jnp.sin), (0.3,), eps=1e-2)
    with pytest.raises(AssertionError, match="here: tangent"):
        check_jvp(wrong, ft.partial(jax.jvp, wrong), (0.3,), eps=1e-2, err_msg="here")


def test_a_kink_nearby_is_not_stepped_over():
    def bent(x):
        return jnp.where(x > 1.001, 5 * x, x)

    check_grads(bent, (np.float32(1.0),), 1)
    with pytest.raises(AssertionError):
        check_grads(bent, (np.float32(1.0),), 1, eps=1e-2)


def test_tolerances_by_dtype():
    check_grads(wrong, (0.7,), 1, modes=("fwd",), rtol={np.float32: 0.1})
    for other in ({"float64": 0.1}, {}):
        with pytest.raises(AssertionError):
            check_grads(wrong, (0.7,), 1, modes=("fwd",), rtol=other)


@pytest.mark.parametrize("mode", ["fwd", "rev"])
def test_one_mode_by_its_name(mode):
    check_grads(jnp.sin, (0.7,), 2, modes=mode)
    with pytest.raises(AssertionError):
        check_grads(wrong, (0.7,), 1, modes=mode)


def test_misuse_is_explained():
    with pytest.raises(TypeError, match="must be a tuple"):
        check_grads(jnp.sin, 1.0, 1)
    with pytest.raises(ValueError, match="a mode is not known"):
        check_grads(jnp.sin, (1.0,), 1, modes=("forward",))
    with pytest.raises(ValueError, match="a mode is not known"):
        check_grads(jnp.sin, (1.0,), 1, modes="forward")
