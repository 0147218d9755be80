"""NumPy's elementary functions computed with mpmath, and numbers of the complex plane to try functions at."""

from collections.abc import Callable
from typing import Any

import numpy as np

# Digits, and the smallest and the greatest exponent of fractions, by dtype.
_PRECISION = {"float32": 24, "float64": 53}
_EXPONENTS = {"float32": (-126, 128), "float64": (-1022, 1024)}
_PARTS = {"complex64": "float32", "complex128": "float64"}


class vectorize_with_mpmath(np.vectorize):
    """`numpy.vectorize` of a function of mpmath's numbers: takes and gives arrays of NumPy's.

    Args:
        mpmath: the module.
        extra_prec_multiplier: how many times the digits of the dtype are computed besides them.
        extra_prec: how many more digits besides these.
    """

    float_prec = _PRECISION
    float_minexp = {name: ends[0] for name, ends in _EXPONENTS.items()}
    float_maxexp = {name: ends[1] for name, ends in _EXPONENTS.items()}
    map_complex_to_float = _PARTS
    map_float_to_complex = {part: name for name, part in _PARTS.items()}

    def __init__(self, *args: Any, **kwargs: Any):
        self.mpmath = kwargs.pop("mpmath", None)
        if self.mpmath is None:
            raise ValueError("vectorize_with_mpmath: no mpmath argument specified")
        self.extra_prec_multiplier = kwargs.pop("extra_prec_multiplier", 0)
        self.extra_prec = kwargs.pop("extra_prec", 0)
        self.contexts = {}
        for name, digits in _PRECISION.items():
            context = self.contexts[name] = self.mpmath.mp.clone()
            context.prec = digits
        self.contexts_inv = {context: name for name, context in self.contexts.items()}
        super().__init__(*args, **kwargs)

    def get_context(self, x: Any) -> Any:
        """The context of mpmath's in which numbers have the digits of an array's dtype."""
        name = str(getattr(x, "dtype", type(x).__name__))
        name = _PARTS.get(name, name)
        if name not in self.contexts:
            raise NotImplementedError(f"get mpmath context from {name} instance")
        return self.contexts[name]

    def nptomp(self, x: Any) -> Any:
        """An array or scalar of NumPy's as numbers of mpmath's."""
        if isinstance(x, np.ndarray):
            found = np.empty(x.shape, object)
            for index in np.ndindex(x.shape):
                found[index] = self.nptomp(x[index])
            return found
        context = self.get_context(x)
        if isinstance(x, np.complexfloating):
            return context.mpc(self.nptomp(x.real), self.nptomp(x.imag))
        if np.isfinite(x):
            digits = context.prec
            fraction, exponent = np.frexp(x)
            whole = int(np.ldexp(fraction, digits))
            return context.ldexp(context.mpf(whole), int(exponent) - digits)
        return context.mpf(str(x))

    def mptonp(self, x: Any) -> Any:
        """Numbers of mpmath's as an array or scalar of NumPy's, rounded once."""
        if isinstance(x, np.ndarray):
            return np.array([self.mptonp(item) for item in x.flat]).reshape(x.shape)
        context = x.context
        dtype = np.dtype(self.contexts_inv[context]).type
        if isinstance(x, context.mpc):
            parts = np.array([self._real(x.real, dtype), self._real(x.imag, dtype)])
            return parts.view(self.map_float_to_complex[dtype.__name__])[0]
        return self._real(x, dtype)

    def _real(self, x, dtype):
        context = x.context
        if context.isnan(x):
            return dtype(np.nan)
        if context.isinf(x):
            return dtype(np.inf if x > 0 else -np.inf)
        rounded = +x  # to the digits of the context
        least, most = _EXPONENTS[dtype.__name__]
        fraction, exponent = context.frexp(rounded)
        if fraction and exponent < least:
            return dtype(0)
        if exponent > most:
            return dtype(np.inf if x > 0 else -np.inf)
        digits = _PRECISION[dtype.__name__]
        whole = int(context.ldexp(fraction, digits))
        return np.ldexp(dtype(whole), int(exponent) - digits)

    def _is_number(self, x):
        numeric = self.mpmath.ctx_mp_python.mpnumeric
        is_array = isinstance(x, np.ndarray) and x.dtype == object
        return is_array or isinstance(x, numeric)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function for each element."""
        kinds = np.ndarray, np.floating, np.complexfloating
        contexts = {self.get_context(a) for a in args if isinstance(a, kinds)}
        (context,) = contexts
        given = [self.nptomp(a) if isinstance(a, kinds) else a for a in args]
        more = int(context.prec * self.extra_prec_multiplier) + self.extra_prec
        with context.extraprec(more):
            results = super().__call__(*given, **kwargs)
        if isinstance(results, tuple):
            return tuple(self.mptonp(r) if self._is_number(r) else r for r in results)
        return self.mptonp(results) if self._is_number(results) else results


def _of_context(name: str) -> Callable:
    return lambda x: getattr(x.context, name)(x)


def _scaled(name: str, constant: str) -> Callable:
    """A logarithm to the base whose logarithm is a constant."""
    return lambda x: getattr(x.context, name)(x) / getattr(x.context, constant)


def _as_numpy_at_edges(name: str, theirs: str) -> Callable:
    """A function that has cuts: on them, and at infinities, it is what C and NumPy have.

    mpmath has no sign of zero, so it cannot know the side of a cut; there its parts get NumPy's signs. At infinities
    releases of mpmath differ.
    """
    of_numpy = getattr(np, name)

    def apply(x):
        context = x.context
        if not isinstance(x, context.mpc):
            return getattr(context, theirs)(x)
        with np.errstate(all="ignore"):
            near = complex(of_numpy(np.complex128(complex(x))))
        if context.isinf(x.real) or context.isinf(x.imag):
            return context.mpc(near.real, near.imag)
        found = getattr(context, theirs)(x)
        if x.real and x.imag:
            return found
        parts = zip((found.real, found.imag), (near.real, near.imag), strict=True)
        signed = [-p if p * int(np.sign(n)) < 0 else p for p, n in parts]
        return context.mpc(*signed)

    return apply


def _agreeing_bits(ctx, exact, reference, value, scale):
    """The reference and the value with as many digits, below `scale`, as the reference has right."""
    numbers = (scale, exact, reference, value)
    if not all(map(ctx.isfinite, numbers[1:])):
        return reference, value
    # As whole numbers of one unit.
    split = [(abs(n).man_exp if n else (0, 0)) for n in numbers]
    unit = min(exponent for whole, exponent in split)
    whole = [int(man) << (exponent - unit) for man, exponent in split]
    digits = max(n.bit_length() for n in whole)
    wrong = (whole[1] ^ whole[2]).bit_length()
    kept = digits - wrong

    def cut(number, signed):
        size = ctx.ldexp(ctx.mpf(number >> wrong), -kept)
        return -size if signed < 0 else size

    return cut(whole[2], reference), cut(whole[3], value)


def normalize(exact: Any, reference: Any, value: Any) -> tuple[Any, Any]:
    """A reference and a value cut to the digits in which the reference is exact, as fractions of 1."""
    ctx, scale = exact.context, abs(exact)
    if not isinstance(exact, ctx.mpc):
        return _agreeing_bits(ctx, exact, reference, value, scale)
    pairs = [
        _agreeing_bits(ctx, e, r, v, scale)
        for e, r, v in (
            (exact.real, reference.real, value.real),
            (exact.imag, reference.imag, value.imag),
        )
    ]
    (r_real, v_real), (r_imag, v_imag) = pairs
    return ctx.mpc(r_real, r_imag), ctx.mpc(v_real, v_imag)


_SAME_NAME = "exp expm1 sin cos sinh cosh sign sinc".split()
_CUT = {
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
    "sqrt": "sqrt",
    "log1p": "log1p",
    "tan": "tan",
    "tanh": "tanh",
}


class numpy_with_mpmath:
    """NumPy's elementary functions, computed with mpmath; arguments as those of `vectorize_with_mpmath`."""

    def __init__(
        self, mpmath: Any, extra_prec_multiplier: float = 0, extra_prec: int = 0
    ):
        self.mpmath = mpmath
        functions: dict[str, Callable] = {
            **{name: _of_context(name) for name in _SAME_NAME},
            **{name: _as_numpy_at_edges(name, theirs) for name, theirs in _CUT.items()},
            "abs": _of_context("absmin"),
            "absolute": _of_context("absmin"),
            "log": _of_context("ln"),
            "log2": _scaled("ln", "ln2"),
            "log10": _scaled("ln", "ln10"),
            "exp2": lambda x: x.context.exp(x * x.context.ln2),
            "square": lambda x: x * x,
            "positive": lambda x: x,
            "negative": lambda x: -x,
            "conjugate": lambda x: x.conjugate(),
            "normalize": normalize,
        }
        for name, function in functions.items():
            vectorized = vectorize_with_mpmath(
                function,
                mpmath=mpmath,
                extra_prec_multiplier=extra_prec_multiplier,
                extra_prec=extra_prec,
            )
            setattr(self, name, vectorized)


def _axis(finfo, size):
    """The points of an axis: infinities, and on both sides of 0 so many numbers of all magnitudes."""
    decimal_digits = np.log2(10)
    ends = finfo.maxexp / decimal_digits, finfo.minexp / decimal_digits
    points = np.zeros(2 * size + 3, finfo.dtype)
    with np.errstate(over="ignore"):
        falling = np.logspace(*ends, size, dtype=finfo.dtype)
    points[1 : size + 1] = -falling
    points[size + 2 : -1] = falling[::-1]
    if size > 1:
        points[[1, -2]] = finfo.min, finfo.max
    if size > 0:
        points[[size, -size - 1]] = -finfo.tiny, finfo.tiny
    points[[0, -1]] = -np.inf, np.inf
    return points


def complex_plane_sample(
    dtype: Any, size_re: int = 10, size_im: int | None = None
) -> np.ndarray:
    """A grid of complex numbers with the axes, infinities and extreme numbers.

    Args:
        dtype: of complex numbers.
        size_re: how many points on each side of 0 the real axis has, besides infinity.
        size_im: the same of the imaginary axis; None: as many.

    Returns:
        An array of a row for each point of the imaginary axis.
    """
    finfo = np.finfo(dtype)
    real = _axis(finfo, size_re)
    imaginary = _axis(finfo, size_re if size_im is None else size_im)
    grid = np.empty((imaginary.size, real.size), dtype)
    grid.real = real
    grid.imag = imaginary[:, None]
    return grid
