"""Functions of `jax.numpy` agree with NumPy: a row is a name, a call, and its operands' kinds."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax._src.core import slots

RNG = np.random.default_rng(0)
A = RNG.normal(size=(3, 4)).astype("f4")
B = RNG.normal(size=(3, 4)).astype("f4")
C = RNG.normal(size=(4, 5)).astype("f4")
V = RNG.normal(size=4).astype("f4")
I = RNG.integers(-9, 9, (3, 4)).astype("i4")
J = RNG.integers(1, 9, (3, 4)).astype("i4")
M = A > 0
Z = (A + 1j * B).astype("c8")
EDGES = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-30], "f4")
N = np.where(M, A, np.nan).astype("f4")
CUBE = np.arange(24, dtype="f4").reshape(2, 3, 4)

UNARY = """abs arctan cbrt ceil conj cos cosh deg2rad exp exp2 expm1 fabs floor imag isfinite isinf
isnan logical_not nan_to_num negative positive rad2deg real rint sign signbit sin sinc sinh square
tan tanh trunc isposinf isneginf arcsinh""".split()
BINARY = """add subtract multiply divide maximum minimum arctan2 copysign equal float_power fmax fmin
greater greater_equal heaviside hypot less less_equal logaddexp logaddexp2 not_equal nextafter
logical_and logical_or logical_xor""".split()
INTEGER_BINARY = """add subtract multiply floor_divide remainder fmod bitwise_and bitwise_or bitwise_xor
gcd lcm left_shift maximum""".split()
REDUCTIONS = "sum prod mean var std min max any all argmin argmax ptp median count_nonzero cumsum cumprod".split()
NAN_REDUCTIONS = (
    "nansum nanprod nanmean nanvar nanstd nanmin nanmax nanmedian nanargmax".split()
)

CALLS = {
    "nanpercentile": lambda np, x: np.nanpercentile(np.where(M, x, np.nan), 30, axis=1),
    "nancumprod": lambda np, x: np.nancumprod(np.where(M, x, np.nan), axis=0),
    "triu_indices_from": lambda np, x: np.triu_indices_from(x, 1),
    "bitwise_right_shift": lambda np, x: np.bitwise_right_shift(np.arange(9), 1),
    "reshape": lambda np, x: np.reshape(x, (4, -1)),
    "reshape F": lambda np, x: np.reshape(x, (4, 3), order="F"),
    "ravel": lambda np, x: np.ravel(x),
    "transpose": lambda np, x: np.transpose(x),
    "moveaxis": lambda np, x: np.moveaxis(CUBE, 0, -1),
    "swapaxes": lambda np, x: np.swapaxes(CUBE, 0, 2),
    "expand_dims": lambda np, x: np.expand_dims(x, (0, 2)),
    "squeeze": lambda np, x: np.squeeze(np.expand_dims(x, 1)),
    "flip": lambda np, x: np.flip(x, 1),
    "rot90": lambda np, x: np.rot90(x),
    "roll": lambda np, x: np.roll(x, 2, 1),
    "roll flat": lambda np, x: np.roll(x, -3),
    "tile": lambda np, x: np.tile(x, (2, 3)),
    "repeat": lambda np, x: np.repeat(x, 2, 1),
    "repeat each": lambda np, x: np.repeat(x, np.array([1, 0, 2]), axis=0),
    "concatenate": lambda np, x: np.concatenate([x, x], 1),
    "stack": lambda np, x: np.stack([x, x], 1),
    "vstack": lambda np, x: np.vstack([x, x]),
    "hstack": lambda np, x: np.hstack([x, x]),
    "block": lambda np, x: np.block([[x, x], [x, x]]),
    "split": lambda np, x: np.split(x, 2, 1),
    "array_split": lambda np, x: np.array_split(x, 3, 1),
    "broadcast_to": lambda np, x: np.broadcast_to(x, (2, 3, 4)),
    "meshgrid": lambda np, x: np.meshgrid(V, V[:2]),
    "tril": lambda np, x: np.tril(x, 1),
    "triu": lambda np, x: np.triu(x),
    "tri": lambda np, x: np.tri(3, 4, 1, dtype="f4"),
    "eye": lambda np, x: np.eye(3, 4, -1, dtype="f4"),
    "diag": lambda np, x: np.diag(V, 1),
    "diag below": lambda np, x: np.diag(V, -2),
    "diagflat below": lambda np, x: np.diagflat(x, -1),
    "diag of matrix": lambda np, x: np.diag(x, 1),
    "trace": lambda np, x: np.trace(x),
    "where": lambda np, x: np.where(M, x, 0),
    "clip": lambda np, x: np.clip(x, -0.5, 0.5),
    "take": lambda np, x: np.take(x, np.array([0, 2]), 1),
    "take_along_axis": lambda np, x: np.take_along_axis(x, np.argsort(x, 1), 1),
    "nonzero": lambda np, x: np.nonzero(M),
    "argwhere": lambda np, x: np.argwhere(M),
    "select": lambda np, x: np.select([M, ~M], [x, -x]),
    "sort": lambda np, x: np.sort(x),
    "argsort": lambda np, x: np.argsort(x, 0),
    "lexsort": lambda np, x: np.lexsort((x[0], x[1])),
    "searchsorted": lambda np, x: np.searchsorted(np.sort(V), x),
    "searchsorted right": lambda np, x: np.searchsorted(np.sort(V), V, side="right"),
    "digitize": lambda np, x: np.digitize(x, np.sort(V)),
    "unique": lambda np, x: np.unique(I, return_index=True, return_counts=True),
    "isin": lambda np, x: np.isin(I, np.array([1, 2, 3])),
    "dot": lambda np, x: np.dot(x, C),
    "matmul": lambda np, x: np.matmul(CUBE, C),
    "matmul broadcast": lambda np, x: np.matmul(CUBE[:, None], C[None, None]),
    "vector matmul": lambda np, x: np.matmul(V, C),
    "tensordot": lambda np, x: np.tensordot(CUBE, C, 1),
    "inner": lambda np, x: np.inner(x, x),
    "outer": lambda np, x: np.outer(V, V),
    "kron": lambda np, x: np.kron(x, x),
    "cross": lambda np, x: np.cross(x[:, :3], x[:, 1:]),
    "einsum": lambda np, x: np.einsum("ij,jk->ki", x, C),
    "einsum diagonal": lambda np, x: np.einsum("ii->i", x[:, :3]),
    "einsum three": lambda np, x: np.einsum("ij,jk,kl->il", x, C, C.T),
    "einsum batch": lambda np, x: np.einsum("bij,bkj->bik", CUBE, CUBE),
    "vdot": lambda np, x: np.vdot(Z, Z),
    "linspace": lambda np, x: np.linspace(0, 1, 7).astype("f4"),
    "quantile": lambda np, x: np.quantile(x, np.array([0.1, 0.5], "f4"), axis=0),
    "diff": lambda np, x: np.diff(x, 2),
    "cov": lambda np, x: np.cov(x),
    "corrcoef": lambda np, x: np.corrcoef(x),
    "histogram": lambda np, x: np.histogram(x, 5),
    "bincount": lambda np, x: np.bincount(J.ravel()),
    "interp": lambda np, x: np.interp(x, np.sort(V), V),
    "trapezoid": lambda np, x: np.trapezoid(x),
    "average": lambda np, x: np.average(x, 1, V),
    "round": lambda np, x: np.round(x, 2),
    "modf": lambda np, x: np.modf(x),
    "frexp": lambda np, x: np.frexp(x),
    "divmod": lambda np, x: np.divmod(x, B),
    "power": lambda np, x: np.power(np.abs(x), B),
    "integer power": lambda np, x: np.power(I, J),
    "isclose": lambda np, x: np.isclose(x, x + 1e-6),
    "angle": lambda np, x: np.angle(Z),
}


def compare(call, rtol=2e-5):
    with np.errstate(all="ignore"):
        expected = call(np)
    found = call(jnp)
    if not isinstance(expected, (tuple, list)):
        expected, found = [expected], [found]
    assert len(expected) == len(found)
    for want, got in zip(expected, found, strict=True):
        got = np.asarray(got)
        assert got.shape == np.shape(want)
        np.testing.assert_allclose(got, want, rtol=rtol, atol=2e-6)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("x", [A, EDGES, I], ids=["floats", "edges", "integers"])
@pytest.mark.parametrize("name", UNARY)
def test_unary_functions_agree(name, x):
    compare(lambda np: getattr(np, name)(x))


@pytest.mark.parametrize("name", BINARY)
def test_binary_functions_agree(name):
    x, y = (np.abs(A), B) if name == "float_power" else (A, B)
    compare(lambda np: getattr(np, name)(x, y))


@pytest.mark.parametrize("name", INTEGER_BINARY)
def test_integer_functions_agree(name):
    compare(lambda np: getattr(np, name)(I, J))


@pytest.mark.parametrize("axis", [None, 0, -1])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_agree(name, axis):
    compare(lambda np: getattr(np, name)(A, axis=axis))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", NAN_REDUCTIONS)
def test_reductions_without_nan_agree(name):
    compare(lambda np: getattr(np, name)(N, axis=0))


@pytest.mark.parametrize("name", CALLS)
def test_calls_agree(name):
    compare(lambda np: CALLS[name](np, A))


SPECIAL = jax.scipy.linalg
MATRIX = np.eye(3, dtype="f4")
AT_ONCE = {
    "vander": lambda x: jnp.vander(x),
    "roll": lambda x: jnp.roll(x, np.array(2)),
    "piecewise": lambda x: jnp.piecewise(x, [x, x], [2.0, x]),
    "linspace": lambda x: jnp.linspace(x, 2.0, 5),
    "logspace": lambda x: jnp.logspace(x, 2.0, 5),
    "geomspace": lambda x: jnp.geomspace(x, 2.0, 5),
    "percentile": lambda x: jnp.percentile(x, 40),
    "gradient": lambda x: jnp.gradient(x),
    "unwrap": lambda x: jnp.unwrap(x),
    "pad": lambda x: jnp.pad(x, 1),
    "indices": lambda x: jnp.indices((2, 3)),
    "rot90": lambda x: jnp.rot90(MATRIX),
    "block": lambda x: jnp.block([[x], [x]]),
    "unique": lambda x: jnp.unique(x, return_index=True),
    "take": lambda x: jnp.take(x, 1),
    "stack": lambda x: jnp.stack([x, x]),
    "vstack": lambda x: jnp.vstack([x, x]),
    "atleast_3d": lambda x: jnp.atleast_3d(x),
    "broadcast_to": lambda x: jnp.broadcast_to(x, (2, 3)),
    "poly": lambda x: jnp.poly(x),
    "polymul": lambda x: jnp.polymul(x, x),
    "isin": lambda x: jnp.isin(x, x),
    "union1d": lambda x: jnp.union1d(x, x, size=3),
    "setdiff1d": lambda x: jnp.setdiff1d(x, x[:1], size=3),
    "setxor1d": lambda x: jnp.setxor1d(x, x[:1], size=3),
    "intersect1d": lambda x: jnp.intersect1d(x, x, size=3, return_indices=True),
    "bincount": lambda x: jnp.bincount(np.arange(3), length=4),
    "histogram": lambda x: jnp.histogram(x, bins=4, range=(0, 4)),
    "einsum": lambda x: jnp.einsum("i,j->ij", x, x),
    "logsumexp": lambda x: jax.nn.logsumexp(x),
    "sqrtm": lambda x: SPECIAL.sqrtm(MATRIX),
    "expm_frechet": lambda x: SPECIAL.expm_frechet(MATRIX, MATRIX),
}


@pytest.mark.parametrize("name", AT_ONCE)
def test_eager_functions_run_as_one_native_call(name, monkeypatch):
    x = jnp.arange(1.0, 4.0)
    AT_ONCE[name](x)
    run, applied = slots.apply_primitive.function, []

    def count(primitive, args, params):
        applied.append(primitive.name)
        return run(primitive, args, params)

    monkeypatch.setattr(slots.apply_primitive, "function", count)
    AT_ONCE[name](x)
    assert not applied
