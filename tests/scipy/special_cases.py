"""The special functions whose accuracy is measured, and where."""

import numpy as np

import jax.numpy as jnp
import jax.scipy.special as jsp


def log(low, high):
    """Numbers whose logarithm is uniform."""
    return ("log", low, high)


def flat(low, high):
    """Uniform numbers."""
    return ("flat", low, high)


def both(low, high):
    """Points on a logarithmic scale as `log` gives them, of both signs."""
    return ("both", low, high)


def whole(low, high):
    """Whole numbers."""
    return ("whole", low, high)


def near(centre, low, high):
    """A number and at logarithmic distances of it."""
    return ("near", centre, low, high)


def ratio(low, high):
    """The first operand times a factor whose logarithm is uniform."""
    return ("ratio", low, high)


def spread(low, high):
    """The first operand plus so many of its roots, of both signs."""
    return ("spread", low, high)


TINY = 1e-30
# name: regions, each with the numbers of each operand.
REGIONS = {
    "bessel_jn": [[both(1e-3, 30)]],
    "beta": [[log(1e-10, 80), log(1e-10, 80)], [flat(-9, 9), flat(-9, 9)]],
    "betainc": [
        [log(1e-3, 100), log(1e-3, 100), flat(0, 1)],
        [log(TINY, 1), log(TINY, 1), log(1e-12, 1)],
        [log(50, 1e4), log(50, 1e4), flat(0, 1)],
        [log(1e4, 1e6), ("like", 0.1, 10), ("mean", -6, 6)],
        [log(0.1, 30), log(1e3, 1e9), ("mean", -1, 5)],
    ],
    "betaln": [
        [log(TINY, 1e30), log(TINY, 1e30)],
        [flat(-9, 9), flat(-9, 9)],
        [log(1, 100), log(1, 100)],
    ],
    "boxcox": [[log(1e-30, 1e30), both(1e-10, 3)]],
    "boxcox1p": [[log(1e-30, 1e30), both(1e-10, 3)]],
    "comb": [[log(1, 1e6), ("within", 0, 1)]],
    "dawsn": [[both(1e-30, 1e30)], [flat(-10, 10)]],
    "digamma": [
        [log(1e-30, 1e30)],
        [flat(-20, 20)],
        [near(1.4616321449683623, 1e-7, 1)],
    ],
    "entr": [[log(1e-37, 1e37)], [near(1.0, 1e-7, 0.5)]],
    "erf": [[both(1e-37, 10)], [flat(-6, 6)]],
    "erfc": [[both(1e-37, 10)], [flat(-6, 9)]],
    "erfcx": [[both(1e-30, 9)], [log(1, 1e30)]],
    "erfinv": [[both(1e-30, 1)], [near(1.0, -6e-8, -0.5)]],
    "exp1": [[log(1e-37, 80)]],
    "expi": [[both(1e-37, 80)], [near(0.37250741078136663, 1e-7, 0.3)]],
    "expit": [[both(1e-30, 87)]],
    "expn": [[whole(0, 30), log(1e-10, 80)], [whole(30, 3000), log(1e-10, 80)]],
    "factorial": [[whole(0, 34)], [flat(0, 30)]],
    "fresnel_s": [[both(1e-10, 1e5)], [flat(-10, 10)]],
    "fresnel_c": [[both(1e-30, 1e5)], [flat(-10, 10)]],
    "gamma": [[log(1e-37, 34)], [flat(-30, 34)]],
    "gammainc": [
        [log(1e-3, 100), log(1e-3, 100)],
        [log(TINY, 1), log(TINY, 80)],
        [log(20, 1e10), spread(0.01, 8)],
        [log(1, 1e5), ratio(0.1, 4)],
    ],
    "gammaincc": [
        [log(1e-3, 100), log(1e-3, 80)],
        [log(TINY, 1), log(TINY, 80)],
        [log(20, 1e10), spread(0.01, 8)],
        [log(1, 1e5), ratio(0.1, 4)],
    ],
    "gammaln": [
        [log(1e-37, 1e30)],
        [flat(-20, 20)],
        [near(1.0, 1e-7, 0.4)],
        [near(2.0, 1e-7, 0.4)],
    ],
    "hyp1f1": [
        [flat(-10, 10), flat(0.1, 10), both(1e-3, 30)],
        [log(0.1, 30), log(0.1, 30), flat(-80, 80)],
    ],
    "hyp2f1": [
        [flat(-5, 5), flat(-5, 5), flat(0.1, 8), flat(-0.95, 0.95)],
        [flat(0.1, 5), flat(0.1, 5), flat(0.1, 8), flat(-30, 1)],
    ],
    "i0": [[both(1e-30, 85)]],
    "i0e": [[both(1e-30, 1e30)], [flat(-20, 20)]],
    "i1": [[both(1e-30, 85)]],
    "i1e": [[both(1e-30, 1e30)], [flat(-20, 20)]],
    "kl_div": [
        [log(1e-30, 1e30), log(1e-30, 1e30)],
        [log(1e-3, 1e3), ratio(0.8, 1.25)],
    ],
    "log_ndtr": [[both(1e-10, 1e10)], [flat(-40, 12)]],
    "logit": [[log(1e-37, 1)], [near(0.5, 1e-7, 0.4)]],
    "multigammaln": [[log(1.1, 1e20)]],
    "ndtr": [[both(1e-10, 12)], [flat(-12, 6)]],
    "ndtri": [[log(1e-37, 1)], [near(0.5, 1e-7, 0.5)]],
    "owens_t": [[both(1e-10, 12), both(1e-5, 100)]],
    "poch": [
        [log(1e-5, 30), log(1e-5, 15)],
        [log(1, 1e10), log(1e-5, 2)],
        [flat(-9, 9), flat(-6, 6)],
    ],
    "polygamma": [
        [whole(0, 9), log(1e-3, 1e6)],
        [whole(1, 5), flat(-15, 0)],
        [whole(10, 100), log(1, 100)],
    ],
    "rel_entr": [
        [log(1e-30, 1e30), log(1e-5, 1e5)],
        [log(1e-3, 1e3), ratio(0.8, 1.25)],
    ],
    "sici_s": [[both(1e-30, 1e5)], [flat(-20, 20)]],
    "sici_c": [[both(1e-30, 1e5)], [flat(-20, 20)]],
    "sinc": [[both(1e-10, 0.9)]],
    "spence": [[log(1e-37, 1e37)], [near(1.0, 1e-7, 0.6)]],
    "xlog1py": [[both(1e-10, 1e10), log(1e-30, 1e30)]],
    "xlogy": [
        [both(1e-10, 1e10), log(1e-30, 1e30)],
        [flat(-3, 3), near(1.0, 1e-6, 0.4)],
    ],
    "zeta": [
        [log(1.001, 60), log(1e-3, 1e6)],
        [whole(2, 9), flat(-15, 0)],
        [near(1.0, -1e-6, 1), log(0.1, 10)],
    ],
}
# Operands in which no derivative is taken.
NO_SLOPE = {"betainc": (0, 1), "expn": (0,), "polygamma": (0,), "bessel_jn": (0,)}


def function(name):
    """Ours, of arrays."""
    if name == "bessel_jn":
        return lambda x: jsp.bessel_jn(x, v=3, n_iter=80)[3]
    if name == "multigammaln":
        return lambda x: jsp.multigammaln(x, 3)
    if name == "polygamma":
        return lambda n, x: jsp.polygamma(n.astype(int), x)
    if name == "sinc":
        return jnp.sinc
    if name[-2:] in ("_s", "_c") and name[:-2] in ("sici", "fresnel"):
        part = "sc".index(name[-1])
        return lambda x: getattr(jsp, name[:-2])(x)[part]
    return getattr(jsp, name)


def numbers(region, count, dtype, random):
    """Arguments of a region, one array for each operand."""
    found = []
    for kind, *args in region:
        low, high = args[-2:]
        if kind == "log":
            x = np.exp(random.uniform(np.log(low), np.log(high), count))
        elif kind == "flat":
            x = random.uniform(low, high, count)
        elif kind == "both":
            x = np.exp(random.uniform(np.log(low), np.log(high), count))
            x = x * random.choice([-1, 1], count)
        elif kind == "whole":
            x = random.integers(low, high, count, endpoint=True).astype(float)
        elif kind == "near":
            size = np.exp(random.uniform(np.log(abs(low)), np.log(abs(high)), count))
            # A negative end keeps to one side.
            sides = ([-1, 1], [1], [-1])[(low < 0) + (low < 0 and high < 0)]
            sign = random.choice(sides, count)
            x = args[0] + sign * size
        elif kind in ("ratio", "like"):
            factor = np.exp(random.uniform(np.log(low), np.log(high), count))
            x = found[0] * factor
        elif kind == "spread":
            size = np.exp(random.uniform(np.log(low), np.log(high), count))
            x = found[0] + np.sqrt(found[0]) * size * random.choice([-1, 1], count)
            x = np.maximum(x, found[0] * 0.01)
        elif kind == "mean":
            a, b = found
            mean = a / (a + b)
            size = np.sqrt(mean * (b / (a + b)) / (a + b + 1))
            x = mean + size * random.uniform(low, high, count)
            x = np.clip(x, mean * 0.01, 1)
        elif kind == "within":
            x = np.floor(found[0] * random.uniform(low, high, count))
        found.append(np.asarray(x, dtype).astype(float))
    return [x.astype(dtype) for x in found]
