"""Recomputation in the backward pass: re-exports for third-party libraries, which import this path."""

from jax._src.transforms.checkpoint import (
    checkpoint as checkpoint,
    checkpoint_name as checkpoint_name,
    remat_p as remat_p,
)
from jax._src.transforms.saved_residuals import (
    print_saved_residuals as print_saved_residuals,
)

remat = checkpoint
