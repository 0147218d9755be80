"""scico 0.0.7: denoises by ADMM."""

import scico.numpy as snp
import scico.random
from scico import functional, linop, loss, metric
from scico.optimize.admm import ADMM, LinearSubproblemSolver

x, key = scico.random.randn((16,), seed=0)
C = linop.Identity(x.shape)
f = loss.SquaredL2Loss(y=x)
solver = ADMM(
    f=f,
    g_list=[0.5 * functional.L1Norm()],
    C_list=[C],
    rho_list=[1.0],
    x0=x * 0,
    maxiter=20,
    subproblem_solver=LinearSubproblemSolver(),
    itstat_options={"display": False},
)
print(solver.solve(), metric.snr(x, x * 0.9))
print(functional.L1Norm().prox(x, 0.3)[:4], linop.DFT((4,))(snp.arange(4.0)))

# Upstream prints:
#   [ 1.1225431e+00  1.5251411e+00  2.6449561e-05  4.7981739e-06
#    -1.0743737e-05 -4.7202989e-01  3.0234456e-05 -3.0145049e-05
#     1.6430879e-01 -4.5010549e-01  1.6793975e+00 -1.4550313e+00
#    -2.1860003e-05 -9.6261501e-06  7.7700680e-01  1.0103726e+00] 19.604694
#   [ 1.3226421   1.7252648  -0.13359442 -0.        ] [ 6.+0.j -2.+2.j -2.+0.j -2.-2.j]
