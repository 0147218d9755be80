"""Members of the core's classes that libraries touch, held against what upstream returns."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import core, extend
from jax.extend.core.primitives import call_p
from jax.extend.sharding import GSPMDSharding
from jax.sharding import AbstractMesh, AxisType, ManualAxisType

# Names that are to go warn at their first use.
pytestmark = pytest.mark.filterwarnings(r"ignore:jax\..* is deprecated; ")

ARRAY = core.ShapedArray((3, 4), jnp.float32)


def test_types_of_arrays_are_lowered_to_themselves():
    for aval in (ARRAY, core.abstract_token, jax.typeof(jax.new_ref(1.0))):
        assert aval.lo_ty() == [aval] and aval.normalize() is aval
        assert aval.raise_val(*aval.lower_val(7)) == 7
    assert ARRAY.at_least_vspace() == ARRAY
    assert (
        core.ShapedArray((2,), jnp.int32).at_least_vspace().str_short() == "float0[2]"
    )


def test_types_gain_and_lose_axes():
    assert ARRAY.dec_rank(3, 0).shape == (4,)
    assert ARRAY.inc_rank(5, ARRAY.leading_axis_spec()).shape == (5, 3, 4)
    assert ARRAY.inc_rank(5, 1).shape == (3, 5, 4)
    assert ARRAY.inc_rank(5, None) is ARRAY is ARRAY.dec_rank(3, None)
    with pytest.raises(ValueError, match="another size"):
        ARRAY.dec_rank(4, 0)


def test_sets_of_manual_axes():
    mesh = AbstractMesh((2, 2, 2), ("x", "y", "z"), axis_types=(AxisType.Manual,) * 3)
    some = ManualAxisType(varying={"x"}, reduced={"y"})
    assert ManualAxisType().empty and not some.empty
    assert some.vur == {"x", "y"} and some.invarying(mesh) == {"z"}
    assert some.to_ct_mat() == ManualAxisType(varying={"x"}, unreduced={"y"})


def test_shardings_of_compilers_by_name():
    devices = jax.devices()[:1]
    whole = GSPMDSharding.get_replicated(devices)
    assert whole.is_fully_replicated and list(whole.device_set) == devices
    kind = whole.memory_kind
    assert GSPMDSharding.get_replicated(devices, memory_kind=kind) == whole
    data = extend.sharding.get_serialized_proto_from_hlo_sharding(
        whole._to_xla_hlo_sharding(2)
    )
    read = extend.sharding.get_hlo_sharding_from_serialized_proto
    assert read(sharding=data) == whole._to_xla_hlo_sharding(2)
    names = (
        extend.source_info_util.NameStack().extend("a").transform(transform_name="vmap")
    )
    assert len(names) == 2


def test_types_along_other_manual_axes():
    some = ManualAxisType(varying={"x"})
    assert ARRAY.update_manual_axis_type(some).manual_axis_type == some


def test_a_primitive_binds_as_it_is_told():
    double = extend.core.Primitive("double")
    assert not double.is_high(ARRAY) and not double.ref_primitive
    assert not double.ref_allocating and not double.skip_canonicalization
    with pytest.raises(NotImplementedError, match="to_lojax"):
        double.to_lojax(1)
    seen = []

    @double.def_bind_with_trace
    def bind(trace, args, avals, params):
        assert [jax.typeof(x) for x in args] == list(avals)
        seen.append((type(trace).__name__, params))
        return args[0] + args[0]

    assert double.bind(2.0, n=1) == 4
    assert str(jax.make_jaxpr(double.bind)(1.0).eqns[0].primitive) == "add"
    assert [params for _, params in seen] == [{"n": 1}, {}]
    assert seen[0][0] != seen[1][0]


def test_traces_apply_primitives_and_call_functions():
    kept = []

    def f(x):
        trace = x._trace
        kept.append(trace)
        assert trace.is_valid() and x.get_referent() is x
        y = trace.process_primitive(jax.lax.sin_p, [x], {"accuracy": None})
        debug = jax.api_util.debug_info("test", jnp.cos, (0,), {})
        wrapped = extend.linear_util.wrap_init(lambda z: [jnp.cos(z)], debug_info=debug)
        return y + trace.process_call(call_p, wrapped, [x], {})[0]

    assert [e.primitive.name for e in jax.make_jaxpr(f)(1.0).eqns] == [
        "sin",
        "cos",
        "add",
    ]
    np.testing.assert_allclose(jax.grad(f)(1.0), np.cos(1) - np.sin(1), rtol=1e-6)
    assert not kept[0].is_valid()
    kept[1].invalidate()
    assert not kept[1].is_valid()


def test_names_are_counted():
    debug = core.DebugInfo("jit", "f at f.py:1", ("x", "y"), ("result",))
    debug.assert_arg_names(2)
    debug.assert_result_paths(1)
    for check, count in ((debug.assert_arg_names, 1), (debug.assert_result_paths, 2)):
        with pytest.raises(AssertionError, match=f"does not name {count}"):
            check(count)
    debug.with_unknown_names().assert_arg_names(7)


def test_variables_are_named_by_contexts():
    program = jax.make_jaxpr(lambda x, y: x * 2.0 + y)(1.0, 2.0).jaxpr
    context = core.JaxprPpContext()
    variables = [*program.invars, *program.outvars]
    assert [v.pretty_print(context) for v in variables] == ["a", "b", "c"]
    assert [v.pretty_print(context) for v in variables] == ["a", "b", "c"]
    two = program.eqns[0].invars[1]
    assert two.pretty_print(context) == "2.0:f32[]"
    assert two.pretty_print(context, print_dtype=False) == "2.0"
    other = jax.make_jaxpr(lambda x, y: x)(1.0, 2.0).jaxpr
    context.suggest_same_var_names(other.invars, [program.outvars[0], two])
    assert [v.pretty_print(context) for v in other.invars] == ["c", "e"]
    assert core.DropVar(ARRAY).pretty_print(context) == "_"
    assert core.JaxprPpContext({variables[0]: "q"}).var_names == {variables[0]: "q"}
    assert program.in_aval_qdds == program.final_aval_qdds == program.in_avals


def test_a_traced_call_is_called_again():
    traced = jax.jit(
        lambda x, n, *, d: {"out": x * n + d["y"]}, static_argnums=1
    ).trace(2.0, 3, d={"y": jnp.ones(2)})
    assert traced(4.0, d={"y": jnp.zeros(2)})["out"].tolist() == [12.0, 12.0]
    again = lambda x: traced(x, d={"y": jnp.zeros(2)})["out"].sum()
    assert jax.grad(again)(1.0) == jax.jit(jax.grad(again))(1.0) == 6.0
    assert jax.vmap(again)(jnp.arange(2.0)).tolist() == [0.0, 6.0]
    with pytest.raises(TypeError, match="does not match the input pytree"):
        traced(4.0, 3, d={"y": jnp.zeros(2)})


def test_keys_and_devices_have_the_members_that_arrays_and_clients_have():
    key = jax.random.key(0)
    words = jax.random.key_data(key)
    assert key.unsafe_buffer_pointer() > 0 and key.__array_priority__ == 100
    assert words.shape == (2,)
    device = jax.devices()[0]
    assert device.task_id == device.process_index == 0
    client = device.client
    assert client.local_device_count() == jax.local_device_count()
    assert client.device_from_local_hardware_id(device.local_hardware_id) is device
    with pytest.raises(ValueError, match="no such device"):
        client.device_from_local_hardware_id(1000)
