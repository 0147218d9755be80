"""Rotations, and the ways between them. A door."""

from jax._src.scipy.rotations import (
    Rotation as Rotation,
    Slerp as Slerp,
)
