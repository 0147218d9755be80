"""What re-exports for third-party libraries offer besides rules: contexts, meshes, backends, settings."""

import numpy as np
import pytest

import jax
import jax.extend.backend as backend
import jax.extend.core.primitives as primitives
import jax.numpy as jnp
from jax._src.compat.names import table
from jax.extend import core
from jax.interpreters import ad, batching, mlir, partial_eval as pe, pxla, xla

# Names that are to go warn at their first use.
pytestmark = pytest.mark.filterwarnings(r"ignore:jax\..* is deprecated; ")


def test_a_lowering_rule_may_call_python():
    seen = []

    def host(x):
        seen.append(np.asarray(x))
        return [np.asarray(x) * 2]

    doubled_p = core.Primitive("test_doubled")
    doubled_p.def_abstract_eval(lambda x: x)

    def lower(ctx, x):
        results, token, kept = mlir.emit_python_callback(
            ctx, host, None, [x], ctx.avals_in, ctx.avals_out, has_side_effect=False
        )
        assert token is None and kept is not None
        return results

    mlir.register_lowering(doubled_p, lower)
    out = jax.jit(lambda x: doubled_p.bind(x) + 1)(jnp.arange(3.0))
    np.testing.assert_array_equal(out, [1.0, 3.0, 5.0])
    assert len(seen) == 1


def test_a_callback_of_a_rule_is_on_one_device():
    with pytest.raises(NotImplementedError, match="(?s)one device.*'rows'"):
        mlir.emit_python_callback(
            None, len, None, [], [], [], has_side_effect=False, sharding="rows"
        )


def test_a_lowering_rule_may_add_a_function():
    closed = jax.make_jaxpr(lambda x: x * 2)(jnp.arange(3.0))
    named = []
    called_p = core.Primitive("test_called")
    called_p.def_abstract_eval(lambda x: x)

    def lower(ctx, x):
        function = mlir.lower_jaxpr_to_fun(
            ctx.module_context,
            "twice",
            closed,
            [],
            num_const_args=0,
            in_avals=closed.in_avals,
        )
        name = mlir.ir.StringAttr(function.attributes["sym_name"]).value
        named.append(name)
        call = mlir.ir.Operation.create(
            "func.call",
            results=[x.type],
            operands=[x],
            attributes={"callee": mlir.ir.FlatSymbolRefAttr.get(name)},
        )
        return call.results

    mlir.register_lowering(called_p, lower)
    out = jax.jit(called_p.bind)(jnp.arange(3.0))
    np.testing.assert_array_equal(out, [0.0, 2.0, 4.0])
    assert named == ["twice"]


def test_options_of_functions_that_do_nothing_are_refused():
    closed = jax.make_jaxpr(lambda x: x)(1.0)
    with pytest.raises(NotImplementedError, match="main_function"):
        mlir.lower_jaxpr_to_fun(
            None, "f", closed, [], num_const_args=0, in_avals=[], main_function=True
        )


def test_token_sets_are_replaced_not_changed():
    tokens = mlir.TokenSet({"a": 1, "b": 2})
    assert (len(tokens), tokens.get("a"), tokens.effects()) == (2, 1, {"a", "b"})
    assert tokens.subset(["b"]).items() == (("b", 2),)
    changed = tokens.update_tokens(mlir.TokenSet({"b": 5}))
    assert changed.items() == (("a", 1), ("b", 5))
    assert tokens.get("b") == 2
    with mlir.make_ir_context(), mlir.ir.Location.unknown():
        module = mlir.ir.Module.create()
        with mlir.ir.InsertionPoint(module.body):
            made = mlir.TokenSet.create(["a"])
        assert isinstance(made.get("a"), mlir.Token)


def test_the_entered_mesh_is_known():
    assert pxla.thread_resources.env.physical_mesh.empty
    with pytest.warns(DeprecationWarning, match="jax.set_mesh"):
        with jax.make_mesh((1,), ("x",)):
            env = pxla.thread_resources.env
            assert dict(env.shape) == dict(env.local_shape) == {"x": 1}
            assert env.resource_axes == {"x"}


@pytest.mark.parametrize(
    ("mapping", "spec"),
    [
        ({}, jax.P()),
        ({"x": 1, "y": 1}, jax.P(None, ("x", "y"))),
        ({"x": 0, "y": 1}, jax.P("x", "y")),
    ],
)
def test_mesh_axes_become_a_spec(mapping, spec):
    assert pxla.array_mapping_to_axis_resources(mapping) == spec


def test_primitives_are_evaluated_and_rows_repeated():
    out = xla.apply_primitive(primitives.neg_p, jnp.ones(2))
    np.testing.assert_array_equal(out, [-1.0, -1.0])
    copies = batching.broadcast(jnp.arange(3.0), 2, 1, None)
    assert copies.shape == (3, 2)
    assert ad.add_jaxvals_p is primitives.add_jaxvals_p


def test_unused_outputs_of_a_called_program_go():
    closed = jax.make_jaxpr(lambda x, y: (x + 1, y * 2))(1.0, 2.0)
    called_p = core.Primitive("test_program")
    called_p.multiple_results = True
    eqn = core.new_jaxpr_eqn(
        closed.jaxpr.invars,
        [core.Var(v.aval) for v in closed.jaxpr.outvars],
        called_p,
        {"call_jaxpr": closed},
        core.no_effects,
    )
    used, smaller = pe.dce_jaxpr_closed_call_rule([True, False], eqn)
    assert used == [True, False]
    assert len(smaller.params["call_jaxpr"].jaxpr.eqns) == len(smaller.outvars) == 1
    assert pe.dce_jaxpr_closed_call_rule([False, False], eqn) == ([False, False], None)


def test_backends_and_caches():
    assert isinstance(backend.get_backend(), xla.Backend)
    assert backend.get_default_device() in jax.devices()
    assert backend.get_compile_options(1, 1).replica_count == 1

    class Cache:
        cleared = 0

        def cache_clear(self):
            Cache.cleared += 1

    backend.register_backend_cache(Cache(), "a test")
    traced = []
    f = jax.jit(lambda x: traced.append(x) or x)
    f(1.0), f(1.0)
    backend.clear_in_memory_compilation_cache()
    f(1.0)
    assert len(traced) == 2
    assert Cache.cleared == 1


def test_a_users_setting_is_part_of_the_key_of_compiled_functions():
    mode = jax.make_user_context("fast")
    seen = []
    f = jax.jit(lambda x: seen.append(mode.value) or x)
    f(1.0)
    for _ in range(2):
        with mode("exact"):
            f(1.0)
    f(1.0)
    assert seen == ["fast", "exact"]


def test_memories_have_names():
    x = jax.device_put(jnp.arange(3.0), jax.memory.Space.Host)
    assert x.sharding.memory_kind == "pinned_host"
    np.testing.assert_array_equal(x, [0.0, 1.0, 2.0])
    assert jax.typeof(jnp.ones(2)).memory_space is jax.memory.Space.Device


def test_arrays_of_one_process_are_whole():
    sharding = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    found = jax.make_array_from_process_local_data(sharding, np.arange(4.0), (4,))
    np.testing.assert_array_equal(found, np.arange(4.0))
    with pytest.raises(ValueError, match="do not fit"):
        jax.make_array_from_process_local_data(sharding, np.arange(4.0), (8,))


def test_the_environment_is_described():
    text = jax.print_environment_info(return_string=True)
    assert f"jax:    {jax.__version__}" in text
    assert f"jaxlib: {jax.lib.__version__}" in text


@pytest.mark.parametrize("old", ["host_count", "host_id", "host_ids"])
def test_former_names_warn(old):
    with pytest.warns(UserWarning, match="renamed"):
        assert getattr(jax, old)() in (1, 0, [0])


def test_an_interpreter_of_ones_own_repeats_equations():
    closed = jax.make_jaxpr(lambda x: jax.lax.cond(x > 0, jnp.sin, jnp.cos, 2 * x))(1.0)
    values = dict(zip(closed.jaxpr.invars, [1.5], strict=True))

    def read(atom):
        return getattr(atom, "val", None) if hasattr(atom, "val") else values[atom]

    for eqn in closed.eqns:
        params = eqn.primitive.get_bind_params(eqn.params)
        out = eqn.primitive.bind(*map(read, eqn.invars), **params)
        outs = out if eqn.primitive.multiple_results else [out]
        values.update(zip(eqn.outvars, outs, strict=True))
    assert np.allclose(values[closed.jaxpr.outvars[0]], np.sin(3.0))


def test_weak_types_show_in_the_text_of_a_type():
    assert [str(jax.typeof(x)) for x in (1.0, np.float32(1))] == [
        "~float32[]",
        "float32[]",
    ]


@pytest.mark.parametrize("name", sorted(table.rows("jax._src")))
def test_private_reexport_modules_are_attributes(name):
    """A library may write `jax._src.xla_bridge` and import `jax` alone."""
    assert getattr(jax._src, name).__name__ == f"jax._src.{name}"
    assert name in dir(jax._src)


@pytest.mark.parametrize("name", table.rows("jax._src.core"))
def test_names_of_the_private_core_lead_to_where_they_are_defined(name):
    found = getattr(jax._src.core, name)
    assert found is not None and name in dir(jax._src.core)
    assert getattr(jax._src.core, name) is found


def test_a_name_that_the_private_core_lacks_is_an_error():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        jax._src.core.nothing  # noqa: B018
