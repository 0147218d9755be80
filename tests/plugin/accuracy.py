"""How far the compiled elementary functions are from the true ones.

`python -m tests.plugin.accuracy LOG > docs/accuracy.md` measures, where `CPU_PLUGIN` names
the plugin, and LOG holds lines such as `exp_f32 worst 0.94`, from what `math_test` prints.
`tests/plugin/accuracy_test.py` asserts what the file states.
"""

import os
import pathlib
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import ml_dtypes
import numpy as np
import pypjrt
import scipy.special
from pypjrt import _loader

from tests.plugin.element_types import TYPES


def _logistic(x):
    return 1 / (1 + np.exp(-x))


def _erf_inv(x):
    return np.copysign(scipy.special.erfinv(x), x)


def _lgamma(x):
    return np.where(np.isinf(x), np.inf, scipy.special.gammaln(x))


def _digamma(x):
    """NaN at the poles, where SciPy gives infinities."""
    is_pole = (x <= 0) & (x == np.floor(x))
    return np.where(is_pole, np.nan, scipy.special.digamma(x))


# The truth: NumPy's long double, or SciPy's double where NumPy has none, which is good
# for the types up to f32.
ONE = {
    "stablehlo.cbrt": np.cbrt,
    "stablehlo.cosine": np.cos,
    "stablehlo.exponential": np.exp,
    "stablehlo.exponential_minus_one": np.expm1,
    "stablehlo.log": np.log,
    "stablehlo.log_plus_one": np.log1p,
    "stablehlo.logistic": _logistic,
    "stablehlo.rsqrt": lambda x: 1 / np.sqrt(x),
    "stablehlo.sine": np.sin,
    "stablehlo.sqrt": np.sqrt,
    "stablehlo.tan": np.tan,
    "stablehlo.tanh": np.tanh,
    "chlo.acos": np.arccos,
    "chlo.acosh": np.arccosh,
    "chlo.asin": np.arcsin,
    "chlo.asinh": np.arcsinh,
    "chlo.atan": np.arctan,
    "chlo.atanh": np.arctanh,
    "chlo.cosh": np.cosh,
    "chlo.sinh": np.sinh,
    "chlo.erf": scipy.special.erf,
    "chlo.erfc": scipy.special.erfc,
    "chlo.erf_inv": _erf_inv,
    "chlo.lgamma": _lgamma,
    "chlo.digamma": _digamma,
}
TWO = {"stablehlo.atan2": np.arctan2, "stablehlo.power": np.power}
BY_SCIPY = {"chlo.erf", "chlo.erfc", "chlo.erf_inv", "chlo.lgamma", "chlo.digamma"}

BITS = {"f16": np.uint16, "bf16": np.uint16, "f32": np.uint32, "f64": np.uint64}
"""The real types measured, and integers as wide."""
COMPLEX = {"complex<f32>": "c64", "complex<f64>": "c128"}
"""The complex types, as math_test calls them: what it does not know is measured here."""
KINDS = [*BITS, *COMPLEX]
PROCESSORS = ["", "avx2", "baseline"]
"""This machine's, and lesser ones that code is generated for."""


def magnitudes(random, low, high, shape):
    """Numbers between two powers of two. NumPy's own `exp2` has other last bits on other processors."""
    return np.ldexp(random.uniform(1, 2, shape), random.integers(low, high, shape))


def complex_inputs(dtype, count):
    """Complex numbers of ordinary magnitudes, near the unit circle, and near the axes."""
    random = np.random.default_rng(7)

    def parts(scale):
        return random.normal(size=(2, count // 4)) * scale

    slope, distance = parts(1)
    circle = np.stack([1 - slope * slope, 2 * slope]) / (1 + slope * slope)
    rows = [
        parts(1),
        parts(magnitudes(random, -12, 5, (2, count // 4))),
        parts([[1], [1e-6]]),
        (1 + 1e-3 * distance) * circle,
    ]
    return np.concatenate([re + 1j * im for re, im in rows]).astype(dtype)


def complex_ulps(got, truth, dtype):
    """Errors in units in the last place of the modulus; infinity where one of the two
    is out of range, and the other is not."""
    _, exponent = np.frexp(np.abs(truth))
    unit = np.ldexp(np.longdouble(1), exponent - 1 - np.finfo(dtype).nmant)
    with np.errstate(all="ignore"):
        error = np.abs(got.astype(truth.dtype) - truth) / unit
        overflows = ~np.isfinite(truth.astype(dtype))
    error = np.where(np.isfinite(error), error, np.inf)
    return np.where(overflows & ~np.isfinite(got), 0, error).astype(np.float64)


def inputs(name, count):
    """Every number of a type of 16 bits; else a sample of all bit patterns and one of
    ordinary magnitudes, with the ends of the ranges."""
    (_, dtype), bits = TYPES[name], BITS[name]
    if bits is np.uint16:
        return np.arange(2**16, dtype=bits).view(dtype)
    random = np.random.default_rng(5)
    top = np.iinfo(bits).max
    edges = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, 2.0, 1e-30, 1e30]
    parts = [
        (np.arange(count, dtype=np.uint64) * np.uint64(top // count)).astype(bits),
        random.integers(0, top, count, dtype=bits, endpoint=True),
    ]
    usual = random.normal(size=count) * magnitudes(random, -12, 7, count)
    return np.concatenate(
        [p.view(dtype) for p in parts] + [usual.astype(dtype), np.array(edges, dtype)]
    )


def ulps(got, truth, name):
    """Errors in units in the last place; infinity where one is a NaN, or infinite, or of
    another sign of zero, and the other is not."""
    dtype = TYPES[name][1]
    info = ml_dtypes.finfo(dtype)
    with np.errstate(all="ignore"):
        rounded = truth.astype(dtype).astype(truth.dtype)
        wide = got.astype(truth.dtype)
        _, exponent = np.frexp(truth)
        exponent = np.maximum(exponent, info.minexp + 1)
        unit = np.ldexp(truth.dtype.type(1), exponent - 1 - info.nmant)
        error = np.abs(wide - truth) / unit
        same = (np.isnan(wide) & np.isnan(truth)) | (
            ~np.isfinite(rounded) & (wide == rounded)
        )
        wrong = (np.isfinite(wide) != np.isfinite(rounded)) | (
            np.isnan(wide) != np.isnan(truth)
        )
        both_zero = (wide == 0) & (truth == 0)
        wrong |= both_zero & (np.signbit(wide) != np.signbit(truth))
    return np.where(same, 0, np.where(wrong, np.inf, error)).astype(np.float64)


def evaluate(client, op, name, arrays):
    """The compiled function."""
    kind = f"tensor<{arrays[0].size}x{name}>"
    parameters = ", ".join(f"%a{i}: {kind}" for i in range(len(arrays)))
    operands = ", ".join(f"%a{i}" for i in range(len(arrays)))
    arrow = f"{kind} -> {kind}" if op.startswith("chlo.") else kind
    program = (
        f"func.func @main({parameters}) -> {kind} {{\n"
        f"  %0 = {op} {operands} : {arrow}\n  return %0 : {kind}\n}}"
    )
    code, dtype = TYPES[name]
    with client.device(0) as device:
        buffers = [
            client.buffer_from_host(bytearray(a.tobytes()), code, [a.size], device)
            for a in arrays
        ]
    (out,) = client.compile(program)(*buffers)
    return np.frombuffer(out.to_host(), dtype)


def worst(client, op, name, count=100_000):
    """The greatest error found, in ULP, and where; None where there is no truth."""
    if op in BY_SCIPY and name not in ("f16", "bf16", "f32"):
        return None
    if name in COMPLEX:
        if not op.startswith("chlo."):
            return None
        dtype = TYPES[name][1]
        x = complex_inputs(dtype, count)
        truth = ONE[op](x.astype(np.clongdouble))
        error = complex_ulps(evaluate(client, op, name, (x,)), truth, dtype)
        at = int(np.argmax(error))
        return float(error[at]), (complex(x[at]),)
    x = inputs(name, count)
    wide = np.float64 if op in BY_SCIPY else np.longdouble
    with np.errstate(all="ignore"):
        if op in TWO:
            y = np.random.default_rng(6).permutation(x)
            arrays = (x, y)
            truth = TWO[op](x.astype(wide), y.astype(wide))
        else:
            arrays = (x,)
            truth = ONE[op](x.astype(wide))
    error = ulps(evaluate(client, op, name, arrays), truth, name)
    at = int(np.argmax(error))
    return float(error[at]), tuple(float(a[at]) for a in arrays)


def _round_up(value):
    """Two digits, never below the value."""
    return f"{np.ceil(value * 100 - 1e-9) / 100:.2f}"


HEAD = """# Accuracy of the elementary functions

The greatest error of the CPU compiler's functions, in units in the last place (ULP), of `complex<f32>` and
`complex<f64>` against the modulus. Correct rounding is 0.5.

| Type | Numbers tried | Truth |
|---|---|---|
| f16, bf16 | every one; for two operands, every one beside another | NumPy's `longdouble`, SciPy's doubles for `erf` to `digamma` |
| f32 | 200,000: bit patterns and ordinary magnitudes; `ci/exhaustive` tries every one | NumPy's `longdouble`; C library, doubles |
| f64 | a sample of all bit patterns and of ordinary magnitudes | NumPy's `longdouble` |
| complex | 100,000, near the unit circle among them; for the library, all pairs of special values | NumPy's `clongdouble`; C library, `long double` |

The tests fail where an error is greater than what stands here: `tests/plugin/accuracy_test.py` for compiled programs,
for AVX-512, AVX2 and baseline code alike, `xla/codegen/cpu/math/MathTest.cpp` for the library. NaN, infinities and the signs
of zeros must be right. A dash: nothing to compare with.

| Function | f16 | bf16 | f32 | f64 | complex\\<f32> | complex\\<f64> |
|---|--:|--:|--:|--:|--:|--:|
"""

TAIL = """
The error of a power of complex numbers grows with the exponent; `atan2` of complex numbers is as exact as 1 is, and loses
what is small beside that. `erf` and `erfc` of f32 are computed in f32: in f64 they would be right to half a unit, but take
three times as long.

`erf`, `erfc`, `erf_inv`, `lgamma` and `digamma` are special functions: the tests hold the elementary ones, all others in the
table, to 2 ULP in f32, and these to what it states. `erfc` and `erf_inv` are above 2. JAX 0.10.2, at the same 200,000
numbers against the same truth:

| f32 | here | JAX 0.10.2, where operand and result are normal numbers |
|---|--:|--:|
| erf | 1.01 | 4.91 |
| erfc | 4.19 | 58.87 |
| erf_inv | 3.36 | 56.96 |
| lgamma | 0.50 | 70,427, near its zeros |
| digamma | 0.50 | 54,267, near its zeros |

## Where XLA gives something else

- Subnormal numbers are kept; XLA takes them for 0. So `sqrt` of a square below 1e-38 has a derivative, and a product of two
  small numbers is not always 0.
- `power` of an infinite complex number has its limit, an infinity or 0; XLA gives NaN.
- `atan2` of complex numbers does not overflow where their squares do; XLA gives NaN.

## Special functions

Functions of `jax.scipy.special` and their derivatives over their domains, tiny and large arguments, poles and zeros among
them, against values of any precision (Arb, through python-flint). `ci/accuracy` writes this page; the regions are in
`tests/scipy/special_cases.py`, and `tests/scipy/special_values_test.py` holds functions to 4 ULP in f32 at a smaller sample,
with true values that stand in a file. "slope 2" is the derivative in the second argument.

In f32 all are within 4 ULP but for `i0e`, which is summed in f32, for speed: up to 6 ULP near 0 (at every float, below), and the
slope of `hyp1f1` in x where the terms of its f64 sum cancel: up to 14 ULP. `ndtr` is computed in f32 for speed too, within 3.2
ULP, where the processor has fused products, and 4.6 where it has none. Where another function loses digits it is computed in f64
and rounded once, and so are its derivatives.

In f64 more is lost, for these reasons:

- What is the exponential of a large logarithm loses the logarithm's size in ULP, up to 700 at the ends of the range: `beta`,
  `betainc`, `comb`, `factorial` and `gamma`'s slopes, `gammainc`, `gammaincc`, `poch`, `polygamma`, and their slopes. In the
  middle of a distribution, `gammainc` and `gammaincc` lose less than 60 ULP at every size of the parameters, and `betainc`
  about as many as the root of the parameters' sum.
- Near a zero that is no short number the value is exact to 1e-15, and not to a part of itself: `digamma`, `gammaln` of
  negative numbers, `expi`, `betaln`, `sici`, `fresnel`, `bessel_jn`, `multigammaln`, and slopes where they change sign.
- Between the trigonometric functions of large arguments, `sici` and `fresnel` are exact to 1e-16 of their amplitude.
- The slopes of `i0e` and `i1e` are differences of nearly equal numbers up to 1e6, and lose as many ULP as x.
- `hyp1f1` and `hyp2f1` are sums whose terms may cancel.

"""

# What stands from here on was measured by tests.scipy.special_accuracy and every_float.
BEGIN = "<!-- special functions -->"


def _special_functions():
    """The sections that other programs measure, as they stand."""
    text = pathlib.Path("docs/accuracy.md").read_text(encoding="utf-8")
    return BEGIN + text.partition(BEGIN)[2]


# What math_test calls the functions.
SHORT = {
    "exponential": "exp",
    "exponential_minus_one": "expm1",
    "log_plus_one": "log1p",
    "cosine": "cos",
    "sine": "sin",
    "power": "pow",
}


def _library_errors(path):
    """What math_test measured, by name: "exp_f32"."""
    errors = {}
    with open(path, encoding="utf-8") as log:
        for line in log:
            name, word, value, *_ = line.split()
            if word == "worst":
                errors[name] = float(value)
    return errors


def _measure(features):
    """The greatest errors of code for one processor, by operation and type."""
    os.environ["XLA_CPU_FEATURES"] = features
    plugin = _loader.Plugin(os.path.abspath(os.environ["CPU_PLUGIN"]))
    found = {}
    with pypjrt.Client.create(plugin) as client:
        for op in [*ONE, *TWO]:
            for kind in KINDS:
                error = worst(client, op, kind)
                if error:
                    found[op, kind] = error[0]
    return found


def main():
    """Writes the table; the argument is a file with what math_test prints."""
    library = _library_errors(sys.argv[1])
    with ProcessPoolExecutor(
        1, mp_context=get_context("spawn"), max_tasks_per_child=1
    ) as pool:
        measured = list(pool.map(_measure, PROCESSORS))
    sys.stdout.write(HEAD)
    for op in [*ONE, *TWO]:
        name = op.split(".")[1]
        cells = []
        for kind in KINDS:
            errors = [found[op, kind] for found in measured if (op, kind) in found]
            known = library.get(f"{SHORT.get(name, name)}_{COMPLEX.get(kind, kind)}")
            if known is not None and (errors or kind in COMPLEX):
                errors.append(known)
            cells.append(_round_up(max(errors)) if errors else "–")
        print(f"| `{name}` | " + " | ".join(cells) + " |")
    sys.stdout.write(TAIL + _special_functions())


if __name__ == "__main__":
    main()
