"""The comparison of other projects' kernels with their formulas finds what differs."""

import sys

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from tests.third_party_kernels import case, shipped


def doubled(x):
    def kernel(x, out):
        out[...] = x[...] * 2

    return pl.pallas_call(kernel, jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


X = jnp.arange(6.0).reshape(2, 3)


def reason(run, expected, dtype="float32"):
    one = case.Case("one", run, lambda: expected, dtype)
    reasons = {case.reason(one, interpret) for interpret in (True, False)}
    (found,) = reasons
    return found


def under_mode(interpret):
    with case.mode(interpret):
        return doubled(X)


def test_what_agrees_has_no_reason():
    assert reason(under_mode, 2 * X) == ""
    assert reason(lambda i: (under_mode(i), [X]), (2 * X, X)) == ""
    near = 2 * X + 0.05
    assert reason(under_mode, near, "bfloat16") == ""
    assert "differ" in reason(under_mode, near)


@pytest.mark.parametrize(
    ("run", "expected", "text"),
    [
        (under_mode, (2 * X).at[1, 2].add(1), "16.7% differ, at (1, 2) 10.0, not 11.0"),
        (lambda i: under_mode(i).at[0, 1].set(jnp.nan), 2 * X, "at (0, 1) nan"),
        (under_mode, X[:1], "has shape (2, 3), not (1, 3)"),
        (lambda i: (X, X), X, "2 results, not 1"),
        (lambda i: 1 / 0, X, "ZeroDivisionError: division by zero"),
    ],
)
def test_what_differs_is_named(run, expected, text):
    assert text in reason(run, expected)


def test_kernels_are_those_of_a_folder(tmp_path, monkeypatch):
    with pytest.raises(RuntimeError, match="has no kernels"):
        shipped.use(tmp_path)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    for name in list(sys.modules):
        if name.startswith(shipped.PREFIX):
            monkeypatch.delitem(sys.modules, name)
    package = tmp_path.joinpath(*shipped.PREFIX.split("."))
    (package / "tpu").mkdir(parents=True)
    for file in (package / "__init__.py", package / "tpu/__init__.py"):
        file.touch()
    (package / "tpu/matmul.py").write_text(
        "from jax.experimental import pallas\nX = 3\n"
    )
    shipped.use(tmp_path)
    try:
        assert shipped.module("tpu.matmul").X == 3
        with pytest.raises(ModuleNotFoundError):
            shipped.module("tpu.example_kernel")
        with pytest.raises(RuntimeError, match="was imported before"):
            shipped.use(tmp_path)
    finally:
        for name in list(sys.modules):
            if name.startswith(shipped.PREFIX):
                del sys.modules[name]
    assert np.allclose(doubled(X), 2 * X)
