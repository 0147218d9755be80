"""Derives the polynomial coefficients of the math library. Needs mpmath; prints C++ initialisers.

Each row interpolates at Chebyshev nodes, in the variable and with the leading terms taken out as the sources say, in 60
digits. That is within a small factor of the minimax polynomial, and the bounds that MathTest states are measured on the
rounded coefficients.
"""

import mpmath as mp

mp.mp.dps = 60
ln2 = mp.log(2)


def fit(function, low, high, count):
    """The `count` coefficients, lowest first, of the polynomial through the Chebyshev nodes of [low, high]."""
    middle, half = (mp.mpf(low) + high) / 2, (mp.mpf(high) - low) / 2
    nodes = [
        middle + half * mp.cos(mp.pi * (2 * i + 1) / (2 * count)) for i in range(count)
    ]
    matrix = mp.matrix(count, count)
    for i, x in enumerate(nodes):
        for j in range(count):
            matrix[i, j] = x**j
    return list(mp.lu_solve(matrix, mp.matrix([function(x) for x in nodes])))


def even(function, high, count):
    """The coefficients of `fit` for a polynomial in x squared on [0, high]."""
    return fit(lambda z: function(mp.sqrt(z)), 0, mp.mpf(high) ** 2, count)


def taylor_safe(function, series):
    """`function`, or its `series` where the quotient in it would cancel."""
    return lambda x: series(x) if abs(x) < mp.mpf(10) ** -12 else function(x)


TABLE = {
    # e^r = 1 + r + r^2 P(r)
    "expF32": lambda: fit(
        taylor_safe(
            lambda r: (mp.expm1(r) - r) / r**2, lambda r: mp.mpf(1) / 2 + r / 6
        ),
        -ln2 / 2,
        ln2 / 2,
        6,
    ),
    "expF64": lambda: fit(
        taylor_safe(
            lambda r: (mp.expm1(r) - r) / r**2, lambda r: mp.mpf(1) / 2 + r / 6
        ),
        -ln2 / 2,
        ln2 / 2,
        11,
    ),
    # log(1 + f) = f - f^2/2 + f^3 P(f)
    "logF32": lambda: fit(
        taylor_safe(
            lambda f: (mp.log1p(f) - f + f**2 / 2) / f**3,
            lambda f: mp.mpf(1) / 3 - f / 4,
        ),
        mp.sqrt(0.5) - 1,
        mp.sqrt(2) - 1,
        9,
    ),
    # log(1 + f) = 2 s + s R(s^2), s = f / (2 + f); R(z) = z * P(z)
    "logF64": lambda: even(
        lambda s: (mp.log((1 + s) / (1 - s)) - 2 * s) / s**3, 3 - 2 * mp.sqrt(2), 8
    ),
    "atanhF32": lambda: even(
        lambda s: (mp.log((1 + s) / (1 - s)) - 2 * s) / s**3, 3 - 2 * mp.sqrt(2), 6
    ),
    # sin r = r + r^3 P(r^2), cos r = 1 - r^2/2 + r^4 P(r^2)
    "sinF32": lambda: even(lambda r: (mp.sin(r) - r) / r**3, mp.pi / 4, 4),
    "cosF32": lambda: even(lambda r: (mp.cos(r) - 1 + r**2 / 2) / r**4, mp.pi / 4, 4),
    "sinF64": lambda: even(lambda r: (mp.sin(r) - r) / r**3, mp.pi / 4, 7),
    "cosF64": lambda: even(lambda r: (mp.cos(r) - 1 + r**2 / 2) / r**4, mp.pi / 4, 7),
    # tanh x = x + x^3 P(x^2)
    "tanhF64": lambda: even(lambda x: (mp.tanh(x) - x) / x**3, 0.35, 10),
    # atan x = x + x^3 P(x^2) on [0, tan(pi/8)]
    "atanF32": lambda: even(lambda x: (mp.atan(x) - x) / x**3, mp.tan(mp.pi / 8), 5),
    "atanF64": lambda: even(lambda x: (mp.atan(x) - x) / x**3, mp.tan(mp.pi / 8), 13),
    # erf x = x P(x^2) on [0, 1]
    "erfF32": lambda: even(lambda x: mp.erf(x) / x, 1, 8),
    "erfF64": lambda: even(lambda x: mp.erf(x) / x, 1, 15),
    # erfc x = e^(-x^2) P(t) / x-free form: t = (x - 2) / (x + 2)
    "erfcxF32": lambda: fit(
        lambda t: mp.exp(((2 + 2 * t) / (1 - t)) ** 2) * mp.erfc((2 + 2 * t) / (1 - t)),
        mp.mpf(-1) / 3,
        mp.mpf(5) / 7,
        12,
    ),
    "erfcxF64": lambda: fit(
        lambda t: mp.exp(((2 + 2 * t) / (1 - t)) ** 2) * mp.erfc((2 + 2 * t) / (1 - t)),
        mp.mpf(-1) / 3,
        mp.mpf(14) / 15,
        24,
    ),
}

if __name__ == "__main__":
    for name, make in TABLE.items():
        digits = 10 if name.endswith("F32") else 18
        print(f"{name}:", ", ".join(mp.nstr(c, digits) for c in make()))
    for name, value, _ in [
        ("ln2", ln2, 2),
        ("pi/2", mp.pi / 2, 3),
        ("1/ln2", 1 / ln2, 1),
        ("2/pi", 2 / mp.pi, 1),
    ]:
        print(name, mp.nstr(value, 40))
