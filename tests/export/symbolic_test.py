"""Functions exported for one symbolic dimension give what they give for each size."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
import jax.scipy as jsp
from jax import export, lax

SIZES = (1, 3, 6)


def older_order(shape):
    with jax.threefry_partitionable(False):
        return jax.random.uniform(jax.random.key(0), shape)


def older_normal(shape):
    with jax.threefry_partitionable(False):
        return jax.random.normal(jax.random.key(0), shape)


# Functions of one array of shape (n, 4), by the names that tests have.
FUNCTIONS = {
    name: getattr(jnp, name)
    for name in """
    abs all amax amin angle any arccos arccosh arcsin arcsinh arctan arctanh argmax
    argmin argsort around atleast_1d atleast_2d atleast_3d average  cbrt ceil clip
     conj copy cos cosh count_nonzero cumprod cumsum deg2rad degrees diff
    ediff1d exp exp2 expm1 fabs   flip fliplr flipud floor 
     i0 imag isfinite isinf isnan isneginf isposinf isreal log log10 log1p log2
    logical_not max mean median min nan_to_num nanargmax nancumsum nanmax nanmean
    nanmedian nanmin nanprod nanstd nansum nanvar negative ones_like  positive
    prod ptp rad2deg radians ravel real reciprocal rint rot90 round sign signbit sin sinc
    sinh sort sqrt square std sum tan tanh trace transpose tril triu trunc unwrap var
     zeros_like
    """.split()
} | {
    "rows": lambda x: x[1:] - x[:-1],
    "every other": lambda x: x[::2],
    "steps of a symbolic size": lambda x: x[:: x.shape[0]],
    "steps of a size backwards": lambda x: x[-1 :: -x.shape[0]],
    "every other backwards from the start": lambda x: x[0:-2:-2],
    "every other between symbolic bounds": lambda x: x[-x.shape[0] : x.shape[0] : 2],
    "steps of a size to a bound": lambda x: x[: -x.shape[0] : x.shape[0], 1],
    "bits in the older order": lambda x: older_order(x.shape),
    "twice the bits in the older order": lambda x: older_order((2, *x.shape)),
    "backwards": lambda x: x[::-1, 1:],
    "last": lambda x: x[-1],
    "limited": lambda x: x[:2],
    "reshape": lambda x: x.reshape(-1),
    "merge and split": lambda x: x.reshape(-1, 2).sum(1),
    "tile": lambda x: jnp.tile(x, (2, 1)),
    "repeat": lambda x: jnp.repeat(x, 3, axis=0),
    "roll": lambda x: jnp.roll(x, 2, axis=0),
    "pad edge": lambda x: jnp.pad(x, ((2, 1), (0, 0)), mode="edge"),
    "pad wrap": lambda x: jnp.pad(x, 3, mode="wrap"),
    "gram": lambda x: x @ x.T,
    "einsum": lambda x: jnp.einsum("ij,kj->ik", x, x),
    "mean by size": lambda x: x.sum() / x.shape[0],
    "count": lambda x: jnp.arange(x.shape[0]) * x.shape[0],
    "set": lambda x: x.at[-1].set(0.0),
    "take": lambda x: jnp.take(x, jnp.array([0, -1]), axis=0),
    "where": lambda x: jnp.where(jnp.arange(x.shape[0])[:, None] > 1, x, 0),
    "scan": lambda x: lax.scan(lambda c, r: (c + r, c * r), jnp.zeros(4), x)[1],
    "loop": lambda x: lax.fori_loop(0, x.shape[0], lambda i, c: c + x[i], jnp.zeros(4)),
    "vmap": lambda x: jax.vmap(lambda r: r / jnp.max(r))(x),
    "an element of each row": lambda x: jax.vmap(lambda r, i: r[i])(x, x.argmax(1)),
    "a slice of each row": lambda x: jax.vmap(
        lambda r, i: lax.dynamic_slice(r, (i,), (2,))
    )(x, x.argmax(1)),
    "grad": jax.grad(lambda x: jnp.sum(jnp.sin(x) * x.shape[0])),
    "top_k": lambda x: lax.top_k(x.T, x.shape[0])[0],
    "cumlogsumexp": lambda x: lax.cumlogsumexp(x, 0),
    "softmax": lambda x: jax.nn.softmax(x, axis=0),
    "gelu": lambda x: jax.nn.gelu(x, approximate=False),
    "gelu beside other rows": lambda x: jnp.concatenate(
        [jax.nn.gelu(x, approximate=False), x, x[:1]]
    ),
    "error functions of a padded array": lambda x: jsp.special.erf(
        jnp.pad(jsp.special.erfinv(x / 9), ((1, 2), (0, 0)))
    ),
    "top_k of the logarithm of gamma of twice the rows": lambda x: lax.top_k(
        jsp.special.gammaln(jnp.concatenate([x, x]) ** 2 + 1).T, 2
    )[0],
    "normal in the older order": lambda x: older_normal(x.shape),
    "one_hot": lambda x: jax.nn.one_hot(jnp.argmax(x, 1), x.shape[0]),
    "normal": lambda x: jax.random.normal(jax.random.key(0), x.shape),
    "normal of bits that the platform makes": lambda x: jax.random.normal(
        jax.random.key(0, impl="rbg"), x.shape
    ),
    "bits for each row": lambda x: jax.vmap(lambda k: jax.random.bits(k, (3,)))(
        jax.random.split(jax.random.key(0, impl="unsafe_rbg"), x.shape[0])
    ),
    "cholesky": lambda x: jnp.linalg.cholesky(x @ x.T + 9 * jnp.eye(x.shape[0])),
    "fft": lambda x: jnp.abs(jnp.fft.fft(x)),
    "unrolled scan": lambda x: lax.scan(
        lambda c, r: (c + r, c * r), jnp.zeros(4), x, unroll=3
    )[1],
    "sums of parts": lambda x: jnp.add.reduceat(x, jnp.array([0, 0, 0]), axis=0),
    "scipy's LU factors": lambda x: jsp.linalg.lu(jnp.eye(x.shape[0]) * 3 - x @ x.T),
    "root of a matrix": lambda x: jsp.linalg.sqrtm(x @ x.T + 9 * jnp.eye(x.shape[0])),
    "matrices made of one vector": lambda x: [
        jsp.linalg.toeplitz(x[:, 0]),
        jsp.linalg.hankel(x[:, 0], x[:, 1]),
        jsp.linalg.circulant(x[:, 0]),
        jsp.linalg.convolution_matrix(x[:, 0], 3),
        jsp.linalg.convolution_matrix(x[:, 0], 4, mode="same"),
    ],
}
# Whose program depends on the number of rows; upstream refuses them as well.
IMPOSSIBLE = {
    "gradient": jnp.gradient,
    "rows one by one": lambda x: jnp.concatenate(list(x)),
    "reshape": lambda x: x.reshape(3, -1),
    "choice": lambda x: x if x.shape[0] > 2 else -x,
    "int": lambda x: x * int(x.shape[0]),
}


def array(n):
    return np.sin(np.arange(n * 4, dtype=np.float32)).reshape(n, 4) * 0.9


def exported(function, shape="n, 4", **options):
    spec = jax.ShapeDtypeStruct(export.symbolic_shape(shape), np.float32)
    return export.export(jax.jit(function), **options)(spec)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_gives_the_same_for_every_size(name):
    function = FUNCTIONS[name]
    again = export.deserialize(exported(function).serialize())
    for n in SIZES:
        expected = function(jnp.asarray(array(n)))
        found = again.call(array(n))
        assert jax.tree.structure(found) == jax.tree.structure(expected)
        for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
            assert (a.shape, a.dtype) == (b.shape, b.dtype)
            np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-6)


# Symbolic sizes beside known ones whose product is divisible by powers of two, and beside each other.
@pytest.mark.parametrize("shape", ["n, 8", "16, n", "n, 20, 20", "n, n", "2*n, 4, n"])
@pytest.mark.parametrize(
    "function",
    # Made of operations of CHLO.
    [jnp.sinh, jnp.arctanh, lax.lgamma, lax.erf_inv, lambda x: lax.zeta(x + 2.0, x)],
    ids=["sinh", "arctanh", "lgamma", "erf_inv", "zeta"],
)
def test_tables_of_numbers_are_repeated_for_every_shape(function, shape):
    program = export.deserialize(exported(function, shape).serialize())
    for n in SIZES:
        sizes = [eval(size, {"n": n}) for size in shape.split(",")]
        x = np.linspace(0.1, 0.9, np.prod(sizes), dtype=np.float32).reshape(sizes)
        np.testing.assert_allclose(program.call(x), function(x), rtol=2e-5)


def test_uniform_numbers_of_an_unknown_seed_have_every_size():
    program = exported(lambda x: lax.rng_uniform(2.0, 3.0, (x.shape[0] * 2, 3)))
    program = export.deserialize(program.serialize())
    for n in SIZES:
        found = program.call(array(n))
        assert found.shape == (2 * n, 3)
        assert (found >= 2).all() and (found < 3).all() and len(np.unique(found)) > 1


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_programs_that_depend_on_the_size_are_refused(name):
    with pytest.raises(jax.errors.InconclusiveDimensionOperation, match="[sS]ymbol"):
        exported(IMPOSSIBLE[name])


def test_derivatives_are_exported_too():
    again = export.deserialize(exported(lambda x: x**3).serialize(vjp_order=2))
    second = jax.grad(lambda x: jax.grad(lambda y: again.call(y).sum())(x).sum())
    np.testing.assert_allclose(second(array(5)), 6 * array(5), rtol=1e-5)


def test_sizes_that_do_not_fit_are_told():
    even = exported(lambda x: x, "2*n, n + 3")
    even.call(np.zeros((4, 5), np.float32))
    with pytest.raises(ValueError, match="Division had remainder 1 .* of 'n'"):
        even.call(np.zeros((5, 5), np.float32))
    with pytest.raises(ValueError, match="Found inconsistency between dimension size"):
        even.call(np.zeros((4, 7), np.float32))
    with pytest.raises(ValueError, match="Expected value >= 1"):
        even.call(np.zeros((0, 3), np.float32))
    with pytest.raises(ValueError, match="Rank mismatch"):
        even.call(np.zeros(4, np.float32))
    with pytest.raises(ValueError, match="Dtype mismatch"):
        even.call(np.zeros((4, 5), np.int32))


def test_symbols_that_do_not_follow_from_sizes_are_told():
    with pytest.raises(ValueError, match="Cannot solve for values of dimension"):
        exported(lambda x: x, "a*b, 3")


def test_a_symbol_that_another_stands_for_needs_no_size():
    a, b = export.symbolic_shape("a, b", constraints=["a == 2*b"])
    specs = [jax.ShapeDtypeStruct((n,), np.float32) for n in (a, b)]
    program = export.export(jax.jit(lambda x, y: x.reshape(-1, 2).sum(1) + y))(*specs)
    for callee in (program, export.deserialize(program.serialize())):
        found = callee.call(np.ones(6, np.float32), np.ones(3, np.float32))
        np.testing.assert_array_equal(found, np.full(3, 3.0))
        with pytest.raises(ValueError, match="Division had remainder|inconsistency"):
            callee.call(np.ones(5, np.float32), np.ones(3, np.float32))


def test_a_constraint_on_a_symbol_without_a_size_is_refused():
    spec = export.symbolic_shape("n, k", constraints=["n >= 3", "k >= 2"])
    argument = jax.ShapeDtypeStruct((spec[0],), np.float32)
    with pytest.raises(Exception, match="variable 'k'") as error:
        export.export(jax.jit(jnp.sin))(argument)
    assert type(error.value).__name__ == "UnexpectedDimVar"
    assert "k >= 2" in str(error.value)


def test_constraints_are_checked():
    spec = export.symbolic_shape("n, 4", constraints=["n >= 3"])
    program = export.export(jax.jit(lambda x: x[:3]))(
        jax.ShapeDtypeStruct(spec, np.float32)
    )
    assert program.out_avals[0].shape == (3, 4)
    with pytest.raises(ValueError, match="symbolic shape constraint n >= 3"):
        program.call(array(2))
    # Bytes do not have them; the checks in the module do.
    again = export.deserialize(program.serialize())
    with pytest.raises(ValueError, match="Error refining shapes"):
        again.call(array(2))


def test_one_program_calls_another_with_symbols():
    inner = exported(lambda x: x * x.shape[0], "m, 4")
    outer = export.deserialize(
        exported(lambda x: inner.call(x[1:]) + 1, "n + 1, 4").serialize()
    )
    np.testing.assert_allclose(outer.call(array(4)), array(4)[1:] * 3 + 1, rtol=1e-6)


def test_several_platforms_and_symbols_go_together():
    def function(x):
        return lax.platform_dependent(
            x, cpu=lambda v: v + v.shape[0], default=lambda v: v
        )

    program = exported(function, platforms=["cuda", "cpu"])
    assert program.uses_global_constants
    found = export.deserialize(program.serialize()).call(array(3))
    np.testing.assert_allclose(found, array(3) + 3, rtol=1e-6)


def test_types_are_found_without_a_program():
    n, _ = export.symbolic_shape("n, m")
    spec = jax.ShapeDtypeStruct((n, 4), np.float32)
    assert jax.eval_shape(lambda x: x[1:], spec).shape == (n - 1, 4)
    assert "f32[n,4]" in str(jax.make_jaxpr(jnp.sin)(spec))
    assert "tensor<?x4xf32>" in jax.jit(jnp.sin).lower(spec).as_text()
