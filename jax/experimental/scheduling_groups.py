"""Functions whose operations are scheduled together."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.transforms.metadata import (
    scheduling_group as scheduling_group,
    xla_metadata_call as xla_metadata_call,
)

_doc_examples.attach(__name__)
