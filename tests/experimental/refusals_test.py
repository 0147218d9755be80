"""What cannot work on this platform says so when it is used."""

import pytest

import jax
import jax.numpy as jnp
from jax.experimental import control_deps, fused, profiler


def test_no_compiler_makes_kernels_on_request():
    f = fused.fused(out_spaces=jax.memory.Space.Device)(lambda x: x)
    with pytest.raises(NotImplementedError, match="jax.jit fuses what it can"):
        f(1.0)


def test_a_kernel_on_request_is_traced_and_transformed():
    space = jax.memory.Space.Device
    f = fused.fused(out_spaces=(space, {"a": space}))(lambda x, y: (x, {"a": x * y}))
    (eqn,) = jax.make_jaxpr(f)(1.0, 2.0).eqns
    assert eqn.primitive is fused.fused_p
    assert eqn.params["out_spaces"] == (space, space)
    assert jax.eval_shape(f, 1.0, 2.0)[1]["a"].shape == ()
    rows = jax.eval_shape(jax.vmap(f, in_axes=(0, None)), jnp.ones(3), 2.0)
    assert rows[1]["a"].shape == (3,)
    moved = jax.make_jaxpr(lambda x: jax.jvp(lambda x: f(x, x), (x,), (x,)))(1.0)
    assert len(moved.eqns[0].outvars) == 4

    def closes_over(y):
        return jax.vmap(lambda z: fused.fused(out_spaces=space)(lambda x: x * z)(1.0))(
            y
        )

    assert jax.eval_shape(closes_over, jnp.ones(3)).shape == (3,)
    with pytest.raises(NotImplementedError, match="<lambda>.*\n.*CUDA alone"):
        jax.jit(f)(1.0, 2.0)


def ordered(x):
    a, b, c = jnp.sin(x), jnp.cos(x), x * 2
    control_deps.schedule([a, b, c])
    return a + b + c


def test_orders_change_nothing_on_a_cpu():
    plain = lambda x: jnp.sin(x) + jnp.cos(x) + x * 2
    x = jnp.array([0.5, 1.0])
    assert jax.jit(ordered)(x).tolist() == jax.jit(plain)(x).tolist()
    assert ordered(x).tolist() == pytest.approx(plain(x).tolist())
    assert jax.vmap(ordered)(x).tolist() == pytest.approx(plain(x).tolist())
    assert jax.grad(ordered)(0.5) == pytest.approx(jax.grad(plain)(0.5))
    assert "control_dep" not in jax.jit(ordered).lower(x).as_text()


def test_other_compilers_are_told_the_order():
    traced = jax.jit(ordered).trace(1.0)
    text = traced.lower(lowering_platforms=("cuda",)).as_text()
    assert text.count("@control_dep(") == 2 and "has_side_effect = true" in text


def test_profiles_are_not_read_back():
    with pytest.raises(NotImplementedError, match="plan"):
        profiler.get_profiled_instructions_proto("/somewhere")
