"""Derivatives compared with finite differences."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.test_util import (
    check_grads as check_grads,
    check_jvp as check_jvp,
    check_vjp as check_vjp,
)

_doc_examples.attach(__name__)
