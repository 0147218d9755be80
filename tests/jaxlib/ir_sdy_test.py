"""jaxlib.mlir.dialects.sdy: shardings as third-party libraries write them."""

import pytest

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import func, sdy


@pytest.fixture
def context():
    with ir.Context() as context, ir.Location.unknown():
        yield context


def test_meshes_and_axes_print_as_in_programs(context):
    axes = [sdy.MeshAxisAttr.get("x", 4), sdy.MeshAxisAttr.get("y", 2)]
    assert (axes[0].name, axes[0].size) == ("x", 4)
    mesh = sdy.MeshAttr.get(axes)
    assert str(mesh) == '#sdy.mesh<["x"=4, "y"=2]>'
    assert mesh.axes == axes
    assert mesh.device_ids == []
    maximal = sdy.MeshAttr.get([], device_ids=[3])
    assert str(maximal) == "#sdy.mesh<[], device_ids=[3]>"
    factor = sdy.SubAxisInfoAttr.get(1, 2)
    assert (factor.pre_size, factor.size) == (1, 2)
    axis = sdy.AxisRefAttr.get("x", factor)
    assert str(axis) == '#sdy<axis_ref"x":(1)2>'
    assert (axis.name, axis.sub_axis_info) == ("x", factor)
    assert sdy.AxisRefAttr.get("x").sub_axis_info is None


def test_shardings_print_as_in_programs(context):
    x, y = sdy.AxisRefAttr.get("x"), sdy.AxisRefAttr.get("y")
    closed = sdy.DimensionShardingAttr.get([x], True)
    opened = sdy.DimensionShardingAttr.get([], is_closed=False, priority=2)
    assert (closed.axes, closed.is_closed, closed.priority) == ([x], True, None)
    assert opened.priority == 2
    sharding = sdy.TensorShardingAttr.get(
        "mesh", [closed, opened], replicated_axes=[y], unreduced_axes=[]
    )
    assert str(sharding) == '#sdy.sharding<@mesh, [{"x"}, {?}p2], replicated={"y"}>'
    assert sharding.mesh_or_ref == ir.FlatSymbolRefAttr.get("mesh")
    assert sharding.dimension_shardings == [closed, opened]
    assert sharding.replicated_axes == [y]
    assert sharding.unreduced_axes == []
    every = sdy.TensorShardingPerValueAttr.get([sharding])
    assert every.shardings == [sharding]
    inlined = sdy.TensorShardingAttr.get(
        sdy.MeshAttr.get([sdy.MeshAxisAttr.get("x", 4)]), [closed]
    )
    assert str(inlined) == '#sdy.sharding<mesh<["x"=4]>, [{"x"}]>'


def test_rules_print_as_in_programs(context):
    def tensor(*dims):
        return sdy.TensorMappingAttr.get([sdy.DimMappingAttr.get(d) for d in dims])

    rule = sdy.OpShardingRuleAttr.get(
        [2, 3, 4], [tensor([0], [2]), tensor([2], [1])], [tensor([0], [1])],
        reduction_factors=[2], is_custom=True,
    )  # fmt: skip
    assert str(rule) == (
        "#sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=2, j=3, k=4} "
        "reduction={k}, custom>"
    )
    assert rule.factor_sizes == [2, 3, 4]
    assert rule.operand_mappings[0].rank == 2
    assert rule.operand_mappings[0].dim_mappings[1].factor_indices == [2]
    assert rule.is_custom
    assert rule.permutation_factors == []


def test_manual_axes_are_a_sequence_of_names(context):
    axes = sdy.ManualAxesAttr.get([ir.StringAttr.get("x"), ir.StringAttr.get("y")])
    assert len(axes) == 2
    assert list(axes) == ["x", "y"]
    assert axes[-1] == "y"


def test_mistakes_are_explained(context):
    with pytest.raises(ValueError, match="size of mesh axis"):
        sdy.MeshAxisAttr.get("x", 0)
    with pytest.raises(ValueError, match="priority -1 is negative"):
        sdy.DimensionShardingAttr.get([], False, priority=-1)
    with pytest.raises(TypeError, match="expected an attribute"):
        sdy.MeshAttr.get(["x"])
    with pytest.raises(ValueError, match="is of another class"):
        sdy.TensorShardingPerValueAttr.get([ir.StringAttr.get("x")])


def test_operations_are_built_and_verified(context):
    module = ir.Module.create()
    f32 = ir.F32Type.get()
    whole = ir.RankedTensorType.get([8], f32)
    part = ir.RankedTensorType.get([2], f32)
    with ir.InsertionPoint(module.body):
        sdy.MeshOp("mesh", sdy.MeshAttr.get([sdy.MeshAxisAttr.get("x", 4)]))
        main = func.FuncOp("main", ir.FunctionType.get([whole], [whole]))
    dim = sdy.DimensionShardingAttr.get([sdy.AxisRefAttr.get("x")], True)
    sharding = sdy.TensorShardingAttr.get("mesh", [dim])
    every = sdy.TensorShardingPerValueAttr.get([sharding])
    with ir.InsertionPoint(main.add_entry_block()):
        value = sdy.ShardingConstraintOp(main.arguments[0], sharding).result
        sdy.ShardingGroupOp(value, 3)
        manual = sdy.ManualComputationOp(
            [whole],
            [value],
            every,
            every,
            sdy.ManualAxesAttr.get([ir.StringAttr.get("x")]),
        )
        body = ir.Block.create_at_start(manual.body, (part,), [ir.Location.unknown()])
        with ir.InsertionPoint(body):
            sdy.ReturnOp(body.arguments)
        func.ReturnOp(manual.results)
    module.operation.verify()
    assert 'manual_axes={"x"} (%arg1: tensor<2xf32>)' in str(module)
    assert "sdy.sharding_group %0 group_id=3 : tensor<8xf32>" in str(module)
    assert isinstance(
        next(iter(main.body.blocks[0].operations)), sdy.ShardingConstraintOp
    )
