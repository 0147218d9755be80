"""What derivatives are: their dtypes and weakness, arrays, trees; and what is refused."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from tests.testing import refusals


@jax.custom_jvp
def tripled(x):
    return 3.0 * x


tripled.defjvp(lambda primals, tangents: (tripled(*primals), tangents[0] * 3.0))


@jax.custom_vjp
def doubled(x):
    return 2.0 * x


doubled.defvjp(lambda x: (doubled(x), None), lambda _, ct: (ct * 2.0,))


def scanned(x):
    return lax.scan(lambda c, _: (jnp.sin(c), None), x, None, length=3)[0]


@pytest.mark.parametrize(
    "fun",
    [
        jnp.tanh,
        jax.nn.softplus,
        lambda x: jnp.dot(jnp.ravel(x), jnp.ravel(x)),
        tripled,
        doubled,
        scanned,
        lambda x: 2.0,
        lambda x: jnp.where(x > 0, x, 0.0),
        lambda x: jnp.max(jnp.array([x, x, 1.0])),
        lambda x: lax.cond(x > 0, lambda: x**2, lambda: 3.0),
        lambda x: lax.fori_loop(0, 3, lambda i, c: c * x, x),
        lambda x: jax.jit(lambda y: y**3)(x),
        jax.checkpoint(lambda x: jnp.sin(x) ** 2),
        jax.grad(jnp.tanh),
    ],
)
def test_the_gradient_in_a_python_number_is_weakly_typed(fun):
    found = [jax.grad(fun)(1.5), jax.jit(jax.grad(fun))(1.5), jax.jacrev(fun)(1.5)]
    assert [(g.dtype, g.weak_type) for g in found] == [(np.float32, True)] * 3
    strong = jax.grad(fun)(np.float32(1.5))
    assert (strong.dtype, strong.weak_type) == (np.float32, False)


@pytest.mark.parametrize(
    "found",
    [
        lambda: jax.jacfwd(lambda x: x)(3.0),
        lambda: jax.jacrev(lambda x: x)(3.0),
        lambda: jax.jacrev(lambda x: x)(np.ones(2, np.float32)),
        lambda: jax.jvp(lambda x: 3.0, (1.0,), (1.0,))[1],
        lambda: jax.jvp(lambda x: 3.0, (np.float32(1),), (np.float32(1),))[1],
        lambda: jax.linearize(lambda x: 2.0, 1.0)[1](1.0),
        lambda: jax.linear_transpose(lambda x: 3.0, 1.0)(1.0)[0],
        lambda: jax.vjp(lambda x, y: x, 1.0, 2.0)[1](1.0)[1],
    ],
)
def test_derivatives_are_arrays_though_nothing_was_computed(found):
    assert isinstance(found(), jax.Array)


def test_linear_functions_are_trees_that_leave_a_trace():
    push = jax.jit(lambda x: jax.linearize(jnp.sin, x)[1])(2.0)
    assert np.allclose(push(1.0), np.cos(2.0))
    many = jax.vmap(lambda x: jax.linearize(jnp.sin, x)[1])(jnp.arange(3.0))
    slopes = jax.vmap(lambda f: f(1.0))(many)
    assert np.allclose(slopes, np.cos(np.arange(3.0)))


def test_integer_results_take_integers_as_cotangents():
    assert jax.vjp(lambda x: (x, 2), 3.0)[1]((1.0, 0)) == (1.0,)


def test_linear_functions_of_integers_have_transposes():
    (found,) = jax.linear_transpose(lambda x: x * 2, jnp.arange(3))(jnp.arange(3))
    assert found.dtype == np.int32 and found.tolist() == [0, 2, 4]


int_slope = jax.grad(lambda n: n * 2.0, allow_int=True)
FLOAT0 = np.zeros(3, jax.dtypes.float0)


@pytest.mark.parametrize(
    "rows",
    [
        lambda: jax.vmap(int_slope)(jnp.arange(3)),
        lambda: jax.jit(jax.vmap(int_slope))(jnp.arange(3)),
        lambda: jax.vmap(jax.jit(int_slope))(jnp.arange(3)),
        lambda: jax.vmap(int_slope, in_axes=None, axis_size=3)(1),
        lambda: lax.map(int_slope, jnp.arange(3)),
        lambda: lax.scan(lambda c, n: (c, int_slope(n)), 0, jnp.arange(3))[1],
        lambda: jax.jvp(jax.jit(lambda x: jnp.arange(3)), (1.0,), (1.0,))[1],
        lambda: jax.jit(lambda t: t)(FLOAT0),
        lambda: jax.jit(lambda: FLOAT0)(),
    ],
)
def test_derivatives_in_integers_pass_through_compiled_and_mapped_functions(rows):
    for _ in range(2):  # the second call takes the native path
        found = rows()
        assert found.dtype == jax.dtypes.float0 and found.shape == (3,)


def test_a_scalar_derivative_in_an_integer_is_compiled():
    for found in (
        jax.jit(int_slope)(3),
        lax.cond(True, int_slope, int_slope, 3),
        jax.checkpoint(int_slope)(3),
    ):
        assert found.dtype == jax.dtypes.float0 and found.shape == ()


def typed(x):
    return x.dtype, x.weak_type, x.tolist()


def test_matrices_of_derivatives_in_integers_are_zeros_of_their_dtype():
    jacobian = jax.jacrev(jnp.multiply, (0, 1), allow_int=True)
    by_float, by_int = jacobian(jnp.arange(2.0), jnp.arange(2))
    assert by_float.tolist() == [[0.0, 0.0], [0.0, 1.0]]
    assert typed(by_int) == (np.int32, False, [[0, 0], [0, 0]])
    of_number = jax.jacrev(lambda n: n * 2.0, allow_int=True)(3)
    assert typed(of_number) == (np.int32, True, 0)


def test_matrices_of_derivatives_of_integers_are_zeros_of_their_dtype():
    found = jax.jacfwd(lambda x: (jnp.arange(3), 2, x))(3.0)
    assert [typed(x) for x in found] == [
        (np.int32, False, [0, 0, 0]),
        (np.int32, True, 0),
        (np.float32, True, 1.0),
    ]


test_mistakes_are_explained = refusals.each(
    [
        (
            lambda: jax.jacfwd(jnp.real, holomorphic=True)(1j),
            TypeError,
            "jacfwd with holomorphic=True requires outputs",
        ),
        (lambda: jax.grad(jnp.add, (0, 0))(1.0, 2.0), ValueError, "twice"),
        (lambda: jax.grad(jnp.sin, 1)(1.0), TypeError, "argnums=1 requires"),
        (lambda: jax.jacfwd(jnp.sin, 1)(1.0), ValueError, "got value 1"),
        (lambda: jax.hessian(jnp.sin, (0, 1))(1.0), ValueError, "got value 1"),
        (lambda: jax.new_ref([1.0]), TypeError, "list"),
        (
            lambda: jax.linear_transpose(lambda x: x, jax.random.key(0)),
            TypeError,
            "key",
        ),
        (lambda: jax.new_ref(None), TypeError, "NoneType"),
        (lambda: jax.grad(jnp.add, -3)(1.0, 2.0), ValueError, "got value -3"),
        (lambda: jax.jvp(jnp.sin, (1.0,), [1.0]), TypeError, "same tree structure"),
        (lambda: jax.linear_transpose(lambda x: x * x, 1.0)(1.0), TypeError, "'mul'"),
        (
            lambda: jax.linear_transpose(lambda x: x * 1.5, jnp.arange(2)),
            TypeError,
            "float32[2]",
        ),
        (
            lambda: jax.checkpoint(lambda x, y: x, static_argnums=5)(1.0, 2.0),
            ValueError,
            "2 positional",
        ),
    ]
)


@pytest.mark.parametrize("tangent", [2, True, 1j, np.float16(1)])
def test_a_rule_gives_a_tangent_of_the_dtype_of_the_result(tangent):
    f = jax.custom_jvp(lambda x: x * 2)
    f.defjvp(lambda primals, _: (f(*primals), tangent))
    with pytest.raises(
        TypeError, match=r"(?s)corresponding shapes and dtypes.*float32\[\]"
    ):
        jax.jvp(f, (1.0,), (1.0,))


def test_keys_have_gradients_of_float0_where_integers_may():
    def loss(key, x):
        return x * jax.random.normal(key)

    key = jax.random.key(0)
    of_key, of_x = jax.grad(loss, (0, 1), allow_int=True)(key, 1.0)
    assert of_key.dtype == jax.dtypes.float0 and of_key.shape == ()
    assert of_x == jax.random.normal(key)
    with pytest.raises(TypeError, match="no derivative"):
        jax.grad(loss)(key, 1.0)


UNARY = "acosh asinh atanh acos asin atan cosh erf erfc erf_inv exp expm1 log".split()


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("number", [float, np.float32, jnp.float32])
def test_second_derivatives_take_numbers_of_all_kinds(name, number):
    function = getattr(lax, name)
    at, step = 1.5 if name == "acosh" else 0.3, 1e-2
    x, one = number(at), number(1)
    below, above = [jax.grad(function)(jnp.float32(at + s)) for s in (-step, step)]
    found = [
        jax.grad(jax.grad(function))(x),
        jax.jvp(jax.grad(function), (x,), (one,))[1],
        jax.grad(lambda x: jax.jvp(function, (x,), (one,))[1])(x),
    ]
    wanted = (above - below) / (2 * step)
    np.testing.assert_allclose(found, [wanted] * 3, rtol=2e-2)


def test_the_slope_of_acosh_is_infinite_at_both_ends():
    slopes = jax.vmap(jax.grad(lax.acosh))(jnp.array([-1.0, 1.0]))
    assert slopes.tolist() == [np.inf, np.inf]


def _pulled(x, number):
    pull = jax.vjp(lambda a, b: jnp.sum(a * b), x, number)[1]
    return pull(jnp.ones(()))


@pytest.mark.parametrize(
    "wrap", [jax.jit, jax.pmap, jax.vmap, lambda f: jax.jit(jax.pmap(f))]
)
def test_derivatives_in_whole_numbers_leave_every_transformation(wrap):
    slope, none = wrap(_pulled)(jnp.ones((1, 3)), jnp.ones((1, 3), int))
    assert slope.shape == (1, 3)
    assert (none.dtype, none.shape) == (jax.dtypes.float0, (1, 3))


def test_what_has_no_derivative_has_a_jacobian_of_nothing():
    nothing = np.zeros(2, jax.dtypes.float0)
    slope, none = jax.jacfwd(lambda x: (x, nothing))(jnp.ones(3))
    assert (none.dtype, none.shape) == (jax.dtypes.float0, (2, 3))
    np.testing.assert_array_equal(slope, np.eye(3))
    assert jax.pmap(lambda x: x)(np.zeros((1, 2), jax.dtypes.float0)).shape == (1, 2)
    assert jnp.asarray(nothing) is nothing
    assert jnp.zeros_like(nothing).dtype == jax.dtypes.float0


def test_backwards_needs_real_results():
    nothing, key = np.zeros(2, jax.dtypes.float0), jax.random.key(0)
    for result in (nothing, key, jnp.arange(2)):
        with pytest.raises(TypeError, match="jacrev"):
            jax.jacrev(lambda x, result=result: result)(1.0)


FUNCTIONS = [
    jnp.sin,
    jnp.exp,
    lambda x: x * x,
    lambda x: 1 / x,
]


@pytest.mark.parametrize("fun", FUNCTIONS)
@pytest.mark.parametrize("is_weak", [False, True])
def test_a_cotangent_gives_its_weakness_to_what_comes_back(fun, is_weak):
    ct = jnp.asarray(1.0) if is_weak else jnp.float32(1.0)
    assert ct.weak_type is is_weak
    assert jax.vjp(fun, 1.5)[1](ct)[0].weak_type is is_weak
    assert (
        jax.jit(lambda x, ct: jax.vjp(fun, x)[1](ct)[0])(1.5, ct).weak_type is is_weak
    )
    assert not jax.vjp(fun, jnp.float32(1.5))[1](ct)[0].weak_type


@pytest.mark.parametrize("fun", FUNCTIONS)
@pytest.mark.parametrize("is_weak", [False, True])
def test_a_tangent_gives_its_weakness_to_what_a_linear_function_returns(fun, is_weak):
    tangent = jnp.asarray(1.0) if is_weak else jnp.float32(1.0)
    assert jax.linearize(fun, 1.5)[1](tangent).weak_type is is_weak


# What a rule returns for the argument: whether it is weak.
RETURNED = {
    "a weak array": (lambda ct: jnp.asarray(2.0), True),
    "a product of weak arrays": (lambda ct: jnp.asarray(3.0) * 2.0, True),
    "a full array": (lambda ct: lax.full((), 2.0), True),
    "a strong array": (lambda ct: jnp.float32(2.0), False),
    "a product with a strong array": (lambda ct: ct * jnp.float32(2.0), False),
}


@pytest.mark.parametrize("returned", RETURNED)
def test_the_cotangent_of_a_strong_argument_is_weak_where_its_rule_says_so(returned):
    make, is_weak = RETURNED[returned]

    @jax.custom_vjp
    def fun(x):
        return 2.0 * x

    fun.defvjp(lambda x: (fun(x), None), lambda _, ct: (make(ct),))
    x = jnp.float32(1.0)
    found = [
        jax.grad(fun)(x),
        jax.jit(jax.grad(fun))(x),
        jax.vjp(fun, x)[1](x)[0],
        jax.vmap(jax.grad(fun))(jnp.stack([x, x])),
        lax.cond(True, jax.grad(fun), jax.grad(fun), x),
    ]
    assert [g.weak_type for g in found] == [is_weak] * len(found)
    assert not jax.jacrev(fun)(x).weak_type
    assert jax.jacrev(fun)(1.0).weak_type
    # Where it meets a strong cotangent, or goes on through a strong derivative, it is strong.
    assert not jax.grad(lambda x: fun(x) + jnp.float32(1) * x)(x).weak_type
    assert not jax.grad(lambda x: fun(jnp.sin(x)))(x).weak_type
