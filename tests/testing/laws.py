"""What every primitive must obey, generated from its declaration.

A law takes a primitive and a sample and fails with an `AssertionError`. `applies` says
which laws a sample can show.
"""

import contextlib
import itertools

import ml_dtypes
import numpy as np

import jax
import jax.export  # noqa: F401  (declares a primitive, loaded when first used)
from jax._src.base import scalars
from jax._src.core import avals as avals_lib, primitive as primitive_lib, slots
from jax._src.interpreters import ad, batching, partial_eval as pe
from jax._src.lax.ops.reference_programs import reference_of
from tests.testing import tolerances as tol

_SEED = 20


@contextlib.contextmanager
def evaluation_by_reference():
    """Evaluates primitives by their references, where they have one: slow code, no compiler.

    The laws of rules need only the meaning of primitives, and many small evaluations.
    """
    compiled = slots.apply_primitive.function

    def evaluate(primitive, args, params):
        reference = reference_of(primitive)
        if reference is None:
            return compiled(primitive, args, params)
        avals = [avals_lib.get_aval(x) for x in args]
        inferred, _ = primitive.infer(avals, params)
        out = reference(
            *[np.asarray(x, a.dtype) for x, a in zip(args, avals, strict=True)],
            **params,
        )
        if primitive.multiple_results:
            return [np.asarray(o, a.dtype) for o, a in zip(out, inferred, strict=True)]
        return np.asarray(out, inferred.dtype)

    slots.apply_primitive.fill(evaluate)
    try:
        yield
    finally:
        slots.apply_primitive.fill(compiled)


def cases():
    """(name, number of the sample) of every sample of every declared primitive."""
    for name, primitive in sorted(primitive_lib.declared_primitives().items()):
        for number, _ in enumerate(primitive_lib.samples_of(primitive)):
            yield name, number


def sample_of(name, number):
    """The primitive and its sample."""
    primitive = primitive_lib.declared_primitives()[name]
    return primitive, next(
        itertools.islice(primitive_lib.samples_of(primitive), number, None)
    )


def _results(primitive, out):
    return list(out) if primitive.multiple_results else [out]


def apply(primitive, sample):
    """A function of the operands of a sample, with a list of results."""

    def run(*args):
        return _results(primitive, primitive.bind(*args, **sample.params))

    return run


def types_agree(primitive, sample):
    """The inferred types are those of the reference's results."""
    reference = reference_of(primitive)
    avals = [avals_lib.get_aval(x) for x in sample.args]
    inferred, _ = primitive.infer(avals, sample.params)
    inferred = _results(primitive, inferred)
    found = _results(primitive, reference(*sample.args, **sample.params))
    assert len(inferred) == len(found)
    for aval, value in zip(inferred, found, strict=True):
        assert aval.shape == np.shape(value)
        if not isinstance(aval.dtype, scalars.ExtendedDType):
            assert aval.dtype == scalars.narrow(np.asarray(value).dtype), (
                f"inferred {aval.str_short()}, the reference gives "
                f"{np.asarray(value).dtype}"
            )


def compiled_agrees(primitive, sample):
    """The compiled results are the reference's, within the promised accuracy."""
    reference = reference_of(primitive)
    wanted = _results(primitive, reference(*sample.args, **sample.params))
    found = apply(primitive, sample)(*sample.args)
    limit = primitive.rules.get("ulp", tol.DEFAULT_ULP)
    for a, b in zip(found, wanted, strict=True):
        a, b = np.asarray(a), np.asarray(b)
        if scalars.is_inexact(a.dtype):
            distance = tol.ulp_distance(a, b.astype(a.dtype))
            assert distance <= limit, (
                f"{distance:.3g} ULP apart where {limit} are promised\n{a}\n{b}"
            )
        else:
            np.testing.assert_array_equal(a, b)


def _is_float(x):
    return (
        isinstance(x, np.ndarray | np.generic | float)
        and np.asarray(x).dtype.kind == "f"
    )


def _varying(primitive, sample):
    """The numbers of the operands in which derivatives are tested."""
    rules = primitive.rules.get("jvp")
    numbers = []
    for index, x in enumerate(sample.args):
        if not _is_float(x) or np.asarray(x).dtype.itemsize < 4:
            continue
        if isinstance(rules, tuple) and (
            index >= len(rules) or isinstance(rules[index], primitive_lib.Unsupported)
        ):
            continue
        numbers.append(index)
    return numbers


def exemption(primitive, law):
    """The declared reason for which a law does not hold, or None."""
    return (primitive.rules.get("exempt") or {}).get(law)


def has_derivative(primitive, sample):
    """Whether the primitive declares a derivative and the sample can show it."""
    if isinstance(primitive.rules.get("jvp"), primitive_lib.Unsupported):
        return False
    if isinstance(primitive.rules.get("jvp_all"), primitive_lib.Unsupported):
        return False
    if primitive.traits & primitive_lib.Trait.NOT_DIFFERENTIABLE:
        return False
    linear = primitive_lib.Trait.LINEAR | primitive_lib.Trait.MULTILINEAR
    declares = {"jvp", "jvp_all"} & set(primitive.rules) or primitive.traits & linear
    return bool(declares and _varying(primitive, sample))


def _in_float64(primitive, sample):
    """A function of the varying operands in float64, and where to test it."""
    numbers = _varying(primitive, sample)
    args = [np.asarray(x, np.float64) if _is_float(x) else x for x in sample.args]
    params = {
        k: np.dtype(np.float64) if _is_dtype(v, np.float32) else v
        for k, v in sample.params.items()
    }
    wide = primitive_lib.Sample(tuple(args), params)

    def fun(*varying):
        full = list(args)
        for number, value in zip(numbers, varying, strict=True):
            full[number] = value
        return apply(primitive, wide)(*full)

    return fun, [args[n] for n in numbers]


def _is_dtype(value, dtype):
    return isinstance(value, np.dtype | type) and value == dtype


def _directions(points, seed):
    random = np.random.default_rng(seed)
    return [np.asarray(random.uniform(-1.0, 1.0, np.shape(p))) for p in points]


def _float_results(outs):
    return [np.asarray(o) for o in outs if np.asarray(o).dtype.kind in "fc"]


def jvp_agrees_with_differences(primitive, sample):
    """The derivative is the limit of central differences, in float64."""
    with jax.enable_x64(True), evaluation_by_reference():
        fun, points = _in_float64(primitive, sample)
        directions = _directions(points, _SEED)
        outs, tangents = ad.jvp(fun, points, directions)
        tangents = [np.asarray(ad.instantiate_zeros(t)) for t in tangents]
        step = 1e-6
        ahead = fun(*[p + step * d for p, d in zip(points, directions, strict=True)])
        behind = fun(*[p - step * d for p, d in zip(points, directions, strict=True)])
        for out, tangent, a, b in zip(outs, tangents, ahead, behind, strict=True):
            if np.asarray(out).dtype not in (np.float64, np.complex128):
                # Differences of rounded values show the rounding, not the slope.
                continue
            with np.errstate(invalid="ignore"):
                slope = (np.asarray(a) - np.asarray(b)) / (2 * step)
            # At the edge of the domain there is nothing on one side.
            seen = np.isfinite(slope)
            size = max(1.0, float(np.abs(slope[seen]).max(initial=0.0)))
            np.testing.assert_allclose(
                np.broadcast_to(tangent, slope.shape)[seen],
                slope[seen],
                rtol=tol.FINITE_DIFFERENCE,
                atol=tol.FINITE_DIFFERENCE * size,
            )


def transpose_agrees(primitive, sample):
    """``<ct, J t> = <transpose(J) ct, t>`` for random `t` and `ct`, in float64."""
    with jax.enable_x64(True), evaluation_by_reference():
        fun, points = _in_float64(primitive, sample)
        directions = _directions(points, _SEED)
        outs, linear = ad.linearize(fun, points)
        tangents = [
            np.asarray(ad.instantiate_zeros(t)) for t in linear.apply(directions)
        ]
        cts = [
            np.zeros(t.shape, scalars.float0)
            if t.dtype == scalars.float0
            else np.random.default_rng(i).uniform(-1.0, 1.0, t.shape).astype(t.dtype)
            for i, t in enumerate(tangents)
        ]
        found = [np.asarray(ad.instantiate_zeros(c)) for c in linear.transpose(cts)]
        left = _inner(cts, tangents)
        right = _inner(found, directions)
        scale = max(1.0, abs(left), sum(np.abs(c).sum() for c in found if c.size))
        precision = max([1e-9, *[_precision(t.dtype) for t in tangents]])
        assert abs(left - right) <= precision * scale, f"{left} is not {right}"


def _precision(dtype):
    """What rounding to a narrow result may cost."""
    if dtype in (np.float64, np.complex128) or not scalars.is_inexact(dtype):
        return 0.0
    return 4 * float(ml_dtypes.finfo(dtype).eps)


def _inner(xs, ys):
    return float(
        sum(
            np.sum(np.real(x * y))
            for x, y in zip(xs, ys, strict=True)
            if x.dtype != scalars.float0 and y.dtype != scalars.float0
        )
    )


def can_batch(primitive, sample):
    """Whether the primitive declares how it is batched."""
    return callable(primitive.rules.get("batch")) or bool(
        primitive.traits & primitive_lib.Trait.ELEMENTWISE
    )


def batch_agrees_with_loop(primitive, sample):
    """Batching each operand alone, and all, along the first and last axis, is a loop."""
    count = len(sample.args)
    choices = [(True,) * count]
    if count > 1:
        choices += [tuple(i == j for j in range(count)) for i in range(count)]
    with evaluation_by_reference():
        for chosen, last in itertools.product(choices, (False, True)):
            _check_batch(primitive, sample, chosen, last)


def _check_batch(primitive, sample, chosen, last):
    rows = 2
    stacked, dims = [], []
    for index, (x, is_batched) in enumerate(zip(sample.args, chosen, strict=True)):
        if not is_batched:
            stacked.append(x)
            dims.append(None)
            continue
        x = np.asarray(x)
        dim = x.ndim if last else 0
        dims.append(dim)
        # The second row differs, and stays inside the domain: it is the first, rolled.
        other = np.roll(x.ravel(), index + 1).reshape(x.shape)
        stacked.append(np.stack([x, other], dim))
    run = apply(primitive, sample)
    outs, out_dims = batching.batch(run, batching.Axis(rows), stacked, dims)
    for row in range(rows):
        args = [
            np.take(x, row, d) if d is not None else x
            for x, d in zip(stacked, dims, strict=True)
        ]
        wanted = run(*args)
        for out, dim, want in zip(outs, out_dims, wanted, strict=True):
            got = np.asarray(out) if dim is None else np.take(np.asarray(out), row, dim)
            want = np.asarray(want)
            assert got.shape == want.shape, f"{got.shape} is not {want.shape}"
            if scalars.is_inexact(want.dtype):
                limit = max(4, primitive.rules.get("ulp", tol.DEFAULT_ULP))
                assert tol.ulp_distance(got, want) <= limit
            else:
                np.testing.assert_array_equal(got, want)


def prints(primitive, sample):
    """The program of one application shows the primitive's name."""
    avals = [avals_lib.get_aval(x) for x in sample.args]
    jaxpr, _ = pe.trace_to_jaxpr(apply(primitive, sample), avals)
    assert any(e.primitive is primitive for e in jaxpr.eqns) or not jaxpr.eqns
    assert str(jaxpr).startswith("{ lambda") or str(jaxpr).startswith("let ")
