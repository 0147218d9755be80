"""Recomputation in the backward pass."""

from jax import checkpoint_policies as checkpoint_policies
from jax._src.base import doc_examples as _doc_examples
from jax._src.transforms.checkpoint import (
    checkpoint as checkpoint,
    checkpoint_name as checkpoint_name,
    checkpoint_name_fwd as checkpoint_name_fwd,
    name_p as name_p,
    remat_p as remat_p,
)
from jax._src.transforms.policies import (
    Offloadable as Offloadable,
    Recompute as Recompute,
    Saveable as Saveable,
)
from jax._src.transforms.saved_residuals import (
    print_saved_residuals as print_saved_residuals,
)

_doc_examples.attach(__name__)
