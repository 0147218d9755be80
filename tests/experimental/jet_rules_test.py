"""`jet`: rules of single operations, of programs, and of libraries, against nested derivatives."""

import math

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import jet as jt
from jax.extend import core as extend_core

ORDER = 3


def nested(f, primals, series):
    """The derivatives of ``f`` along the curve, each from the one before."""

    def curve(t):
        return [
            sum((c * t**k / math.factorial(k) for k, c in enumerate(terms, 1)), x)
            for x, terms in zip(primals, series, strict=True)
        ]

    def along(t):
        return f(*curve(t))

    found = []
    for _ in range(ORDER):
        along = jax.jacfwd(along)
        found.append(along(0.0))
    return found


def curves(*shapes):
    rng = np.random.default_rng(0)
    primals = [jnp.asarray(rng.uniform(0.3, 0.9, s), jnp.float32) for s in shapes]
    series = [
        [jnp.asarray(rng.normal(size=s), jnp.float32) for _ in range(ORDER)]
        for s in shapes
    ]
    return primals, series


def check(f, *shapes, rtol=2e-4):
    primals, series = curves(*shapes)
    value, terms = jt.jet(f, tuple(primals), tuple(series))
    np.testing.assert_allclose(value, f(*primals), rtol=1e-6)
    wanted = nested(f, primals, series)
    scale = max(float(jnp.abs(w).max()) for w in wanted)
    for found, want in zip(terms, wanted, strict=True):
        assert found.shape == want.shape and found.dtype == want.dtype
        np.testing.assert_allclose(found, want, rtol=rtol, atol=rtol * scale)


UNARY = """exp exp2 expm1 log log1p sqrt rsqrt cbrt sin cos tan sinh cosh tanh asin acos atan
asinh atanh logistic erf erfc erf_inv lgamma square neg abs digamma""".split()


@pytest.mark.parametrize("name", UNARY)
def test_a_function_of_one_operand(name):
    check(getattr(lax, name), (3,), rtol=2e-3)


def test_the_area_of_a_hyperbola():
    check(lambda x: lax.acosh(x + 1), (3,), rtol=2e-3)


@pytest.mark.parametrize(
    "name", ["add", "sub", "mul", "div", "pow", "atan2", "max", "rem"]
)
def test_a_function_of_two_operands(name):
    check(getattr(lax, name), (2, 3), (2, 3), rtol=2e-3)


@pytest.mark.parametrize("exponent", [-3, -1, 1, 2, 5, 0.5, 2.7])
def test_a_power_whose_exponent_stands_still(exponent):
    check(lambda x: x**exponent, (3,), rtol=2e-3)


def test_an_exponent_alone_that_moves():
    check(lambda x: lax.pow(jnp.full(3, 1.5), x), (3,))


def test_a_whole_power_of_a_negative_number():
    _, terms = jt.jet(lambda x: lax.pow(x, 3.0), (-2.0,), ([1.0, 0.0, 0.0],))
    assert [float(t) for t in terms] == pytest.approx([12.0, -12.0, 6.0])


PROGRAMS = {
    "a layer": (lambda x, w: jnp.tanh(x @ w).sum(0), [(4, 3), (3, 2)]),
    "a softmax": (lambda x: jax.nn.log_softmax(x @ x.T), [(3, 3)]),
    "a norm": (lambda x: jnp.sqrt((x**2).mean(-1, keepdims=True)) * x, [(2, 3)]),
    "a convolution": (
        lambda x, k: jnp.convolve(x, k, mode="same"),
        [(6,), (3,)],
    ),
    "a compiled function": (lambda x: jax.jit(jnp.sin)(x) * jnp.cos(x), [(3,)]),
    "a function computed again": (jax.checkpoint(lambda x: jnp.sin(x) ** 2), [(3,)]),
    "a choice": (lambda x: jnp.where(x > 0.5, x**2, jnp.exp(x)), [(5,)]),
    "the sorted values": (lambda x: jnp.sort(x**2), [(5,)]),
    "some of the values": (lambda x: (x**2)[jnp.array([2, 0])], [(3,)]),
    "an update": (lambda x, y: (x**2).at[1].set(y[0] ** 3), [(3,), (1,)]),
    "a product of all": (lambda x: jnp.prod(x), [(3,)]),
    "a Fourier transform": (lambda x: jnp.fft.rfft(x**2).real, [(4,)]),
    "an inverse": (lambda x: jnp.linalg.inv(x + 3 * jnp.eye(2)), [(2, 2)]),
    "a scan": (
        lambda x, w: lax.scan(lambda c, r: (jnp.sin(c * w + r), c * r), w, x),
        [(3, 2), (2,)],
    ),
    "a loop": (
        lambda x: lax.while_loop(
            lambda c: c[0] < 3, lambda c: (c[0] + 1, jnp.sin(c[1]) * x), (0, x)
        )[1],
        [(2,)],
    ),
    "a branch": (
        lambda x: lax.cond(x[0] > 0.0, lambda y: y**2, lambda y: jnp.ones_like(y), x),
        [(2,)],
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program(name):
    f, shapes = PROGRAMS[name]
    outs = lambda *xs: jnp.concatenate([y.ravel() for y in jax.tree.leaves(f(*xs))])
    check(outs, *shapes, rtol=2e-3)


def test_loops_are_not_unrolled_and_grow_slowly_with_the_order():
    def f(x):
        return lax.fori_loop(0, 1000, lambda _, y: jnp.sin(y), x)

    sizes = []
    for order in (4, 8):
        line = ([1.0] + [0.0] * (order - 1),)
        text = str(jax.make_jaxpr(lambda x, line=line: jt.jet(f, (x,), line))(0.5))
        sizes.append(text.count("\n"))
        assert text.count("cos") < 3
    assert sizes[1] < 6 * sizes[0]


def test_sums_and_products_grow_slowly_with_the_order():
    def count(fun, order):
        terms = tuple([np.float32(1)] * order for _ in range(2))

        def series(x, y):
            return jt.jet(fun, (x, y), terms)

        return len(jax.make_jaxpr(series)(np.float32(0.5), np.float32(2)).eqns)

    for fun in (
        lambda x, y: x + y - 3,
        lambda x, y: x * y - y * 2,
        lambda x, y: jnp.real(lax.conj(lax.complex(x, y)) * x),
        lambda x, y: (x * y).astype("f2") + 1,
    ):
        few, many = count(fun, 4), count(fun, 16)
        assert many <= 16 * few


def test_series_are_differentiated_mapped_and_compiled():
    def third(x):
        return jt.jet(jnp.sin, (x,), ([1.0, 0.0, 0.0],))[1][2]

    assert float(third(0.5)) == pytest.approx(-math.cos(0.5))
    assert float(jax.grad(third)(0.5)) == pytest.approx(math.sin(0.5))
    xs = jnp.linspace(0, 1, 4)
    np.testing.assert_allclose(jax.jit(jax.vmap(third))(xs), -np.cos(xs), rtol=1e-6)
    inner = lambda x: jt.jet(third, (x,), ([1.0, 0.0],))[1][1]
    assert float(inner(0.5)) == pytest.approx(math.cos(0.5))


def test_a_function_with_a_rule_for_backwards_alone_is_followed():
    @jax.custom_vjp
    def f(x):
        return jnp.sin(x)

    f.defvjp(lambda x: (f(x), x), lambda x, ct: (ct,))
    _, terms = jt.jet(f, (0.5,), ([1.0, 0.0],))
    assert [float(t) for t in terms] == pytest.approx([math.cos(0.5), -math.sin(0.5)])


def test_a_forward_rule_of_the_users_counts():
    @jax.custom_jvp
    def f(x):
        return jnp.sin(x)

    f.defjvps(lambda t, out, x: 2 * jnp.cos(x) * t)
    _, terms = jt.jet(f, (0.5,), ([1.0, 0.0],))
    assert [float(t) for t in terms] == pytest.approx(
        [2 * math.cos(0.5), -2 * math.sin(0.5)]
    )


def test_whole_numbers_stand_still():
    value, terms = jt.jet(lambda x: (x.astype(int), x > 0), (1.5,), ([1.0, 1.0],))
    assert [int(v) for v in value] == [1, 1]
    assert [[t.item() for t in ts] for ts in terms] == [[0, 0], [False, False]]
    _, terms = jt.jet(lambda x: x * jnp.arange(3), (1.5,), ([1.0, 0.0],))
    assert terms[0].tolist() == [0.0, 1.0, 2.0] and terms[1].tolist() == [0.0] * 3


def library_primitive(name, fun):
    primitive = extend_core.Primitive(name)
    primitive.def_impl(fun)
    primitive.def_abstract_eval(lambda x: x)
    return primitive


def test_libraries_give_their_primitives_rules():
    cube = library_primitive("cube", lambda x: x**3)
    still = library_primitive("still", lambda x: jnp.round(x))
    twice = library_primitive("twice", lambda x: 2 * x)
    angle = library_primitive("angle", jnp.sin)
    assert cube not in jt.jet_rules
    with pytest.raises(NotImplementedError, match="cube"):
        jt.jet(cube.bind, (2.0,), ([1.0, 0.0],))
    jt.def_comp(cube, lambda x: x * x * x)
    jt.defzero(still)
    jt.deflinear(twice)
    jt.def_deriv(angle, jnp.cos)
    assert cube in jt.jet_rules and {cube, still, twice, angle} <= set(jt.jet_rules)
    f = lambda x: twice.bind(cube.bind(x)) + still.bind(x)
    _, terms = jt.jet(f, (2.0,), ([1.0, 0.0, 0.0],))
    assert [float(t) for t in terms] == pytest.approx([24.0, 24.0, 12.0])
    _, terms = jt.jet(angle.bind, (0.5,), ([1.0, 0.0, 0.0],))
    wanted = [math.cos(0.5), -math.sin(0.5), -math.cos(0.5)]
    assert [float(t) for t in terms] == pytest.approx(wanted)


def test_a_rule_gets_values_and_terms_of_powers():
    seen = {}

    def rule(primals, series, **params):
        seen.update(primals=primals, series=series, params=params)
        return primals[0] * primals[1], [jt.zero_term, primals[0]]

    product = extend_core.Primitive("my_product")
    product.def_impl(lambda x, y: x * y)
    product.def_abstract_eval(lambda x, y: x)
    jt.jet_rules[product] = rule
    value, terms = jt.jet(lambda x: product.bind(x, 5.0), (2.0,), ([1.0, 6.0],))
    assert (float(value), [float(t) for t in terms]) == (10.0, [0.0, 4.0])
    assert [float(t) for t in seen["series"][0]] == [1.0, 3.0]
    assert [float(t) for t in seen["series"][1]] == [0.0, 0.0]
    assert seen["params"] == {}


def test_rules_are_called_by_other_rules():
    primals, series = [0.5], [[1.0, 0.0]]
    value, terms = jt.jet_rules[lax.exp_p](primals, series, accuracy=None)
    assert [float(value), *map(float, terms)] == pytest.approx(
        [math.exp(0.5), math.exp(0.5), math.exp(0.5) / 2]
    )
    value, terms = jt.linear_prop(lax.neg_p, primals, series)
    assert (float(value), [float(t) for t in terms]) == (-0.5, [-1.0, 0.0])
    assert jt.zero_prop(lax.floor_p, primals, series)[1] is jt.zero_series
    value, terms = jt.deriv_prop(lax.sin_p, lax.cos, primals, series, accuracy=None)
    assert [float(t) for t in terms] == pytest.approx(
        [math.cos(0.5), -math.sin(0.5) / 2]
    )


def test_wrapped_functions_carry_series():
    from jax import api_util
    from jax.extend import linear_util as lu

    info = api_util.debug_info("test", lambda x: x, (1.0,), {})
    fun = lu.wrap_init(lambda x: [jnp.sin(x), 3.0], debug_info=info)
    carried = jt.jet_fun(jt.jet_subtrace(fun), 2)
    outs, series = carried.call_wrapped([0.5], [[1.0, 0.0]])
    assert float(outs[0]) == pytest.approx(math.sin(0.5)) and outs[1] == 3.0
    assert [float(t) for t in series[0]] == pytest.approx(
        [math.cos(0.5), -math.sin(0.5) / 2]
    )
    assert [float(t) for t in series[1]] == [0.0, 0.0]
    leaves, structure = jax.tree.flatten(([0.5], [[1.0, 0.0]]))
    flat, out_tree = jt.traceable(jt.jet_fun(jt.jet_subtrace(fun), 2), structure)
    found = flat.call_wrapped(*leaves)
    again, _ = jax.tree.unflatten(out_tree(), found)
    assert float(again[0]) == pytest.approx(math.sin(0.5))


def test_traced_values_print_their_terms():
    seen = []
    jt.jet(lambda x: seen.append(x) or x, (2.0,), ([1.0, 6.0],))
    (tracer,) = seen
    assert isinstance(tracer, jt.JetTracer) and isinstance(tracer._trace, jt.JetTrace)
    assert (float(tracer.primal), [float(t) for t in tracer.terms]) == (2.0, [1.0, 3.0])
    assert tracer._trace.order == 2
    assert tracer._trace.to_primal_terms_pair(7.0) == (7.0, jt.zero_series)
    still = jt.JetTracer(tracer._trace, 4.0, [jt.zero_term])
    assert still.full_lower() == 4.0 and tracer.full_lower() is tracer
    assert jax.tree.leaves((jt.zero_term, jt.zero_series)) == []


def test_terms_are_weak_where_the_user_gives_python_numbers():
    cases = [
        ((1.0,), ((1.0, 0.0),), True),
        ((np.float32(1),), ((1.0, 0.0),), False),
        ((1.0,), ((np.float32(1), np.float32(0)),), False),
    ]
    for fun in (jnp.sin, jnp.exp, lambda x: x * x, jnp.tanh):
        for primals, series, is_weak in cases:
            _, terms = jt.jet(fun, primals, series)
            assert all(t.dtype == np.float32 for t in terms)
            assert all(t.weak_type is is_weak for t in terms)
    _, (term,) = jt.jet(jnp.sin, (np.float16(1),), ((np.float32(1),),))
    assert term.dtype == np.float16
