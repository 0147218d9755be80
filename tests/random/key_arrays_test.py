"""Typed keys go wherever arrays go: loops, choices, rules, indexing, batches."""

import copy
import pickle

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax, random
from jax.extend import random as extension

KEYS = random.split(random.key(0), 3)
WORDS = np.asarray(random.key_data(KEYS))


def words(keys):
    return np.asarray(random.key_data(keys))


def step(key):
    return random.split(key)[0]


def many_steps(key, count=3):
    for _ in range(count):
        key = step(key)
    return words(key)


@pytest.mark.parametrize("outer", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_loops_carry_keys(outer):
    scanned = outer(lambda k: lax.scan(lambda k, _: (step(k), k), k, None, length=3))
    last, before = scanned(KEYS[0])
    np.testing.assert_array_equal(words(last), many_steps(KEYS[0]))
    np.testing.assert_array_equal(words(before)[1], many_steps(KEYS[0], 1))
    counted = outer(lambda k: lax.fori_loop(0, 3, lambda i, k: step(k), k))
    np.testing.assert_array_equal(words(counted(KEYS[0])), many_steps(KEYS[0]))
    while_ = outer(
        lambda k: lax.while_loop(
            lambda c: c[0] < 3, lambda c: (c[0] + 1, step(c[1])), (0, k)
        )[1]
    )
    np.testing.assert_array_equal(words(while_(KEYS[0])), many_steps(KEYS[0]))


@pytest.mark.parametrize("outer", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_loops_run_over_keys(outer):
    mapped = outer(lambda ks: lax.map(step, ks))(KEYS)
    expected = [words(step(k)) for k in KEYS]
    np.testing.assert_array_equal(words(mapped), expected)


@pytest.mark.parametrize("outer", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_choices_take_and_return_keys(outer):
    choose = outer(lambda p, k: lax.cond(p, step, lambda k: k, k))
    np.testing.assert_array_equal(words(choose(True, KEYS[0])), words(step(KEYS[0])))
    np.testing.assert_array_equal(words(choose(False, KEYS[0])), WORDS[0])
    rows = jax.vmap(choose)(jnp.array([True, False, True]), KEYS)
    np.testing.assert_array_equal(words(rows)[1], WORDS[1])
    np.testing.assert_array_equal(words(rows)[2], words(step(KEYS[2])))


def noisy(y, key):
    return jnp.sin(y * random.uniform(key))


def expected_slope(y, key):
    u = float(random.uniform(key))
    return np.cos(y * u) * u


custom_vjp = jax.custom_vjp(noisy)
custom_vjp.defvjp(
    lambda y, k: (custom_vjp(y, k), (y, k)),
    lambda r, ct: (ct * jax.grad(noisy)(*r), None),
)
custom_jvp = jax.custom_jvp(noisy)
custom_jvp.defjvp(lambda p, t: (custom_jvp(*p), jax.jvp(noisy, p, t)[1]))
PROGRAMS = {
    "plain": noisy,
    "jit": jax.jit(noisy),
    "checkpoint": jax.checkpoint(noisy),
    "custom_jvp": custom_jvp,
    "custom_vjp": custom_vjp,
    "cond": lambda y, k: lax.cond(y > 0, noisy, lambda y, k: y, y, k),
    "scan": lambda y, k: lax.scan(
        lambda c, k: (noisy(c, k), None), y, k[None] if k.ndim == 0 else k
    )[0],
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.parametrize("outer", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_programs_with_keys_have_derivatives(program, outer):
    found = outer(jax.grad(program))(0.7, KEYS[0])
    assert found == pytest.approx(expected_slope(0.7, KEYS[0]), rel=1e-5)
    rows = jax.vmap(outer(jax.grad(program)), (None, 0))(0.7, KEYS)
    expected = [expected_slope(0.7, k) for k in KEYS]
    np.testing.assert_allclose(rows, expected, rtol=1e-5)


MOVES = {
    "index": lambda x: x[1],
    "slice": lambda x: x[::-1],
    "indices": lambda x: x[jnp.array([2, 0, 2])],
    "mask": lambda x: x[np.array([True, False, True])],
    "at": lambda x: x.at[0].set(x[2]),
    "reshape": lambda x: x.reshape(3, 1).T,
    "stack": lambda x: jnp.stack([x, x]),
    "concatenate": lambda x: jnp.concatenate([x, x[:1]]),
    "broadcast": lambda x: jnp.broadcast_to(x, (2, 3)),
    "expand": lambda x: jnp.expand_dims(x, (0, 2)),
    "where": lambda x: jnp.where(jnp.array([True, False, True]), x, x[0]),
    "take": lambda x: jnp.take(x, jnp.array([1, 1]), axis=0),
    "repeat": lambda x: jnp.repeat(x, 2),
    "tile": lambda x: jnp.tile(x, 2),
    "swapaxes": lambda x: jnp.swapaxes(x.reshape(1, 3), 0, 1),
    "full_like": lambda x: jnp.full_like(x, x[1]),
    "select": lambda x: lax.select(True, x, x[::-1]),
    "dynamic_slice": lambda x: lax.dynamic_slice(x, (1,), (2,)),
    "dynamic_update_slice": lambda x: lax.dynamic_update_slice(x, x[:1], (1,)),
    "barrier": lambda x: lax.optimization_barrier(x),
    "copy": lambda x: x.copy(),
}


@pytest.mark.parametrize("move", MOVES.values(), ids=MOVES)
@pytest.mark.parametrize("outer", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_what_moves_elements_moves_keys(move, outer):
    # The numbers of the keys, moved alike, say which key stands where.
    expected = WORDS[np.asarray(move(jnp.arange(3)))]
    np.testing.assert_array_equal(words(outer(move)(KEYS)), expected)


def test_keys_compare_as_wholes():
    assert (KEYS == KEYS).tolist() == [True] * 3
    assert (KEYS != KEYS[0]).tolist() == [False, True, True]
    assert jax.jit(lambda a, b: a == b)(KEYS, KEYS[::-1]).tolist() == [
        False,
        True,
        False,
    ]
    np.testing.assert_array_equal(KEYS[:, None] == KEYS, np.eye(3, dtype=bool))


@pytest.mark.parametrize(
    "use",
    [
        lambda: KEYS + 1,
        lambda: -KEYS,
        lambda: jnp.sin(KEYS),
        lambda: jnp.sort(KEYS),
        lambda: np.asarray(KEYS),
        lambda: KEYS.sum(),
        lambda: KEYS.at[0].add(KEYS[1]),
    ],
)
def test_keys_are_no_numbers(use):
    with pytest.raises(TypeError):
        use()


def test_keys_of_two_generators_do_not_mix():
    with pytest.raises(ValueError, match="dtype"):
        jnp.stack([random.key(0), random.key(0, impl="rbg")])


@pytest.mark.parametrize("impl", ["rbg", "unsafe_rbg"])
def test_the_compilers_generator_draws_rows_from_the_first_key(impl):
    keys = random.split(random.key(42, impl=impl), 4)
    rows = jax.vmap(lambda k: random.bits(k, (3,)))(keys)
    np.testing.assert_array_equal(rows, random.bits(keys[0], (4, 3)))


def test_a_generator_of_ones_own():
    impl = extension.define_prng_impl(
        key_shape=(1,),
        seed=lambda seed: seed.astype(np.uint32).reshape(1),
        split=lambda key, shape: jnp.broadcast_to(key, (*shape, 1)),
        random_bits=lambda key, width, shape: jnp.full(shape, key[0], f"uint{width}"),
        fold_in=lambda key, data: key + data.astype(np.uint32),
        name="constant",
        tag="c",
    )
    key = random.key(7, impl=impl)
    assert str(key.dtype) == "key<c>"
    assert random.bits(random.fold_in(key, 3), (2,)).tolist() == [10, 10]


def test_threefry_as_a_function():
    # Test vectors of the reference implementation (Random123, kat_vectors).
    zeros = extension.threefry_2x32(jnp.zeros(2, np.uint32), jnp.zeros(2, np.uint32))
    assert [hex(x) for x in zeros.tolist()] == ["0x6b200159", "0x99ba4efe"]
    ones = jnp.full(2, 0xFFFFFFFF, np.uint32)
    assert [hex(x) for x in extension.threefry_2x32(ones, ones).tolist()] == [
        "0x1cb996fc",
        "0xbb002be7",
    ]
    with pytest.raises(TypeError, match="uint32"):
        extension.threefry_2x32(jnp.zeros(2), jnp.zeros(2))


@pytest.mark.parametrize("impl", ["threefry2x32", "rbg"])
def test_keys_outlive_a_pickle(impl):
    keys = jax.random.split(jax.random.key(3, impl=impl))
    for other in (pickle.loads(pickle.dumps(keys)), copy.deepcopy(keys)):
        assert other.dtype == keys.dtype and (other == keys).all()


def test_keys_stay_keys_on_their_way_to_the_host():
    keys = jax.random.split(jax.random.key(3))
    assert jax.device_get({"k": keys})["k"] is keys
    assert keys.is_fully_addressable and keys.is_fully_replicated
    assert keys.devices() == {keys.device} == {jax.devices()[0]}
    assert (keys.addressable_data(0) == keys).all()
    assert keys.on_device_size_in_bytes() == keys.nbytes
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(keys[0])


def test_refused_shapes_name_the_sampler():
    with pytest.raises(TypeError, match="jax.random.normal: a size is negative"):
        jax.random.normal(jax.random.key(0), (-1,))


@pytest.mark.parametrize(
    "convert",
    [
        lambda keys: jnp.asarray(keys, dtype=jnp.float32),
        lambda keys: jnp.array([keys], dtype=jnp.float32),
        lambda keys: jnp.float32(keys),
        lambda keys: keys.astype(jnp.uint32),
        lambda keys: jnp.asarray(keys, dtype=jax.random.key(0, impl="rbg").dtype),
        jax.jit(lambda keys: jnp.asarray(keys, dtype=jnp.int32)),
    ],
)
def test_keys_become_no_numbers_and_no_keys_of_another_kind(convert):
    with pytest.raises(ValueError, match="do not convert"):
        convert(jax.random.key(0))
    assert jnp.asarray(jax.random.key(0), dtype=jax.random.key(1).dtype).shape == ()


def test_clones_of_raw_words_are_taken_apart_by_vmap():
    words = random.key_data(random.split(random.key(0), 3))
    assert (jax.vmap(random.clone)(words) == words).all()
    assert (jax.vmap(jax.vmap(random.clone))(words) == words).all()
    with pytest.raises(TypeError, match="requires ndarray or scalar"):
        random.clone("key")


def _counting(shape):
    """A generator whose keys are words that count, of a shape of one or more axes."""
    from_seed = lambda seed: jnp.broadcast_to(seed.astype(jnp.uint32), shape)  # noqa: E731

    def split(key, size):
        assert key.shape == shape
        steps = jnp.arange(np.prod(size, dtype=int), dtype=jnp.uint32)
        return key + steps.reshape(*size, *(1,) * len(shape))

    return extension.define_prng_impl(
        key_shape=shape,
        seed=from_seed,
        split=split,
        random_bits=lambda key, width, size: jnp.full(size, key.sum()).astype(
            f"uint{width}"
        ),
        fold_in=lambda key, data: key + data,
        name="counting",
        tag="count",
    )


@pytest.mark.parametrize("shape", [(3,), (2, 2), (4, 2, 7)])
def test_keys_of_a_generator_of_others_have_its_shape(shape):
    impl = _counting(shape)
    key = jax.random.key(42, impl=impl)
    assert key.shape == () and jax.random.key_impl(key) is impl
    assert jax.random.key_data(key).shape == shape
    three = jax.random.split(key, 3)
    assert three.shape == (3,) and three.dtype == key.dtype
    np.testing.assert_array_equal(
        jax.random.key_data(three).reshape(3, -1)[:, 0], [42, 43, 44]
    )
    sums = np.prod(shape) * np.array([42, 43, 44])
    np.testing.assert_array_equal(jax.vmap(jax.random.bits)(three), sums)
    folded = jax.jit(jax.random.fold_in)(key, 3)
    assert (jax.random.key_data(folded) == 45).all()
    words = np.ones((3, *shape), np.uint32)
    for given in ({"impl": impl}, {"dtype": key.dtype}):
        keys = jax.random.wrap_key_data(words, **given)
        assert keys.shape == (3,) and jax.random.key_impl(keys) is impl
        np.testing.assert_array_equal(jax.random.key_data(keys), words)
    for wrong, expected in (
        (words[..., :1], r"key_data.shape to end with \(.*\), got \(3, "),
        (words.astype(np.int32), "key_data.dtype = uint32, got int32"),
        (np.uint32(1), r"key_data.ndim to be at least"),
    ):
        with pytest.raises(
            TypeError, match=f"invalid PRNG key data: expected {expected}"
        ):
            jax.random.wrap_key_data(wrong, impl=impl)
    with pytest.raises(ValueError, match="Cannot specify both `impl` and `dtype`"):
        jax.random.wrap_key_data(words, impl=impl, dtype=key.dtype)
