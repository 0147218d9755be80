#!/usr/bin/env bash
# JAX 0.10.2's float32 log-probabilities are off by up to 0.8 (a factor of 2 in probability) where parameters reach a million.
#
# jax 0.10.2, jaxlib 0.10.2 on the CPU, SciPy 1.15.3. Expected of `poisson.logpmf(1e6, 1e6)` in float32: -7.8267 to some six
# digits, as the arguments are exact in float32. Seen: -7.0, and -8.0 for gamma.logpdf(1e6, 1e6), the same number by
# mathematics; t.logpdf(0, 1e6) is -1.0 for -0.9189, binom.logpmf(5e5, 1e6, 0.5) -7.1875 for -7.1335: each formula adds
# logarithms of the gamma function, some 1e7 large, of which float32 keeps no digit after the point.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "jax==0.10.2" "jaxlib==0.10.2" "numpy==2.2.6" "scipy==1.15.3"
cd "$folder"
JAX_PLATFORMS=cpu "$folder/venv/bin/python" - <<'PYTHON'
import jax
import numpy as np
import scipy.stats

print("jax", jax.__version__)
cases = [
    ("poisson", "logpmf", (1e6, 1e6), 0.5),
    ("gamma", "logpdf", (1e6, 1e6), 0.1),
    ("t", "logpdf", (0.0, 1e6), 0.05),
    ("binom", "logpmf", (5e5, 1e6, 0.5), 0.03),
    ("beta", "logpdf", (0.5, 1e6, 1e6), 0.02),
]
for family, function, values, at_least in cases:
    found = float(getattr(getattr(jax.scipy.stats, family), function)(*map(np.float32, values)))
    expected = float(getattr(getattr(scipy.stats, family), function)(*values))
    print(f"{family}.{function}{values}: {found:.5g}, SciPy {expected:.5g}")
    assert abs(found - expected) > at_least, "the behaviour changed"
print("as described")
PYTHON
