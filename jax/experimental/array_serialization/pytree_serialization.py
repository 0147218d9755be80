"""Trees of arrays in folders."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.checkpoints.pytrees import (
    load as load,
    load_pytreedef as load_pytreedef,
    nonblocking_load as nonblocking_load,
    nonblocking_save as nonblocking_save,
    save as save,
)

_doc_examples.attach(__name__)
