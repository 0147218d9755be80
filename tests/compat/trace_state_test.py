"""What libraries ask about tracing, and programs they trace themselves."""

import pytest

import jax
import jax.numpy as jnp
from jax import api_util
from jax.extend import core as extend_core, linear_util as lu, source_info_util
from jax.interpreters import partial_eval as pe

# Names that are to go warn at their first use.
pytestmark = pytest.mark.filterwarnings(r"ignore:jax\..* is deprecated; ")

VECTOR = jax.core.ShapedArray((2,), jnp.float32)
INFO = api_util.debug_info("test", lambda x, y: x, (1, 2), {})


def test_a_state_equals_itself_and_no_other():
    outside = extend_core.get_opaque_trace_state()
    assert outside == extend_core.get_opaque_trace_state()
    assert outside != extend_core.get_opaque_trace_state(convention="mine")
    seen = []
    jax.jit(lambda x: seen.append(extend_core.get_opaque_trace_state()) or x)(1.0)
    jax.vmap(lambda x: seen.append(extend_core.get_opaque_trace_state()) or x)(
        jnp.ones(2)
    )
    assert len({id(s) for s in seen}) == 2
    assert all(state != outside for state in seen)


def test_where_am_i():
    seen = {}

    def ask(name):
        seen[name] = (
            extend_core.unsafe_am_i_under_a_jit_DO_NOT_USE(),
            extend_core.unsafe_am_i_under_a_vmap_DO_NOT_USE(),
            extend_core.unsafe_get_axis_names_DO_NOT_USE(),
        )

    ask("outside")
    jax.jit(lambda x: ask("jit") or x)(1.0)
    jax.vmap(lambda x: ask("vmap") or x, axis_name="i")(jnp.ones(2))
    assert seen == {
        "outside": (False, False, []),
        "jit": (True, False, []),
        "vmap": (False, True, ["i"]),
    }


def test_operations_run_at_once_in_an_eval_context():
    @jax.jit
    def f(x):
        with jax.core.eval_context():
            y = jnp.ones(2) + 1
        assert jax.core.is_concrete(y)
        assert not jax.core.is_concrete(x)
        with extend_core.take_current_trace() as trace:
            z = jnp.zeros(2)
            assert jax.core.is_concrete(z)
        with extend_core.set_current_trace(trace):
            assert not jax.core.is_concrete(z + 1)
        return x + y

    assert f(1.0).tolist() == [3.0, 3.0]


def test_partial_tracing_computes_what_is_known():
    def f(x, y):
        return [x + 1, y * 2, x * y]

    fun = lu.wrap_init(f, debug_info=INFO)
    given = [pe.PartialVal.unknown(VECTOR), pe.PartialVal.known(jnp.full(2, 3.0))]
    jaxpr, outs, consts = pe.trace_to_jaxpr_nounits(fun, given)
    assert [out.is_known() for out in outs] == [False, True, False]
    assert outs[1].get_known().tolist() == [6.0, 6.0]
    assert outs[0].get_aval() == VECTOR
    assert len(jaxpr.outvars) == 2
    results = jax.core.eval_jaxpr(jaxpr, consts, jnp.ones(2))
    assert [r.tolist() for r in results] == [[2.0, 2.0], [3.0, 3.0]]
    jaxpr, outs, consts = pe.trace_to_jaxpr_nounits(fun, given, instantiate=True)
    assert not any(out.is_known() for out in outs)
    assert len(jax.core.eval_jaxpr(jaxpr, consts, jnp.ones(2))) == 3
    with pytest.raises(TypeError, match="PartialVal takes"):
        pe.PartialVal((VECTOR, 1.0))


@pytest.mark.parametrize("instantiate", [False, True])
def test_partial_tracing_records_what_results_and_effects_need(instantiate):
    late, unused = jnp.full(2, 3.0), jnp.full(2, 5.0)

    def f(x, y):
        jnp.cos(jnp.sin(x)) + unused
        jax.debug.print("{}", x)
        return [x * late, y + 1]

    fun = lu.wrap_init(f, debug_info=INFO)
    given = [pe.PartialVal.unknown(VECTOR), pe.PartialVal.unknown(VECTOR)]
    jaxpr, _, consts = pe.trace_to_jaxpr_nounits(fun, given, instantiate)
    names = [eqn.primitive.name for eqn in jaxpr.eqns]
    assert names == ["debug_callback", "mul", "add"]
    assert [c.tolist() for c in consts if c.ndim] == [late.tolist()]
    assert len(jaxpr.invars) == 2 and jaxpr.effects
    results = jax.core.eval_jaxpr(jaxpr, consts, jnp.ones(2), jnp.ones(2))
    assert [r.tolist() for r in results] == [[3.0, 3.0], [2.0, 2.0]]


def test_recording_a_wrapped_function():
    fun = lu.wrap_init(lambda x, y: [x + jnp.arange(2.0)], debug_info=INFO)
    jaxpr, out_avals, consts = pe.trace_to_jaxpr_dynamic(fun, [VECTOR, VECTOR])
    assert out_avals == [VECTOR]
    assert len(jaxpr.invars) == 2
    (out,) = jax.core.eval_jaxpr(jaxpr, consts, jnp.ones(2), jnp.ones(2))
    assert out.tolist() == [1.0, 2.0]
    smaller, used_consts, used = pe.dce_jaxpr_consts(jaxpr, [True])
    assert used == [True, False]
    assert len(smaller.invars) == 1
    assert len(used_consts) == len(consts)


def test_types_of_rows_and_stacks():
    assert jax.core.mapped_aval(2, 0, VECTOR).shape == ()
    assert jax.core.unmapped_aval(5, 1, VECTOR).shape == (2, 5)
    assert jax.core.mapped_aval(2, None, VECTOR) is VECTOR
    with pytest.raises(ValueError, match="has not the size"):
        jax.core.mapped_aval(3, 0, VECTOR)


def test_a_call_primitive_of_a_library_calls():
    call_p = extend_core.CallPrimitive("my_call")
    fun = lu.wrap_init(lambda x: [x * 2], debug_info=INFO)
    assert call_p.multiple_results
    assert call_p.bind(fun, 3) == [6]


def test_scopes_of_names():
    with source_info_util.extend_name_stack("outer"):
        with source_info_util.extend_name_stack("inner"):
            names = source_info_util.current_name_stack()
            assert (str(names), len(names), str(names[1:])) == (
                "outer/inner",
                2,
                "inner",
            )
            with source_info_util.reset_name_stack():
                assert str(source_info_util.current_name_stack()) == ""
        assert str(source_info_util.current_name_stack()) == "outer"
    assert "trace_state_test.py" in source_info_util.summarize(
        source_info_util.current()
    )


def test_every_reexported_primitive_has_the_name_it_goes_by():
    from jax.extend.core import primitives

    found = {n: p for n, p in vars(primitives).items() if n.endswith("_p")}
    assert len(found) > 140
    assert all(isinstance(p, extend_core.Primitive) for p in found.values())


class _Counted(jax.core.Tracer):
    def __init__(self, trace, value):
        super().__init__(trace, jax.typeof(value))
        self.value = value


class _Counting(jax.core.Trace):
    """A library's trace, which names its rule `process_primitive`, and recognizes its tracers by a tag."""

    def __init__(self, parent, tag):
        super().__init__()
        self.parent_trace, self.tag, self.seen = parent, tag, []

    def process_primitive(self, primitive, tracers, params):
        self.seen.append(str(primitive))
        is_mine = [
            isinstance(t, _Counted) and t._trace.tag is self.tag for t in tracers
        ]
        values = [
            t.value if mine else t for t, mine in zip(tracers, is_mine, strict=True)
        ]
        avals = [jax.typeof(v) for v in values]
        out = primitive.bind_with_trace(self.parent_trace, values, avals, params)
        return jax.tree.map(lambda v: _Counted(self, v), out)


def test_a_librarys_trace_with_a_tag_sees_each_operation():
    def counted(x):
        with extend_core.take_current_trace() as parent:
            trace = _Counting(parent, extend_core.TraceTag())
            with extend_core.set_current_trace(trace):
                y = jnp.sin(_Counted(trace, x))
                out = jax.lax.mul(y, y)
        return out.value, trace.seen

    out, seen = counted(jnp.ones(2))
    assert seen == ["sin", "mul"]
    assert out == pytest.approx(jnp.sin(jnp.ones(2)) ** 2)
    inside = jax.jit(lambda x: counted(x)[0])(jnp.ones(2))
    assert inside == pytest.approx(jnp.sin(jnp.ones(2)) ** 2)


def test_tags_are_told_apart_by_identity():
    first, second = extend_core.TraceTag(), extend_core.TraceTag()
    assert first is not second and first == second and len({first, second}) == 1


def test_a_trace_without_a_rule_says_so():
    class Empty(jax.core.Trace):
        pass

    with pytest.raises(NotImplementedError, match="neither process nor"):
        jax.lax.sin_p.bind_with_trace(Empty(), [1.0], [jax.typeof(1.0)], {})


@pytest.mark.parametrize(
    "name", ["cos", "exp", "exp2", "log", "logistic", "rsqrt", "sqrt", "tanh"]
)
def test_parameters_may_be_left_out_of_bind(name):
    primitive = getattr(jax.lax, f"{name}_p")
    x = jnp.full(3, 0.5)
    want = getattr(jax.lax, name)(x)
    assert primitive.bind(x) == pytest.approx(want)
    assert jax.jit(primitive.bind)(x) == pytest.approx(want)
    assert jax.lax.mul_p.bind(x, x) == pytest.approx(x * x)
    assert jax.jit(jax.lax.mul_p.bind)(x, x) == pytest.approx(x * x)
    jax.grad(lambda y: primitive.bind(y).sum())(x)


class _Calling(_Counting):
    """A library's trace that knows functions with derivatives of their own."""

    how = "call"

    def _values(self, tracers):
        return [t.value if isinstance(t, _Counted) else t for t in tracers]

    def _again(self, primitive, functions, tracers, **params):
        values = self._values(tracers)
        avals = [jax.typeof(v) for v in values]
        params = {"subfuns": functions, **params}
        outs = primitive.bind_with_trace(self.parent_trace, values, avals, params)
        return [_Counted(self, out) for out in outs]

    def process_custom_jvp_call(self, primitive, fun, jvp, tracers, *, symbolic_zeros):
        self.seen.append((str(primitive), len(tracers), symbolic_zeros))
        if self.how == "call":
            with extend_core.set_current_trace(self):
                return fun.call_wrapped(*tracers)
        if self.how == "rule":
            values = self._values(tracers)
            out, tangent = jvp.call_wrapped(*values, *map(jnp.ones_like, values))
            return [_Counted(self, tangent)]
        functions = (fun, jvp)
        return self._again(primitive, functions, tracers, symbolic_zeros=symbolic_zeros)

    def process_custom_vjp_call(
        self, primitive, fun, fwd, bwd, tracers, *, out_trees, symbolic_zeros
    ):
        self.seen.append((str(primitive), len(tracers), symbolic_zeros))
        if self.how == "call":
            with extend_core.set_current_trace(self):
                return fun.call_wrapped(*tracers)
        return self._again(
            primitive,
            (fun, fwd, bwd),
            tracers,
            out_trees=out_trees,
            symbolic_zeros=symbolic_zeros,
        )


def called(f, x, how):
    with extend_core.take_current_trace() as parent:
        trace = _Calling(parent, extend_core.TraceTag())
        trace.how = how
        with extend_core.set_current_trace(trace):
            out = f(_Counted(trace, x))
    return out.value, trace.seen


@jax.custom_jvp
def forward_rule(x):
    return jnp.sin(x)


forward_rule.defjvps(lambda t, out, x: 2 * jnp.cos(x) * t)


@jax.custom_vjp
def backward_rule(x):
    return jnp.sin(x)


backward_rule.defvjp(lambda x: (jnp.sin(x), x), lambda x, ct: (3 * ct * jnp.cos(x),))
RULES = [
    (forward_rule, "custom_jvp_call", 2.0),
    (backward_rule, "custom_vjp_call", 3.0),
]


@pytest.mark.parametrize(("f", "name", "factor"), RULES)
def test_a_librarys_trace_gets_functions_with_derivatives_of_their_own(f, name, factor):
    out, seen = called(f, 1.0, "call")
    assert seen == [(name, 1, False), "sin"] and out == pytest.approx(jnp.sin(1.0))
    out, seen = called(f, 1.0, "again")
    assert seen == [(name, 1, False)] and out == pytest.approx(jnp.sin(1.0))
    through = lambda x: called(f, x, "again")[0]
    for g in (jax.grad(through), jax.jit(jax.grad(through))):
        assert g(1.0) == pytest.approx(factor * jnp.cos(1.0))
    rows = jax.vmap(jax.grad(through))(jnp.array([0.5, 1.0]))
    assert rows == pytest.approx(factor * jnp.cos(jnp.array([0.5, 1.0])))
    assert jax.jit(through)(1.0) == pytest.approx(jnp.sin(1.0))


def test_a_librarys_trace_uses_the_forward_rule():
    out, _ = called(forward_rule, 1.0, "rule")
    assert out == pytest.approx(2 * jnp.cos(1.0))


@pytest.mark.parametrize(("f", "name", "factor"), RULES)
def test_a_trace_without_such_a_method_gets_an_operation(f, name, factor):
    with extend_core.take_current_trace() as parent:
        trace = _Counting(parent, extend_core.TraceTag())
        with extend_core.set_current_trace(trace):
            out = f(_Counted(trace, 1.0))
    assert trace.seen == [name] and out.value == pytest.approx(jnp.sin(1.0))


def test_our_traces_take_such_calls():
    info = api_util.debug_info("test", lambda x: x, (1.0,), {})
    fun = lu.wrap_init(lambda x: [jnp.sin(x)], debug_info=info)
    jvp = lu.wrap_init(lambda x, t: [jnp.sin(x), 5 * t], debug_info=info)

    def f(x):
        with extend_core.take_current_trace() as trace:
            call = trace.process_custom_jvp_call
            (out,) = call(
                jax.custom_derivatives.custom_jvp_call_p,
                fun,
                jvp,
                (x,),
                symbolic_zeros=False,
            )
        return out

    assert f(1.0) == pytest.approx(jnp.sin(1.0))
    assert jax.grad(f)(1.0) == 5.0 and jax.jit(jax.grad(f))(1.0) == 5.0


def test_a_librarys_trace_reads_references_around_it():
    ref = jax.new_ref(jnp.arange(3.0))

    def f(x):
        own = jax.new_ref(x)
        own[0] = x[1] * ref[2]
        return own[...]

    out, _ = called(f, jnp.ones(3), "call")
    assert out.tolist() == [2.0, 1.0, 1.0]
    with pytest.raises(ValueError, match="(?s)foreign value.*the array behind it"):
        called(lambda x: ref.__setitem__(0, x[0]), jnp.ones(3), "call")


def test_values_are_staged_as_they_are():
    def f(x):
        trace = x._trace
        assert trace.full_raise(x) is x
        assert jax.typeof(trace.stage_value(x)) == jax.typeof(x)
        assert jax.typeof(trace.stage_value(2.0)) == jax.typeof(2.0)
        return x

    assert jax.jit(f)(1.0) == jax.vmap(f)(jnp.ones(1)) == jax.grad(f)(1.0) == 1.0
    seen = []
    jax.jit(lambda x: seen.append(x._trace.requires_low) or x)(1.0)
    jax.jvp(lambda x: seen.append(x._trace.requires_low) or x, (1.0,), (1.0,))
    jax.vmap(lambda x: seen.append(x._trace.requires_low) or x)(jnp.ones(1))
    assert seen == [True, False, False]


def test_values_of_a_program_know_what_made_them():
    seen = {}

    def f(x):
        y = jnp.sin(x)
        seen.update(x=x, y=y, z=y * constant)
        for name, value in seen.items():
            assert value.val.aval == jax.typeof(value), name
        assert seen["x"].parent is None and seen["x"].get_const() is None
        assert seen["y"].parent.primitive is jax.lax.sin_p
        assert seen["y"].parent.invars == [seen["x"].val]
        assert x._trace.stage_value(constant).get_const() is constant
        return seen["z"]

    constant = jnp.arange(3.0)
    jax.jit(f)(jnp.ones(3))
    assert isinstance(seen["y"], pe.DynamicJaxprTracer)
    assert not isinstance(seen["y"], pe.JaxprTracer)


def test_unknown_values_know_what_made_them():
    seen = {}

    def f(x, y):
        seen.update(x=x, y=y, z=jnp.sin(x) * y)
        first = seen["z"]
        assert isinstance(first, pe.JaxprTracer) and not first.is_known()
        assert first.pval == pe.PartialVal.unknown(jax.typeof(1.0))
        assert first.recipe.primitive is jax.lax.mul_p and seen["x"].recipe is None
        one, other = first.parents
        assert one.recipe.primitive is jax.lax.sin_p and other.val.val == 3.0
        assert [p.val for p in one.parents] == [seen["x"].val]
        return [first]

    fun = lu.wrap_init(f, debug_info=INFO)
    given = [pe.PartialVal.unknown(jax.typeof(1.0)), pe.PartialVal.known(3.0)]
    pe.trace_to_jaxpr_nounits(fun, given)
    assert seen["y"] == 3.0


def test_libraries_make_unknown_values():
    made = extend_core.Primitive("made_late")
    made.def_abstract_eval(lambda x: x)
    made.def_impl(lambda x: x)

    def late(trace, x):
        eqn = extend_core.new_jaxpr_eqn(
            [x.val], [extend_core.Var(x.aval)], made, {}, set()
        )
        known = pe.JaxprTracer(trace, pe.PartialVal.known(2.0), None)
        assert known.is_known() and known.pval.get_known() == 2.0
        return pe.JaxprTracer(trace, pe.PartialVal.unknown(x.aval), eqn)

    pe.custom_partial_eval_rules[made] = late
    fun = lu.wrap_init(lambda x, y: [made.bind(x)], debug_info=INFO)
    given = [pe.PartialVal.unknown(jax.typeof(1.0)), pe.PartialVal.known(3.0)]
    jaxpr, (out,), _ = pe.trace_to_jaxpr_nounits(fun, given)
    assert not out.is_known()
    assert [str(eqn.primitive) for eqn in jaxpr.eqns] == ["made_late"]
    with pytest.raises(TypeError, match="the recipe is no equation"):
        pe.JaxprTracer(None, given[0], "nothing")
