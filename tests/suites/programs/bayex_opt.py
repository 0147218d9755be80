"""bayex 0.3.0: the state of a Bayesian search."""

import bayex

domain = {"x": bayex.domain.Real(0.0, 2.0)}
optimizer = bayex.Optimizer(domain=domain, maximize=False, acq="PI")
params = {"x": [0.0, 0.5, 1.0]}
ys = [(x - 0.8) ** 2 for x in params["x"]]
state = optimizer.init(ys, params)
print(state.best_score)

# Upstream prints:
#   0.03999999910593033
