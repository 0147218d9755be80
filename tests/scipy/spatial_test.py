"""Rotations agree with SciPy's in float64, and can be transformed."""

import numpy as np
import pytest
import scipy.spatial.transform as reference

import jax
import jax.numpy as jnp
from jax.scipy.spatial.transform import Rotation, Slerp

RANDOM = np.random.default_rng(0)
# Among them the identity, tiny angles, half turns, and poles of Euler angles.
QUATERNIONS = np.concatenate(
    [
        RANDOM.normal(size=(6, 4)),
        [[0, 0, 0, 1], [1e-9, 0, 2e-9, -1], [1e-4, 2e-4, 0, 1], [1, 0, 0, 0]],
        [[0, 1, 0, 0], [0, 1, 0, 1], [0, 0, 1, 1], [1, 1, 1, 1], [3e-4, 0, 4e-4, 1]],
    ]
)
VECTORS = RANDOM.normal(size=(len(QUATERNIONS), 3))
FIXED = ["xyz", "zyx", "yzx", "zxz", "xyx", "yxy", "xzy"]
SEQUENCES = [*FIXED, *(sequence.upper() for sequence in FIXED)]


@pytest.fixture(autouse=True)
def wide():
    with jax.enable_x64(True):
        yield


def near(found, expected, tolerance=1e-10):
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def same_rotations(found, expected, tolerance=1e-10):
    near(found.as_matrix(), expected.as_matrix(), tolerance)


@pytest.fixture
def pair():
    return Rotation.from_quat(QUATERNIONS), reference.Rotation.from_quat(QUATERNIONS)


def test_all_forms_agree(pair):
    found, expected = pair
    near(found.as_matrix(), expected.as_matrix())
    near(found.as_rotvec(), expected.as_rotvec())
    near(found.as_rotvec(degrees=True), expected.as_rotvec(degrees=True), 1e-9)
    near(found.as_mrp(), expected.as_mrp())
    near(found.magnitude(), expected.magnitude())
    near(found.as_quat(), expected.as_quat())
    near(found.as_quat(canonical=True), expected.as_quat(canonical=True))
    near(found.as_quat(scalar_first=True), np.roll(expected.as_quat(), 1, axis=-1))


def test_all_forms_come_back(pair):
    found, expected = pair
    same_rotations(Rotation.from_matrix(expected.as_matrix()), expected)
    same_rotations(Rotation.from_rotvec(expected.as_rotvec()), expected)
    degrees = expected.as_rotvec(degrees=True)
    same_rotations(Rotation.from_rotvec(degrees, degrees=True), expected)
    same_rotations(Rotation.from_mrp(expected.as_mrp()), expected)
    for one, other in zip(found.quat, expected, strict=True):
        same_rotations(Rotation.from_matrix(jnp.asarray(other.as_matrix())), other)
        assert Rotation.from_quat(one).single


@pytest.mark.parametrize("sequence", SEQUENCES)
@pytest.mark.filterwarnings("ignore:Gimbal lock")
def test_euler_angles_agree(pair, sequence):
    found, expected = pair
    angles = expected.as_euler(sequence)
    regular = np.abs(np.sin(angles[:, 1])) > 1e-6
    regular &= np.abs(np.cos(angles[:, 1])) > 1e-6
    ours = np.asarray(found.as_euler(sequence))
    near(ours[regular], angles[regular], 1e-9)
    same_rotations(Rotation.from_euler(sequence, ours), expected, 1e-7)
    same_rotations(Rotation.from_euler(sequence, angles), expected, 1e-7)
    degrees = found.as_euler(sequence, degrees=True)
    again = Rotation.from_euler(sequence, degrees, degrees=True)
    same_rotations(again, expected, 1e-7)


def test_one_and_two_axes_agree():
    for sequence, angles in [("x", 0.3), ("z", [[0.3], [0.4]]), ("YX", [0.3, 0.4])]:
        found = Rotation.from_euler(sequence, jnp.asarray(angles))
        same_rotations(found, reference.Rotation.from_euler(sequence, angles))


def test_products_agree(pair):
    found, expected = pair
    same_rotations(found * found[::-1], expected * expected[::-1])
    same_rotations(found[0] * found, expected[0] * expected)
    same_rotations(found.inv(), expected.inv())
    near(found.apply(VECTORS), expected.apply(VECTORS))
    near(found[2].apply(VECTORS), expected[2].apply(VECTORS))
    near(found.apply(VECTORS[0]), expected.apply(VECTORS[0]))
    back = found.apply(VECTORS, inverse=True)
    near(back, expected.apply(VECTORS, inverse=True))


def test_means_agree(pair):
    found, expected = pair
    weights = RANDOM.uniform(size=len(QUATERNIONS))
    same_rotations(found.mean(), expected.mean())
    same_rotations(found.mean(weights), expected.mean(weights))


def test_collections(pair):
    found, expected = pair
    assert len(found) == len(expected) and not found.single and bool(found[0])
    joined = Rotation.concatenate([found[0], found[1:3]])
    same_rotations(joined, expected[:3])
    near(Rotation.identity(2).quat, [[0, 0, 0, 1]] * 2)
    assert Rotation.identity(dtype="float32").quat.dtype == "float32"
    drawn = Rotation.random(jax.random.key(0), 500)
    near(jnp.linalg.norm(drawn.quat, axis=-1), np.ones(500))
    assert np.abs(np.mean(drawn.as_matrix(), axis=0)).max() < 0.1
    assert Rotation.random(jax.random.key(0)).single


def test_ways_between_rotations_agree(pair):
    found, expected = pair
    times = np.cumsum(RANDOM.uniform(0.5, 1, size=len(QUATERNIONS)))
    wanted = np.concatenate([times, RANDOM.uniform(times[0], times[-1], size=9)])
    ways = Slerp.init(times, found), reference.Slerp(times, expected)
    # A half turn may go either way.
    turn = np.asarray((found[:-1].inv() * found[1:]).magnitude())
    index = np.searchsorted(times, wanted, side="right") - 1
    clear = np.abs(turn[np.clip(index, 0, len(turn) - 1)] - np.pi) > 1e-6
    same_rotations(ways[0](wanted[clear]), ways[1](wanted[clear]))
    assert ways[0](times[0]).single


def test_rotations_are_trees(pair):
    found, expected = pair
    assert len(jax.tree.leaves(found)) == len(jax.tree.leaves(found[0])) == 1
    same_rotations(jax.jit(lambda r: r * r.inv() * r)(found), expected)
    same_rotations(jax.vmap(lambda r: r.inv())(found), expected.inv())
    way = Slerp.init(np.arange(2.0), found[:2])
    same_rotations(jax.jit(lambda way, t: way(t))(way, 0.3), way(0.3))


@pytest.mark.parametrize("vector", [[0.0, 0, 0], [1e-5, 2e-5, 0], [0.3, -2, 1]])
def test_derivatives_are_right_and_finite(vector):
    vector = jnp.array(vector)
    jacobian = jax.jacobian(lambda v: Rotation.from_rotvec(v).as_rotvec())(vector)
    near(jacobian, np.eye(3), 1e-8)
    turned = jax.jacobian(lambda v: Rotation.from_rotvec(v).apply(VECTORS[0]))(vector)
    step = 1e-6 * np.eye(3)
    turn = reference.Rotation.from_rotvec
    ends = [turn(np.array(vector) + sign * step).apply(VECTORS[0]) for sign in (1, -1)]
    near(turned, (ends[0] - ends[1]).T / 2e-6, 1e-8)
    assert np.isfinite(
        jax.grad(lambda v: Rotation.from_rotvec(v).magnitude())(vector)
    ).all()
    matrix = Rotation.from_rotvec(vector).as_matrix()
    angles = jax.jacobian(lambda m: Rotation.from_matrix(m).as_euler("xyz"))(matrix)
    assert np.isfinite(angles).all()


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (ValueError, lambda: Rotation.from_quat(np.ones(3))),
        (ValueError, lambda: Rotation.from_matrix(np.eye(4))),
        (ValueError, lambda: Rotation.from_rotvec(1.0)),
        (ValueError, lambda: Rotation.from_euler("xy", np.ones(3))),
        (ValueError, lambda: Rotation.from_euler("xYz", np.ones(3))),
        (ValueError, lambda: Rotation.from_euler("xxz", np.ones(3))),
        (ValueError, lambda: Rotation.from_euler("", np.ones(1))),
        (ValueError, lambda: Rotation.identity().as_euler("xy")),
        (ValueError, lambda: Rotation.identity().apply(np.ones(2))),
        (ValueError, lambda: Rotation.identity(2).apply(np.ones((3, 3)))),
        (ValueError, lambda: Rotation.identity(2) * Rotation.identity(3)),
        (ValueError, lambda: Rotation.identity(2).mean(np.ones(3))),
        (ValueError, lambda: Rotation.concatenate([])),
        (TypeError, lambda: len(Rotation.identity())),
        (TypeError, lambda: Rotation.identity()[0]),
        (ValueError, lambda: Slerp.init(np.zeros(1), Rotation.identity(1))),
        (ValueError, lambda: Slerp.init(np.zeros(2), Rotation.identity(2))),
        (ValueError, lambda: Slerp.init(np.arange(3), Rotation.identity(2))),
        (TypeError, lambda: Slerp.init(np.arange(2), np.ones((2, 4)))),
    ],
)
def test_misfits_are_explained(error, call):
    with pytest.raises(error, match=r"jax\.scipy\.spatial\.transform\."):
        call()
    with pytest.raises(TypeError):
        Rotation.identity() * 3
