"""What types answer: of rows and stacks, of parts over a mesh, of tangents."""

import pytest

import jax
import jax.extend
import jax.numpy as jnp
from jax.sharding import AbstractMesh, PartitionSpec as P

MESH = AbstractMesh((2, 4), ("x", "y"))
BOTH = frozenset(("x", "y"))
MATRIX = jax.core.ShapedArray((8, 4), jnp.float32)


def test_a_part_and_the_whole():
    part = MATRIX.shard(MESH, BOTH, True, P("x", "y"))
    assert part.shape == (4, 1) and part.mat.varying == BOTH
    assert part.sharding.mesh.manual_axes == ("x", "y")
    assert part.unshard(MESH, True, P("x", "y")) == MATRIX.update(
        sharding=jax.NamedSharding(MESH, P(None, None))
    )
    half = MATRIX.shard(MESH, frozenset("x"), True, P("x"))
    assert half.shape == (4, 4) and half.mat.varying == {"x"}
    assert not MATRIX.shard(MESH, BOTH, False, P("x")).mat.varying


def test_how_parts_leave_a_body_that_nobody_told():
    assert MATRIX.nospec(MESH, True, ("x", "y")) == P()
    assert MATRIX.nospec(MESH, False, ("x", "y")) == P(("x", "y"))
    part = MATRIX.shard(MESH, BOTH, True, P("x"))
    assert part.nospec(MESH, True, ("x", "y")) == P("x")


def test_rows_and_stacks():
    assert MATRIX.inc_rank(3, MATRIX.leading_axis_spec()).shape == (3, 8, 4)
    assert MATRIX.inc_rank(3, None) is MATRIX
    assert MATRIX.dec_rank(8, 0).shape == MATRIX.dec_rank(None, 0).shape == (4,)
    with pytest.raises(ValueError, match="another size"):
        MATRIX.dec_rank(3, 0)


def test_fields_are_changed_by_index_or_name():
    assert MATRIX.update((3,)).shape == (3,)
    assert MATRIX.update(None, jnp.int32).dtype == jnp.int32
    assert MATRIX.update(weak_type=True).weak_type and MATRIX.update() is MATRIX
    mat = MATRIX.shard(MESH, BOTH, True, P("x")).mat
    assert MATRIX.update_manual_axis_type(mat).mat is mat


def test_values_are_lowered_to_themselves():
    lowered = MATRIX.lower_val2(1.0)
    assert list(lowered) == [1.0] and MATRIX.raise_val2(lowered) == 1.0
    assert MATRIX.raise_val2(lowered.map(lambda x: x + 1)) == 2.0
    assert MATRIX.lo_ty() == [MATRIX] and len(lowered) == 1
    with pytest.raises(NotImplementedError, match="lo_ty_qdd: there is no state"):
        MATRIX.lo_ty_qdd(None)


def test_sums_of_tangents():
    assert MATRIX.vspace_add(jnp.ones(2), jnp.ones(2)).tolist() == [2.0, 2.0]


def test_tokens_are_none_of_many():
    token = jax.extend.core.AbstractToken()
    assert token.inc_rank(3, 0) is token.dec_rank(3, 0) is token
    assert token.shard(MESH, BOTH, True, P()) is token.unshard(MESH, True, P()) is token
    assert token.update_manual_axis_type(None) is token


def test_a_type_of_a_library_says_what_it_lacks():
    class Bare(jax.core.AbstractValue):
        def str_short(self, short_dtypes=False, **_):
            return "Bare"

    for ask in (
        lambda t: t.inc_rank(1, 0),
        lambda t: t.dec_rank(1, 0),
        lambda t: t.shard(MESH, BOTH, True, P()),
        lambda t: t.unshard(MESH, True, P()),
    ):
        with pytest.raises(
            NotImplementedError, match="(?s)Bare does not define.*class of the type"
        ):
            ask(Bare())
