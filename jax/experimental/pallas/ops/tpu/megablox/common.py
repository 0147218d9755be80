"""What the first device is, and which dtypes are multiplied. A re-export."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.pallas.ops.grouped_products import (
    assert_is_supported_dtype as assert_is_supported_dtype,
    is_tpu as is_tpu,
    select_input_dtype as select_input_dtype,
    supports_bfloat16_matmul as supports_bfloat16_matmul,
    tpu_generation as tpu_generation,
    tpu_kind as tpu_kind,
)

_doc_examples.attach(__name__)
