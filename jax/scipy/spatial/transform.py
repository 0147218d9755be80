"""Rotations, and the ways between them."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.scipy.rotations import (
    Rotation as Rotation,
    Slerp as Slerp,
)

_doc_examples.attach(__name__)
