"""Whole modules, as libraries lower and join them; what their rules are told."""

import enum
import importlib

import pytest

import jax
import jax.numpy as jnp
from jax.extend import core as extend_core, lowering
from jax.interpreters import mlir

ONE_DEVICE = mlir.ShardingContext(1)


def lowered(f, *args, **changes):
    closed = jax.make_jaxpr(f)(*args)
    given = {
        "num_const_args": 0,
        "in_avals": closed.in_avals,
        "ordered_effects": [],
        "platforms": ["cpu"],
        "backend": None,
        "axis_context": ONE_DEVICE,
        "donated_args": [False] * len(closed.in_avals),
        "lowering_parameters": mlir.LoweringParameters(),
    }
    return mlir.lower_jaxpr_to_module("mine", closed, **{**given, **changes})


def test_a_program_becomes_a_module():
    found = lowered(lambda x: jnp.sin(x) * 2, jnp.ones(3))
    text = str(found.module)
    assert "module @mine" in text and "stablehlo.sine" in text
    assert isinstance(found, mlir.LoweringResult) and found.host_callbacks == []
    assert found.shape_poly_state == mlir.ShapePolyLoweringState((), None)
    assert not found.shape_poly_state.uses_dim_vars
    given = lowered(lambda x: x + 1, jnp.ones(3), donated_args=[True])
    assert "jax.buffer_donor" in str(given.module) or "aliasing" in str(given.module)


def test_options_that_modules_do_not_have_are_refused():
    rules = mlir.LoweringParameters(override_lowering_rules=((jax.lax.sin_p, None),))
    for change in (
        {"num_const_args": 1},
        {"lowering_parameters": rules},
        {"input_output_aliases": (0,)},
    ):
        with pytest.raises(NotImplementedError, match="an option is not supported"):
            lowered(jnp.sin, 1.0, **change)


def test_modules_are_merged():
    first, second = (lowered(f, jnp.ones(3)).module for f in (jnp.sin, jnp.cos))
    with first.context, mlir.ir.Location.unknown(first.context):
        there = mlir.ir.Module.parse(str(second), first.context)
        assert mlir.merge_mlir_modules(first, "cosine", there) == "cosine"
        again = mlir.merge_mlir_modules(first, "main", there)
    text = str(first)
    assert again != "main" and "private @cosine" in text and f"private @{again}" in text
    assert text.count("stablehlo.cosine") == 2 and text.count("@main(") == 1
    assert first.operation.verify()
    with pytest.raises(ValueError, match="different contexts"):
        mlir.merge_mlir_modules(first, "other", second)


def test_a_context_knows_the_dialects_that_were_appended():
    context = lowering.JaxIrContext()
    context.append_dialect_registry(lowering.upstream_dialects)
    text = "module { func.func @f(%a: tensor<i1>) -> tensor<i1> { return %a : tensor<i1> } }"
    module = mlir.ir.Module.parse(text, context)
    assert isinstance(module.context, lowering.JaxIrContext) and "@f" in str(module)


def test_trees_of_values():
    leaves, structure = mlir.ir_tree_registry.flatten([1, (2, None)])
    assert leaves == [1, 2, None]
    assert structure.unflatten("abc") == ["a", ("b", "c")]
    module = lowered(lambda x: (x, x + 1), 1.0).module
    (main,) = module.body.operations
    call = list(main.regions[0].blocks[0].operations)[0]
    leaves, _ = mlir.ir_tree_registry.flatten(call.results)
    assert len(leaves) == 1 and isinstance(leaves[0], mlir.ir.Value)


NESTED = [
    ("abc", ["abc"]),
    (["ab", ("c", [1])], ["ab", "c", 1]),
    ((), []),
    ([[], ()], []),
    (None, [None]),
    (3, [3]),
    ({"a": 1}, [{"a": 1}]),
    (range(2), [range(2)]),
    (("a", None), ["a", None]),
]


@pytest.mark.parametrize(("nested", "flat"), NESTED)
@pytest.mark.parametrize("name", ["flatten_ir_types", "flatten_ir_values"])
def test_only_tuples_and_lists_are_nested_types_and_values(name, nested, flat):
    assert getattr(mlir, name)(nested) == flat


def test_values_are_grouped_as_types_are():
    group = mlir.unflatten_ir_values_like_types
    assert group("xyz", ["a", ("b", "c")]) == ["x", ("y", "z")]
    assert group("xy", [None, "q"]) == ["x", "y"]
    assert group([], []) == []
    with pytest.raises(ValueError, match=r"fewer values than types\.\n  values  1\n"):
        group("x", ["a", "b"])


def test_what_a_lowering_rule_is_told():
    seen = []
    marked = extend_core.Primitive("marked")
    marked.def_abstract_eval(lambda x: x)

    def rule(ctx, x):
        seen.append(ctx)
        return [x]

    mlir.register_lowering(marked, rule)

    def f(x):
        with jax.named_scope("here"):
            return marked.bind(x)

    jax.jit(f).lower(1.0)
    (ctx,) = seen
    assert isinstance(ctx, lowering.LoweringRuleContext)
    assert ctx.primitive is marked and str(ctx.name_stack).endswith("here")
    assert "modules_test.py" in str(ctx.traceback)
    assert ctx.platforms == ("cpu",) and ctx.dim_var_values == ()
    assert dict(ctx.const_lowering) == {} and ctx.axis_size_env is None
    changed = ctx.replace(platforms=("cuda",), primitive=None)
    assert changed.platforms == ("cuda",) and changed.avals_in is ctx.avals_in
    ctx.set_tokens_out(mlir.TokenSet())
    assert len(ctx.tokens_out) == 0


def test_options_are_read_at_the_paths_of_libraries():
    from_path = importlib.import_module("jax._src.config")
    assert from_path.jax_platforms.value == jax.config.jax_platforms
    with from_path.disable_jit(True):
        assert jax.config.jax_disable_jit
    assert from_path.compilation_cache_dir.value == jax.config.jax_compilation_cache_dir


def test_options_of_libraries_flags_and_members_of_enumerations():
    from_path = importlib.import_module("jax._src.config")
    flag = from_path.int_flag("jax_test_some_flag", 3, help="a number")
    assert flag.value == 3
    flag._set(4)
    assert flag.value == 4 and jax.config.jax_test_some_flag == 4
    assert from_path.enum_flag("jax_test_kind", "a", ["a", "b"], "h").value == "a"
    assert from_path.bool_flag("jax_test_truth", True, "h").value is True

    class Kind(enum.Enum):
        ONE = "one"
        TWO = "two"

    state = from_path.enum_class_state("jax_test_member", Kind, Kind.ONE, "h")
    with state(Kind.TWO):
        assert state.value is Kind.TWO
    with pytest.raises(TypeError, match="new enum value must be an instance of"):
        jax.config.update("jax_test_member", 3)

    def refuse(value):
        if value == 5:
            raise ValueError(value)

    from_path.string_or_object_state("jax_test_any", None, "h", validator=refuse)
    jax.config.update("jax_test_any", (1, 2))
    with pytest.raises(ValueError, match="'jax_test_any' cannot be 5"):
        jax.config.update("jax_test_any", 5)
    with pytest.raises(ValueError, match="Config option jax_test_any already defined"):
        from_path.string_or_object_state("jax_test_any", None, "h")
