"""Counting, its results, and the registration of rules."""

from jax._src.roofline.count import (
    ShapeDtypeStructTree as ShapeDtypeStructTree,
    Specs as Specs,
    roofline as roofline,
    roofline_and_grad as roofline_and_grad,
)
from jax._src.roofline.results import (
    RooflineResult as RooflineResult,
    RooflineRuleContext as RooflineRuleContext,
    RooflineShape as RooflineShape,
    ValidRooflineDtype as ValidRooflineDtype,
    register_roofline as register_roofline,
    register_standard_roofline as register_standard_roofline,
)
