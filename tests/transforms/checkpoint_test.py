"""`checkpoint`: the same values, fewer of them kept."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.ad_checkpoint import Recompute, checkpoint_name
from jax.experimental import io_callback


def chain(x):
    return jnp.sin(checkpoint_name(jnp.sin(jnp.sin(x)), "middle"))


def slope(x):
    a, b = np.sin(x), np.sin(np.sin(x))
    return np.cos(b) * np.cos(a) * np.cos(x)


POLICIES = {
    "nothing": None,
    "everything": jax.checkpoint_policies.everything_saveable,
    "names": jax.checkpoint_policies.save_only_these_names("middle"),
    "dots": jax.checkpoint_policies.dots_saveable,
    "either": jax.checkpoint_policies.save_from_both_policies(
        lambda *_, **__: Recompute,
        jax.checkpoint_policies.save_only_these_names("middle"),
    ),
    "offloaded": jax.checkpoint_policies.save_and_offload_only_these_names(
        names_which_can_be_saved=[],
        names_which_can_be_offloaded=["middle"],
        offload_src="device",
        offload_dst="pinned_host",
    ),
}


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
@pytest.mark.parametrize("outer", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_gradients_do_not_change(policy, outer):
    fun = outer(jax.checkpoint(chain, policy=policy))
    assert jax.grad(fun)(0.7) == pytest.approx(slope(0.7), rel=1e-5)
    second = jax.grad(jax.grad(fun))(0.7)
    assert second == pytest.approx(jax.grad(jax.grad(chain))(0.7), rel=1e-4)


def residual_count(fun):
    _, back = jax.vjp(fun, jnp.full(3, 0.7))
    return len(jax.tree.leaves(back))


def test_only_the_argument_is_kept():
    assert residual_count(jax.checkpoint(chain)) == 1
    assert residual_count(chain) == 3


def test_a_policy_keeps_named_values():
    policy = jax.checkpoint_policies.save_only_these_names("middle")
    assert residual_count(jax.checkpoint(chain, policy=policy)) == 2


def test_either_of_two_policies_keeps():
    assert residual_count(jax.checkpoint(chain, policy=POLICIES["either"])) == 2
    assert residual_count(jax.checkpoint(chain, policy=POLICIES["offloaded"])) == 2


def checked(x, y):
    """A product, a batch of products, two names and a sine, for policies to decide on."""
    plain = jax.lax.dot_general(x, x, (((1,), (0,)), ((), ())))
    batch = jax.lax.dot_general(y, y, (((2,), (1,)), ((0,), (0,))))
    return plain, batch, checkpoint_name(x, "a"), checkpoint_name(x, "b"), jnp.sin(x)


policies = jax.checkpoint_policies


@pytest.mark.parametrize(
    ("policy", "kept"),
    [
        (policies.everything_saveable, "dot_general dot_general a b sin"),
        (policies.nothing_saveable, ""),
        (policies.dots_saveable, "dot_general dot_general"),
        (policies.dots_with_no_batch_dims_saveable, "dot_general"),
        (policies.offload_dot_with_no_batch_dims("x", "y"), "dot_general"),
        (policies.save_only_these_names("a"), "a"),
        (policies.save_any_names_but_these("a"), "b"),
        (
            policies.save_anything_except_these_names("a"),
            "dot_general dot_general b sin",
        ),
        (
            policies.save_from_both_policies(
                policies.save_only_these_names("b"), policies.dots_saveable
            ),
            "dot_general dot_general b",
        ),
    ],
)
def test_what_a_policy_keeps(policy, kept):
    eqns = jax.make_jaxpr(checked)(jnp.ones((2, 2)), jnp.ones((3, 2, 2))).eqns
    found = [
        eqn.params.get("name", eqn.primitive.name)
        for eqn in eqns
        if policy(eqn.primitive, *[x.aval for x in eqn.invars], **eqn.params)
    ]
    assert found == kept.split()


def test_policies_see_into_compiled_functions():
    policy = POLICIES["names"]
    assert residual_count(jax.checkpoint(jax.jit(chain), policy=policy)) == 2


def test_a_policy_may_only_name_memories_that_are_there():
    policy = jax.checkpoint_policies.offload_dot_with_no_batch_dims("device", "attic")
    with pytest.raises(ValueError, match=r"to +'attic'"):
        jax.grad(jax.checkpoint(lambda x: jnp.dot(x, x), policy=policy))(jnp.ones(2))


def test_loops_and_choices_inside_have_gradients():
    def fun(x):
        x, _ = jax.lax.scan(lambda c, n: (jnp.sin(c) * n, c), x, jnp.arange(1.0, 4.0))
        return jax.lax.cond(x > 0, jnp.sin, jnp.cos, jax.jit(jnp.tanh)(x))

    want = jax.grad(fun)(0.7)
    assert jax.grad(jax.checkpoint(fun))(0.7) == pytest.approx(want, rel=1e-5)
    nested = jax.checkpoint(jax.checkpoint(fun), policy=POLICIES["everything"])
    assert jax.jit(jax.grad(nested))(0.7) == pytest.approx(want, rel=1e-5)


def test_checkpointed_functions_vectorise():
    x = jnp.arange(4) / 4.0
    out = jax.vmap(jax.grad(jax.checkpoint(chain)))(x)
    np.testing.assert_allclose(out, slope(np.asarray(x)), rtol=1e-5)


def test_static_arguments_are_python_values():
    fun = jax.checkpoint(lambda x, n: x**n, static_argnums=1)
    assert jax.grad(fun)(2.0, 3) == pytest.approx(12.0)


def test_the_second_computation_stands_behind_a_barrier():
    text = jax.jit(jax.grad(jax.checkpoint(chain))).lower(1.0).as_text()
    assert "optimization_barrier" in text


# ---------------------------------------------------------------- inside of loops

WEIGHTS = jnp.arange(9.0).reshape(3, 3) / 10
ROWS = jnp.arange(12.0).reshape(4, 3) / 12


def step(carry, x):
    first = checkpoint_name(jnp.sin(WEIGHTS @ carry), "first")
    second = checkpoint_name(jnp.cos(WEIGHTS @ first), "second")
    return jnp.tanh(WEIGHTS @ second) + x, second.sum()


def total(pair):
    return pair[0].sum() + pair[1].sum()


INSIDE = {
    "none": None,
    "first": policies.save_only_these_names("first"),
    "both": policies.save_only_these_names("first", "second"),
    "not first": policies.save_anything_except_these_names("first"),
    "dots": policies.dots_saveable,
    "all": policies.everything_saveable,
    "nothing": policies.nothing_saveable,
    "offload": policies.save_and_offload_only_these_names(
        names_which_can_be_saved=["first"],
        names_which_can_be_offloaded=["second"],
        offload_src="device",
        offload_dst="pinned_host",
    ),
}


def body_in_scan(policy):
    body = jax.checkpoint(step, policy=policy)
    return lambda carry, xs: total(jax.lax.scan(body, carry, xs))


def around_scan(policy):
    return jax.checkpoint(
        lambda carry, xs: total(jax.lax.scan(step, carry, xs)), policy=policy
    )


def body_and_around(policy):
    return jax.checkpoint(body_in_scan(policy), policy=policy)


def around_fori_loop(policy):
    def fun(carry, xs):
        carry = jax.lax.fori_loop(0, 3, lambda i, c: step(c, xs[i])[0], carry)
        return (WEIGHTS @ carry).sum()

    return jax.checkpoint(fun, policy=policy)


def around_cond(policy):
    def fun(carry, xs):
        carry = jax.lax.cond(
            xs[0, 0] > -1, lambda c: step(c, xs[0])[0], lambda c: c, carry
        )
        return (WEIGHTS @ jnp.sin(WEIGHTS @ carry)).sum()

    return jax.checkpoint(fun, policy=policy)


def count(jaxpr, names):
    """How many equations of these names a program has, inner programs included."""
    inner = sum(count(sub, names) for sub in jax.core.subjaxprs(jaxpr))
    return inner + sum(eqn.primitive.name in names for eqn in jaxpr.eqns)


# Per policy of INSIDE: products of matrices, and sines, cosines and hyperbolic tangents,
# in the program of the gradient. As JAX 0.10.2 has them.
COUNTS = {
    body_in_scan: [(9, 8), (9, 7), (9, 6), (6, 5), (6, 6), (6, 5), (9, 8), (9, 6)],
    around_scan: [(9, 8), (9, 7), (9, 6), (6, 5), (6, 6), (6, 5), (9, 8), (9, 6)],
    body_and_around: [
        (12, 11),
        (11, 9),
        (10, 7),
        (6, 5),
        (6, 6),
        (6, 5),
        (12, 11),
        (10, 7),
    ],
    around_fori_loop: [
        (11, 8),
        (11, 7),
        (11, 6),
        (8, 5),
        (8, 6),
        (8, 5),
        (11, 8),
        (11, 6),
    ],
    around_cond: [
        (14, 10),
        (14, 9),
        (14, 8),
        (10, 7),
        (10, 8),
        (10, 7),
        (14, 10),
        (14, 8),
    ],
}


@pytest.mark.parametrize("name", INSIDE)
@pytest.mark.parametrize("make", COUNTS, ids=lambda make: make.__name__)
def test_policies_see_into_loops_and_branches(make, name):
    gradient = jax.grad(make(INSIDE[name]), argnums=(0, 1))
    jaxpr = jax.make_jaxpr(gradient)(jnp.ones(3), ROWS).jaxpr
    wanted = COUNTS[make][list(INSIDE).index(name)]
    assert count(jaxpr, {"dot_general"}) == wanted[0]
    assert count(jaxpr, {"sin", "cos", "tanh"}) == wanted[1]


@pytest.mark.parametrize("name", INSIDE)
@pytest.mark.parametrize("make", COUNTS, ids=lambda make: make.__name__)
def test_policies_do_not_change_gradients_of_loops(make, name):
    plain = make(policies.everything_saveable)
    plain = getattr(plain, "__wrapped__", plain)
    for function in (jax.grad, lambda f: jax.jit(jax.hessian(f))):
        found = function(make(INSIDE[name]))(jnp.ones(3), ROWS)
        np.testing.assert_allclose(
            found, function(plain)(jnp.ones(3), ROWS), rtol=2e-5, atol=1e-5
        )


def test_what_is_kept_of_a_loop_is_stacked(capsys):
    jax.ad_checkpoint.print_saved_residuals(
        around_scan(INSIDE["both"]), jnp.ones(3), ROWS
    )
    types = [line.split(" ")[0] for line in capsys.readouterr().out.splitlines()]
    assert sorted(types) == ["f32[3]", "f32[4,3]", "f32[4,3]", "f32[4,3]"]


def test_static_arguments_may_be_counted_from_the_end():
    f = lambda x, n: x**n if n > 2 else x
    for number in (1, -1):
        slope = jax.grad(jax.checkpoint(f, static_argnums=number))(2.0, 3)
        assert slope == 12.0


def test_effects_that_may_not_happen_twice_are_refused():
    def f(x):
        io_callback(lambda v: None, None, jax.lax.stop_gradient(x))
        return jnp.sin(x)

    with pytest.raises(NotImplementedError, match="Effects not supported"):
        jax.grad(jax.checkpoint(f))(1.0)


@pytest.mark.parametrize("outer", [lambda f: f, jax.jit], ids=["eager", "jit"])
@pytest.mark.parametrize("answer", [1, 0, None, "yes", [], np.ones(2), np.bool_(True)])
def test_policies_answer_with_a_bool_or_what_stands_for_it(answer, outer):
    fun = outer(jax.grad(jax.checkpoint(chain, policy=lambda *_, **__: answer)))
    with pytest.raises(TypeError, match="returned by a remat policy should be a bool"):
        fun(0.7)
    either = jax.checkpoint_policies.save_from_both_policies(
        lambda *_, **__: answer, lambda *_, **__: True
    )
    with pytest.raises(TypeError, match=r"ad_checkpoint.Recompute.*Got "):
        outer(jax.grad(jax.checkpoint(chain, policy=either)))(0.7)


def printing(x):
    jax.debug.print("at {}", x)
    return jnp.sin(x) ** 2


def over(f):
    return lambda x: jax.lax.scan(lambda c, _: (f(c), None), x, None, length=1)[0]


# As often as in JAX 0.10.2: once, and once more for each pass that computes again.
PRINTED = {
    "one derivative": (lambda f: jax.grad(f), 2),
    "two": (lambda f: jax.grad(jax.grad(f)), 3),
    "three": (lambda f: jax.grad(jax.grad(jax.grad(f))), 4),
    "hessian": (lambda f: jax.hessian(f), 2),
    "two in a loop": (lambda f: jax.grad(jax.grad(over(f))), 3),
    "two of a compiled one": (lambda f: jax.grad(jax.grad(jax.jit(f))), 3),
    "two of rows": (
        lambda f: jax.grad(jax.grad(lambda x: jax.vmap(f)(x[None])[0])),
        3,
    ),
    "of a checkpoint of it": (lambda f: jax.grad(jax.checkpoint(f)), 3),
    "of a checkpointed derivative": (
        lambda f: jax.grad(jax.checkpoint(jax.grad(f))),
        5,
    ),
}


@pytest.mark.parametrize("outer", [lambda f: f, jax.jit], ids=["eager", "jit"])
@pytest.mark.parametrize("name", PRINTED)
def test_values_are_computed_once_more_for_each_derivative(name, outer, capsys):
    make, count = PRINTED[name]
    outer(make(jax.checkpoint(printing)))(jnp.float32(0.25))
    jax.effects_barrier()
    assert capsys.readouterr().out.splitlines() == ["at 0.25"] * count
