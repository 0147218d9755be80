"""Special functions."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.scipy.bessel import (
    bessel_jn as bessel_jn,
    i0 as i0,
    i0e as i0e,
    i1 as i1,
    i1e as i1e,
)
from jax._src.scipy.faddeeva import (
    wofz as wofz,
)
from jax._src.scipy.gamma_family import (
    bernoulli as bernoulli,
    beta as beta,
    betainc as betainc,
    betaln as betaln,
    comb as comb,
    digamma as digamma,
    factorial as factorial,
    gamma as gamma,
    gammainc as gammainc,
    gammaincc as gammaincc,
    gammaln as gammaln,
    gammasgn as gammasgn,
    loggamma as loggamma,
    multigammaln as multigammaln,
    poch as poch,
    polygamma as polygamma,
    zeta as zeta,
)
from jax._src.scipy.hypergeometric import (
    hyp1f1 as hyp1f1,
    hyp2f1 as hyp2f1,
)
from jax._src.scipy.integrals import (
    dawsn as dawsn,
    erfcx as erfcx,
    exp1 as exp1,
    expi as expi,
    expn as expn,
    fresnel as fresnel,
    owens_t as owens_t,
    sici as sici,
    spence as spence,
)
from jax._src.scipy.legendre import (
    lpmn as lpmn,
    lpmn_values as lpmn_values,
    sph_harm_y as sph_harm_y,
)
from jax._src.scipy.logsumexp import (
    logsumexp as logsumexp,
)
from jax._src.scipy.probability import (
    boxcox as boxcox,
    boxcox1p as boxcox1p,
    entr as entr,
    erf as erf,
    erfc as erfc,
    erfcinv as erfcinv,
    erfinv as erfinv,
    expit as expit,
    kl_div as kl_div,
    log_ndtr as log_ndtr,
    log_softmax as log_softmax,
    logit as logit,
    ndtr as ndtr,
    ndtri as ndtri,
    rel_entr as rel_entr,
    softmax as softmax,
    xlog1py as xlog1py,
    xlogy as xlogy,
)

_doc_examples.attach(__name__)
