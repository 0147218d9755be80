"""Meshes and placements in modules."""

import pytest

import jax
import jax.numpy as jnp
from jax import P
from jax._src.core import hlo_sharding as hlo
from jax._src.interpreters import mlir
from jax.sharding import AbstractMesh, AxisType, NamedSharding

MESH = AbstractMesh((4, 2), ("x", "y"))
EXPLICIT = AbstractMesh((4, 2), ("x", "y"), (AxisType.Explicit,) * 2)


def lowered(function, in_shardings, out_shardings, *arguments):
    """The text of a module for 8 partitions."""
    program = jax.make_jaxpr(function)(*arguments)
    signature = mlir.Signature(in_shardings=in_shardings, out_shardings=out_shardings)
    made = mlir.lower_to_module("f", program, ("cpu",), signature, partition_count=8)
    return mlir.module_to_string(made.module)


def test_arguments_and_results_have_sharding_attributes():
    x = jnp.ones((8, 2))
    first, second = (
        NamedSharding(MESH, P("x", P.UNCONSTRAINED)),
        NamedSharding(MESH, P()),
    )
    text = lowered(lambda x, y: (x, y), (first, None), (None, second), x, x)
    assert (
        '%arg0: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}'
        in text
    )
    assert "%arg1: tensor<8x2xf32>)" in text
    assert "tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})" in text
    assert text.count('"x"=4') == 1
    assert "mhlo.num_partitions = 8" in text


@pytest.mark.parametrize(
    ("spec", "options", "expected"),
    [
        (P(("y", "x")), {}, '<@mesh, [{"y", "x"}, {}]>'),
        (P("x"), {"open_dims": (0, 1)}, '<@mesh, [{"x", ?}, {?}]>'),
        (
            P(),
            {"open_dims": (1,), "replicated": ("y",)},
            '<@mesh, [{}, {?}], replicated={"y"}>',
        ),
        (P("y", unreduced={"x"}), {}, '<@mesh, [{"y"}, {}], unreduced={"x"}>'),
    ],
)
def test_placements_over_a_mesh(spec, options, expected):
    with mlir.make_ir_context() as context, mlir.ir.Location.unknown():
        ctx = mlir.ModuleContext(("cpu",), mlir.ir.Module.create(), context, 8)
        sharding = NamedSharding(EXPLICIT, spec)
        assert mlir.sharding_text(ctx, sharding, 2, **options) == expected


def test_placements_without_a_mesh_get_one():
    with mlir.make_ir_context() as context, mlir.ir.Location.unknown():
        ctx = mlir.ModuleContext(("cpu",), mlir.ir.Module.create(), context, 8)
        tiles = hlo.parse("{devices=[2,4]<=[4,2]T(1,0) last_tile_dim_replicate}")
        assert mlir.sharding_text(ctx, tiles, 2) == '<@mesh, [{"_axis_0"}, {}]>'
        assert "device_ids=[0, 2, 4, 6, 1, 3, 5, 7]" in str(ctx.module)
        assert mlir.sharding_text(ctx, hlo.REPLICATED, 1) == "<@empty_mesh, [{}]>"
        assert mlir.on_first_device(ctx) == "<@maximal_mesh_0, []>"
        other = AbstractMesh((8,), ("x",))
        assert mlir.mesh_symbol(ctx, other) == "mesh_0"
        assert (
            mlir.mesh_symbol(ctx, other.update(axis_types=AxisType.Manual)) == "mesh_0"
        )
