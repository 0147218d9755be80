"""Rotations, and the ways between them."""

from jax._src.scipy.rotations import (
    Rotation as Rotation,
    Slerp as Slerp,
)
