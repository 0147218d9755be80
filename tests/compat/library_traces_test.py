"""Traces of libraries: what they are told, and that they stand with our transformations, outside and inside.

Three small ones: one counts operations, one carries derivatives, one units. All is upstream's behaviour as it was
observed; the file runs there too.
"""

import contextvars
import pickle
import threading

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax._src import core, literals, pjit

VECTOR = jnp.array([0.5, 1.0, 1.5])


class CountedTracer(core.Tracer):
    def __init__(self, trace, value):
        self._trace = trace
        self.value = value

    @property
    def aval(self):
        return core.typeof(self.value)


class CountingTrace(core.Trace):
    """Notes the operations and does them in its parent."""

    def __init__(self, parent, tag, seen):
        super().__init__()
        self.parent_trace, self.tag, self.seen = parent, tag, seen

    def value_of(self, x):
        mine = isinstance(x, CountedTracer) and x._trace.tag is self.tag
        return x.value if mine else x

    def process_primitive(self, primitive, tracers, params):
        self.seen.append((str(primitive), tracers, params, core.trace_ctx.trace))
        with core.set_current_trace(self.parent_trace):
            out = primitive.bind(*map(self.value_of, tracers), **params)
        if primitive.multiple_results:
            return [CountedTracer(self, x) for x in out]
        return CountedTracer(self, out)

    def process_custom_jvp_call(self, primitive, fun, jvp, tracers, *, symbolic_zeros):
        with core.set_current_trace(self):
            return fun.call_wrapped(*tracers)

    def process_custom_vjp_call(self, primitive, fun, *_, **__):
        *_, tracers = _
        with core.set_current_trace(self):
            return fun.call_wrapped(*tracers)


def counted(f, seen=None):
    """`f`, of whose operations a counting trace sees each."""
    seen = [] if seen is None else seen

    def run(*args):
        with core.take_current_trace() as parent:
            trace = CountingTrace(parent, core.TraceTag(), seen)
            inputs = [CountedTracer(trace, x) for x in args]
            with core.set_current_trace(trace):
                out = f(*inputs)
            return jax.tree.map(trace.value_of, out)

    return run


def names(f, *args):
    seen = []
    counted(f, seen)(*args)
    return [name for name, *_ in seen]


# ------------------------------------------------------------- outside and inside


@jax.custom_jvp
def forward_rule(x):
    return jnp.sin(x)


forward_rule.defjvps(lambda t, out, x: jnp.cos(x) * t)


@jax.custom_vjp
def backward_rule(x):
    return jnp.sin(x)


backward_rule.defvjp(lambda x: (jnp.sin(x), x), lambda x, ct: (ct * jnp.cos(x),))

INSIDE = {
    "operations": lambda x: jnp.sin(x) * 2.0 + x,
    "jit": lambda x: jax.jit(lambda y: jnp.sin(y) * x)(x),
    "inlined": lambda x: jax.jit(jnp.sin, inline=True)(x),
    "vmap": lambda x: jax.vmap(lambda y: y * x.sum() + 1)(x),
    "named axis": lambda x: jax.vmap(lambda y: lax.psum(y, "i") * y, axis_name="i")(x),
    "grad": jax.grad(lambda x: jnp.sum(jnp.sin(x) * x)),
    "hessian": lambda x: jax.hessian(lambda y: jnp.sum(y**3))(x)[0],
    "jvp": lambda x: jax.jvp(jnp.sin, (x,), (x,))[1],
    "linearize": lambda x: jax.linearize(jnp.sin, x)[1](x),
    "checkpoint": jax.checkpoint(lambda x: jnp.sin(jnp.sin(x))),
    "scan": lambda x: lax.scan(lambda c, a: (c * a + x[0], c), 1.0, x)[1],
    "fori_loop": lambda x: lax.fori_loop(0, 3, lambda i, c: c * x + i, x),
    "while_loop": lambda x: lax.while_loop(lambda c: c[0] < 3, lambda c: c + x, x),
    "cond": lambda x: lax.cond(x[0] > 0, jnp.sin, lambda y: y * x, x),
    "switch": lambda x: lax.switch(jnp.int32(1), [jnp.cos, lambda y: y + x], x),
    "custom_jvp": forward_rule,
    "custom_vjp": backward_rule,
    "linear_solve": lambda x: lax.custom_linear_solve(
        lambda v: 2 * v, x, lambda mv, b: b / 2, symmetric=True
    ),
    "itself": lambda x: counted(lambda y: y * x)(x),
    "constants only": lambda x: jnp.arange(3.0) + 1,
    "rows": lambda x: sum(row * i for i, row in enumerate(x)),
    "callback": lambda x: jax.pure_callback(np.sin, jax.typeof(VECTOR), x),
}
OUTSIDE = {
    "eager": lambda f: f(VECTOR),
    "jit": lambda f: jax.jit(f)(VECTOR),
    "vmap": lambda f: jax.vmap(f)(jnp.stack([VECTOR, 2 * VECTOR])),
    "jvp": lambda f: jax.jvp(f, (VECTOR,), (jnp.ones(3),)),
    "grad": lambda f: jax.grad(lambda x: jnp.sum(f(x)))(VECTOR),
    "jit of grad": lambda f: jax.jit(jax.grad(lambda x: jnp.sum(f(x))))(VECTOR),
    "checkpoint": lambda f: jax.checkpoint(f)(VECTOR),
    "scan": lambda f: lax.scan(lambda c, _: (c + f(c), None), VECTOR, None, 2)[0],
    "while_loop": lambda f: lax.while_loop(
        lambda c: c[0] < 2, lambda c: (c[0] + 1, f(c[1]) + c[1]), (0, VECTOR)
    )[1],
    "cond": lambda f: lax.cond(VECTOR[0] > 0, f, lambda x: f(2 * x), VECTOR),
    "itself": lambda f: counted(f)(VECTOR),
}
NOT_DIFFERENTIABLE = {
    ("grad", "while_loop"),
    ("jit of grad", "while_loop"),
    ("grad", "callback"),
    ("jit of grad", "callback"),
    ("jvp", "callback"),
    ("jvp", "custom_vjp"),
    ("vmap", "callback"),
}
PAIRS = [
    (outside, inside)
    for outside in OUTSIDE
    for inside in INSIDE
    if (outside, inside) not in NOT_DIFFERENTIABLE
]


@pytest.mark.parametrize(("outside", "inside"), PAIRS)
def test_a_trace_that_only_looks_on_changes_no_result(outside, inside):
    f = INSIDE[inside]
    if inside == "rows":
        f = lambda x: jnp.stack([INSIDE["rows"](x)])  # noqa: E731
    got, want = OUTSIDE[outside](counted(f)), OUTSIDE[outside](f)
    for g, w in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        assert jax.typeof(g) == jax.typeof(w)
        np.testing.assert_allclose(g, w, rtol=1e-5)


# ------------------------------------------------------------- what a trace is told


def test_a_trace_gets_lists_and_runs_outside_of_every_trace():
    seen = []
    jax.jit(counted(lambda x: lax.add(lax.sin(x), x), seen))(VECTOR)
    assert [name for name, *_ in seen] == ["sin", "add"]
    for _, tracers, params, current in seen:
        assert type(tracers) is list and type(params) is dict
        assert current is core.eval_trace


def test_numbers_and_numpy_arrays_know_their_types():
    seen = []
    f = counted(lambda x, y: lax.mul(x, y), seen)
    one = jnp.float32(1)
    for value, kind, dtype, weak in (
        (2.0, literals.TypedFloat, "float32", True),
        (np.float32(2), literals.TypedNdArray, "float32", False),
        (np.float64(2), literals.TypedNdArray, "float32", False),
    ):
        counted(lambda x, v=value: lax.mul(x, v), seen)(one)
        operand = seen[-1][1][1]
        assert type(operand) is kind and operand == 2
        assert (operand.aval.dtype, operand.aval.weak_type) == (dtype, weak)
    counted(lambda x: lax.mul(x, 3), seen)(jnp.int32(1))
    assert type(seen[-1][1][1]) is literals.TypedInt
    counted(lambda x: lax.mul(x, 3j), seen)(jnp.complex64(1))
    assert type(seen[-1][1][1]) is literals.TypedComplex
    counted(lambda x: lax.bitwise_and(x, True), seen)(jnp.bool_(True))
    assert seen[-1][1][1] is True
    assert f(one, one) == 1


def test_typed_numbers_are_numbers_and_outlive_a_pickle():
    for kind, plain, dtype in (
        (literals.TypedInt, 3, "int32"),
        (literals.TypedFloat, 2.5, "float32"),
        (literals.TypedComplex, 1 + 2j, "complex64"),
    ):
        typed = pickle.loads(pickle.dumps(kind(plain, np.dtype(dtype))))
        assert type(typed) is kind and typed.dtype == dtype
        assert typed.aval == core.ShapedArray((), typed.dtype, weak_type=True)
        assert typed == plain and hash(typed) == hash(plain) and -typed == -plain
        assert repr(typed) == f"{kind.__name__}({plain}, dtype={dtype})"


def test_a_compiled_function_is_one_operation_with_one_program():
    seen = []
    doubled = jax.jit(lambda x: lax.mul(x, x))
    for _ in range(2):
        counted(doubled, seen)(VECTOR)
    (first, _, params, _), (second, _, again, _) = seen
    assert first == second == "jit" and params["jaxpr"] is again["jaxpr"]
    assert not params["inline"] and params["name"] == "<lambda>"
    (out,) = pjit.jit_p.bind(VECTOR, **params)
    np.testing.assert_array_equal(out, VECTOR * VECTOR)
    np.testing.assert_array_equal(core.jaxpr_as_fun(params["jaxpr"])(VECTOR)[0], out)


def test_rows_are_slices():
    assert names(lambda x: list(x), VECTOR) == ["slice", "squeeze"] * 3


def test_numbers_are_literals_of_programs_around():
    program = jax.make_jaxpr(counted(lambda x: lax.add(lax.mul(x, 3), np.int32(4))))(1)
    assert "mul a 3:i32[]" in str(program) and "add b 4:i32[]" in str(program)


def test_a_traced_value_shows_its_class_and_type():
    trace = CountingTrace(core.eval_trace, core.TraceTag(), [])
    assert repr(CountedTracer(trace, VECTOR)) == "CountedTracer<float32[3]>"
    assert f"{CountedTracer(trace, VECTOR)}" == "CountedTracer<float32[3]>"


def test_a_function_with_a_trace_inside_is_traced_once():
    seen = []
    f = jax.jit(counted(lax.sin, seen))
    f(VECTOR), f(VECTOR)
    assert len(seen) == 1


# ------------------------------------------------------------- derivatives


class DualTracer(core.Tracer):
    def __init__(self, trace, primal, tangent):
        self._trace = trace
        self.primal, self.tangent = primal, tangent

    @property
    def aval(self):
        return core.typeof(self.primal)


def _mul(primals, tangents, **params):
    (x, y), (s, t) = primals, tangents
    return x * y, s * y + x * t


RULES = {
    lax.sin_p: lambda xs, ts, **_: (jnp.sin(*xs), jnp.cos(*xs) * ts[0]),
    lax.add_p: lambda xs, ts, **_: (xs[0] + xs[1], ts[0] + ts[1]),
    lax.mul_p: _mul,
}


class DualTrace(core.Trace):
    """Forward derivatives: linear operations, and those in RULES."""

    def __init__(self, parent, tag):
        super().__init__()
        self.parent_trace, self.tag = parent, tag

    def parts(self, x):
        if isinstance(x, DualTracer) and x._trace.tag is self.tag:
            return x.primal, x.tangent
        return x, jnp.zeros(jnp.shape(x), core.typeof(x).dtype)

    def process_primitive(self, primitive, tracers, params):
        if primitive is pjit.jit_p:
            with core.set_current_trace(self):
                return core.jaxpr_as_fun(params["jaxpr"])(*tracers)
        with core.set_current_trace(self.parent_trace):
            primals, tangents = zip(*map(self.parts, tracers), strict=True)
            if primitive in RULES:
                return DualTracer(self, *RULES[primitive](primals, tangents, **params))
            outs = [primitive.bind(*xs, **params) for xs in (primals, tangents)]
        return DualTracer(self, *outs)

    def process_custom_jvp_call(self, primitive, fun, jvp, tracers, *, symbolic_zeros):
        with core.set_current_trace(self.parent_trace):
            primals, tangents = zip(*map(self.parts, tracers), strict=True)
            both = jvp.call_wrapped(*primals, *tangents)
        half = len(both) // 2
        outs = zip(both[:half], both[half:], strict=True)
        return [DualTracer(self, *pair) for pair in outs]


def derivative(f):
    """The derivative of a function of one scalar, by dual numbers."""

    def run(x):
        with core.take_current_trace() as parent:
            trace = DualTrace(parent, core.TraceTag())
            with core.set_current_trace(parent):
                dual = DualTracer(trace, x, jnp.ones_like(x))
            with core.set_current_trace(trace):
                out = f(dual)
            with core.set_current_trace(parent):
                return trace.parts(out)[1]

    return run


@jax.custom_jvp
def five_times(x):
    return x * 1.0


five_times.defjvps(lambda t, out, x: 5 * t)
FUNCTIONS = {
    "product": lambda x: jnp.sin(x) * x + x * 3.0,
    "compiled": lambda x: jax.jit(lambda y: jnp.sin(y) * x)(x),
    "own rule": lambda x: five_times(x) * x,
    "twice": lambda x: derivative(lambda y: x * y * y)(x),
    "confusion": lambda x: x * derivative(lambda y: x + y)(1.0),
    "ours inside": lambda x: jax.jvp(lambda y: x * y * y, (x,), (1.0,))[1],
}
AROUND = {
    "eager": lambda f: f(jnp.float32(0.5)),
    "jit": lambda f: jax.jit(f)(0.5),
    "vmap": lambda f: jax.vmap(f)(VECTOR),
    "grad": lambda f: jax.grad(f)(0.5),
    "loop": lambda f: lax.fori_loop(0, 2, lambda i, c: f(c), jnp.float32(0.5)),
}


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_dual_numbers_of_a_library_are_our_derivatives(name, around):
    f = FUNCTIONS[name]
    ours = lambda x: jax.jvp(f, (x,), (jnp.ones_like(x),))[1]  # noqa: E731
    got, want = AROUND[around](derivative(f)), AROUND[around](ours)
    np.testing.assert_allclose(got, want, rtol=1e-5)


# ------------------------------------------------------------- units


class UnitTracer(core.Tracer):
    def __init__(self, trace, value, metres):
        self._trace = trace
        self.value, self.metres = value, metres

    @property
    def aval(self):
        return core.typeof(self.value)

    def full_lower(self):
        return self if self.metres else core.full_lower(self.value)


class UnitTrace(core.Trace):
    """Powers of metres: sums need equal ones, products add them."""

    def __init__(self, parent, tag):
        super().__init__()
        self.parent_trace, self.tag = parent, tag

    def parts(self, x):
        mine = isinstance(x, UnitTracer) and x._trace.tag is self.tag
        return (x.value, x.metres) if mine else (x, 0)

    def process_primitive(self, primitive, tracers, params):
        values, powers = zip(*map(self.parts, tracers), strict=True)
        if primitive is lax.add_p and len(set(powers)) > 1:
            raise TypeError(f"metres to the powers {powers} are added")
        with core.set_current_trace(self.parent_trace):
            out = primitive.bind(*values, **params)
        return UnitTracer(
            self, out, sum(powers) if primitive is lax.mul_p else max(powers)
        )


def in_metres(f, *args):
    with core.take_current_trace() as parent:
        trace = UnitTrace(parent, core.TraceTag())
        inputs = [UnitTracer(trace, x, 1) for x in args]
        with core.set_current_trace(trace):
            return trace.parts(f(*inputs))


def test_units_go_through_operations():
    value, metres = in_metres(lambda x, y: lax.add(lax.mul(x, y), lax.mul(x, x)), 2, 3)
    assert (int(value), metres) == (10, 2)
    areas = jax.jit(lambda x: in_metres(lambda y: lax.mul(y, y), x)[0])(VECTOR)
    np.testing.assert_allclose(areas, VECTOR**2)


@pytest.mark.parametrize("transform", [lambda f: f, jax.jit, jax.vmap, jax.checkpoint])
def test_an_error_of_a_library_arrives(transform):
    wrong = lambda x: in_metres(lambda y: lax.add(y, lax.mul(y, y)), x)[0]  # noqa: E731
    with pytest.raises(TypeError, match=r"powers \(1, 2\)"):
        transform(wrong)(VECTOR)
    assert core.trace_ctx.is_top_level()
    np.testing.assert_allclose(transform(jnp.sin)(VECTOR), jnp.sin(VECTOR))


def test_a_value_says_what_it_is_by_full_lower():
    trace = UnitTrace(core.eval_trace, core.TraceTag())
    length, number = UnitTracer(trace, 2.0, 1), UnitTracer(trace, 2.0, 0)
    assert core.full_lower(length) is length
    assert core.full_lower(number) == 2.0
    assert core.full_lower(VECTOR) is VECTOR
    assert core.get_referent(length) is length
    assert core.to_concrete_value(length) is None and not core.is_concrete(length)
    assert trace.full_raise(length) is length


# ------------------------------------------------------------- the current trace


def test_taking_the_current_trace_leaves_evaluation():
    def f(x):
        with core.take_current_trace() as outer:
            assert outer is x._trace and core.trace_ctx.trace is core.eval_trace
            assert isinstance(jnp.ones(2) + 1, jax.Array)
            with core.set_current_trace(outer):
                assert core.trace_ctx.trace is core.unsafe_get_current_trace() is outer
                return x + 1

    assert jax.jit(f)(1.0) == 2.0 and jax.vmap(f)(VECTOR)[0] == 1.5
    with core.take_current_trace() as outermost:
        assert outermost is core.eval_trace
    assert core.trace_ctx.is_top_level() and core.trace_state_clean()


def test_blocks_are_left_by_exceptions_too():
    trace = CountingTrace(core.eval_trace, core.TraceTag(), [])
    for block in (core.take_current_trace(), core.set_current_trace(trace)):
        with pytest.raises(ValueError, match="mine"), block:
            raise ValueError("mine")
        assert core.trace_ctx.trace is core.eval_trace


def test_blocks_around_a_yield_may_end_late_and_in_another_context():
    # A block that is never left here stays in this context alone.
    contextvars.copy_context().run(end_a_block_in_another_context)


def end_a_block_in_another_context():
    trace = CountingTrace(core.eval_trace, core.TraceTag(), [])

    def generator():
        with core.take_current_trace(), core.set_current_trace(trace):
            yield

    waiting = generator()
    next(waiting)
    assert core.trace_ctx.trace is trace
    failures = []

    def close():
        try:
            waiting.close()
        except Exception as error:
            failures.append(error)

    thread = threading.Thread(target=close)
    thread.start()
    thread.join()
    assert not failures
    with core.set_current_trace(core.eval_trace):
        assert core.trace_ctx.trace is core.eval_trace
    assert core.trace_ctx.trace is trace
    # As this thread's block was never left here.
    core.set_current_trace(core.eval_trace).__enter__()
    assert core.trace_state_clean()


def test_a_trace_is_current_in_one_thread_alone():
    trace, seen = CountingTrace(core.eval_trace, core.TraceTag(), []), []
    with core.set_current_trace(trace):
        thread = threading.Thread(target=lambda: seen.append(core.trace_ctx.trace))
        thread.start()
        thread.join()
    assert seen == [core.eval_trace]


def test_a_value_used_after_its_trace_is_an_error():
    kept = []
    counted(lambda x: kept.append(x) or x)(VECTOR)
    with pytest.raises(jax.errors.UnexpectedTracerError):
        jnp.sin(kept[0])


@pytest.mark.parametrize(("checks", "keeps"), [(True, False), (False, True)])
def test_leaks_are_found_where_they_are_requested(checks, keeps):
    kept = []

    def run(check_leaks, keep):
        trace = CountingTrace(core.eval_trace, core.TraceTag(), [])
        with core.set_current_trace(trace, check_leaks=check_leaks):
            kept.append(CountedTracer(trace, VECTOR) if keep else None)
            del trace

    run(checks, keeps)
    with jax.checking_leaks():
        run(checks, keeps)
        with pytest.raises(Exception, match="Leaked trace"):
            run(True, True)


def test_where_a_trace_runs():
    def f(x):
        stack = core.unsafe_get_trace_stack(core.unsafe_get_current_trace())
        assert stack[0] is core.eval_trace and stack[-1] is core.trace_ctx.trace
        env = core.get_axis_env()
        assert env.axis_exists("i") and not env.axis_exists("j")
        assert env.axis_size("i") == core.axis_frame("i") == 3
        assert env.axis_names() == ("i",) and core.unsafe_get_axis_names() == ["i"]
        with pytest.raises(NameError, match="unbound axis name: j"):
            env.axis_size("j")
        return x

    jax.vmap(f, axis_name="i")(VECTOR)
    with core.extend_axis_env_nd([("i", 3), ("j", 2)]):
        assert lax.axis_size("j") == 2
    assert not core.nonempty_axis_env()


def test_tags_are_of_one_run():
    seen = []
    inner = lambda x: counted(lambda y: lax.mul(x, y), seen)(2.0)  # noqa: E731
    assert counted(inner)(3.0) == 6.0
    (_, (x, y), _, _) = seen[0]
    assert isinstance(x, CountedTracer) and x._trace.tag is not y._trace.tag


# ------------------------------------------------------------- interpreters of programs


@jax.custom_vjp
def seven_times(x):
    return x * 1.0


seven_times.defvjp(lambda x: (x * 1.0, None), lambda _, ct: (7 * ct,))


def repeated(f, x):
    """`f`, each of whose equations is bound again."""
    program = jax.make_jaxpr(f)(x)

    def run(x):
        values = dict(zip(program.jaxpr.invars, [x], strict=True))
        values.update(zip(program.jaxpr.constvars, program.consts, strict=True))
        read = lambda v: v.val if isinstance(v, core.Literal) else values[v]  # noqa: E731
        for eqn in program.jaxpr.eqns:
            params = eqn.primitive.get_bind_params(eqn.params)
            outs = eqn.primitive.bind(*map(read, eqn.invars), **params)
            outs = outs if eqn.primitive.multiple_results else [outs]
            values.update(zip(eqn.outvars, outs, strict=True))
        (out,) = map(read, program.jaxpr.outvars)
        return out

    return run


@pytest.mark.parametrize("transform", [lambda f: f, jax.jit, jax.checkpoint])
@pytest.mark.parametrize(("f", "factor"), [(five_times, 5), (seven_times, 7)])
def test_rules_of_ones_own_survive_an_interpreter(f, factor, transform):
    run = transform(repeated(f, 1.0))
    assert run(2.0) == 2.0 and jax.grad(run)(2.0) == factor
    assert jax.vmap(jax.grad(run))(VECTOR).tolist() == [factor] * 3


def test_an_equation_of_a_function_with_rules_gives_them_as_functions():
    for f, count in ((five_times, 2), (seven_times, 3)):
        (eqn,) = jax.make_jaxpr(f)(1.0).eqns
        params = eqn.primitive.get_bind_params(eqn.params)
        assert len(params["subfuns"]) == count and not params["symbolic_zeros"]
        (out,) = params["subfuns"][0].call_wrapped(3.0)
        assert out == 3.0


def test_impl_is_the_function_that_was_given():
    tripled = core.Primitive("tripled")
    run = tripled.def_impl(lambda x: x * 3)
    assert tripled.impl is run and tripled.impl(2) == 6
    program = jax.make_jaxpr(lambda x: tripled.impl(x) + 1)(1.0)
    assert "mul" in str(program) and jax.grad(tripled.impl)(1.0) == 3.0


class Scaled(core.Primitive):
    """A primitive whose rules are methods, as libraries write them."""

    multiple_results = True
    bound = 0

    def impl(self, x, *, by):
        return [x * by, x]

    def abstract_eval(self, x, *, by):
        return [x, x], core.no_effects

    def bind_with_trace(self, trace, args, avals, params):
        self.bound += 1
        return super().bind_with_trace(trace, args, avals, params)


def test_methods_of_a_class_of_primitives_are_its_rules():
    scaled = Scaled("scaled")
    out, same = scaled.bind(VECTOR, by=2.0)
    np.testing.assert_array_equal(out, 2 * VECTOR)
    assert same is VECTOR and scaled.bound == 1
    (eqn,) = jax.make_jaxpr(lambda x: scaled.bind(x, by=2.0))(VECTOR).eqns
    assert eqn.primitive is scaled and len(eqn.outvars) == 2 and scaled.bound == 2
