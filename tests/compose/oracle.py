"""What transformations mean, said slowly: loops, and differences in extended precision.

A function here takes a vector of `SIZE` numbers and returns one.
"""

import numpy as np

SIZE = 3
# The rule of eighth order has an error of about step**8; rounding adds 1e-19 / step for
# each derivative. The steps are powers of two, so that points are exact.
STEPS = (2.0**-6, 2.0**-4, 2.0**-9)
_WEIGHTS = {1: (4, 5), 2: (-1, 5), 3: (4, 105), 4: (-1, 280)}

DIRECTION = np.array([0.6, -0.4, 0.9])
COTANGENT = np.array([0.7, 0.5, -0.3])
ROWS = np.array([0.5, 1.0, -0.8])
ROW_WEIGHTS = np.array([1.0, -0.5, 0.25])


def extended(x):
    """`x` in the widest floating type that NumPy has."""
    return np.asarray(x, np.longdouble)


def along(fun, x, direction, step):
    """The derivative of `fun` at `x` along a direction, by central differences."""
    move = extended(step) * extended(direction)
    total = 0
    for k, (top, bottom) in _WEIGHTS.items():
        total = total + (fun(x + k * move) - fun(x - k * move)) * top / bottom
    return total / extended(step)


def pushed(fun, step):
    """Jacobian times `DIRECTION`."""
    return lambda x: along(fun, x, DIRECTION, step)


def pulled(fun, step):
    """`COTANGENT` times Jacobian."""

    def run(x):
        columns = [along(fun, x, unit, step) for unit in np.eye(SIZE)]
        return np.stack([np.dot(extended(COTANGENT), c) for c in columns])

    return run


def curved(fun, step):
    """The second derivative along `DIRECTION` and then `ROWS`."""
    return lambda x: along(pushed(fun, step), x, ROWS, step)


def rows_summed(fun, step):
    """The weighted sum of the results for the multiples of `x` by `ROWS`."""
    del step

    def run(x):
        parts = [
            w * fun(r * x)
            for r, w in zip(extended(ROWS), extended(ROW_WEIGHTS), strict=True)
        ]
        return sum(parts)

    return run


def rows_mixed(fun, step):
    """Sums as `rows_summed` does, after adding the mean of all rows to each row."""
    del step

    def run(x):
        outs = [fun(r * x) for r in extended(ROWS)]
        mean = sum(outs) / len(outs)
        return sum(
            w * (i + 1) * (out + mean)
            for i, (out, w) in enumerate(zip(outs, extended(ROW_WEIGHTS), strict=True))
        )

    return run


def rows_last_of_sums(fun, step):
    """The weighted sum of the running sums of the rows' results."""
    del step

    def run(x):
        outs = np.cumsum([fun(r * x) for r in extended(ROWS)], axis=0)
        return sum(w * o for w, o in zip(extended(ROW_WEIGHTS), outs, strict=True))

    return run


def scanned(fun, step):
    """Three steps of a damped iteration; the results on the way count too."""
    del step

    def run(x):
        carry, total = x, 0
        for number in range(3):
            out = fun(carry)
            total = total + out * (number + 1)
            carry = carry / 2 + out / 4
        return carry + total / 8

    return run


def repeated(fun, step):
    """Two steps of the damped iteration."""
    del step

    def run(x):
        for _ in range(2):
            x = x / 2 + fun(x) / 4
        return x

    return run


def chosen(fun, step):
    """`fun`, or its negative where the first number is not positive."""
    del step
    return lambda x: fun(x) if x[0] > 0 else -fun(x)


def plus_itself(fun, step):
    """`fun` and half of the argument."""
    del step
    return lambda x: fun(x) + x / 2


def root(fun, step):
    """The `y` for which ``y + sin(y) / 4`` is `fun` of `x`, by Newton's method."""
    del step

    def run(x):
        right = fun(x)
        y = right
        for _ in range(12):
            y = y - (y + np.sin(y) / 4 - right) / (1 + np.cos(y) / 4)
        return y

    return run


def solution(fun, step):
    """The `y` for which ``(3 + x_i ** 2) y_i - y_{i-1} / 2`` is `fun` of `x`."""
    del step

    def run(x):
        right = fun(x)
        y, before = [], extended(0)
        for b, d in zip(right, 3 + x * x, strict=True):
            before = (b + before / 2) / d
            y.append(before)
        return np.stack(y)

    return run


def of_sine(fun, step):
    """`fun` of the sines."""
    del step
    return lambda x: fun(np.sin(x))


def same(fun, step):
    """`fun`: the transformation changes how it runs, not what it computes."""
    del step
    return fun
