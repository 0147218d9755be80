"""Operations of `jax.lax` on arguments thrown at random agree with loops in NumPy.

The random choices are the same in every run.
"""

import itertools
import warnings

import hypothesis as hp
import numpy as np
from hypothesis import strategies as st

import jax
import jax.numpy as jnp
from jax import lax

RUNS = hp.settings(
    max_examples=30,
    suppress_health_check=list(hp.HealthCheck),
)
SIZE = st.integers(1, 4)
SEED = st.integers(0, 9)


def values(seed, *shape):
    """Small whole numbers: sums of products are exact."""
    return np.random.RandomState(seed).randint(-4, 5, shape).astype(np.float32)


def equal(found, want):
    assert found.shape == np.shape(want)
    np.testing.assert_array_equal(found, want)


@RUNS
@hp.given(st.data(), SEED)
def test_dot_general(data, seed):
    batch, summed = (data.draw(st.lists(SIZE, max_size=2)) for _ in range(2))
    left, right = (data.draw(st.lists(SIZE, max_size=1)) for _ in range(2))
    names = "abcdefgh"
    b, s = names[: len(batch)], names[2 : 2 + len(summed)]
    lf, rf = names[4 : 4 + len(left)], names[6 : 6 + len(right)]
    sizes = dict(zip(b + s + lf + rf, [*batch, *summed, *left, *right], strict=True))
    lhs_names = "".join(data.draw(st.permutations(b + s + lf)))
    rhs_names = "".join(data.draw(st.permutations(b + s + rf)))
    lhs = values(seed, *(sizes[n] for n in lhs_names))
    rhs = values(seed + 1, *(sizes[n] for n in rhs_names))
    numbers = tuple(
        tuple(tuple(side.index(n) for n in kind) for side in (lhs_names, rhs_names))
        for kind in (s, b)
    )
    order = [n for n in lhs_names if n in lf] + [n for n in rhs_names if n in rf]
    want = np.einsum(f"{lhs_names},{rhs_names}->{b}{''.join(order)}", lhs, rhs)
    equal(lax.dot_general(lhs, rhs, numbers), want)


def dilated(x, steps, axes):
    """`x` with zeros between the elements along some axes."""
    for axis, step in zip(axes, steps, strict=True):
        shape = list(x.shape)
        shape[axis] = max(0, (shape[axis] - 1) * step + 1)
        wide = np.zeros(shape, x.dtype)
        wide[(slice(None),) * axis + (slice(None, None, step),)] = x
        x = wide
    return x


def convolution(lhs, rhs, strides, padding, groups):
    """The sum over windows, one result at a time; layout NC…, OI…."""
    padded = np.pad(lhs, [(0, 0), (0, 0), *padding])
    space = [
        (n - k) // s + 1
        for n, k, s in zip(padded.shape[2:], rhs.shape[2:], strides, strict=True)
    ]
    out = np.zeros((lhs.shape[0], rhs.shape[0], *(max(0, n) for n in space)), lhs.dtype)
    inputs, outputs = rhs.shape[1], rhs.shape[0] // groups
    for at in np.ndindex(*out.shape):
        first = at[1] // outputs * inputs
        window = tuple(
            slice(i * s, i * s + k)
            for i, s, k in zip(at[2:], strides, rhs.shape[2:], strict=True)
        )
        part = padded[(at[0], slice(first, first + inputs), *window)]
        out[at] = np.sum(part * rhs[at[1]])
    return out


@RUNS
@hp.given(st.data(), SEED, st.integers(1, 2))
def test_convolution(data, seed, rank):
    groups, inputs, outputs, rows = (data.draw(st.integers(1, 2)) for _ in range(4))
    lhs = values(
        seed, rows, groups * inputs, *(data.draw(SIZE) + 2 for _ in range(rank))
    )
    rhs = values(
        seed + 1, groups * outputs, inputs, *(data.draw(SIZE) for _ in range(rank))
    )
    steps = st.lists(st.integers(1, 3), min_size=rank, max_size=rank)
    strides, lhs_steps, rhs_steps = (data.draw(steps) for _ in range(3))
    padding = [
        (data.draw(st.integers(0, 2)), data.draw(st.integers(0, 2))) for _ in strides
    ]
    axes = range(2, 2 + rank)
    wide = dilated(rhs, rhs_steps, axes)
    want = convolution(dilated(lhs, lhs_steps, axes), wide, strides, padding, groups)
    found = lax.conv_general_dilated(
        lhs,
        rhs,
        strides,
        padding,
        lhs_dilation=lhs_steps,
        rhs_dilation=rhs_steps,
        feature_group_count=groups,
    )
    equal(found, want)


@RUNS
@hp.given(st.data(), SEED, st.sampled_from(["add", "max", "min", "mul"]))
def test_reduce_window(data, seed, name):
    shape = data.draw(st.lists(SIZE, min_size=1, max_size=2))
    window, strides, holes = (
        [data.draw(st.integers(1, 3)) for _ in shape] for _ in range(3)
    )
    padding = [
        (data.draw(st.integers(0, 2)), data.draw(st.integers(0, 2))) for _ in shape
    ]
    start = {"add": 0, "mul": 1, "max": -np.inf, "min": np.inf}[name]
    combine = {"add": np.sum, "mul": np.prod, "max": np.max, "min": np.min}[name]
    x = values(seed, *shape)
    padded = np.pad(x, padding, constant_values=start)
    reach = [(w - 1) * h + 1 for w, h in zip(window, holes, strict=True)]
    counts = [
        max(0, (n - r) // s + 1)
        for n, r, s in zip(padded.shape, reach, strides, strict=True)
    ]
    want = np.zeros(counts, np.float32)
    for at in np.ndindex(*counts):
        part = tuple(
            slice(i * s, i * s + r, h)
            for i, s, r, h in zip(at, strides, reach, holes, strict=True)
        )
        want[at] = combine(padded[part])
    operation = getattr(lax, name)
    found = lax.reduce_window(
        x, np.float32(start), operation, window, strides, padding, window_dilation=holes
    )
    equal(found, want)


@RUNS
@hp.given(st.data(), SEED)
def test_pad(data, seed):
    shape = data.draw(st.lists(SIZE, min_size=1, max_size=2))
    edges = [
        (
            data.draw(st.integers(-2, 2)),
            data.draw(st.integers(-2, 2)),
            data.draw(st.integers(0, 2)),
        )
        for _ in shape
    ]
    x = values(seed, *shape)
    spread = dilated(x + 100, [i + 1 for _, _, i in edges], range(x.ndim))
    hp.assume(
        all(
            low + high + n >= 0
            for (low, high, _), n in zip(edges, spread.shape, strict=True)
        )
    )
    want = np.zeros(
        [low + high + n for (low, high, _), n in zip(edges, spread.shape, strict=True)]
    )
    for at in np.ndindex(*want.shape):
        source = [i - low for i, (low, _, _) in zip(at, edges, strict=True)]
        if all(0 <= i < n for i, n in zip(source, spread.shape, strict=True)):
            want[at] = spread[tuple(source)]
    equal(lax.pad(x + 100, np.float32(0), edges), want)


@RUNS
@hp.given(st.data(), SEED, st.integers(1, 3))
def test_sort_with_several_keys(data, seed, keys):
    shape = data.draw(st.lists(SIZE, min_size=1, max_size=2))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    operands = [np.sign(values(seed + i, *shape)) for i in range(3)]
    found = lax.sort(operands, dimension=axis, num_keys=keys)
    order = np.lexsort(operands[:keys][::-1], axis=axis)
    for x, got in zip(operands, found, strict=True):
        equal(got, np.take_along_axis(x, order, axis))


@RUNS
@hp.given(SEED, st.integers(1, 3), st.integers(1, 6), st.data())
def test_top_k(seed, rows, count, data):
    k = data.draw(st.integers(0, count))
    x = values(seed, rows, count)
    found, indices = lax.top_k(x, k)
    order = np.argsort(-x, axis=-1, kind="stable")[:, :k]
    equal(indices, order)
    equal(found, np.take_along_axis(x, order, -1))


@RUNS
@hp.given(
    st.data(),
    SEED,
    st.booleans(),
    st.sampled_from(["sum", "prod", "max", "min", "logsumexp"]),
)
def test_cumulative(data, seed, reverse, name):
    shape = data.draw(st.lists(SIZE, min_size=1, max_size=2))
    axis = data.draw(st.integers(0, len(shape) - 1))
    x = values(seed, *shape)
    ufunc = {
        "sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum,
        "logsumexp": np.logaddexp,
    }[name]  # fmt: skip
    turned = np.flip(x, axis) if reverse else x
    want = ufunc.accumulate(turned, axis=axis)
    found = getattr(lax, f"cum{name}")(x, axis, reverse)
    np.testing.assert_allclose(
        found, np.flip(want, axis) if reverse else want, rtol=2e-6
    )


@RUNS
@hp.given(st.data(), SEED)
def test_dynamic_slices_stay_inside(data, seed):
    shape = data.draw(st.lists(SIZE, min_size=1, max_size=2))
    sizes = [data.draw(st.integers(1, n)) for n in shape]
    starts = [data.draw(st.integers(-6, 6)) for _ in shape]
    # Negative indices count from the end, once; then the slice is moved inside.
    indices = [i + n if i < 0 else i for i, n in zip(starts, shape, strict=True)]
    indices = [
        min(max(i, 0), n - s) for i, n, s in zip(indices, shape, sizes, strict=True)
    ]
    part = tuple(slice(i, i + s) for i, s in zip(indices, sizes, strict=True))
    x, update = values(seed, *shape), values(seed + 1, *sizes) + 50
    equal(jax.jit(lambda x, *i: lax.dynamic_slice(x, i, sizes))(x, *starts), x[part])
    want = x.copy()
    want[part] = update
    equal(
        jax.jit(lambda x, u, *i: lax.dynamic_update_slice(x, u, i))(x, update, *starts),
        want,
    )


UPDATES = {
    "set": lambda x, i, u: x.__setitem__(i, u),
    "add": np.add.at,
    "multiply": np.multiply.at,
    "min": np.minimum.at,
    "max": np.maximum.at,
}


@RUNS
@hp.given(
    st.data(), SEED, st.sampled_from(sorted(UPDATES)), st.sampled_from(["drop", "clip"])
)
def test_updates_at_indices(data, seed, name, mode):
    size = data.draw(SIZE)
    inner = data.draw(st.lists(SIZE, max_size=1))
    indices = np.array(data.draw(st.lists(st.integers(-7, 7), min_size=1, max_size=5)))
    at = np.where(indices < 0, indices + size, indices)
    keep = (at >= 0) & (at < size) | (mode == "clip")
    at = np.clip(at, 0, size - 1)
    # Which of several updates of one index stays, is not promised.
    hp.assume(name != "set" or len(set(at[keep])) == sum(keep))
    x, update = values(seed, size, *inner), values(seed + 1, len(indices), *inner)
    want = x.copy()
    UPDATES[name](want, at[keep], update[keep])
    found = getattr(jnp.asarray(x).at[indices], name)(update, mode=mode)
    equal(found, want)


@RUNS
@hp.given(st.data(), SEED, st.sampled_from(["fill", "clip", "wrap"]))
def test_reads_at_indices(data, seed, mode):
    size = data.draw(SIZE)
    indices = np.array(data.draw(st.lists(st.integers(-7, 7), min_size=1, max_size=5)))
    x = values(seed, size, 2)
    at = np.where((indices < 0) & (mode != "wrap"), indices + size, indices)
    outside = (at < 0) | (at >= size)
    want = x[at % size if mode == "wrap" else np.clip(at, 0, size - 1)]
    if mode == "fill":
        want = np.where(outside[:, None], np.float32(np.nan), want)
    if mode != "wrap":
        equal(jnp.asarray(x).at[indices].get(mode=mode), want)
    if mode == "clip":
        # NumPy's `take` counts no index from the end where it clips.
        want = np.take(x, indices, axis=0, mode="clip")
    equal(jnp.take(x, indices, axis=0, mode=mode), want)


@RUNS
@hp.given(SEED, SIZE, SIZE, SIZE)
def test_gather_with_batching_axes(seed, rows, size, count):
    x = values(seed, rows, size)
    indices = np.random.RandomState(seed).randint(0, size, (rows, count, 1))
    numbers = lax.GatherDimensionNumbers(
        offset_dims=(),
        collapsed_slice_dims=(1,),
        start_index_map=(1,),
        operand_batching_dims=(0,),
        start_indices_batching_dims=(0,),
    )
    found = lax.gather(x, indices, numbers, slice_sizes=(1, 1))
    equal(found, np.take_along_axis(x, indices[..., 0], 1))


@RUNS
@hp.given(
    st.data(), SEED, st.sampled_from(["sum", "prod", "max", "min", "mean", "any"])
)
def test_reductions_where(data, seed, name):
    shape = data.draw(st.lists(SIZE, min_size=1, max_size=3))
    axes = st.lists(st.integers(0, len(shape) - 1), unique=True, min_size=1)
    axis = data.draw(st.one_of(st.none(), axes.map(tuple)))
    keepdims, x = data.draw(st.booleans()), values(seed, *shape)
    where = values(seed + 1, *data.draw(st.sampled_from([shape, shape[-1:]]))) > -3
    options = {"axis": axis, "keepdims": keepdims, "where": where}
    if name not in ("mean", "any"):
        options["initial"] = np.float32(data.draw(st.integers(-2, 2)))
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = getattr(np, name)(x, **options)
    np.testing.assert_allclose(getattr(jnp, name)(x, **options), want, rtol=2e-6)


def test_every_order_of_axes_transposes():
    x = values(0, 2, 3, 4)
    for order in itertools.permutations(range(3)):
        equal(lax.transpose(x, order), np.transpose(x, order))
