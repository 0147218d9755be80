"""References: reading, writing, what they are, and what is refused."""

import copy

import numpy as np
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
    ref.addupdate(jnp.ones(3))
    assert jax.freeze(ref).tolist() == [1.0, 1.0, 1.0]


def test_a_reference_has_a_type():
    ref = jax.empty_ref(jax.ShapeDtypeStruct((2, 3), jnp.int32))
    assert (ref.shape, ref.dtype, ref.ndim, ref.size) == ((2, 3), jnp.int32, 2, 6)
    assert isinstance(ref, jax.Ref) and not isinstance(ref, jax.Array)
    assert jax.typeof(ref) == jax.ref.AbstractRef(jax.typeof(ref[...]))
    assert str(jax.typeof(ref).str_short()) == "Ref{int32[2,3]}"
    assert repr(jax.new_ref(jnp.zeros(2))) == "Ref([0., 0.], dtype=float32)"
    assert len(ref) == 2


def test_the_array_it_was_made_of_does_not_change():
    x = jnp.zeros(2)
    ref = jax.new_ref(x)
    ref[0] = 1.0
    assert x.tolist() == [0.0, 0.0]


def test_a_copy_is_another_reference():
    ref = jax.new_ref(1.0)
    for other in (copy.copy(ref), copy.deepcopy(ref)):
        other[...] = 5.0
        assert (ref[...], other[...]) == (1.0, 5.0)


def test_a_view_is_a_reference_to_a_part():
    ref = jax.new_ref(jnp.zeros((3, 4)))
    row = ref.at[1]
    row[2] = 5.0
    row.at[0:2][...] = jnp.ones(2)
    assert (row.shape, row.dtype, row.ndim, row.size) == ((4,), jnp.float32, 1, 4)
    assert ref[...].tolist() == [[0.0] * 4, [1.0, 1.0, 5.0, 0.0], [0.0] * 4]


def test_a_reference_keeps_its_dtype_and_weakness():
    ref = jax.new_ref(0)
    ref[...] = 3
    assert ref[...].dtype == jnp.int32 and ref[...].weak_type
    half = jax.new_ref(jnp.zeros(2, jnp.float16))
    half[0] = 2.5
    assert half[...].dtype == jnp.float16


@pytest.mark.parametrize("dtype, value", [("float16", jnp.ones(2)), ("int32", 1.5)])
def test_a_value_of_another_dtype_is_refused(dtype, value):
    ref = jax.new_ref(jnp.zeros(2, dtype))
    with pytest.raises(ValueError, match="another dtype") as caught:
        ref[...] = value
    assert dtype in str(caught.value) and "float32" in str(caught.value)


def test_a_value_of_another_shape_is_refused():
    with pytest.raises(ValueError, match="shapes do not fit"):
        jax.new_ref(jnp.zeros(3))[...] = jnp.ones(2)


def test_a_reference_ends():
    ref = jax.new_ref(1.0)
    jax.free_ref(ref)
    with pytest.raises(ValueError, match="freed or frozen"):
        _ = ref[...]
    assert repr(ref) == "Ref(freed)"


def test_a_reference_ends_only_where_it_was_made():
    ref = jax.new_ref(1.0)
    with pytest.raises(ValueError, match="only where it was made"):
        jax.jit(lambda: jax.freeze(ref))()
    with pytest.raises(ValueError, match="freed or frozen"):
        jax.jit(jax.freeze)(ref)


def test_a_reference_is_no_array():
    ref = jax.new_ref(1.0)
    for function in (jnp.sin, jax.jit(jnp.sin), jax.new_ref):
        with pytest.raises(TypeError, match=r"(?s)Ref\{float32\[\]\}.*ref\[\.\.\.\]"):
            function(ref)


RETURNING = {
    "jit": lambda ref: jax.jit(lambda: ref)(),
    "argument": lambda ref: jax.jit(lambda r: r)(ref),
    "new": lambda ref: jax.jit(lambda: jax.new_ref(0.0))(),
    "scan": lambda ref: jax.lax.scan(lambda c, x: (c, ref), 0.0, jnp.ones(3)),
    "carry": lambda ref: jax.lax.scan(lambda c, x: (c, x), ref, jnp.ones(3)),
    "while": lambda ref: jax.lax.while_loop(lambda c: True, lambda c: c, ref),
    "cond": lambda ref: jax.lax.cond(True, lambda: ref, lambda: ref),
    "vmap": lambda ref: jax.vmap(lambda x: ref)(jnp.ones(3)),
    "grad": lambda ref: jax.grad(lambda x: ref)(1.0),
}


@pytest.mark.parametrize("name", RETURNING)
def test_a_reference_cannot_be_returned(name):
    with pytest.raises(
        ValueError, match=r"(?s)returned a mutable array reference.*Ref\{float32"
    ):
        RETURNING[name](jax.new_ref(0.0))


def _both(ref):
    def f(r):
        r[...] = 1.0
        return ref[...]

    return jax.jit(f)(ref)


# The name in the message, behind a comma what is wrong.
ALIASING = {
    "<lambda>, passed twice": lambda ref: jax.jit(lambda a, b: a[...] + b[...])(
        ref, ref
    ),
    "<lambda>, in a tree": lambda ref: jax.jit(lambda t: t["a"][...])(
        {"a": ref, "b": ref}
    ),
    "f, passed and used": _both,
    "lax.scan, passed and used": lambda ref: jax.lax.scan(
        lambda c, x: (c, ref[0]), 0.0, ref
    ),
    "a mapped function, passed twice": lambda r: jax.vmap(lambda a, b: a[...])(r, r),
}


@pytest.mark.parametrize("name", ALIASING)
def test_a_reference_has_one_name_in_a_function(name):
    what = name.partition(",")[0]
    with pytest.raises(ValueError, match=rf"(?s)two names in .*{what}.*Ref\{{float32"):
        ALIASING[name](jax.new_ref(jnp.zeros(3)))


VIEWED = {
    "jit": lambda v: jax.jit(lambda v: v.__setitem__(..., v[...] + 1))(v),
    "cond": lambda v: jax.lax.cond(
        True, lambda v: v.__setitem__(..., v[...] + 1), lambda v: None, v
    ),
    "checkpoint": lambda v: jax.checkpoint(lambda v: v.__setitem__(..., v[...] + 1))(v),
    "tree": lambda v: jax.jit(lambda t: t["a"].__setitem__(..., t["a"][...] + 1))(
        {"a": v}
    ),
}
VIEWS = {
    "slice": (lambda r, i: r.at[1:3], [0, 1, 1, 0]),
    "number": (lambda r, i: r.at[2], [0, 0, 1, 0]),
    "value": (lambda r, i: r.at[i], [0, 0, 1, 0]),
    "array": (lambda r, i: r.at[jnp.stack([i, i - 2])], [1, 0, 1, 0]),
    "twice": (lambda r, i: r.at[1:].at[i], [0, 0, 0, 1]),
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", VIEWED)
@pytest.mark.parametrize("outside", [lambda f: f, jax.jit])
def test_a_view_is_an_argument_of_functions(name, view, outside):
    make, want = VIEWS[view]
    ref = jax.new_ref(jnp.zeros(4))
    for step in (1, 2):
        outside(lambda i: VIEWED[name](make(ref, i)))(jnp.int32(2))
        assert ref[...].tolist() == [step * x for x in want]


def test_messages_name_the_arguments_that_are_one_reference():
    ref = jax.new_ref(jnp.zeros(3))

    def f(x_ref, tree):
        return tree["a"][0][...]

    with pytest.raises(
        ValueError, match=r"appeared at both x_ref and tree\['a'\]\[0\]"
    ):
        jax.jit(f)(ref, {"a": [ref]})

    def closes_over(x_ref):
        return x_ref[...] + ref[...]

    with pytest.raises(
        ValueError, match="both closed over and passed as the argument x"
    ):
        jax.jit(closes_over)(ref)


def test_messages_name_the_result_that_is_a_reference_and_its_source():
    ref = jax.new_ref(jnp.zeros(3))
    passed = r"traced for jit returned a mutable array reference.*\['a'\].*\n\n.*was passed in as the argument x_ref"
    with pytest.raises(ValueError, match=passed):
        jax.jit(lambda x_ref: {"a": x_ref})(ref)


def test_a_reference_of_a_finished_trace_is_refused():
    kept = []

    @jax.jit
    def f(x):
        kept.append(jax.new_ref(x))
        return x

    f(1.0)
    with pytest.raises(jax.errors.UnexpectedTracerError, match="has ended"):
        _ = kept[0][...]


def test_a_slice_at_a_traced_index():
    x = np.arange(40.0).reshape(8, 5)
    read = jax.jit(
        lambda x, i: (x[jax.ds(i, 3)], x[1, jax.ds(i, 2)], x[jax.ds(i, 2), i])
    )
    for i in range(3):
        rows, part, column = read(x, i)
        np.testing.assert_array_equal(rows, x[i : i + 3])
        np.testing.assert_array_equal(part, x[1, i : i + 2])
        np.testing.assert_array_equal(column, x[i : i + 2, i])


def test_a_slice_that_would_pass_the_end_is_moved_inside():
    x = jnp.arange(10)
    assert x[jax.ds(9, 3)].tolist() == [7, 8, 9]
    assert jax.jit(lambda i: x[jax.ds(i, 3)])(9).tolist() == [7, 8, 9]
    assert jax.jit(lambda i: x[jax.ds(i, 2)])(-2).tolist() == [8, 9]


def test_writing_to_a_slice_at_a_traced_index():
    x = jnp.arange(6)
    write = jax.jit(lambda i: x.at[jax.ds(i, 2)].set(9))
    assert write(1).tolist() == [0, 9, 9, 3, 4, 5]
    # A slice that would pass the end is dropped as a whole.
    assert write(5).tolist() == x.at[jax.ds(5, 2)].set(9).tolist() == x.tolist()
    assert x.at[jax.ds(4, 2)].add(1).tolist() == [0, 1, 2, 3, 5, 6]


def test_a_slice_with_a_stride_or_beside_indices():
    x = np.arange(12.0).reshape(3, 4)
    indices = jnp.array([0, 2])
    assert jnp.arange(10)[jax.ds(1, 3, 2)].tolist() == [1, 3, 5]
    assert jax.jit(lambda i: jnp.arange(10)[jax.ds(i, 3, 2)])(2).tolist() == [2, 4, 6]
    found = jax.jit(lambda x, i: x[indices, jax.ds(i, 2)])(x, 1)
    np.testing.assert_array_equal(found, x[[0, 2], 1:3])
    found = jax.jit(lambda x, i: x[None, i, ..., jax.ds(i, 2)])(x, 1)
    np.testing.assert_array_equal(found, x[None, 1, ..., 1:3])


def test_forms_of_slices():
    assert jax.ds(None) == slice(None)
    assert repr(jax.ds(3)) == "Slice(start=0, size=3, stride=1)"
    assert jax.ds(1, 3, 2) == jax.ds(1, 3, 2) != jax.ds(1, 3)
    known = jax.ds(jnp.int32(1), 2)
    assert not known.is_dynamic_start and not jax.tree.leaves(known)
    structures = []

    def f(i):
        leaves, structure = jax.tree.flatten(jax.ds(i, 2))
        structures.append(structure)
        return leaves

    assert jax.jit(f)(3) == [3]
    assert jax.tree.unflatten(structures[0], [4]).start == 4
    assert jax.ds(0, 1).from_slice(slice(1, 6, 2), 9) == jax.ds(1, 3, 2)


def test_what_is_no_slice():
    x = jnp.arange(6)
    with pytest.raises(ValueError, match="stride is negative"):
        jax.ds(1, 2, -1)
    with pytest.raises(ValueError, match="stride is no integer"):
        jax.ds(1, 2, jnp.int32(2))
    with pytest.raises(TypeError, match="does not fit the axis"):
        x[jax.ds(0, 7)]
    with pytest.raises(IndexError, match="size is no concrete"):
        jax.jit(lambda n: x[jax.ds(0, n)])(3)


@pytest.mark.parametrize("index", [3, -4, (0, 2), (..., 2), np.int32(3), (3, ...)])
@pytest.mark.parametrize(
    "use",
    [
        lambda ref, index: ref[index],
        lambda ref, index: ref.__setitem__(index, 1.0),
        lambda ref, index: ref.addupdate(1.0, index),
        lambda ref, index: jax.jit(lambda: ref[index])(),
    ],
)
def test_indices_that_are_not_there_are_refused(use, index):
    ref = jax.new_ref(jnp.zeros((3, 2)))
    with pytest.raises(ValueError, match="(?s)out of bounds.*size of the axis"):
        use(ref, index)
    assert not ref[...].any()


@pytest.mark.parametrize("index", [2, -3, (0, -2), (..., 1), slice(1, 9), [7], None])
def test_other_indices_are_those_of_arrays(index):
    x = jnp.arange(6.0).reshape(3, 2)
    index = jnp.array(index) if isinstance(index, list) else index
    np.testing.assert_array_equal(jax.new_ref(x)[index], x[index])
