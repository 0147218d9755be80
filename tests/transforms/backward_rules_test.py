"""Backward rules that add to accumulators, report values, or come in three steps."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp


def times(x, a):
    return x * a["a"]


def forward(x, a):
    return times(x, a), (x, a["a"])


def logged():
    f = jax.custom_vjp(times)
    f.defvjp_with_logs(
        forward, lambda res, ct: ((res[1] * ct, {"a": res[0] * ct}), {"ct": ct})
    )
    return f


def accumulating(found):
    f = jax.custom_vjp(times)

    def backward(res, ct, to_x, to_a):
        found.append((repr(to_x), repr(to_a["a"])))
        to_x.accum(ct * res[1])
        to_a["a"].accum(ct * res[0])
        to_a["a"].accum(ct * res[0])

    f.defvjp_with_accums(forward, backward)
    return f


def test_accumulators_add_up_what_a_rule_adds():
    f = accumulating([])
    to_x, to_a = jax.grad(f, (0, 1))(2.0, {"a": 3.0})
    assert (to_x, to_a["a"]) == (3.0, 4.0)
    assert jax.jit(jax.grad(f))(2.0, {"a": 3.0}) == 3.0
    rows = jax.vmap(jax.grad(f), (0, None))(jnp.arange(3.0), {"a": 3.0})
    assert rows.tolist() == [3.0] * 3


def test_accumulators_add_up_parts_of_other_dtypes():
    def back(x, ct, to_x):
        to_x.accum(ct * x)
        to_x.accum(jnp.ones((), jnp.float32))

    f = jax.custom_vjp(lambda x: x * x)
    f.defvjp_with_accums(lambda x: (x * x, x), back)
    for way in (jax.grad(f), jax.jit(jax.grad(f))):
        found = way(jnp.bfloat16(2))
        assert (found, found.dtype) == (3, "bfloat16")


def test_what_is_not_differentiated_in_has_an_accumulator_that_drops():
    found = []
    jax.grad(accumulating(found))(2.0, {"a": 3.0})
    assert found == [("ValAccum(float32[])", "NullAccum(float32[])")]


def test_a_rule_that_adds_nothing_gives_zeros():
    f = jax.custom_vjp(times)
    f.defvjp_with_accums(forward, lambda res, ct, to_x, to_a: None)
    to_x, to_a = jax.grad(f, (0, 1))(2.0, {"a": 3.0})
    assert (to_x, to_a["a"]) == (0.0, 0.0)


def test_a_cotangent_of_another_shape_is_refused():
    f = jax.custom_vjp(times)
    f.defvjp_with_accums(forward, lambda res, ct, to_x, to_a: to_x.accum(jnp.ones(2)))
    with pytest.raises(ValueError, match=r"Expected cotangent type float32\[\]"):
        jax.grad(f)(2.0, {"a": 3.0})


def test_an_answer_that_is_no_dictionary_is_refused():
    f = jax.custom_vjp(times)
    f.defvjp_with_accums(forward, lambda res, ct, to_x, to_a: 3)
    with pytest.raises(TypeError, match="must return None or a dict of backward-pass"):
        jax.grad(f)(2.0, {"a": 3.0})


def loop(f, x):
    return jax.lax.scan(lambda c, _: (f(c, {"a": 3.0}), None), x, None, length=3)[0]


WAYS = {
    "called": (lambda f: lambda x: f(x, {"a": 3.0}), 1.0),
    "jit": (lambda f: jax.jit(lambda x: f(x, {"a": 3.0})), 1.0),
    "jit of jit": (lambda f: jax.jit(jax.jit(lambda x: f(x, {"a": 3.0}))), 1.0),
    "checkpoint": (lambda f: jax.checkpoint(lambda x: f(x, {"a": 3.0})), 1.0),
    "scan": (lambda f: lambda x: loop(f, x), [9.0, 3.0, 1.0]),
    "jit of scan": (lambda f: jax.jit(lambda x: loop(f, x)), [9.0, 3.0, 1.0]),
}


@pytest.mark.parametrize("way", WAYS)
def test_logs_come_out_of_programs_each_time(way):
    wrap, expected = WAYS[way]
    f = wrap(logged())
    # Backward programs are kept: what they report comes from every one of their runs.
    for _ in range(2):
        cts, logs = jax.vjp(f, 2.0)[1].with_logs(1.0)
        assert jnp.asarray(logs["ct"]).tolist() == expected
        assert jax.vjp(f, 2.0)[1](1.0) == cts


@pytest.mark.parametrize("way", WAYS)
def test_logs_of_batch_elements_are_stacked(way):
    wrap, expected = WAYS[way]
    f = jax.vmap(wrap(logged()))
    _, logs = jax.vjp(f, jnp.ones(2))[1].with_logs(jnp.array([1.0, 2.0]))
    expected = jnp.asarray(expected)
    both = jnp.stack([expected, 2 * expected])
    found = logs["ct"]
    # Programs of loops stack along iterations first.
    assert (found if found.shape == both.shape else found.T).tolist() == both.tolist()


def test_logs_of_a_branch_are_refused_by_name_and_only_if_requested():
    f = logged()

    def chosen(x):
        return jax.lax.cond(x > 0, lambda x: f(x, {"a": 3.0}), lambda x: x, x)

    for _ in range(2):
        back = jax.vjp(jax.jit(chosen), 2.0)[1]
        assert back(1.0) == (3.0,)
        with pytest.raises(NotImplementedError, match="log 'ct'"):
            back.with_logs(1.0)


def test_a_key_is_used_once_in_a_backward_pass():
    f = logged()
    back = jax.vjp(lambda x: f(x, {"a": 3.0}) + f(x, {"a": 2.0}), 1.0)[1]
    for call in (back, back.with_logs):
        with pytest.raises(ValueError, match="Duplicate backward-pass log key 'ct'"):
            call(1.0)


def test_logs_are_inside_of_a_compiled_derivative():
    f = logged()
    make = jax.jit(lambda x: jax.vjp(f, x, {"a": 3.0})[1].with_logs(2 * x)[1])
    assert make(4.0)["ct"] == 8.0


def test_a_rule_in_three_steps_is_the_derivative():
    f = jax.custom_vjp(jnp.sin)
    f.defremat(
        lambda x: (jnp.sin(x), jnp.cos(x)),
        lambda cos_x, x: (jnp.sin(x), 2 * cos_x),
        lambda twice, ct: (ct * twice,),
    )
    for way in (f, jax.checkpoint(f), jax.jit(f)):
        assert jax.grad(way)(0.0) == 2.0


def test_the_first_of_three_steps_makes_the_result():
    f = jax.custom_vjp(jnp.sin)
    f.defremat(
        lambda x: (10 * x, 2 * x),
        lambda twice, x: (100 * x, 3 * twice),
        lambda slope, ct: (ct * slope,),
    )

    def two(x):
        return jax.lax.scan(lambda c, _: (f(c), None), x, None, length=2)[0]

    for way in (f, jax.checkpoint(f), jax.jit(f), jax.jit(jax.checkpoint(f))):
        assert jax.value_and_grad(way)(1.0) == (10.0, 6.0)
    for way in (two, jax.checkpoint(two)):
        assert jax.value_and_grad(way)(1.0) == (100.0, 360.0)


def test_a_rule_in_two_steps_goes_before_one_in_three():
    f = jax.custom_vjp(jnp.sin)
    f.defvjp(lambda x: (f(x), None), lambda _, ct: (5 * ct,))
    f.defremat(
        lambda x: (f(x), None), lambda _, x: (f(x), None), lambda _, ct: (7 * ct,)
    )
    assert jax.grad(f)(0.0) == 5.0


def test_a_rule_in_three_steps_reports():
    f = jax.custom_vjp(jnp.sin)
    f.defremat_with_logs(
        lambda x: (f(x), None),
        lambda _, x: (f(x), jnp.cos(x)),
        lambda cos_x, ct: ((ct * cos_x,), {"slope": cos_x}),
    )
    assert jax.vjp(f, 0.0)[1].with_logs(1.0)[1]["slope"] == 1.0


def test_a_custom_gradient_reports():
    @jax.custom_gradient(with_logs=True)
    def f(x):
        return x**2, lambda ct: ((ct * 2 * x,), {"ct": ct})

    assert jax.grad(f)(3.0) == 6.0
    assert jax.vjp(f, 3.0)[1].with_logs(2.0)[1]["ct"] == 2.0


def test_a_custom_gradient_is_made_when_the_backward_pass_comes():
    @jax.custom_gradient(remat=True)
    def f(x):
        cos_x = jnp.cos(x)
        return jnp.sin(x), lambda x: (jnp.sin(x), lambda ct: (3 * ct * cos_x,))

    assert f(0.0) == 0.0
    assert jax.grad(f)(0.0) == jax.grad(jax.checkpoint(f))(0.0) == 3.0


@pytest.mark.parametrize(
    "differentiate",
    [
        jax.grad,
        jax.value_and_grad,
        jax.jacrev,
        lambda f: jax.jit(jax.grad(f)),
        lambda f: jax.grad(lambda x: f(x) + f(x)),
        lambda f: jax.vmap(jax.grad(f), axis_size=2, in_axes=None),
        lambda f: lambda x: jax.vjp(f, x)[1](np.float32(1)),
    ],
)
def test_a_rule_gets_arrays_though_the_cotangent_is_a_number(differentiate):
    seen = []

    @jax.custom_vjp
    def f(x):
        return x.sum(), 2 * x

    def backward(_, cts):
        seen.extend(isinstance(ct, jax.Array) for ct in cts)
        return (jnp.full(3, cts[0].at[...].multiply(2)),)

    f.defvjp(lambda x: (f(x), None), backward)
    differentiate(lambda x: f(x)[0])(jnp.ones(3))
    assert seen and all(seen)


def test_the_first_cotangent_stays_a_literal_of_the_program():
    @jax.custom_vjp
    def f(x):
        return x.sum()

    f.defvjp(lambda x: (f(x), x), lambda x, ct: (ct * x,))
    program = jax.make_jaxpr(jax.grad(f))(jnp.ones(3))
    assert "1.0:f32[]" in str(program) and not program.consts
