"""Vector quantisation."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.scipy.cluster_vq import vq as vq

_doc_examples.attach(__name__)
