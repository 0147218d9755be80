"""`jet`: Taylor series along curves, against those computed by hand."""

import math

import numpy as np
import pytest

import jax.numpy as jnp
from jax import lax
from jax.experimental.jet import fact, jet


def test_the_sine_along_a_line():
    value, terms = jet(jnp.sin, (0.5,), ((1.0, 0.0, 0.0, 0.0),))
    expected = [np.cos(0.5), -np.sin(0.5), -np.cos(0.5), np.sin(0.5)]
    assert value == pytest.approx(np.sin(0.5))
    np.testing.assert_allclose(terms, expected, rtol=1e-5)


def test_a_product_of_curves():
    # (1 + t + t^3/3)(2 + 3t) = 2 + 5t + 3t^2 + 2/3 t^3 + …
    value, terms = jet(jnp.multiply, (1.0, 2.0), ((1.0, 0.0, 2.0), (3.0, 0.0, 0.0)))
    assert value == 2.0
    np.testing.assert_allclose(terms, [5.0, 6.0, 4.0], rtol=1e-6)


def test_unscaled_coefficients_are_those_of_powers():
    _, scaled = jet(jnp.exp, (0.0,), ((1.0, 0.0, 0.0),))
    _, plain = jet(jnp.exp, (0.0,), ((1.0, 0.0, 0.0),), factorial_scaled=False)
    for order, (s, p) in enumerate(zip(scaled, plain, strict=True), 1):
        assert s == pytest.approx(math.factorial(order) * float(p))


def test_trees_and_loops():
    def power(d):
        return {"out": lax.fori_loop(0, 3, lambda i, y: y * d["x"], 1.0)}

    value, terms = jet(power, ({"x": 2.0},), ({"x": [1.0, 0.0, 0.0]},))
    assert value["out"] == 8.0
    np.testing.assert_allclose(terms["out"], [12.0, 12.0, 6.0])


def test_series_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="differ in length"):
        jet(jnp.multiply, (1.0, 2.0), ((1.0, 0.0), (3.0,)))


def test_factorials_are_floats():
    found = [float(fact(n)) for n in range(6)]
    np.testing.assert_allclose(found, [1, 1, 2, 6, 24, 120], rtol=1e-5)
