"""A NaN that is in a result for sure is searched for without asking which run of a loop it is of."""

import re

import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.checkify import arrivals, bad_values

X = jnp.linspace(1.0, 2.0, 6)


def _scanned(body, start=0.0, length=6):
    return lambda x: lax.scan(body, start, x[:length])


# From step 3 on, the logarithm is of a negative number.
def _log(x):
    return jnp.log(1.5 - x)


SURE = {
    "of a result": _log,
    "of a sum": lambda x: jnp.sum(_log(x) * 3.0),
    "of a product of matrices": lambda x: _log(x).reshape(2, 3) @ jnp.ones((3, 2)),
    "in a call": lambda x: jax.jit(lambda y: 2 * _log(y))(x).max(),
    "in a checkpoint": lambda x: jax.checkpoint(lambda y: 2 * _log(y))(x).max(),
    "stacked": _scanned(lambda c, x: (c + 1, _log(x))),
    "carried": _scanned(lambda c, x: (c + _log(x), c)),
    "carried to what is stacked": _scanned(lambda c, x: (_log(x), -c)),
    "carried through another": lambda x: lax.scan(
        lambda c, y: ((c[1], c[0] + _log(y)), None), (0.0, 0.0), x
    )[0],
    "nested": _scanned(
        lambda c, x: (c + lax.scan(lambda d, y: (d, _log(y)), 0.0, X + x - 1)[1], x),
        jnp.zeros(6),
    ),
    "under a custom rule": _scanned(lambda c, x: (c, jax.nn.relu(_log(x)) * 2)),
}
NOT_SURE = {
    "chosen": _scanned(lambda c, x: (jnp.where(x > 1.9, _log(x), c), None)),
    "compared": lambda x: (_log(x) > 0) * x,
    "sliced": lambda x: _log(x)[:2],
    "a power": lambda x: _log(x) ** (0 * x),
    "dropped": _scanned(lambda c, x: (c, _log(x) > 0)),
    "overwritten": lambda x: lax.scan(lambda c, y: (_log(y), None), 0.0, x[::-1])[0],
    "in a choice": lambda x: lax.cond(x[0] > 0, _log, jnp.sin, x),
    "in a while": lambda x: lax.while_loop(
        lambda s: s[0] < 3, lambda s: (s[0] + 1, _log(s[1])), (0, x)
    ),
    "without elements": lambda x: jnp.concatenate([_log(x)[:0], x]),
}


def _sites(f):
    closed = jax.make_jaxpr(f)(X)
    sites = bad_values.sites_of(closed, (True, False))
    logs = [site for site in sites if site.eqn.primitive.name == "log"]
    assert logs
    return closed, logs


@pytest.mark.parametrize("name", SURE)
def test_it_is_sure(name):
    closed, logs = _sites(SURE[name])
    assert all(arrivals.is_sure(closed, site) for site in logs)


@pytest.mark.parametrize("name", NOT_SURE)
def test_it_is_not_sure(name):
    closed, logs = _sites(NOT_SURE[name])
    assert not any(arrivals.is_sure(closed, site) for site in logs)


def _message(f):
    with jax.debug_nans(True), pytest.raises(FloatingPointError) as caught:
        jax.block_until_ready(jax.jit(f)(X))
    return re.sub(r"0x[0-9a-f]+", "", str(caught.value))


@pytest.mark.parametrize("name", SURE)
def test_the_message_is_that_of_the_whole_search(name, monkeypatch):
    short = _message(SURE[name])
    jax.clear_caches()
    monkeypatch.setattr(arrivals, "is_sure", lambda closed, site: False)
    assert _message(SURE[name]) == short
    assert "arrivals_test.py" in short


def test_one_program_fewer_is_run(monkeypatch):
    monkeypatch.setattr(bad_values, "times_program", None)
    assert "iteration" in _message(SURE["stacked"])


def test_each_program_is_visited_once_however_deep_it_is(monkeypatch):
    visits, operands = [], arrivals._operands
    monkeypatch.setattr(
        arrivals, "_operands", lambda *args: visits.append(1) or operands(*args)
    )
    counts = []
    for depth in (4, 8, 12):
        body = lambda c, x: (c + jnp.log(x), x)  # noqa: E731
        for _ in range(depth):
            body = lambda c, x, f=body: (lax.scan(f, c, X + x)[0], x)  # noqa: E731
        closed, logs = _sites(_scanned(body))
        visits.clear()
        assert all(arrivals.is_sure(closed, site) for site in logs)
        counts.append(len(visits))
    first, second, third = counts
    assert third - second == second - first, counts
