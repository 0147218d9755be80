"""Operations of libraries as classes: their rules under every transformation."""

import pytest

import jax
import jax.numpy as jnp
from jax.experimental import hijax as hj


class Power(hj.VJPHiPrimitive):
    """With rules for both directions, for rows, and for programs."""

    def __init__(self, aval, *, power):
        self.in_avals, self.out_aval, self.params = (aval,), aval, {"power": power}
        super().__init__()

    def expand(self, x):
        return x**self.power

    def vjp_fwd(self, nzs_in, x):
        return self(x), x

    def vjp_bwd_retval(self, x, ct):
        return (ct * self.power * x ** (self.power - 1),)

    def jvp(self, primals, tangents):
        (x,), (t,) = primals, tangents
        return self(x), t * self.power * x ** (self.power - 1)

    def batch(self, axis_data, args, dims):
        assert axis_data.size == args[0].shape[dims[0]]
        return power(args[0], self.power), dims[0]


def power(x, n):
    return Power(jax.typeof(x), power=n)(x)


def cube(x):
    return power(x, 3)


FUNCTIONS = {
    "evaluated": (cube, 8.0),
    "compiled": (jax.jit(cube), 8.0),
    "backwards": (jax.grad(cube), 12.0),
    "backwards, compiled": (jax.jit(jax.grad(cube)), 12.0),
    "compiled, backwards": (jax.grad(jax.jit(cube)), 12.0),
    "forwards": (lambda x: jax.jvp(cube, (x,), (1.0,))[1], 12.0),
    "forwards, compiled": (jax.jit(lambda x: jax.jvp(cube, (x,), (1.0,))[1]), 12.0),
    "forwards, twice": (jax.jacfwd(jax.jacfwd(cube)), 12.0),
    "backwards, twice": (jax.grad(jax.grad(cube)), 12.0),
    "forwards of backwards": (jax.jacfwd(jax.grad(cube)), 12.0),
    "as a linear map": (lambda x: jax.linearize(cube, x)[1](1.0), 12.0),
    "computed again": (jax.grad(jax.checkpoint(cube)), 12.0),
    "for rows": (lambda x: jax.vmap(cube)(jnp.array([x]))[0], 8.0),
    "backwards, for rows": (
        lambda x: jax.vmap(jax.grad(cube))(jnp.array([x]))[0],
        12.0,
    ),
    "for rows, backwards": (
        lambda x: jax.grad(lambda v: jax.vmap(cube)(v).sum())(jnp.array([x]))[0],
        12.0,
    ),
    "in a loop": (lambda x: jax.lax.fori_loop(0, 2, lambda _, y: power(y, 2), x), 16.0),
    "in a loop, backwards": (
        jax.grad(lambda x: jax.lax.fori_loop(0, 2, lambda _, y: power(y, 2), x)),
        32.0,
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_operation_under_transformations(name):
    f, wanted = FUNCTIONS[name]
    assert float(f(2.0)) == pytest.approx(wanted)


def test_a_program_has_one_equation():
    (eqn,) = jax.make_jaxpr(cube)(2.0).eqns
    assert str(eqn.primitive) == "call_hi_primitive"
    assert "_prim=Power[{'power': 3}]" in str(eqn)


def test_operations_are_equal_by_their_parameters():
    one, same, other = (Power(jax.typeof(1.0), power=n) for n in (2, 2, 3))
    assert one == same != other and hash(one) == hash(same)


class Both(hj.VJPHiPrimitive):
    """A primitive of a tree of operands, whose rules are mapped by `vmap`, with a rule that adds cotangents."""

    def __init__(self, a, b):
        self.in_avals, self.out_aval, self.params = ({"a": a, "b": b},), (a, b), {}
        super().__init__()

    def expand(self, d):
        return d["a"] * d["b"], d["a"] + d["b"]

    def vjp_fwd(self, nzs_in, d):
        seen.append(nzs_in)
        return self(d), d

    def vjp_bwd(self, d, cts, accumulators):
        product, total = map(hj.instantiate_zeros, cts)
        for name, other in (("a", "b"), ("b", "a")):
            if hasattr(accumulators[name], "accum"):
                accumulators[name].accum(product * d[other])
                accumulators[name].accum(total)


class Returning(Both):
    vjp_bwd = hj.VJPHiPrimitive.vjp_bwd

    def vjp_bwd_retval(self, d, cts):
        product, total = map(hj.instantiate_zeros, cts)
        return ({"a": product * d["b"] + total, "b": product * d["a"] + total},)

    def batch_dim_rule(self, axis_data, dims):
        return 0, 0


seen: list = []


def both(kind, d):
    return kind(jax.typeof(d["a"]), jax.typeof(d["b"]))(d)


@pytest.mark.parametrize("kind", [Both, Returning])
def test_an_operation_of_trees(kind):
    d = {"a": 2.0, "b": 3.0}
    assert [float(x) for x in both(kind, d)] == [6.0, 5.0]
    seen.clear()
    found = jax.grad(lambda d: sum(both(kind, d)))(d)
    assert {k: float(v) for k, v in found.items()} == {"a": 4.0, "b": 3.0}
    assert jax.grad(lambda a: both(kind, {"a": a, "b": 3.0})[0])(2.0) == 3.0
    assert seen == [({"a": True, "b": True},), ({"a": True, "b": False},)]
    with pytest.raises(
        NotImplementedError, match="for jvp support.*must implement `jvp`"
    ):
        jax.jvp(lambda d: both(kind, d), (d,), (d,))


def test_rules_see_the_batch_dimensions():
    rows = {"a": jnp.array([1.0, 2.0]), "b": jnp.array([3.0, 4.0])}
    mapped = jax.vmap(lambda d: both(Returning, d))
    assert mapped(rows)[0].tolist() == [3.0, 8.0]
    found = jax.grad(lambda d: mapped(d)[0].sum())(rows)
    assert (found["a"].tolist(), found["b"].tolist()) == ([3.0, 4.0], [1.0, 2.0])
    shared = jax.vmap(
        lambda a, b: both(Returning, {"a": a, "b": b})[0], in_axes=(0, None)
    )
    assert jax.grad(lambda b: shared(rows["a"], b).sum())(5.0) == 3.0
    twice = jax.vmap(mapped)({k: jnp.stack([v, v]) for k, v in rows.items()})
    assert twice[1].tolist() == [[4.0, 6.0]] * 2


class Half(hj.VJPHiPrimitive):
    """Linear, with a rule for that; and one that is left out where nobody needs it."""

    def __init__(self, aval):
        self.in_avals, self.out_aval, self.params = (aval,), (aval, aval), {}
        super().__init__()

    def expand(self, x):
        return x / 2, x / 4

    def transpose(self, cts, accumulator):
        accumulator.accum(hj.instantiate_zeros(cts[0]) / 2)


def test_a_linear_operation_is_transposed():
    half = Half(jax.typeof(1.0))
    assert jax.linear_transpose(lambda x: half(x)[0], 1.0)(8.0) == (4.0,)


def test_an_operation_that_nobody_needs_is_left_out():
    half = Half(jax.typeof(1.0))
    for keep, wanted in ((True, 1), (False, 0)):
        jaxpr = jax.make_jaxpr(lambda x: (half(x)[0], x))(1.0).jaxpr
        smaller, _ = jax.interpreters.partial_eval.dce_jaxpr(jaxpr, [keep, True])
        assert len(smaller.eqns) == wanted


class Bare(hj.VJPHiPrimitive):
    def __init__(self, **fields):
        vars(self).update(fields)
        super().__init__()


def test_what_an_operation_lacks_is_said():
    with pytest.raises(AttributeError, match="should set `self.in_avals`"):
        Bare()
    one = jax.typeof(1.0)
    bare = Bare(in_avals=(one,), out_aval=one, params={})
    for ask, method in (
        (lambda: bare(1.0), "`expand`"),
        (lambda: jax.grad(bare)(1.0), "`vjp_fwd` or `jvp`"),
        (lambda: jax.vmap(bare)(jnp.ones(2)), "`batch` or `batch_dim_rule`"),
    ):
        with pytest.raises(NotImplementedError, match=f"must implement {method}"):
            ask()
    with pytest.raises(TypeError, match="Bare: the arguments have another structure"):
        bare((1.0, 2.0))

    class Double(Bare):
        def vjp_bwd(self, *args): ...
        def vjp_bwd_retval(self, *args): ...

    with pytest.raises(AttributeError, match="should not define both"):
        Double(in_avals=(one,), out_aval=one, params={})
