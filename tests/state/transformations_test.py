"""References under transformations and in control flow mean what functions of arrays do."""

from functools import partial

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax

XS = jnp.arange(4.0)


def near(found, wanted):
    jax.tree.map(
        lambda f, w: np.testing.assert_allclose(f, w, rtol=1e-5, atol=1e-6),
        found,
        wanted,
    )


# ---------------------------------------------------------------- jit


def test_an_argument_changes_for_the_caller():
    ref = jax.new_ref(jnp.arange(3.0))

    @jax.jit
    def f(ref, x):
        ref[0] = x
        ref[1] += ref[0] * 2
        return ref[...].sum()

    assert f(ref, 5.0) == 18.0
    assert ref[...].tolist() == [5.0, 11.0, 2.0]
    ref[2] = 7.0
    assert f(ref, 1.0) == 21.0
    assert f(jax.new_ref(jnp.zeros(3)), 1.0) == 3.0


def test_a_reference_from_outside_is_read_and_written_at_each_call():
    ref = jax.new_ref(jnp.arange(3.0))

    @jax.jit
    def f(x):
        ref[0] += x
        return ref[...] * 1

    assert f(1.0).tolist() == [1.0, 1.0, 2.0]
    assert f(2.0).tolist() == [3.0, 1.0, 2.0]
    ref[...] = jnp.zeros(3)
    assert f(3.0).tolist() == ref[...].tolist() == [3.0, 0.0, 0.0]


def test_a_program_is_compiled_once_for_all_references_of_a_type():
    traced = []

    @jax.jit
    def f(ref):
        traced.append(1)
        ref[...] += 1

    refs = [jax.new_ref(float(i)) for i in range(3)]
    for ref in (*refs, refs[0]):
        f(ref)
    assert [float(ref[...]) for ref in refs] == [2.0, 2.0, 3.0]
    assert len(traced) == 1


def test_calls_in_calls():
    ref = jax.new_ref(0.0)

    @jax.jit
    def passed(r, x):
        r[...] += x

    @jax.jit
    def from_outside(x):
        ref[...] += x

    @jax.jit
    def f(x):
        inner = jax.new_ref(jnp.zeros(2))
        part = jax.jit(lambda r: r.__setitem__(0, r[0] + x))
        part(inner), part(inner)
        passed(ref, x)
        from_outside(2 * x)
        return inner[...], ref[...]

    near(f(1.0), ([2.0, 0.0], 3.0))
    near(f(1.0), ([2.0, 0.0], 6.0))
    assert ref[...] == 6.0


def test_trees_of_references():
    refs = {"a": jax.new_ref(1.0), "b": [jax.new_ref(jnp.arange(2.0))]}

    @jax.jit
    def f(t):
        t["a"][...] += 1
        t["b"][0][1] = t["a"][...]

    f(refs)
    near(jax.tree.map(lambda r: r[...], refs), {"a": 2.0, "b": [[0.0, 2.0]]})


def test_stages_of_a_call_with_references():
    ref = jax.new_ref(jnp.arange(3.0))

    def f(ref):
        ref[0] = 9.0
        return ref[1]

    lowered = jax.jit(f).lower(ref)
    assert lowered.out_info == jax.eval_shape(f, ref)
    compiled = lowered.compile()
    assert compiled(ref) == 1.0
    assert ref[...].tolist() == [9.0, 1.0, 2.0]
    assert len(jax.make_jaxpr(f)(ref).jaxpr.outvars) == 2


def test_indices_may_be_traced():
    ref = jax.new_ref(jnp.arange(20.0).reshape(4, 5))
    wanted = np.arange(20.0).reshape(4, 5)

    @jax.jit
    def f(ref, i):
        ref[i, 1:3] = jnp.full(2, 9.0)
        ref[:, i] += 1
        ref[jax.ds(i, 2), 4] = jnp.zeros(2)
        return ref[jnp.array([0, 2]), i], ref[jax.ds(i, 2)]

    columns, rows = f(ref, 1)
    wanted[1, 1:3] = 9
    wanted[:, 1] += 1
    wanted[1:3, 4] = 0
    near(ref[...], wanted)
    near((columns, rows), (wanted[[0, 2], 1], wanted[1:3]))


def test_references_to_random_keys():
    ref = jax.new_ref(jax.random.key(0))

    @jax.jit
    def draw(ref):
        ref[...], key = jax.random.split(ref[...])
        return jax.random.uniform(key)

    key = jax.random.key(0)
    for _ in range(2):
        key, sub = jax.random.split(key)
        assert draw(ref) == jax.random.uniform(sub)


def test_the_array_of_a_reference_is_not_donated():
    ref = jax.new_ref(jnp.arange(3.0))
    before = ref[...]

    @partial(jax.jit, donate_argnums=(0, 1))
    def f(ref, x):
        ref[0] += x[0]
        return x + 1

    f(ref, jnp.ones(3))
    assert before.tolist() == [0.0, 1.0, 2.0] and ref[0] == 1.0
    assert jax.jit(lambda r: r[1], donate_argnums=0)(ref) == ref[1] == 1.0


def test_without_compilation():
    ref = jax.new_ref(jnp.zeros(2))
    with jax.disable_jit():
        jax.jit(lambda r, x: r.__setitem__(0, x))(ref, 5.0)
    assert ref[...].tolist() == [5.0, 0.0]


# ---------------------------------------------------------------- control flow


def jitted_or_not(test):
    ways = {"eager": lambda f: f, "jit": jax.jit}
    return pytest.mark.parametrize("way", ways.values(), ids=ways)(test)


@jitted_or_not
def test_scan_writes_to_a_reference_from_outside(way):
    ref, still = jax.new_ref(jnp.zeros(3)), jax.new_ref(2.0)

    def body(carry, x):
        ref[0] += x * still[...]
        ref[1] = carry
        return carry + 1, ref[0]

    run = way(lambda xs: lax.scan(body, 0.0, xs))
    near(run(XS), (4.0, [0.0, 2.0, 6.0, 12.0]))
    near(run(XS), (4.0, [12.0, 14.0, 18.0, 24.0]))
    near(ref[...], [24.0, 3.0, 0.0])


@jitted_or_not
def test_scan_over_the_rows_of_a_reference(way):
    ref = jax.new_ref(jnp.arange(8.0).reshape(4, 2))

    def body(carry, row):
        row[0] += 10.0
        return carry + row[...].sum(), None

    assert way(lambda r: lax.scan(body, 0.0, r)[0])(ref) == 68.0
    near(ref[...], [[10.0, 1.0], [12.0, 3.0], [14.0, 5.0], [16.0, 7.0]])


@jitted_or_not
def test_loops_in_loops(way):
    ref = jax.new_ref(0.0)

    def inner(carry, x):
        ref[...] += x
        return carry, ref[...]

    run = way(lambda xs: lax.scan(lambda c, x: lax.scan(inner, c, x), 0.0, xs)[1])
    near(run(jnp.arange(6.0).reshape(2, 3)), [[0.0, 1.0, 3.0], [6.0, 10.0, 15.0]])
    assert ref[...] == 15.0


@jitted_or_not
def test_a_loop_of_unknown_length(way):
    ref = jax.new_ref(jnp.zeros(5))

    def body(i, carry):
        ref[i] = i * 2.0
        return carry

    way(lambda n: lax.fori_loop(0, n, body, None))(3)
    near(ref[...], [0.0, 2.0, 4.0, 0.0, 0.0])
    near(lax.map(lambda i: ref[i] + 1, jnp.arange(3)), [1.0, 3.0, 5.0])


@jitted_or_not
def test_the_condition_of_a_loop_reads_what_the_body_writes(way):
    ref, limit = jax.new_ref(0.0), jax.new_ref(3.0)

    def body(i):
        ref[...] += 1
        return i + 1

    run = way(lambda i: lax.while_loop(lambda i: ref[...] < limit[...], body, i))
    assert run(0) == 3
    limit[...] = 5.0
    assert run(0) == 2


def test_the_condition_of_a_loop_does_not_write():
    ref = jax.new_ref(0.0)

    def condition(i):
        ref[...] += 1
        return i < 3

    with pytest.raises(NotImplementedError, match="condition writes to a reference"):
        lax.while_loop(condition, lambda i: i + 1, 0)


@jitted_or_not
def test_branches_write_to_different_references(way):
    a, b = jax.new_ref(0.0), jax.new_ref(0.0)

    def first(x):
        a[...] += x
        return b[...]

    def second(x):
        b[...] += 2
        return a[...]

    run = way(lambda p: lax.cond(p, first, second, 1.0))
    near([run(True), run(False), run(True)], [0.0, 1.0, 2.0])
    near([a[...], b[...]], [2.0, 2.0])


@jitted_or_not
def test_a_reference_as_operand_of_branches(way):
    ref = jax.new_ref(0.0)
    branches = [lambda r, k=k: r.__setitem__(..., r[...] + k) for k in (1.0, 2.0, 3.0)]
    run = way(lambda i: lax.switch(i, branches, ref))
    run(1), run(7)
    assert ref[...] == 5.0


def _unchanged(x):
    return x


def _below_three(x):
    return x < 3.0


def _a_branch_beside_one_that_reads(ref):
    return jax.make_jaxpr(
        lambda p: lax.cond(p, lambda x: x + ref[...].sum(), _unchanged, 1.0)
    )(True)


def _a_condition_of_a_body_that_writes(ref):
    def body(x):
        ref[0] += x
        return x + 1.0

    return jax.make_jaxpr(lambda x: lax.while_loop(_below_three, body, x))(0.0)


@pytest.mark.parametrize(
    ("trace", "parameter", "index"),
    [
        (_a_branch_beside_one_that_reads, "branches", 0),
        (_a_condition_of_a_body_that_writes, "cond_jaxpr", None),
    ],
)
def test_a_program_takes_references_by_type_and_not_by_identity(
    trace, parameter, index
):
    # The function without a reference is traced once, and gets an input it does not read.
    refs = [jax.new_ref(jnp.ones(n)) for n in (3, 3, 4)]
    kept = [trace(ref).eqns[-1].params[parameter] for ref in refs]
    same, again, other = kept if index is None else [k[index] for k in kept]
    assert same is again
    assert [p.in_avals[-1].shape for p in (same, other)] == [(3,), (4,)]


# ---------------------------------------------------------------- derivatives


def with_reference(x):
    ref = jax.new_ref(1.0)

    def body(carry, t):
        ref[...] *= jnp.sin(x * t)
        return carry, None

    lax.scan(body, None, XS[1:])
    lax.cond(x > 0, lambda: ref.__setitem__(..., ref[...] * x), lambda: None)
    return ref[...]


def without_reference(x):
    value = lax.scan(lambda c, t: (c * jnp.sin(x * t), None), 1.0, XS[1:])[0]
    return lax.cond(x > 0, lambda: value * x, lambda: value)


DERIVATIVES = {
    "grad": jax.grad,
    "jit of grad": lambda f: jax.jit(jax.grad(f)),
    "grad of jit": lambda f: jax.grad(jax.jit(f)),
    "jvp": lambda f: lambda x: jax.jvp(f, (x,), (1.0,)),
    "hessian": jax.hessian,
    "checkpoint": lambda f: jax.grad(jax.checkpoint(f)),
    "vmap of grad": lambda f: lambda x: jax.vmap(jax.grad(f))(x + jnp.arange(3.0)),
    "grad of vmap": lambda f: jax.grad(lambda x: jax.vmap(f)(x * jnp.ones(2)).sum()),
}


@pytest.mark.parametrize("name", DERIVATIVES)
@pytest.mark.parametrize("x", [0.7, -0.4])
def test_derivatives_through_a_reference_made_inside(name, x):
    transform = DERIVATIVES[name]
    near(transform(with_reference)(x), transform(without_reference)(x))


def test_a_reference_from_outside_is_a_constant():
    ref = jax.new_ref(3.0)
    for f in (lambda x: jnp.sin(x) * ref[...], lambda x, r=ref: jnp.sin(x) * r[...]):
        for transform in (lambda f: f, jax.jit, jax.checkpoint):
            near(jax.grad(transform(f))(1.0), 3 * np.cos(1.0))


def test_values_are_kept_while_differentiating():
    ref = jax.new_ref(jnp.zeros(3))

    def f(x):
        def body(carry, i):
            carry = carry * x
            ref[i] = lax.stop_gradient(carry)
            return carry, None

        return lax.scan(body, 1.0, jnp.arange(3))[0]

    for transform in (
        jax.grad,
        lambda f: jax.jit(jax.grad(f)),
        lambda f: jax.grad(jax.jit(f)),
    ):
        ref[...] = jnp.zeros(3)
        assert transform(f)(2.0) == 12.0
        near(ref[...], [2.0, 4.0, 8.0])


def test_a_counter_counts_under_every_transformation():
    count = jax.new_ref(0)

    @jax.jit
    def f(x):
        count[...] += 1
        return x * x

    f(1.0), jax.grad(f)(1.0), jax.vmap(f)(XS), jax.jit(jax.grad(f))(1.0)
    assert count[...] == 4


def test_a_value_with_a_tangent_does_not_leave():
    ref = jax.new_ref(3.0)

    def f(x):
        ref[...] = x * 2
        return x * x

    for transform in (lambda f: f, jax.jit):
        with pytest.raises(ValueError, match="(?s)differentiated value.*stop_gradient"):
            jax.grad(transform(f))(2.0)
    assert ref[...] == 3.0


def test_jvp_updates_references_and_their_tangents():
    ref, moving = jax.new_ref(3.0), jax.new_ref(1.0)

    def f(r):
        r[...] = r[...] * r[...]
        return r[...] + 1

    near(jax.jvp(f, (ref,), (moving,)), (10.0, 6.0))
    near([ref[...], moving[...]], [9.0, 6.0])


@pytest.mark.parametrize("transform", [jax.grad, lambda f: lambda r: jax.vjp(f, r)])
def test_derivatives_are_not_taken_in_references(transform):
    with pytest.raises(ValueError, match="differentiate in is a reference"):
        transform(lambda r: r[...] * 2)(jax.new_ref(1.0))


# ---------------------------------------------------------------- cotangents


@jax.custom_vjp
def stash(ref, x):
    return x


stash.defvjp(lambda ref, x: (x, ref), lambda ref, ct: (None, _stash(ref, ct)))


def _stash(ref, ct):
    ref[...] += ct
    return ct


STASHING = {
    "grad": lambda f: jax.grad(f),
    "jit of grad": lambda f: lambda x, ref: jax.jit(jax.grad(f))(x, ref),
    "grad of jit": lambda f: jax.grad(jax.jit(f)),
    "grad of checkpoint": lambda f: jax.grad(jax.checkpoint(f)),
    "jit of grad of jit": lambda f: jax.jit(jax.grad(jax.jit(f))),
}


@pytest.mark.parametrize("name", STASHING)
def test_a_backward_rule_writes_to_a_reference(name):
    transform = STASHING[name]

    def f(x, ref):
        return jnp.sin(stash(ref, x * 2))

    ref = jax.new_ref(0.0)
    for count in (1, 2):
        near(transform(f)(1.0, ref), 2 * np.cos(2.0))
        near(ref[...], count * np.cos(2.0))


@pytest.mark.parametrize("name", STASHING)
def test_a_backward_rule_writes_in_loops_and_branches(name):
    def f(x, ref):
        def body(carry, t):
            return stash(ref, jnp.sin(carry)) * t, None

        y = lax.scan(body, x, XS[1:])[0]
        return lax.cond(x > 0, lambda: stash(ref, y), lambda: y * 2)

    def wanted(x):
        sums, ct, carries = 1.0, 1.0, [x]
        for t in XS[1:]:
            carries.append(jnp.sin(carries[-1]) * t)
        for t, c in zip(XS[:0:-1], carries[-2::-1], strict=True):
            ct = ct * t
            sums += ct
            ct = ct * jnp.cos(c)
        return ct, sums

    ref = jax.new_ref(0.0)
    found = STASHING[name](f)(1.0, ref)
    near((found, ref[...]), wanted(1.0))


def test_a_backward_rule_uses_a_reference_from_outside():
    ref = jax.new_ref(0.0)

    @jax.custom_vjp
    def f(x):
        return x * 2

    def backward(residuals, ct):
        ref[...] = ct
        return (ct * 2,)

    f.defvjp(lambda x: (x * 2, None), backward)
    near(jax.grad(lambda x: jnp.sin(f(x)))(1.0), 2 * np.cos(2.0))
    near(jax.jit(jax.grad(lambda x: jnp.sin(f(x))))(2.0), 2 * np.cos(4.0))
    near(ref[...], np.cos(4.0))


def test_a_function_with_a_rule_reads_but_does_not_write():
    ref = jax.new_ref(2.0)

    @jax.custom_jvp
    def reads(x):
        return x * ref[...]

    reads.defjvp(lambda p, t: (reads(p[0]), t[0] * 5))
    assert jax.jit(reads)(2.0) == 4.0
    ref[...] = 3.0
    assert jax.jit(reads)(2.0) == 6.0
    assert jax.jit(jax.grad(reads))(2.0) == 5.0

    @jax.custom_jvp
    def writes(x):
        ref[...] = 1.0
        return x

    writes.defjvp(lambda p, t: (p[0], t[0]))
    with pytest.raises(NotImplementedError, match="(?s)writes to a reference.*writes"):
        jax.jit(writes)(2.0)


def test_cotangents_are_added_to_references():
    _, back = jax.vjp(
        lambda p, x: jnp.sin(p["a"]) * p["b"] * x, {"a": 1.0, "b": 2.0}, 3.0
    )
    refs = {"a": jax.new_ref(10.0), "b": jax.new_ref(0.0)}
    for wanted in (jax.ad.GradValue(), jax.ad.DontWant()):
        parts, found = back.with_refs(refs, wanted)(1.0)
        assert parts == {"a": jax.ad.GradRef(), "b": jax.ad.GradRef()}
        assert jax.tree.leaves(parts) == []
        if wanted == jax.ad.DontWant():
            assert found == jax.ad.DidntWant()
        else:
            near(found, 2 * np.sin(1.0))
    near(refs["a"][...], 10 + 2 * 6 * np.cos(1.0))
    near(refs["b"][...], 2 * 3 * np.sin(1.0))


def test_gradients_accumulate_over_a_loop_in_one_reference():
    def loss(w, x):
        return (jnp.sin(w) * x).sum()

    @jax.jit
    def step(ref, w, xs):
        def body(carry, x):
            value, back = jax.vjp(lambda w: loss(w, x), w)
            back.with_refs(ref)(1.0)
            return carry, value

        return lax.scan(body, None, xs)[1]

    w, xs = jnp.arange(3.0), jnp.arange(12.0).reshape(4, 3)
    ref = jax.new_ref(jnp.zeros(3))
    near(step(ref, w, xs), jax.vmap(lambda x: loss(w, x))(xs))
    near(ref[...], jax.grad(lambda w: sum(loss(w, x) for x in xs))(w))


@pytest.mark.parametrize(
    "wanted, error",
    [
        ((), ValueError),
        ((None, jax.ad.GradValue()), ValueError),
        ((1.0, jax.ad.GradValue()), TypeError),
    ],
)
def test_with_refs_explains_what_it_takes(wanted, error):
    _, back = jax.vjp(lambda x, y: x * y, 2.0, 3.0)
    with pytest.raises(error, match="(?s)with_refs.*GradValue"):
        back.with_refs(*wanted)


# ---------------------------------------------------------------- vmap


@jitted_or_not
def test_rows_of_a_reference(way):
    ref = jax.new_ref(jnp.arange(6.0).reshape(2, 3))

    def f(ref, x):
        ref[0] += x
        jax.jit(lambda r: r.__setitem__(1, r[1] * 2))(ref)
        lax.fori_loop(0, 2, lambda i, c: ref.__setitem__(i, ref[i] + 1), None)
        return ref[...].sum()

    found = way(jax.vmap(f, in_axes=(1, 0)))(ref, jnp.arange(3.0))
    near(ref[...], [[1.0, 3.0, 5.0], [7.0, 9.0, 11.0]])
    near(found, [8.0, 12.0, 16.0])


def test_all_rows_read_one_reference():
    ref = jax.new_ref(jnp.arange(3.0))
    indices = jnp.array([2, 0])
    assert jax.vmap(lambda i: ref[i])(indices).tolist() == [2.0, 0.0]
    mapped = jax.vmap(lambda r, i: r[i], in_axes=(None, 0))
    assert mapped(ref, indices).tolist() == [2.0, 0.0]


@pytest.mark.parametrize("in_axes", [(None, 0)])
def test_rows_do_not_write_to_one_reference(in_axes):
    ref = jax.new_ref(jnp.arange(3.0))
    with pytest.raises(ValueError, match="(?s)batched value.*in_axes"):
        jax.vmap(lambda r, x: r.__setitem__(0, x), in_axes=in_axes)(ref, XS)


def test_a_reference_made_for_each_row():
    def f(x):
        ref = jax.new_ref(jnp.zeros(2))
        ref[0] = x
        return ref[...]

    near(jax.vmap(f)(jnp.arange(2.0)), [[0.0, 0.0], [1.0, 0.0]])


def test_what_takes_no_references_says_so():
    ref = jax.new_ref(2.0)
    with pytest.raises(NotImplementedError, match="(?s)from outside.*Ref.float32"):
        jax.linear_transpose(lambda x: x * ref[...], 1.0)


def test_rows_of_a_reference_without_compilation():
    ref = jax.new_ref(jnp.arange(4.0).reshape(2, 2))

    def body(carry, row):
        row[0] += 10.0
        return carry + row[...].sum(), None

    with jax.disable_jit():
        assert lax.scan(body, 0.0, ref)[0] == 26.0
    near(ref[...], [[10.0, 1.0], [12.0, 3.0]])
