"""A primitive from outside, with a lowering rule written as other projects do."""

import numpy as np
import pytest

from jax import core
from jax._src.jit import jit as transforms
from jax.extend.core import Primitive
from jax.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import func, stablehlo as hlo


def make_primitive(name, rule):
    primitive = Primitive(name)
    primitive.def_abstract_eval(lambda x, **_: core.ShapedArray(x.shape, x.dtype))
    mlir.register_lowering(primitive, rule)
    return primitive


def run(primitive, x, **params):
    jitted = transforms.jit(lambda x: primitive.bind(x, **params))
    return jitted.lower(x).as_text(), np.asarray(jitted(x))


X = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)


def test_a_rule_may_return_the_results_of_an_operation():
    def rule(ctx, x):
        return hlo.AddOp(x, hlo.SineOp(x).result).results

    text, found = run(make_primitive("library_add_sine", rule), X)
    assert "stablehlo.sine" in text
    np.testing.assert_allclose(found, X + np.sin(X), rtol=1e-6)


def test_a_rule_may_use_types_constants_and_attributes():
    def rule(ctx, x, *, scale):
        (aval,) = ctx.avals_out
        type = mlir.aval_to_ir_type(ctx, aval)
        assert ir.RankedTensorType(x.type).shape == list(aval.shape)
        factor = hlo.constant(
            ir.DenseElementsAttr.get(np.float32(scale), shape=aval.shape)
        )
        flags = hlo.compare(x, factor, hlo.ComparisonDirectionAttr.get("LT"))
        return [hlo.select(flags, hlo.multiply(x, factor), x, results=[type])]

    primitive = make_primitive(
        "library_scale", lambda ctx, x, scale: rule(ctx, x, scale=scale)
    )
    _, found = run(primitive, X, scale=0.5)
    np.testing.assert_allclose(found, np.where(X < 0.5, X * 0.5, X))


def test_a_rule_may_build_regions():
    def rule(ctx, x):
        scalar = ir.RankedTensorType.get([], ir.F32Type.get())
        zero = hlo.constant(ir.DenseElementsAttr.get(np.float32(0)))
        reduced = ir.RankedTensorType.get([2], ir.F32Type.get())
        op = hlo.ReduceOp([reduced], [x], [zero], mlir.dense_int_array([1]))
        body = op.regions[0].blocks.append(scalar, scalar)
        with ir.InsertionPoint(body):
            hlo.return_([hlo.add(*body.arguments)])
        out = mlir.aval_to_ir_type(ctx, ctx.avals_out[0])
        return [hlo.broadcast_in_dim(out, op.results[0], mlir.dense_int_array([0]))]

    _, found = run(make_primitive("library_row_sum", rule), X)
    np.testing.assert_allclose(
        found, np.repeat(X.sum(1, keepdims=True), 3, 1), atol=1e-6
    )


def test_a_rule_may_add_a_function_to_the_module():
    def rule(ctx, x):
        module = ctx.module_context.module
        with ir.InsertionPoint.at_block_begin(module.body):
            twice = func.FuncOp("twice", ([x.type], [x.type]), visibility="private")
        with ir.InsertionPoint(twice.add_entry_block()):
            (argument,) = twice.arguments
            func.ReturnOp([hlo.add(argument, argument)])
        return func.CallOp(twice, [x]).results

    text, found = run(make_primitive("library_twice", rule), X)
    assert "call @twice" in text
    np.testing.assert_array_equal(found, X + X)


def test_a_rule_that_breaks_the_program_is_reported():
    def rule(ctx, x):
        return [hlo.constant(ir.DenseElementsAttr.get(np.zeros(7, np.float32)))]

    with pytest.raises(Exception, match="tensor<7xf32>"):
        run(make_primitive("library_wrong", rule), X)


def test_what_a_rule_traces_serves_all_operations_of_its_kind():
    traced = []

    def fun(x, *, scale):
        traced.append((x.shape, scale))
        return x * scale

    scaled = make_primitive("scaled", mlir.lower_fun(fun, multiple_results=False))

    def program(x):
        y = scaled.bind(scaled.bind(scaled.bind(x, scale=2), scale=True), scale=2)
        return y + scaled.bind(x[0], scale=2) + scaled.bind(x, scale=2)

    found = np.asarray(transforms.jit(program)(X))
    # Equal numbers of other types are other parameters.
    assert [(s, type(k), k) for s, k in traced] == [
        ((2, 3), int, 2),
        ((2, 3), bool, True),
        ((3,), int, 2),
    ]
    np.testing.assert_allclose(found, X * 4 + X[0] * 2 + X * 2, rtol=1e-6)
    transforms.jit(lambda x: scaled.bind(x, scale=2))(X)
    assert len(traced) == 4  # another module, another time
