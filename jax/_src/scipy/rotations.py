"""Rotations of space, and the way between them, as trees. See `quaternions`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from jax._src.base import errors
from jax._src.dtypes import canonicalize_dtype
from jax._src.lax.linalg.eigh import eigh
from jax._src.numpy import numpy_api as jnp, operands
from jax._src.random import uniform_normal as random
from jax._src.scipy import quaternions

Array = Any


def _fail(error: type, name: str, what: str, facts: dict, rule: str = "") -> None:
    rows = [(key, str(value)) for key, value in facts.items()]
    raise error(
        errors.explain(f"jax.scipy.spatial.transform.{name}: {what}", rows, rule)
    )


def _numbers(name: str, what: str, x: Any, shape: tuple[int, ...]) -> Array:
    """An array of an inexact dtype whose last axes are `shape`."""
    (x,) = operands.promote_dtypes_inexact(jnp.asarray(x))
    if jnp.shape(x)[max(0, jnp.ndim(x) - len(shape)) :] != shape:
        wanted = ", ".join(map(str, shape))
        rule = f"The shape is (..., {wanted})."
        _fail(
            ValueError,
            f"Rotation.{name}",
            "the shape does not fit.",
            {what: operands.type_name(x)},
            rule,
        )
    return x


def _axes(name: str, seq: str, counts: Sequence[int]) -> tuple[list[int], bool]:
    """The numbers of the axes, and whether they move along."""
    moving = seq.isupper() if isinstance(seq, str) else False
    letters = "XYZ" if moving else "xyz"
    known = isinstance(seq, str) and all(letter in letters for letter in seq)
    if not known or len(seq) not in counts:
        rule = (
            f"{' or '.join(map(str, counts))} letters of 'xyz', for axes that stay, or of "
            "'XYZ', for axes that are turned along."
        )
        _fail(
            ValueError,
            f"Rotation.{name}",
            "these are no axes.",
            {"seq": repr(seq)},
            rule,
        )
    if any(a == b for a, b in zip(seq, seq[1:], strict=False)):
        rule = "Axes that follow each other differ."
        _fail(
            ValueError,
            f"Rotation.{name}",
            "an axis is repeated.",
            {"seq": repr(seq)},
            rule,
        )
    return [letters.index(letter) for letter in seq], moving


def _check_pairs(name: str, one: Array, other: Array) -> None:
    shapes = jnp.shape(one)[:-1], jnp.shape(other)[:-1]
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        facts = {"rotations": shapes[0], "others": shapes[1]}
        rule = "There are as many of both, or one of either."
        _fail(ValueError, f"Rotation.{name}", "the shapes do not fit.", facts, rule)


class Rotation(NamedTuple):
    """One rotation of space, or an array of them.

    A tree with one leaf, so that functions of rotations can be transformed. The
    constructor takes unit quaternions as they are: use the methods ``from_...``.

    Attributes:
        quat: unit quaternions ``(x, y, z, w)``, shape ``(4,)`` or ``(n, 4)``.
    """

    quat: Array

    @classmethod
    def concatenate(cls, rotations: Sequence) -> Rotation:
        """All rotations of a sequence of rotations in one.

        Raises:
            ValueError: the sequence is empty.
        """
        given = [r.quat if r.quat.ndim > 1 else r.quat[None] for r in rotations]
        if not given:
            _fail(ValueError, "Rotation.concatenate", "no rotations are given.", {})
        return cls(jnp.concatenate(given))

    @classmethod
    def from_euler(cls, seq: str, angles: Array, degrees: bool = False) -> Rotation:
        """Turns about one to three axes, one after the other.

        Args:
            seq: the axes: of 'xyz' for axes that stay, of 'XYZ' for axes turned along.
            angles: array ``(..., len(seq))``, or a number for one axis.
            degrees: whether angles are degrees, not radians.

        Raises:
            ValueError: the axes or the shape do not fit.
        """
        axes, moving = _axes("from_euler", seq, (1, 2, 3))
        (angles,) = operands.promote_dtypes_inexact(jnp.atleast_1d(jnp.asarray(angles)))
        angles = _numbers("from_euler", "angles", angles, (len(axes),))
        angles = jnp.deg2rad(angles) if degrees else angles
        return cls(quaternions.from_angles(axes, moving, angles))

    @classmethod
    def from_matrix(cls, matrix: Array) -> Rotation:
        """Returns the rotations of orthogonal matrices ``(..., 3, 3)`` with determinant one (not checked).

        Raises:
            ValueError: the shape does not fit.
        """
        matrix = _numbers("from_matrix", "matrix", matrix, (3, 3))
        return cls(quaternions.from_matrix(matrix))

    @classmethod
    def from_mrp(cls, mrp: Array) -> Rotation:
        """Returns the rotations of modified Rodrigues parameters ``(..., 3)``: the axis by tan(angle / 4).

        Raises:
            ValueError: the shape does not fit.
        """
        mrp = _numbers("from_mrp", "mrp", mrp, (3,))
        return cls(quaternions.from_modified_parameters(mrp))

    @classmethod
    def from_quat(cls, quat: Array) -> Rotation:
        """Returns the rotations of quaternions ``(..., 4)``, scaled to length one; zero gives NaN.

        Raises:
            ValueError: the shape does not fit.
        """
        return cls(quaternions.unit(_numbers("from_quat", "quat", quat, (4,))))

    @classmethod
    def from_rotvec(cls, rotvec: Array, degrees: bool = False) -> Rotation:
        """Returns the rotations about axes ``(..., 3)`` whose length is the angle.

        Raises:
            ValueError: the shape does not fit.
        """
        rotvec = _numbers("from_rotvec", "rotvec", rotvec, (3,))
        return cls(quaternions.from_vector(jnp.deg2rad(rotvec) if degrees else rotvec))

    @classmethod
    def identity(cls, num: int | None = None, dtype: Any = float) -> Rotation:
        """The rotation that does nothing, `num` times."""
        one = np.array([0, 0, 0, 1], canonicalize_dtype(dtype))
        return cls(jnp.asarray(one if num is None else np.tile(one, (num, 1))))

    @classmethod
    def random(cls, random_key: Array, num: int | None = None) -> Rotation:
        """Uniformly distributed: a vector of four normal numbers has every direction."""
        shape = (4,) if num is None else (num, 4)
        return cls(quaternions.unit(random.normal(random_key, shape)))

    def __getitem__(self, indexer: Any) -> Rotation:
        """Some of the rotations; TypeError if there is only one."""
        if self.single:
            _fail(TypeError, "Rotation", "a single rotation has no items.", {})
        return Rotation(self.quat[indexer])

    def __len__(self) -> int:
        """The number of rotations; TypeError if there is only one."""
        if self.single:
            _fail(TypeError, "Rotation", "a single rotation has no length.", {})
        return self.quat.shape[0]

    def __bool__(self) -> bool:
        return True

    def __mul__(self, other: Any) -> Rotation:
        """The rotations that do `other` first, and `self` then.

        Raises:
            ValueError: the shapes do not broadcast.
        """
        if not isinstance(other, Rotation):
            return NotImplemented
        _check_pairs("__mul__", self.quat, other.quat)
        return Rotation(quaternions.unit(quaternions.product(self.quat, other.quat)))

    def apply(self, vectors: Array, inverse: bool = False) -> Array:
        """Turns vectors.

        Args:
            vectors: array ``(3,)`` or ``(n, 3)``.
            inverse: whether to turn them back.

        Returns:
            Array ``(3,)``, or ``(n, 3)`` if there are many vectors or rotations.

        Raises:
            ValueError: the shapes do not fit.
        """
        vectors = _numbers("apply", "vectors", vectors, (3,))
        _check_pairs("apply", self.quat, vectors)
        matrix = self.as_matrix()
        matrix = jnp.swapaxes(matrix, -1, -2) if inverse else matrix
        return jnp.sum(matrix * vectors[..., None, :], axis=-1)

    def as_euler(self, seq: str, degrees: bool = False) -> Array:
        """The angles ``(..., 3)`` of turns about three axes; see `from_euler`.

        Raises:
            ValueError: the axes do not fit.
        """
        axes, moving = _axes("as_euler", seq, (3,))
        angles = quaternions.to_angles(self.quat, axes, moving)
        return jnp.rad2deg(angles) if degrees else angles

    def as_matrix(self) -> Array:
        """The matrices ``(..., 3, 3)``."""
        return quaternions.to_matrix(self.quat)

    def as_mrp(self) -> Array:
        """The modified Rodrigues parameters ``(..., 3)``."""
        return quaternions.to_modified_parameters(self.quat)

    def as_rotvec(self, degrees: bool = False) -> Array:
        """The axes ``(..., 3)`` whose length is the angle, at most pi."""
        vectors = quaternions.to_vector(self.quat)
        return jnp.rad2deg(vectors) if degrees else vectors

    def as_quat(self, canonical: bool = False, scalar_first: bool = False) -> Array:
        """The quaternions ``(..., 4)``.

        Args:
            canonical: whether of both that stand for a rotation the one is returned whose
                first part in the order w, x, y, z is positive.
            scalar_first: whether the order is ``(w, x, y, z)``.
        """
        q = quaternions.canonical(self.quat) if canonical else self.quat
        return jnp.roll(q, 1, axis=-1) if scalar_first else q

    def inv(self) -> Rotation:
        """The rotations back."""
        return Rotation(quaternions.conjugate(self.quat))

    def magnitude(self) -> Array:
        """The angles, from 0 to pi, shape ``()`` or ``(n,)``."""
        return quaternions.angle_of(self.quat)

    def mean(self, weights: Array | None = None) -> Rotation:
        """The rotation nearest to all, by squares of differences of matrices.

        Args:
            weights: array ``(n,)`` of numbers that are not negative (not checked).

        Raises:
            ValueError: the shape does not fit.
        """
        q = self.quat[None] if self.single else self.quat
        if weights is not None:
            weights = jnp.asarray(weights)
            if jnp.shape(weights) != jnp.shape(q)[:1]:
                facts = {"weights": jnp.shape(weights), "rotations": jnp.shape(q)[0]}
                rule = "There is one weight for each rotation."
                _fail(
                    ValueError, "Rotation.mean", "the weights do not fit.", facts, rule
                )
        weighted = (
            q if weights is None else q * operands.convert(weights, q.dtype)[:, None]
        )
        vectors, _ = eigh(jnp.matmul(jnp.swapaxes(weighted, 0, 1), q))
        return Rotation(vectors[:, -1])

    @property
    def single(self) -> bool:
        """Whether this is one rotation, not an array of them."""
        return self.quat.ndim == 1


class Slerp(NamedTuple):
    """The way between rotations at constant angular speed. Made by `Slerp.init`.

    Source: K. Shoemake, "Animating rotation with quaternion curves", SIGGRAPH (1985).

    Attributes:
        times: array ``(n,)``.
        timedelta: the steps between them, ``(n - 1,)``.
        rotations: the rotations at the first ``n - 1`` times.
        rotvecs: from each rotation to the next, ``(n - 1, 3)``.
    """

    times: Array
    timedelta: Array
    rotations: Rotation
    rotvecs: Array

    @classmethod
    def init(cls, times: Array, rotations: Rotation) -> Slerp:
        """The way through `rotations`.

        Args:
            times: array ``(n,)``, increasing.
            rotations: as many rotations, at least two.

        Raises:
            TypeError: `rotations` are none. ValueError: the shapes do not fit, or known
                times do not increase.
        """
        name = "Slerp.init"
        if not isinstance(rotations, Rotation):
            facts = {"rotations": type(rotations).__name__}
            _fail(TypeError, name, "these are no rotations.", facts)
        (times,) = operands.promote_dtypes_inexact(jnp.asarray(times))
        shapes = {
            "times": jnp.shape(times),
            "rotations": jnp.shape(rotations.quat)[:-1],
        }
        if rotations.single or len(rotations) < 2:
            _fail(ValueError, name, "less than two rotations are given.", shapes)
        if shapes["times"] != shapes["rotations"]:
            rule = "There is one time for each rotation."
            _fail(ValueError, name, "the times do not fit.", shapes, rule)
        steps = jnp.diff(times)
        if operands.known(steps) and not np.all(np.asarray(steps) > 0):
            _fail(ValueError, name, "the times do not increase.", {"times": times})
        starts = rotations[:-1]
        return cls(times, steps, starts, (starts.inv() * rotations[1:]).as_rotvec())

    def __call__(self, times: Array) -> Rotation:
        """The rotations at some times.

        Args:
            times: a number, or an array ``(m,)``. Outside of the given times the first
                and last ways go on.

        Returns:
            One rotation for a number, or `m` rotations.

        Raises:
            ValueError: there is more than one axis.
        """
        (times,) = operands.promote_dtypes_inexact(jnp.asarray(times))
        if jnp.ndim(times) > 1:
            facts = {"times": operands.type_name(times)}
            _fail(ValueError, "Slerp", "the times have more than one axis.", facts)
        index = jnp.searchsorted(self.times, times, side="right") - 1
        index = jnp.clip(index, 0, jnp.shape(self.timedelta)[0] - 1)
        part = (times - self.times[index]) / self.timedelta[index]
        way = Rotation.from_rotvec(self.rotvecs[index] * part[..., None])
        return self.rotations[index] * way
