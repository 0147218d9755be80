"""Functions with their own rules, under every transformation."""

import functools as ft
import itertools

import numpy as np
import pytest

import jax
import jax.numpy as jnp


@jax.custom_jvp
def doubled(x):
    """sin, with twice its derivative: so that the rule shows."""
    return jnp.sin(x)


@doubled.defjvp
def _(primals, tangents):
    (x,), (t,) = primals, tangents
    return doubled(x), 2 * jnp.cos(x) * t


@jax.custom_vjp
def scaled(x, y):
    """x times y, whose derivative in x is tenfold and in y none."""
    return x * y


scaled.defvjp(
    lambda x, y: (scaled(x, y), (x, y)), lambda res, ct: (10 * ct * res[1], None)
)

WRAPPERS = {
    "plain": lambda f: f,
    "jit": jax.jit,
    "checkpoint": jax.checkpoint,
    "jit of jit": lambda f: jax.jit(jax.jit(f)),
    "vmap": lambda f: lambda *a: jax.vmap(f)(*[jnp.reshape(x, (1,)) for x in a])[0],
    "scan": lambda f: (
        lambda *a: jax.lax.scan(lambda c, _: (f(*a), None), 0.0, None, 1)[0]
    ),
}
every_wrapper = pytest.mark.parametrize("wrap", WRAPPERS.values(), ids=WRAPPERS)


@every_wrapper
def test_a_jvp_rule_is_used(wrap):
    fun = wrap(doubled)
    assert fun(0.3) == pytest.approx(np.sin(0.3), rel=1e-5)
    assert jax.grad(fun)(0.3) == pytest.approx(2 * np.cos(0.3), rel=1e-5)
    assert jax.jvp(fun, (0.3,), (1.0,))[1] == pytest.approx(2 * np.cos(0.3), rel=1e-5)
    assert jax.grad(jax.grad(fun))(0.3) == pytest.approx(-2 * np.sin(0.3), rel=1e-5)


@every_wrapper
def test_a_vjp_rule_is_used(wrap):
    fun = wrap(scaled)
    assert fun(2.0, 3.0) == pytest.approx(6.0)
    gradient = jax.grad(fun, argnums=(0, 1))(2.0, 3.0)
    assert gradient == (pytest.approx(30.0), 0.0)


def test_rows_share_an_unbatched_argument_of_a_vjp_rule():
    fun = lambda x, y: jax.vmap(scaled, (None, 0))(x, y).sum()
    assert jax.grad(fun)(2.0, jnp.arange(3.0)) == pytest.approx(30.0)


def test_batched_gradients_use_the_rule():
    out = jax.vmap(jax.grad(scaled), (0, None))(jnp.arange(3.0), 2.0)
    np.testing.assert_allclose(out, [20.0] * 3)


def test_nondiff_arguments_come_first_in_rules():
    apply = jax.custom_vjp(lambda f, x: f(x), nondiff_argnums=(0,))
    apply.defvjp(lambda f, x: (f(x), x), lambda f, x, ct: (f(ct) + 0 * x,))
    assert jax.grad(lambda x: apply(lambda v: 3 * v, x))(1.0) == 3.0

    power = jax.custom_jvp(lambda n, x: x**n, nondiff_argnums=(0,))
    power.defjvp(
        lambda n, primals, tangents: (primals[0] ** n, n * 100.0 * tangents[0])
    )
    assert jax.grad(power, argnums=1)(2, 5.0) == 200.0


def test_symbolic_zeros_reach_the_rule():
    seen = []
    fun = jax.custom_jvp(lambda x, y: x * y)

    def rule(primals, tangents):
        seen.append([type(t).__name__ for t in tangents])
        return primals[0] * primals[1], tangents[0] * primals[1]

    fun.defjvp(rule, symbolic_zeros=True)
    assert jax.grad(fun)(2.0, 3.0) == 3.0
    assert seen[-1][1] == "SymbolicZero"


def test_defjvps_adds_one_rule_per_argument():
    fun = jax.custom_jvp(lambda x, y: x * y)
    fun.defjvps(lambda t, out, x, y: 7 * t, None)
    assert jax.grad(fun, argnums=(0, 1))(2.0, 3.0) == (7.0, 0.0)


def test_a_backward_rule_with_the_wrong_number_of_cotangents():
    fun = jax.custom_vjp(lambda x, y: x * y)
    fun.defvjp(lambda x, y: (x * y, None), lambda res, ct: (ct,))
    with pytest.raises(
        TypeError, match="a tuple of length equal to the number of arguments"
    ):
        jax.grad(fun)(1.0, 2.0)


@jax.tree_util.register_pytree_node_class
class Boxed:
    def __init__(self, value):
        self.value = value

    def tree_flatten(self):
        return (self.value,), None

    @classmethod
    def tree_unflatten(cls, _, children):
        return cls(*children)


def _with_cotangent(make):
    fun = jax.custom_vjp(lambda x: sum(jax.tree.leaves(x)))
    fun.defvjp(lambda x: (fun(x), None), lambda _, ct: (make(ct),))
    return jax.grad(fun)


@pytest.mark.parametrize(
    "x, make, wanted",
    [
        (Boxed(1.0), lambda ct: 2 * ct, [2]),
        (Boxed([1.0, 1.0]), lambda ct: 2 * ct, [2, 2]),
        ({"a": 1.0, "b": (1.0, 1.0)}, lambda ct: {"a": ct, "b": 3 * ct}, [1, 3, 3]),
        ({"a": 1.0, "b": Boxed(1.0)}, lambda ct: {"a": ct, "b": None}, [1, 0]),
        ({"a": 1.0, "b": None}, lambda ct: {"a": ct, "b": ct}, [1]),
    ],
)
@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit])
def test_a_cotangent_stands_for_a_part_of_an_argument(wrap, x, make, wanted):
    found = wrap(_with_cotangent(make))(x)
    assert jax.tree.structure(found) == jax.tree.structure(x)
    assert [float(leaf) for leaf in jax.tree.leaves(found)] == wanted


@pytest.mark.parametrize(
    "x, make",
    [
        (1.0, Boxed),
        ([1.0], lambda ct: (ct,)),
        ({"a": 1.0, "b": 1.0}, lambda ct: {"a": ct}),
        ({"a": Boxed(1.0)}, lambda ct: {"a": [ct]}),
    ],
)
def test_cotangents_have_the_structure_of_the_arguments(x, make):
    with pytest.raises(TypeError, match="with the same container"):
        _with_cotangent(make)(x)


def test_a_function_without_its_rule_says_so():
    @jax.custom_vjp
    def f(x):
        return x

    with pytest.raises(
        AttributeError, match="No VJP defined for custom_vjp function f"
    ):
        f(1.0)


def test_custom_gradient_uses_the_returned_function():
    fun = jax.custom_gradient(lambda x: (x**2, lambda ct: 5 * ct * x))
    assert fun(3.0) == 9.0 and jax.grad(fun)(3.0) == 15.0
    assert jax.jit(jax.grad(fun))(3.0) == 15.0


def test_closure_convert_finds_what_varies():
    def outer(x):
        converted, consts = jax.closure_convert(lambda y: x * y, 1.0)
        assert len(consts) == 1
        return converted(2.0, *consts)

    assert jax.grad(outer)(3.0) == 2.0


def test_a_vmap_rule_is_used():
    fun = jax.custom_batching.custom_vmap(jnp.sin)
    fun.def_vmap(lambda size, batched, x: (jnp.cos(x), batched[0]))
    np.testing.assert_allclose(jax.vmap(fun)(jnp.zeros(3)), jnp.ones(3))
    assert fun(0.0) == 0.0
    np.testing.assert_allclose(jax.jit(jax.vmap(fun))(jnp.zeros(3)), jnp.ones(3))


@pytest.mark.parametrize(
    "around",
    [
        lambda f: f,
        jax.jit,
        lambda f: jax.jit(lambda x: jax.linearize(f, x)[0]),
        lambda f: lambda x: jax.vmap(f)(jnp.stack([x, x]))[1],
    ],
    ids=["plain", "jit", "linearize", "vmap"],
)
def test_rules_may_ask_numbers_in_a_program_for_their_shape(around):
    seen = []

    @jax.custom_vjp
    def power(x, n):
        return x**n

    def forward(x, n):
        seen.append((n.shape, n.dtype))
        return power(x, n), (x, n)

    power.defvjp(forward, lambda res, ct: (ct * res[1] * res[0] ** (res[1] - 1), None))

    assert around(jax.grad(jax.jit(lambda x: power(x, 3))))(2.0) == 12.0
    assert set(seen) == {((), jnp.dtype("int32"))}


def test_a_linear_function_with_a_jvp_rule_is_transposed():
    @jax.custom_jvp
    def triple(x):
        return 3.0 * x

    triple.defjvp(lambda primals, tangents: (triple(*primals), triple(*tangents)))
    assert jax.linear_transpose(triple, 1.0)(2.0) == (6.0,)
    assert jax.linear_transpose(lambda x: 2.0 * jax.jit(triple)(x), 1.0)(2.0) == (12.0,)


def kept(x):
    return x


def with_jvp():
    f = jax.custom_jvp(kept)
    f.defjvp(lambda primals, tangents: (f(*primals), tangents[0]))
    return f


def with_vjp():
    f = jax.custom_vjp(kept)
    f.defvjp(lambda x: (x, None), lambda _, ct: (ct,))
    return f


@pytest.mark.parametrize(
    "transform",
    [
        with_jvp,
        with_vjp,
        lambda: jax.checkpoint(kept),
        lambda: jax.custom_batching.sequential_vmap(kept),
    ],
)
@pytest.mark.parametrize("x", [np.arange(3.0), np.float64(2), np.arange(3)])
def test_values_of_numpy_get_the_dtypes_of_arrays(transform, x):
    assert transform()(x).dtype == jnp.asarray(x).dtype != x.dtype


def test_rows_of_a_linear_part_are_transposed():
    @jax.custom_vjp
    def f(x):
        return jnp.sin(x) * jnp.ones((2, 3))

    f.defvjp(lambda x: (f(x), x), lambda x, ct: (7 * (ct * jnp.cos(x)).sum(0),))
    x, cts = jnp.arange(3.0), jnp.arange(24.0).reshape(4, 2, 3)
    rows = jax.vmap(jax.linearize(f, x)[1])
    (found,) = jax.linear_transpose(rows, jnp.ones((4, 3)))(cts)
    np.testing.assert_allclose(found, 7 * (cts * np.cos(x)).sum(1), rtol=1e-5)


def test_cotangents_that_are_the_same_for_all_rows_add_up():
    """A backward rule that does not look at its rows is called once for all of them."""

    @jax.custom_vjp
    def f(w, x):
        return w * x

    f.defvjp(lambda w, x: (w * x, None), lambda _, ct: (jnp.ones(()), ct))
    rows = lambda w: jax.vmap(lambda x: f(w, x))(jnp.arange(3.0)).sum()
    assert jax.grad(rows)(2.0) == 3.0


def test_a_rule_may_return_a_tangent_that_does_not_depend_on_its_own():
    @jax.custom_jvp
    def f(x):
        return x

    f.defjvp(lambda primals, tangents: (primals[0], jnp.ones(2)))
    for g in (f, jax.jit(lambda x: f(x) * 1.0)):
        _, linear = jax.linearize(g, jnp.ones(2))
        np.testing.assert_array_equal(linear(jnp.zeros(2)), np.ones(2))


def test_what_a_rule_does_to_tangents_happens_if_they_are_not_wanted():
    seen = []

    @jax.custom_jvp
    def f(x):
        return x

    @f.defjvp
    def _(primals, tangents):
        jax.debug.callback(lambda t: seen.append(float(t)), tangents[0])
        return primals[0], tangents[0]

    for g in (lambda x: f(x) * 2, lambda x: (f(x), jnp.sin(x))[1]):
        for h in (g, jax.jit(g)):
            seen.clear()
            jax.linearize(h, 1.0)[1](3.0)
            jax.effects_barrier()
            assert seen == [3.0]


def _reverse_only():
    @jax.custom_vjp
    def f(x):
        return jnp.sin(x)

    f.defvjp(lambda x: (jnp.sin(x), x), lambda x, ct: (ct * jnp.cos(x),))
    return f


HELD = {
    "scan": lambda f: (
        lambda x: jax.lax.scan(lambda c, _: (f(c), None), x, None, length=2)[0]
    ),
    "cond": lambda f: lambda x: jax.lax.cond(x > 0, f, f, x),
    "while": lambda f: (
        lambda x: jax.lax.while_loop(
            lambda s: s[0] < 2, lambda s: (s[0] + 1, f(s[1])), (0, x)
        )[1]
    ),
    "jit": jax.jit,
}


@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit], ids=["eager", "jit"])
@pytest.mark.parametrize("name", HELD)
def test_programs_may_hold_what_has_no_forward_rule_if_nobody_needs_it(name, wrap):
    g = _reverse_only()
    hold = HELD[name]

    def tangent(f):
        return wrap(lambda x: jax.jvp(f, (x,), (x,))[1])(0.5)

    unneeded = hold(lambda x: (g(x) * 2, jnp.cos(x))[1])
    np.testing.assert_allclose(tangent(unneeded), tangent(hold(jnp.cos)), rtol=1e-6)
    with pytest.raises(TypeError, match="custom_vjp function"):
        tangent(hold(lambda x: g(x) * 2))


WRAPPERS = {
    "jvp": jax.custom_jvp,
    "vjp": jax.custom_vjp,
    "vmap": jax.custom_batching.custom_vmap,
}


@pytest.mark.parametrize(
    "order",
    [o for n in (2, 3) for o in itertools.permutations(WRAPPERS, n)],
    ids="-".join,
)
def test_rules_of_functions_inside_are_set_through_those_around(order):
    f = lambda x: x * 1.0
    for kind in reversed(order):
        f = WRAPPERS[kind](f)
    if "jvp" in order:
        f.defjvp(lambda primals, tangents: (*primals, 10 * tangents[0]))
    if "vjp" in order:
        f.defvjp(lambda x: (x, None), lambda _, ct: (100 * ct,))
    if "vmap" in order:
        f.def_vmap(lambda size, in_batched, x: (x + 1000, True))
    derivatives = [kind for kind in order if kind != "vmap"]
    assert jax.grad(f)(2.0) == {"jvp": 10, "vjp": 100}[derivatives[0]]
    rows = jnp.arange(3.0)
    assert (jax.vmap(f)(rows) == rows + ("vmap" in order) * 1000).all()
    with pytest.raises(AttributeError, match=r"no attribute 'def_other'"):
        f.def_other()


@jax.custom_vjp
def counted(x, history):
    """x, with a cotangent of `history` that comes from the rule alone, as libraries of quantized layers have it."""
    return 2 * x


counted.defvjp(
    lambda x, history: (2 * x, history), lambda history, ct: (2 * ct, history + 100)
)


@jax.custom_vjp
def ignoring(x, y):
    return x + y


ignoring.defvjp(lambda x, y: (x + y, None), lambda _, ct: (ct, None))


def both(x, history):
    return ignoring(x, counted(x, history))


ZEROS = {
    "plain": both,
    "jit": jax.jit(both),
    "the last in jit": lambda x, h: jax.jit(ignoring)(x, counted(x, h)),
    "checkpoint": jax.checkpoint(both),
    "vmap": lambda x, h: jax.vmap(both)(x[None], h[None])[0],
    "cond": lambda x, h: jax.lax.cond(x > 0, both, lambda x, h: x, x, h),
    "between": lambda x, h: ignoring(x, jnp.sin(counted(x, h)) * 3),
    "linear between": lambda x, h: ignoring(x, jnp.stack([counted(x, h)] * 2)[1]),
    "zeros": lambda x, h: x + 0.0 * counted(x, h),
}


@pytest.mark.parametrize("name", ZEROS)
@pytest.mark.parametrize("compiled", [False, True])
def test_rules_are_called_for_cotangents_that_are_zeros(name, compiled):
    gradient = jax.grad(ZEROS[name], (0, 1))
    if compiled:
        gradient = jax.jit(gradient)
    of_x, of_history = gradient(jnp.float32(1.0), jnp.float32(5.0))
    assert (of_x, of_history) == (1, 105)


def test_each_step_of_a_loop_asks():
    def loop(x, history):
        return jax.lax.scan(lambda c, _: (both(c, history), None), x, None, 3)[0]

    assert jax.grad(loop, (0, 1))(1.0, 5.0) == (1, 315)


def test_rules_are_not_called_where_nothing_depends_on_the_result():
    for function in (
        lambda x, h: (counted(x, h), x)[1],
        lambda x, h: x + jax.lax.stop_gradient(counted(x, h)),
        lambda x, h: jax.jit(lambda a, b: a)(x, counted(x, h)),
        lambda x, h: jax.jit(lambda x, h: (x, counted(x, h)))(x, h)[0],
        lambda x, h: x * (counted(x, h) > 0),
    ):
        assert jax.grad(function, (0, 1))(1.0, 5.0) == (1, 0)


@pytest.mark.parametrize("kind", [jax.custom_jvp, jax.custom_vjp])
def test_keyword_only_parameters_keep_their_defaults(kind):
    @kind
    def f(x, *, n=2):
        return x**n

    if kind is jax.custom_jvp:
        f.defjvp(lambda p, t: (p[0] ** 2, 5 * t[0]))
    else:
        f.defvjp(lambda x: (x**2, None), lambda _, ct: (5 * ct,))
    assert f(3.0) == 9.0
    assert jax.grad(f)(3.0) == 5.0
    with pytest.raises(TypeError, match="could not be resolved to positions: n"):
        f(3.0, n=3)


@pytest.mark.parametrize("transform", [jax.jit, jax.grad, jax.vmap])
def test_a_setting_of_a_function_with_a_backward_rule_is_not_traced(transform):
    f = jax.custom_vjp(lambda x, y: x * y, nondiff_argnums=(0,))
    f.defvjp(lambda x, y: (x * y, y), lambda x, y, ct: (ct * x,))
    with pytest.raises(jax.errors.UnexpectedTracerError, match="nondiff_argnums"):
        transform(lambda x: f(x, 3.0))(jnp.ones(2) if transform is jax.vmap else 2.0)
    assert jax.jit(jax.grad(lambda y: f(2.0, y)))(3.0) == 2.0


@pytest.mark.parametrize("decorate", [jax.custom_jvp, jax.custom_vjp])
def test_a_keyword_after_a_default_that_is_left_out_has_a_position(decorate):
    @ft.partial(decorate, nondiff_argnums=(1, 2))
    def scaled(x, by=1, twice=False):
        return x * by * (2 if twice else 1)

    if decorate is jax.custom_jvp:
        scaled.defjvp(
            lambda by, twice, primals, tangents: (
                scaled(*primals, by, twice),
                7 * tangents[0],
            )
        )
    else:
        scaled.defvjp(
            lambda x, by, twice: (scaled(x, by, twice), None),
            lambda by, twice, _, ct: (7 * ct,),
        )
    assert scaled(3.0, twice=True) == 6.0
    assert jax.grad(lambda x: scaled(x, twice=True))(3.0) == 7.0
    assert jax.grad(lambda x: scaled(by=5, x=x))(3.0) == 7.0


def test_functions_with_rules_of_their_own_are_inlined():
    @jax.custom_jvp
    def sine(x):
        return jnp.sin(x)

    sine.defjvps(lambda t, out, x: t)

    @jax.custom_vjp
    def cosine(x):
        return jnp.cos(sine(x))

    cosine.defvjp(lambda x: (cosine(x), x), lambda x, ct: (ct,))
    text = jax.jit(cosine).lower(1.0).as_text()
    assert "call @" not in text
    assert text.index("stablehlo.sine") < text.index("stablehlo.cosine")
