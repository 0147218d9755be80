"""References: reading, writing, and where they may be used."""

import pytest

import jax
import jax.numpy as jnp


def test_a_reference_reads_and_writes():
    ref = jax.new_ref(jnp.arange(3.0))
    ref[1] = 9.0
    ref[...] += 1
    assert ref[0] == 1.0
    assert ref[...].tolist() == [1.0, 10.0, 3.0]
    assert jax.ref.swap(ref, 0, 5.0) == 1.0
    jax.ref.addupdate(ref, 0, 2.0)
    assert jax.ref.get(ref).tolist() == [7.0, 10.0, 3.0]
    jax.ref.set(ref, None, 0.0)
    assert jax.freeze(ref).tolist() == [0.0, 0.0, 0.0]


def test_a_reference_has_a_type():
    ref = jax.empty_ref(jax.ShapeDtypeStruct((2, 3), jnp.int32))
    assert (ref.shape, ref.dtype, ref.ndim, ref.size) == ((2, 3), jnp.int32, 2, 6)
    assert isinstance(ref, jax.Ref) and not isinstance(ref, jax.Array)
    assert jax.typeof(ref) == jax.ref.AbstractRef(jax.typeof(ref[...]))
    assert str(jax.typeof(ref).str_short()) == "Ref{int32[2,3]}"


def test_the_array_it_was_made_of_does_not_change():
    x = jnp.zeros(2)
    ref = jax.new_ref(x)
    ref[0] = 1.0
    assert x.tolist() == [0.0, 0.0]


def test_references_inside_of_a_traced_function():
    @jax.jit
    def f(x):
        ref = jax.new_ref(jnp.zeros(3))
        for index in range(3):
            ref[index] = x * index
        return ref[...]

    assert f(2.0).tolist() == [0.0, 2.0, 4.0]
    assert jax.grad(lambda x: f(x).sum())(2.0) == 3.0
    assert jax.vmap(f)(jnp.arange(2.0)).shape == (2, 3)


def test_a_reference_ends():
    ref = jax.new_ref(1.0)
    jax.free_ref(ref)
    with pytest.raises(ValueError, match="freed or frozen"):
        _ = ref[...]


def test_a_reference_does_not_pass_into_another_trace():
    ref = jax.new_ref(jnp.zeros(2))
    with pytest.raises(NotImplementedError, match="under another transformation"):
        jax.jit(lambda x: ref[...] + x)(1.0)
