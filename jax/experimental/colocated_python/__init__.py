"""Python functions that run where the devices of their arguments are."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.colocated.functions import (
    colocated_cpu_devices as colocated_cpu_devices,
    colocated_python as colocated_python,
)
from jax._src.colocated.objects import colocated_python_class as colocated_python_class
from jax.experimental.colocated_python import (
    api as api,
    func as func,
    obj as obj,
    obj_backend as obj_backend,
    serialization as serialization,
)

_doc_examples.attach(__name__)
