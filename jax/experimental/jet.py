"""Taylor series of functions along curves."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.jet.api import (
    fact as fact,
    jet as jet,
    jet2 as jet2,
    jet_fun as jet_fun,
    jet_subtrace as jet_subtrace,
    traceable as traceable,
)
from jax._src.jet.compose import (
    def_comp as def_comp,
    def_deriv as def_deriv,
    deriv_prop as deriv_prop,
)
from jax._src.jet.functions import jet_rules as jet_rules
from jax._src.jet.series import (
    ZeroSeries as ZeroSeries,
    ZeroTerm as ZeroTerm,
    zero_series as zero_series,
    zero_term as zero_term,
)
from jax._src.jet.trace import (
    JetTrace as JetTrace,
    JetTracer as JetTracer,
    call_param_updaters as call_param_updaters,
    deflinear as deflinear,
    defzero as defzero,
    linear_prop as linear_prop,
    zero_prop as zero_prop,
)

_doc_examples.attach(__name__)
