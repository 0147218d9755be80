"""Differentiation of toy programs, in every order."""

import math

import numpy as np
import pytest

from jax._src.core import avals
from jax._src.interpreters import ad, batching, partial_eval as pe
from tests.interpreters import toy
from tests.interpreters.toy import cos, exp, mul, sin


@pytest.fixture(autouse=True)
def filled_slots():
    with toy.FilledSlots():
        yield


def f(x):
    return [mul(sin(x), x)]


def derivative(order, x):
    """The derivative of x sin x."""
    return x * math.sin(x + order * math.pi / 2) + order * math.sin(
        x + (order - 1) * math.pi / 2
    )


def reverse(fun):
    def grad(x):
        _, linear = ad.vjp(fun, [x])
        return linear.transpose([1.0])

    return grad


def forward(fun):
    return lambda x: ad.jvp(fun, [x], [1.0])[1]


@pytest.mark.parametrize(
    "order",
    [
        [forward],
        [reverse],
        [forward, reverse],
        [reverse, forward],
        [reverse, reverse],
        [forward, forward],
        [reverse, forward, reverse],
    ],
)
def test_derivatives_compose(order):
    fun = f
    for transform in order:
        fun = transform(fun)
    (out,) = fun(0.7)
    assert out == pytest.approx(derivative(len(order), 0.7), rel=1e-6)


def test_a_rule_may_ask_for_the_result():
    (out,) = reverse(lambda x: [exp(x)])(0.3)
    assert out == pytest.approx(math.exp(0.3))


def test_a_value_that_does_not_depend_has_a_zero_tangent():
    _, (tangent,) = ad.jvp(lambda x: [sin(2.0)], [1.0], [1.0])
    assert isinstance(tangent, ad.Zero)


def test_integer_results_have_zero_tangents():
    (out,), (tangent,) = ad.jvp(lambda x: [toy.sign(x)], [-2.0], [1.0])
    assert out == -1.0 and isinstance(tangent, ad.Zero)


def test_a_cotangent_used_twice_is_summed():
    (out,) = reverse(lambda x: [toy.add(x, x)])(3.0)
    assert out == 2.0


def test_a_gap_in_the_rules_names_its_reason():
    with pytest.raises(NotImplementedError, match="a step has no slope"):
        reverse(lambda x: [toy.gap(x)])(1.0)


def test_python_decisions_work_on_known_values_under_differentiation():
    def relu(x):
        return [mul(x, 2.0)] if bool(x) else [x]

    assert reverse(relu)(1.0) == [2.0]


def test_gradients_vectorise():
    (out,), (dim,) = batching.batch(
        reverse(f), batching.Axis(4), [np.linspace(0.0, 1.0, 4)], [0]
    )
    wanted = [derivative(1, x) for x in np.linspace(0.0, 1.0, 4)]
    np.testing.assert_allclose(np.moveaxis(out, dim, 0), wanted, rtol=1e-6)


def test_vectorised_functions_differentiate():
    def rows(x):
        outs, _ = batching.batch(f, batching.Axis(3), [x], [0])
        return outs

    x = np.array([0.1, 0.2, 0.3])
    _, linear = ad.vjp(rows, [x])
    np.testing.assert_allclose(
        linear.transpose([np.ones(3)])[0], [derivative(1, v) for v in x], rtol=1e-6
    )


def test_splitting_a_program_keeps_its_results():
    scalar = avals.get_aval(1.0)
    closed = pe.trace_to_closed(lambda x, y: [mul(sin(x), y), cos(x)], [scalar, scalar])
    known, late, unknown, residuals = pe.partial_eval_jaxpr(closed, [False, True])
    assert unknown == [True, False] and len(residuals) == 1
    assert "sin" in str(known) and "sin" not in str(late)


def test_unused_equations_are_dropped():
    scalar = avals.get_aval(1.0)
    jaxpr, _ = pe.trace_to_jaxpr(lambda x, y: [sin(x), cos(y)], [scalar, scalar])
    smaller, used = pe.dce_jaxpr(jaxpr, [True, False])
    assert used == [True, False] and len(smaller.eqns) == 1
