#!/usr/bin/env bash
# SciPy's regularised incomplete gamma function loses its digits a few standard deviations away from a large parameter.
#
# SciPy 1.17.1, mpmath 1.3.0. Expected: gammainc(a, x) follows the uniform expansion for large a (DLMF 8.12), so that
# gammainc(a, a - 6 sqrt(a)) tends to the normal distribution's tail at -6, 9.87e-10. Seen: right to 1e-7 up to a = 1e6,
# and 10 times too small at a = 1e10, where x is six standard deviations below a. mpmath's quadrature and the limit agree.
# Whoever takes SciPy for the truth of chi-square or Poisson tails with many degrees of freedom measures its error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "scipy==1.17.1" "mpmath==1.3.0"
"$folder/venv/bin/python" - <<'PYTHON'
import mpmath
import numpy as np
import scipy
import scipy.special

mpmath.mp.dps = 30


def true_value(a, k):
    """P(a, x) by quadrature of the density, for x = a + k sqrt(a)."""
    a = mpmath.mpf(a)
    log_scale = a * mpmath.log(a) - a - mpmath.loggamma(a)
    root = mpmath.sqrt(a)

    def density(u):  # t = a + u sqrt(a)
        ratio = u / root
        return mpmath.exp(log_scale + a * (mpmath.log1p(ratio) - ratio)) * root / (a * (1 + ratio))

    points = [mpmath.mpf(k) - n for n in (14, 10, 6, 4, 2, 1, 0)]
    return mpmath.quad(density, points)


errors = {}
for a in (1e6, 1e10):
    got = float(scipy.special.gammainc(a, a - 6 * np.sqrt(a)))
    want = float(true_value(a, -6))
    errors[a] = abs(got - want) / want
    print(f"a = {a:.0e}  scipy {got:.6e}  true {want:.6e}  relative error {errors[a]:.1e}")
print("scipy", scipy.__version__, " limit", float(mpmath.ncdf(-6)))
assert errors[1e6] < 1e-6 and errors[1e10] > 0.5, "the behaviour changed"
print("as described")
PYTHON
