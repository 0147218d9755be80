"""Functions of JAX in TensorFlow's programs, and of TensorFlow in JAX's."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.jax2tf.calls import call_tf as call_tf
from jax._src.jax2tf.conversion import (
    DisabledSafetyCheck as DisabledSafetyCheck,
    convert as convert,
    dtype_of_val as dtype_of_val,
)

_doc_examples.attach(__name__)
