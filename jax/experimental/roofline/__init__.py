"""What a program must compute, move and send at least."""

from jax._src.base import doc_examples as _doc_examples
from jax.experimental.roofline.roofline import (
    RooflineResult as RooflineResult,
    RooflineRuleContext as RooflineRuleContext,
    RooflineShape as RooflineShape,
    register_roofline as register_roofline,
    register_standard_roofline as register_standard_roofline,
    roofline as roofline,
    roofline_and_grad as roofline_and_grad,
)

_doc_examples.attach(__name__)
