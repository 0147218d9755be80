"""Writes the Chebyshev coefficients of jax/_src/scipy/special_tables.py; needs mpmath.

Run: python tools/special_tables.py > jax/_src/scipy/special_tables.py, then ruff format.
"""

from mpmath import mp, mpf

mp.dps = 50

# Coefficients below this part of the largest do not matter in float64.
BOUND = mpf(2) ** -56
NODES = 120


def erfcx(x):
    return mp.exp(x * x) * mp.erfc(x) if x < 1e6 else 1 / (x * mp.sqrt(mp.pi))


def dawson(x):
    return mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)


def entire_exponential(z):
    """The integral of (1 - exp(-t)) / t from 0 to z, divided by z."""
    return mp.nsum(lambda k: (-z) ** k / (mp.factorial(k + 1) * (k + 1)), [0, mp.inf])


def sine_parts(x):
    """The auxiliary functions f and g of sine and cosine integral (DLMF 6.2.17)."""
    si, ci = mp.si(x) - mp.pi / 2, mp.ci(x)
    f = ci * mp.sin(x) - si * mp.cos(x)
    g = -ci * mp.cos(x) - si * mp.sin(x)
    return f, g


def fresnel_parts(x):
    """The auxiliary functions f and g of the Fresnel integrals (DLMF 7.2.10)."""
    s, c = mpf(1) / 2 - mp.fresnels(x), mpf(1) / 2 - mp.fresnelc(x)
    sine, cosine = mp.sin(mp.pi * x * x / 2), mp.cos(mp.pi * x * x / 2)
    return s * cosine - c * sine, c * cosine + s * sine


def cosine_series(x):
    """(ln x + gamma - Ci(x)) / x**2."""
    return (mp.log(x) + mp.euler - mp.ci(x)) / x**2


def at_inverse(edge, power):
    """From t to x, where t = 2 (edge / x)**power - 1 and x >= edge."""
    return lambda t: edge * (2 / (t + 1)) ** (mpf(1) / power)


def at_power(edge, power):
    """From t to x, where t = 2 (x / edge)**power - 1 and x <= edge."""
    return lambda t: edge * ((t + 1) / 2) ** (mpf(1) / power)


def between(low, high):
    """From t to x in an interval."""
    low, high = mpf(low), mpf(high)
    return lambda t: low + (high - low) * (t + 1) / 2


# name: (the function of x, how x follows from t in [-1, 1], what is said about it)
TABLES = {
    "ERFCX": (
        lambda x: (1 + 2 * x) * erfcx(x),
        lambda t: mpf("3.75") * (1 + t) / (1 - t),
        "(1 + 2x) erfcx(x) for x >= 0 in (x - 3.75) / (x + 3.75)",
    ),
    "DAWSON_NEAR": (
        lambda x: dawson(x) / x,
        at_power(mpf(3), 2),
        "dawsn(x) / x for x <= 3 in 2 (x / 3)**2 - 1",
    ),
    "DAWSON_MIDDLE": (
        lambda x: x * dawson(x),
        between(3, 6),
        "x dawsn(x) for 3 <= x <= 6 in (2x - 9) / 3",
    ),
    "DAWSON_FAR": (
        lambda x: x * dawson(x),
        at_inverse(mpf(6), 2),
        "x dawsn(x) for x >= 6 in 2 (6 / x)**2 - 1",
    ),
    "EIN_BELOW": (
        entire_exponential,
        between(-4, 0),
        "Ein(z) / z for -4 <= z <= 0 in z / 2 + 1",
    ),
    "EIN_ABOVE": (
        entire_exponential,
        between(0, 1),
        "Ein(z) / z for 0 <= z <= 1 in 2z - 1",
    ),
    "EXP1_MIDDLE": (
        lambda x: x * mp.exp(x) * mp.e1(x),
        between(1, 4),
        "x exp(x) E1(x) for 1 <= x <= 4 in (2x - 5) / 3",
    ),
    "EXP1_FAR": (
        lambda x: x * mp.exp(x) * mp.e1(x),
        at_inverse(mpf(4), 1),
        "x exp(x) E1(x) for x >= 4 in 8 / x - 1",
    ),
    "EXPI_LOW": (
        lambda x: x * mp.exp(-x) * mp.ei(x),
        between(4, 10),
        "x exp(-x) Ei(x) for 4 <= x <= 10 in (x - 7) / 3",
    ),
    "EXPI_HIGH": (
        lambda x: x * mp.exp(-x) * mp.ei(x),
        between(10, 25),
        "x exp(-x) Ei(x) for 10 <= x <= 25 in (2x - 35) / 15",
    ),
    "EXPI_FAR": (
        lambda x: x * mp.exp(-x) * mp.ei(x),
        at_inverse(mpf(25), 1),
        "x exp(-x) Ei(x) for x >= 25 in 50 / x - 1",
    ),
    "SINE_NEAR": (
        lambda x: mp.si(x) / x,
        at_power(mpf(4), 2),
        "Si(x) / x for x <= 4 in x**2 / 8 - 1",
    ),
    "COSINE_NEAR": (
        cosine_series,
        at_power(mpf(4), 2),
        "Cin(x) / x**2 for x <= 4 in x**2 / 8 - 1",
    ),
    "SINE_FAR": (
        lambda x: x * sine_parts(x)[0],
        at_inverse(mpf(4), 2),
        "x f(x) for x >= 4 in 32 / x**2 - 1",
    ),
    "COSINE_FAR": (
        lambda x: x * x * sine_parts(x)[1],
        at_inverse(mpf(4), 2),
        "x**2 g(x) for x >= 4 in 32 / x**2 - 1",
    ),
    "FRESNEL_SINE_NEAR": (
        lambda x: mp.fresnels(x) / x**3,
        at_power(mpf("1.6"), 4),
        "S(x) / x**3 for x <= 1.6 in 2 (x / 1.6)**4 - 1",
    ),
    "FRESNEL_COSINE_NEAR": (
        lambda x: mp.fresnelc(x) / x,
        at_power(mpf("1.6"), 4),
        "C(x) / x for x <= 1.6 in 2 (x / 1.6)**4 - 1",
    ),
    "FRESNEL_F_FAR": (
        lambda x: x * fresnel_parts(x)[0],
        at_inverse(mpf("1.6"), 4),
        "x f(x) for x >= 1.6 in 2 (1.6 / x)**4 - 1",
    ),
    "FRESNEL_G_FAR": (
        lambda x: x**3 * fresnel_parts(x)[1],
        at_inverse(mpf("1.6"), 4),
        "x**3 g(x) for x >= 1.6 in 2 (1.6 / x)**4 - 1",
    ),
    "SPENCE": (
        lambda x: -mp.polylog(2, 1 - x) / (x - 1),
        between("0.5", "1.5"),
        "-Li2(1 - x) / (x - 1) for 1/2 <= x <= 3/2 in 2x - 2",
    ),
}


def coefficients(function, argument):
    """The Chebyshev coefficients, without those at the end that do not matter."""
    angles = [mp.pi * (2 * k + 1) / (2 * NODES) for k in range(NODES)]
    values = [function(argument(mp.cos(angle))) for angle in angles]
    found = [
        mpf(2)
        / NODES
        * mp.fsum(v * mp.cos(n * a) for v, a in zip(values, angles, strict=True))
        for n in range(NODES)
    ]
    found[0] /= 2
    while abs(found[-1]) < BOUND * max(map(abs, found)):
        found.pop()
    return [float(mp.re(c)) for c in found]


def main():
    print('"""Chebyshev coefficients of special functions.')
    print()
    print("Computed to 50 digits by tools/special_tables.py: do not edit.")
    print('"""')
    for name, (function, argument, about) in TABLES.items():
        print(f"\n# {about}")
        print(f"{name} = (")
        for value in coefficients(function, argument):
            print(f"    {value!r},")
        print(")")


if __name__ == "__main__":
    main()
