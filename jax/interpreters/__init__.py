"""Rules of transformations, for libraries that add primitives."""

from jax.interpreters import ad as ad
from jax.interpreters import batching as batching
from jax.interpreters import mlir as mlir
from jax.interpreters import partial_eval as partial_eval
from jax.interpreters import pxla as pxla
from jax.interpreters import xla as xla
