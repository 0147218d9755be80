"""Arrays of devices for meshes."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.runtime.devices.device_meshes import (
    create_device_mesh as create_device_mesh,
    create_hybrid_device_mesh as create_hybrid_device_mesh,
    device_kind_handler_dict as device_kind_handler_dict,
)

_doc_examples.attach(__name__)
