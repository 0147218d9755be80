"""Recomputation in the backward pass."""

from jax import checkpoint_policies as checkpoint_policies
from jax._src.transforms.checkpoint import (
    checkpoint as checkpoint,
    checkpoint_name as checkpoint_name,
    remat_p as remat_p,
)
from jax._src.transforms.policies import Offloadable as Offloadable
