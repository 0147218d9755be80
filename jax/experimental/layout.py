"""The order of arrays' dimensions in memory."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.runtime.arrays.layouts import (
    Format as Format,
    Layout as Layout,
)
from jax._src.transforms.layout_constraint import (
    explicit_layout as explicit_layout,
    with_layout_constraint as with_layout_constraint,
)

_doc_examples.attach(__name__)
