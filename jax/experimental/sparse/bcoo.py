"""Batched coordinates."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.sparse import methods as _methods  # noqa: F401  (installs operators)
from jax._src.sparse.bcoo import (
    BCOO as BCOO,
)
from jax._src.sparse.conv import (
    bcoo_conv_general_dilated as bcoo_conv_general_dilated,
)
from jax._src.sparse.conversion import (
    bcoo_extract as bcoo_extract,
    bcoo_extract_p as bcoo_extract_p,
    bcoo_fromdense as bcoo_fromdense,
    bcoo_fromdense_p as bcoo_fromdense_p,
    bcoo_todense as bcoo_todense,
    bcoo_todense_p as bcoo_todense_p,
)
from jax._src.sparse.layouts import (
    BCOOProperties as BCOOProperties,
)
from jax._src.sparse.products import (
    bcoo_dot_general as bcoo_dot_general,
    bcoo_dot_general_p as bcoo_dot_general_p,
    bcoo_dot_general_sampled as bcoo_dot_general_sampled,
    bcoo_dot_general_sampled_p as bcoo_dot_general_sampled_p,
)
from jax._src.sparse.relayout import (
    bcoo_update_layout as bcoo_update_layout,
)
from jax._src.sparse.shaping import (
    bcoo_broadcast_in_dim as bcoo_broadcast_in_dim,
    bcoo_concatenate as bcoo_concatenate,
    bcoo_reduce_sum as bcoo_reduce_sum,
    bcoo_reshape as bcoo_reshape,
    bcoo_rev as bcoo_rev,
    bcoo_squeeze as bcoo_squeeze,
    bcoo_transpose as bcoo_transpose,
    bcoo_transpose_p as bcoo_transpose_p,
)
from jax._src.sparse.slicing import (
    bcoo_dynamic_slice as bcoo_dynamic_slice,
    bcoo_gather as bcoo_gather,
    bcoo_slice as bcoo_slice,
)
from jax._src.sparse.sparse_products import (
    bcoo_multiply_dense as bcoo_multiply_dense,
    bcoo_multiply_sparse as bcoo_multiply_sparse,
    bcoo_spdot_general_p as bcoo_spdot_general_p,
)
from jax._src.sparse.sums import (
    bcoo_eliminate_zeros as bcoo_eliminate_zeros,
    bcoo_sort_indices as bcoo_sort_indices,
    bcoo_sort_indices_p as bcoo_sort_indices_p,
    bcoo_sum_duplicates as bcoo_sum_duplicates,
    bcoo_sum_duplicates_p as bcoo_sum_duplicates_p,
)

_doc_examples.attach(__name__)
