"""Linear algebra with sparse arrays."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.sparse import methods as _methods  # noqa: F401  (installs operators)
from jax._src.sparse.lobpcg import (
    lobpcg_standard as lobpcg_standard,
)
from jax._src.sparse.spsolve import (
    spsolve as spsolve,
    spsolve_p as spsolve_p,
)

_doc_examples.attach(__name__)
