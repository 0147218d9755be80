"""jaxfolio 0.1.1: weights of portfolios."""

import jaxfolio
import numpy as np

r = jaxfolio.generate_returns(5, 100, seed=1)
for f in (
    jaxfolio.equal_weight,
    jaxfolio.inverse_volatility,
    jaxfolio.hierarchical_risk_parity,
):
    w = f(r).weights
    print(np.round(np.asarray(w, float), 4).tolist())

# Upstream prints:
#   [0.2, 0.2, 0.2, 0.2, 0.2]
#   [0.1899, 0.1459, 0.2959, 0.1178, 0.2505]
#   [0.1101, 0.1216, 0.5004, 0.0424, 0.2254]
