"""Jacobi's rotations: eigenvalues of Hermitian matrices, and singular values.

All pairs of columns that share none are rotated at once; n - 1 rounds make a sweep.

Reference: Brent and Luk, The solution of singular-value and symmetric eigenvalue problems on
multiprocessor arrays, 1985; Demmel and Veselic, Jacobi's method is more accurate than QR, 1992.
"""

from typing import Any

import numpy as np

from jax._src.core.avals import get_aval
from jax._src.lax.control_flow.fori_loop_and_map import fori_loop
from jax._src.lax.control_flow.while_loops import while_loop
from jax._src.lax.linalg import matrices
from jax._src.lax.linalg.portable import factors, tools
from jax._src.lax.ops.bitwise import bitwise_and
from jax._src.lax.ops.checks import is_complex
from jax._src.lax.ops.comparison import eq, ge, gt, lt
from jax._src.lax.ops.complex_parts import real
from jax._src.lax.ops.conversion import convert
from jax._src.lax.ops.creation import full_like, iota
from jax._src.lax.ops.dynamic_slicing import dynamic_index_in_dim
from jax._src.lax.ops.exponential import sqrt
from jax._src.lax.ops.joining_splitting import concatenate
from jax._src.lax.ops.reductions import reduce_max
from jax._src.lax.ops.selection import select
from jax._src.lax.ops.slicing_padding import pad
from jax._src.lax.ops.sorting import sort_key_val

Array = Any

_SWEEPS = 30


def _schedule(n):
    """The rounds of a sweep: in each, all numbers, first those of the left of pairs.

    Returns:
        For each round the order of columns, and the order that undoes it.
    """
    ring = list(range(n))
    rounds = []
    for _ in range(n - 1):
        rounds.append(ring[: n // 2] + ring[n // 2 :][::-1])
        ring = [ring[0], ring[-1], *ring[1:-1]]
    orders = np.array(rounds, np.int32).reshape(n - 1, n)
    return orders, np.argsort(orders, axis=1).astype(np.int32)


def _taken(x, order):
    """The columns of a matrix in another order."""
    return x.at[:, order].get(mode="promise_in_bounds", unique_indices=True)


def _angle(first, second, between):
    """The rotation that makes a pair's product vanish: cosine, sine, phase."""
    length = tools.absolute_value(between)
    is_zero = eq(length, full_like(length, 0))
    safe = select(is_zero, full_like(length, 1), length)
    zeta = (second - first) / (safe + safe)
    root = tools.absolute_value(zeta) + sqrt(zeta * zeta + full_like(zeta, 1))
    sign = select(lt(zeta, full_like(zeta, 0)), -full_like(zeta, 1), full_like(zeta, 1))
    tangent = tools.kept(gt(length, full_like(length, 0)), sign / root)
    cosine = full_like(tangent, 1) / sqrt(tangent * tangent + full_like(tangent, 1))
    dtype = get_aval(between).dtype
    phase = select(is_zero, full_like(between, 1), between) / convert(safe, dtype)
    return (
        convert(cosine, dtype),
        convert(cosine * tangent, dtype),
        tools.conjugate(phase),
    )


def _rotated(x, order, back, rotation):
    """The columns of a matrix, rotated in pairs."""
    cosine, sine, phase = rotation
    height, width = np.shape(x)
    found = _taken(x, order)
    left, right = found[:, : width // 2], found[:, width // 2 :]
    c, s = tools.across(cosine, height), tools.across(sine, height)
    right = right * tools.across(phase, height)
    both = concatenate([c * left - s * right, s * left + c * right], 1)
    return _taken(both, back)


def _sweeps(state, measure, rotate, n):
    """Sweeps until what is measured is small, or does not get smaller any more."""
    orders, backs = _schedule(n)
    dtype = get_aval(measure(state)).dtype
    tolerance = np.finfo(dtype).eps

    def is_open(carry):
        number, off, _ = carry
        few = lt(number, full_like(number, _SWEEPS))
        return bitwise_and(few, gt(off, full_like(off, tolerance)))

    def sweep(carry):
        number, _, state = carry

        def turn(r, state):
            order, back = (
                dynamic_index_in_dim(t, r, 0, keepdims=False) for t in (orders, backs)
            )
            return rotate(state, order, back)

        state = fori_loop(0, n - 1, turn, state)
        return number + 1, measure(state), state

    return while_loop(is_open, sweep, (np.int32(0), measure(state), state))[2]


def _identity(n, like):
    mask = eq(tools.iota_along(like, 0), tools.iota_along(like, 1))
    return convert(mask, get_aval(like).dtype)


def _padded(x, rows, columns):
    zero = np.zeros((), get_aval(x).dtype)
    return pad(x, zero, [(0, rows, 0), (0, columns, 0)])


def _ordered(keys, *tables):
    """The keys in order, and the columns of tables likewise."""
    keys, order = sort_key_val(keys, iota(np.int32, np.shape(keys)[0]))
    return [keys, *(_taken(t, order) for t in tables)]


def eigh(x: Array, *, lower: bool, **params: Any) -> list[Array]:
    """Eigenvectors and ascending eigenvalues of a Hermitian matrix, one triangle of it."""
    n = np.shape(x)[0]
    if n == 0:
        return [
            x,
            tools.absolute_value(x)[:, 0]
            if np.shape(x)[1]
            else tools.total(tools.absolute_value(x), 1),
        ]
    rows, columns = tools.iota_along(x, 0), tools.iota_along(x, 1)
    half = tools.kept(gt(rows, columns) if lower else lt(rows, columns), x)
    middle = tools.total(tools.kept(eq(rows, columns), x), 0)
    middle = real(middle) if is_complex(get_aval(x).dtype) else middle
    full = half + tools.conjugate(half.T)
    kept = tools.across(convert(middle, get_aval(x).dtype), n)
    full = select(eq(rows, columns), kept, full)
    if n == 1:
        return [full_like(x, 1), middle]
    odd = n % 2
    a = _padded(full, odd, odd)
    scale = _safe(reduce_max(tools.absolute_value(a), (0, 1)))
    a = a / tools.broadcast_scalar(scale, a)

    def measure(state):
        a, _ = state
        rows, columns = tools.iota_along(a, 0), tools.iota_along(a, 1)
        off = tools.kept(gt(rows, columns), a)
        whole = sqrt(tools.square_sum(a))
        return sqrt(tools.square_sum(off)) / _safe(whole)

    def rotate(state, order, back):
        a, v = state
        found = _taken(_taken(a, order).T, order).T
        count = np.shape(a)[0] // 2
        top, corner = found[:count, :count], found[:count, count:]
        low = found[count:, count:]
        rotation = _angle(_real_diagonal(top), _real_diagonal(low), _diagonal(corner))
        a = _rotated(a, order, back, rotation)
        a = tools.conjugate(_rotated(tools.conjugate(a.T), order, back, rotation).T)
        return a, _rotated(v, order, back, rotation)

    a, v = _sweeps((a, _identity(n + odd, a)), measure, rotate, n + odd)
    values = _real_diagonal(a)[:n] * tools.broadcast_scalar(
        scale, _real_diagonal(a)[:n]
    )
    values, vectors = _ordered(values, v[:n, :n])
    return [vectors, values]


def _safe(x):
    return select(gt(x, full_like(x, 0)), x, full_like(x, 1))


def _diagonal(x):
    return tools.total(
        tools.kept(eq(tools.iota_along(x, 0), tools.iota_along(x, 1)), x), 0
    )


def _real_diagonal(x):
    found = _diagonal(x)
    return real(found) if is_complex(get_aval(x).dtype) else found


def svd(
    x: Array, *, full_matrices: bool, compute_uv: bool, **params: Any
) -> list[Array]:
    """Descending singular values, and left and right vectors if wanted."""
    m, n = np.shape(x)
    if m < n:
        turned = svd(
            tools.conjugate(x.T), full_matrices=full_matrices, compute_uv=compute_uv
        )
        if not compute_uv:
            return turned
        s, u, vh = turned
        return [s, tools.conjugate(vh.T), tools.conjugate(u.T)]
    u, s, v = _one_sided(x)
    if not compute_uv:
        return [s]
    largest = reduce_max(s, (0,))
    eps = np.finfo(get_aval(s).dtype).eps
    threshold = tools.broadcast_scalar(largest, s) * full_like(s, eps * max(m, n))
    is_there = gt(s, threshold)
    safe = convert(select(is_there, s, full_like(s, 1)), get_aval(x).dtype)
    mask = convert(is_there, get_aval(x).dtype)
    u = u * tools.across(mask, m) / tools.across(safe, m)
    return [s, _completed(u, m if full_matrices else n), tools.conjugate(v.T)]


def _one_sided(x):
    """``u s`` and ``v`` with ``x v = u s``: columns rotated until they are orthogonal."""
    m, n = np.shape(x)
    scale = _safe(reduce_max(tools.absolute_value(x), (0, 1)))
    odd = n % 2
    a = _padded(x / tools.broadcast_scalar(scale, x), 0, odd)
    width = n + odd
    eye = _identity(width, full_like(a, 0, shape=(width, width)))

    def products(a):
        count = width // 2
        return a[:, :count], a[:, count:]

    def measure(state):
        a, _ = state
        gram = matrices.product(tools.conjugate(a.T), a)
        lengths = sqrt(_real_diagonal(gram))
        sizes = _safe(tools.outer(lengths, lengths))
        rows, columns = tools.iota_along(gram, 0), tools.iota_along(gram, 1)
        off = tools.kept(gt(rows, columns), gram)
        # Columns that vanish beside the largest are orthogonal enough.
        least = reduce_max(lengths, (0,))
        tiny = tools.broadcast_scalar(least, lengths) * full_like(
            lengths, np.finfo(get_aval(lengths).dtype).eps
        )
        counts = ge(lengths, tiny)
        both = bitwise_and(tools.down(counts, width), tools.across(counts, width))
        cosines = tools.absolute_value(off) / sizes
        worst = reduce_max(tools.kept(both, cosines), (0, 1))
        return worst / full_like(worst, 4.0 * np.sqrt(m))

    def rotate(state, order, back):
        a, v = state
        left, right = products(_taken(a, order))
        rotation = _angle(
            tools.square_sum(left, 0),
            tools.square_sum(right, 0),
            tools.total(tools.conjugate(left) * right, 0),
        )
        return _rotated(a, order, back, rotation), _rotated(v, order, back, rotation)

    a, v = _sweeps((a, eye), measure, rotate, width) if width > 1 else (a, eye)
    a, v = a[:, :n], v[:n, :n]
    lengths = sqrt(tools.square_sum(a, 0))
    negative, u, v = _ordered(-lengths, a, v)
    return (
        u * tools.broadcast_scalar(scale, u),
        -negative * tools.broadcast_scalar(scale, negative),
        v,
    )


def _completed(u, width):
    """Columns, orthonormal but for some of zeros at the end, filled up to a basis."""
    m, n = np.shape(u)
    packed, scales = factors.geqrf(u)
    signs = _diagonal(packed[:n, :n])
    signs = select(eq(signs, full_like(signs, 0)), full_like(signs, 1), signs)
    if width > n:
        packed = _padded(packed, 0, width - n)
    basis = factors.householder_product(packed, scales)
    more = full_like(signs, 1, shape=(width - n,))
    turned = concatenate([signs, more], 0)
    unit = turned / convert(tools.absolute_value(turned), get_aval(turned).dtype)
    return basis * tools.across(unit, m)
