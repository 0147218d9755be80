"""Members of public classes that are not covered where the classes are: what they answer."""

import numpy as np
import pytest

import jax
import jax.extend
import jax.numpy as jnp

# Names that are to go warn at their first use.
pytestmark = pytest.mark.filterwarnings(r"ignore:jax\..* is deprecated; ")

UNDER = {
    "jit": lambda f: jax.jit(f)(1.0),
    "grad": lambda f: jax.grad(f)(1.0),
    "vmap": lambda f: jax.vmap(f)(jnp.ones(2)),
}


def under_every_transformation(test):
    return pytest.mark.parametrize("apply", UNDER.values(), ids=UNDER)(test)


@under_every_transformation
def test_traced_values_lack_what_only_arrays_know(apply):
    def f(x):
        for name in ("sharding", "block_until_ready", "device", "format", "is_ready"):
            assert not hasattr(x, name)
            with pytest.raises(AttributeError, match=f"(?s){name}.*float32.*typeof"):
                getattr(x, name)
        return x

    apply(f)


@under_every_transformation
def test_traced_values_explain_what_needs_an_array(apply):
    def f(x):
        for name in ("devices", "delete", "is_deleted", "unsafe_buffer_pointer"):
            with pytest.raises(jax.errors.ConcretizationTypeError, match=name):
                getattr(x, name)()
        for name in ("committed", "addressable_shards", "is_fully_replicated"):
            with pytest.raises(jax.errors.ConcretizationTypeError, match=name):
                getattr(x, name)
        return x

    apply(f)


def test_a_traced_value_may_be_known():
    def f(x):
        assert x.to_concrete_value() is None
        return x

    jax.jit(f)(1.0)
    jax.grad(lambda x: x * float(x.to_concrete_value() == 3.0))(3.0)


@pytest.mark.parametrize("dtype", ["i1", "?", "i2", "u4", "f4", "c8", "f2"])
def test_bytes_are_swapped(dtype):
    x = np.array([[0, 1, 2], [3, 4, 5]]).astype(dtype)
    wanted = x.byteswap().view(np.uint8)
    for found in (jnp.asarray(x).byteswap(), jax.jit(lambda x: x.byteswap())(x)):
        assert found.dtype == x.dtype
        np.testing.assert_array_equal(np.asarray(found).view(np.uint8), wanted)


def test_a_type_like_an_array():
    x = jnp.ones((2, 3), jnp.bfloat16)
    like = jax.ShapeDtypeStruct.like(x)
    assert like == jax.ShapeDtypeStruct((2, 3), jnp.bfloat16)
    assert jax.ShapeDtypeStruct.like(jnp.asarray(2.0)).weak_type
    assert (like.is_ref, like.manual_axis_type) == (False, None)
    assert (like.format.layout, like.format.sharding) == (None, None)
    aval = jax.typeof(x)
    assert (aval.itemsize, aval.nbytes) == (2, 12)
    assert aval.update_weak_type(True).weak_type and not aval.is_high
    assert aval.to_ct_aval() == aval.to_tangent_aval()
    assert jax.core.abstract_token.update_weak_type(True) is jax.core.abstract_token


def test_a_traced_value_is_lowered_fully_as_it_is():
    assert jax.jit(lambda x: x if x.full_lower() is x else None)(1.0) == 1.0


def test_an_error_of_the_runtime_has_its_code():
    def fails(x):
        raise ZeroDivisionError

    with pytest.raises(jax.errors.JaxRuntimeError) as caught:
        jax.block_until_ready(jax.jit(lambda x: jax.pure_callback(fails, x, x))(1.0))
    error = caught.value
    assert (error.error_code, error.error_code_string) == (13, "INTERNAL")
    assert "ZeroDivisionError" in error.error_message
    assert jax.errors.JaxRuntimeError("hello").error_code == 2


def scaled(x):
    with jax.named_scope("inner"):
        return jnp.sin(x) * 2


def test_a_program_shows_what_is_requested():
    closed = jax.make_jaxpr(scaled)(1.0)
    plain = (
        "{ lambda ; a:f32[]. let b:f32[] = sin a; c:f32[] = mul b 2.0:f32[] in (c,) }"
    )
    assert closed.pretty_print(print_effects=True, use_color=False) == plain
    assert "lambda ; a. let b = sin a" in closed.pretty_print(print_shapes=False)
    lines = closed.pretty_print(source_info=True, name_stack=True).splitlines()
    assert len(lines) == 4
    for line, operation in zip(lines[1:3], ("sin", "mul"), strict=True):
        assert f"= {operation} " in line and "# [inner]" in line
        assert "members_test.py:" in line and line.endswith("(scaled)")


def test_a_closed_program_has_the_parts_of_its_program():
    closed = jax.make_jaxpr(lambda x: x + np.arange(3.0))(jnp.ones(3))
    jaxpr = closed.jaxpr
    assert closed.invars is jaxpr.invars and closed.outvars is jaxpr.outvars
    assert closed.constvars is jaxpr.constvars and len(closed.consts) == 1
    assert not closed.is_high
    again = closed.map_jaxpr(lambda j: j.replace(outvars=[*j.outvars, *j.invars]))
    assert len(again.out_avals) == 2 and again.consts == closed.consts


def test_interpreters_of_others_evaluate_equations():
    closed = jax.make_jaxpr(scaled)(1.0)
    values = dict(zip(closed.invars, [2.0], strict=True))
    for eqn in closed.eqns:
        read = [values.get(v) if v in values else v.val for v in eqn.invars]
        params = eqn.primitive.get_bind_params(eqn.params)
        with eqn.ctx.manager, jax.named_scope(str(eqn.source_info.name_stack)):
            found = eqn.primitive.bind(*read, **params)
        values[eqn.outvars[0]] = found
    np.testing.assert_allclose(values[closed.outvars[0]], scaled(2.0))


def test_compiled_programs_know_formats():
    compiled = jax.jit(lambda x, y: x.T).lower(jnp.ones((2, 3)), 1.0).compile()
    (one, other), _ = compiled.input_formats
    assert one.layout.major_to_minor == (0, 1) and other is None
    assert one.sharding == jnp.ones(1).sharding
    assert compiled.output_formats.layout.major_to_minor == (0, 1)


def test_shardings_check_shapes():
    device = jax.devices()[0]
    single = jax.sharding.SingleDeviceSharding(device)
    assert single.has_addressable_devices
    assert single.check_compatible_aval(()) is None
    mesh = jax.make_mesh((1,), ("a",), devices=[device])
    named = jax.NamedSharding(mesh, jax.P("a"))
    assert named.replicated_axes == frozenset() and named.has_addressable_devices
    assert named.check_compatible_aval((3, 4)) is None
    with pytest.raises(ValueError, match=r"(?s)rank at least 1, but.*\(\)"):
        named.check_compatible_aval(())


def test_primitives_evaluate_and_infer():
    sin = jax.lax.sin_p
    x = jnp.arange(3.0)
    closed = jax.make_jaxpr(jnp.sin)(x)
    params = closed.eqns[0].params
    np.testing.assert_allclose(sin.impl(x, **params), np.sin(x), rtol=1e-6)
    found, effects = sin.abstract_eval(jax.typeof(x), **params)
    assert found == jax.typeof(x) and not effects
    assert not sin.is_effectful(params)
    assert jax.extend.core.Primitive.multiple_results is False

    def f(y):
        trace = y._trace
        return sin.bind_with_trace(trace, (y,), (jax.typeof(y),), params)

    np.testing.assert_allclose(jax.jit(f)(x), np.sin(x), rtol=1e-6)


def test_a_custom_rule_is_an_attribute():
    @jax.custom_jvp
    def f(x):
        return x

    assert (f.jvp, f.symbolic_zeros) == (None, False)
    rule = f.defjvp(lambda primals, tangents: (primals[0], tangents[0]))
    assert f.jvp is rule
