"""Numerical integration."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.scipy.integrate import trapezoid as trapezoid

_doc_examples.attach(__name__)
