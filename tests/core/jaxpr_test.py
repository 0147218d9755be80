"""Types, programs and their text."""

import numpy as np
import pytest

from jax._src.base import errors
from jax._src.core import avals, evaluate, jaxpr as jaxpr_lib, primitive, trace
from jax._src.interpreters.partial_eval import staging

f32 = avals.ShapedArray((), np.float32)


def unary(name, function):
    made = primitive.Primitive(name)
    made.def_abstract_eval(lambda x: x)
    made.def_impl(function)
    return made


sin_p = unary("sin", np.sin)
cos_p = unary("cos", np.cos)


def test_equal_types_are_one_object():
    assert avals.ShapedArray((3,), np.float32) is avals.ShapedArray([3], "float32")


def test_a_type_shows_its_dtype_and_shape():
    aval = avals.ShapedArray((2, 3), np.int8, weak_type=True)
    assert aval.str_short(short_dtypes=True) == "i8[2,3]"
    assert repr(aval) == "ShapedArray(int8[2,3], weak_type=True)"


def test_python_scalars_have_weak_types():
    assert avals.get_aval(1.0) is avals.ShapedArray((), np.float32, weak_type=True)
    assert avals.get_aval(True) is avals.ShapedArray((), np.bool_)


def test_names_and_paths_are_used_where_their_number_fits():
    debug = jaxpr_lib.DebugInfo("jit", "f at model.py:12", ("x", "y"), ("[0]",))
    assert debug.safe_arg_names(2) == ("x", "y")
    assert debug.safe_arg_names(3) == ("", "", "")
    assert debug.safe_result_paths(1) == ("[0]",)
    assert debug.safe_result_paths(2) == ("", "")
    unknown = debug.with_unknown_names()
    assert unknown.safe_result_paths(1) == unknown.safe_arg_names(1) == ("",)
    assert (debug.func_name, debug.func_filename, debug.func_lineno) == (
        "f",
        "model.py",
        12,
    )


def test_a_program_prints_on_one_line_when_it_fits():
    jaxpr, _ = staging.trace_to_jaxpr(lambda x: [sin_p.bind(cos_p.bind(x))], [f32])
    assert (
        str(jaxpr)
        == "{ lambda ; a:f32[]. let b:f32[] = cos a; c:f32[] = sin b in (c,) }"
    )


def test_a_program_breaks_into_lines_when_it_does_not_fit():
    def chain(x):
        for _ in range(4):
            x = sin_p.bind(x)
        return [x]

    jaxpr, _ = staging.trace_to_jaxpr(chain, [f32])
    assert str(jaxpr) == (
        "{ lambda ; a:f32[]. let\n"
        "    b:f32[] = sin a\n"
        "    c:f32[] = sin b\n"
        "    d:f32[] = sin c\n"
        "    e:f32[] = sin d\n"
        "  in (e,) }"
    )


def test_a_result_without_use_prints_as_a_blank():
    def fun(x):
        cos_p.bind(x)
        return [sin_p.bind(x)]

    jaxpr, _ = staging.trace_to_jaxpr(fun, [f32])
    assert "_:f32[] = cos a" in str(jaxpr)
    assert isinstance(jaxpr.eqns[0].outvars[0], jaxpr_lib.DropVar)


def test_scalars_become_literals_and_arrays_constants():
    array = np.arange(3.0, dtype=np.float32)
    jaxpr, consts = staging.trace_to_jaxpr(
        lambda: [sin_p.bind(2.5), cos_p.bind(array), sin_p.bind(array)], []
    )
    assert len(consts) == 1 and consts[0] is array
    assert "sin 2.5:f32[]" in str(jaxpr)


def test_evaluating_a_program_applies_its_primitives():
    jaxpr, consts = staging.trace_to_jaxpr(lambda x: [sin_p.bind(x), x], [f32])
    assert evaluate.eval_jaxpr(jaxpr, consts, 0.5) == [np.sin(0.5), 0.5]


def test_a_variable_bound_twice_is_refused():
    var = jaxpr_lib.Var(f32)
    jaxpr = jaxpr_lib.Jaxpr([], [var, var], [var], [])
    with pytest.raises(errors.JaxprTypeError, match="bound twice"):
        evaluate.check_jaxpr(jaxpr)


def test_a_misspelt_rule_fails_where_it_is_declared():
    with pytest.raises(TypeError, match="'tranpose', which is no rule"):

        @primitive.declare("misspelt")
        class misspelt_p:
            def tranpose(ct, x):
                return [ct]


def test_a_declared_gap_gives_its_reason():
    gap = primitive.Primitive("argmax_test")
    gap.set_rule("jvp", primitive.Unsupported("the result is an index"))
    with pytest.raises(NotImplementedError, match="the result is an index"):
        gap.require("jvp", "Differentiation")


def test_tracing_leaves_no_current_trace_behind_when_it_fails():
    def fail(x):
        raise KeyError("no")

    with pytest.raises(KeyError):
        staging.trace_to_jaxpr(fail, [f32])
    assert trace.is_evaluating()


def test_a_wrong_type_is_named_as_in_the_text_of_the_program():
    given, found = jaxpr_lib.Var(f32), jaxpr_lib.Var(avals.ShapedArray((), np.int32))
    eqn = jaxpr_lib.JaxprEqn([given], [found], sin_p, {})
    with pytest.raises(errors.JaxprTypeError) as caught:
        evaluate.check_jaxpr(jaxpr_lib.Jaxpr([], [given], [found], [eqn]))
    assert str(caught.value) == (
        "Value for variable 'b' inconsistently typed as f32[] for let-binder of type "
        "i32[]\n\nin equation:\n\nb:i32[] = sin a"
    )
