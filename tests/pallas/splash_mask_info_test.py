"""Masks of attention by blocks: what is fetched next, beside plain loops over the blocks in their order."""

import numpy as np
import pytest

import jax
from jax.experimental.pallas.ops.tpu.splash_attention import (
    splash_attention_mask as sm,
    splash_attention_mask_info as info,
)


def random_mask(generator, queries, keys, block):
    """A mask whose blocks are seen wholly, in part or not at all; each query sees a key."""
    kinds = generator.choice(3, p=[0.4, 0.2, 0.4], size=(queries, keys))
    mask = np.kron(kinds > 0, np.ones(block, bool)).astype(bool)
    for q, k in np.argwhere(kinds == 1):
        mask[q * block[0], k * block[1] + generator.integers(block[1])] = False
    for row in mask:
        row[generator.integers(len(row))] |= not row.any()
    return mask


def case(seed):
    generator = np.random.default_rng(seed)
    draw = lambda n: int(generator.integers(1, n + 1))  # noqa: E731
    heads, queries, keys, block = draw(4), draw(4), draw(5), (draw(2), 1 + draw(2))
    distinct = [random_mask(generator, queries, keys, block) for _ in range(draw(2))]
    masks = [distinct[i % len(distinct)] for i in range(heads)]
    parts = [
        int(generator.choice([d for d in range(1, n + 1) if n % d == 0]))
        for n in (heads, queries)
    ]
    return (
        np.stack(masks),
        block,
        dict(zip(("head_shards", "q_seq_shards"), parts, strict=True)),
    )


def blocks_of(mask, block):
    """The parts of a mask by head, block of queries and block of keys."""
    heads, queries, keys = mask.shape
    shape = (heads, queries // block[0], block[0], keys // block[1], block[1])
    return mask.reshape(shape).transpose(0, 1, 3, 2, 4)


def rows_of(mask, head_shards):
    """The heads that have a row of their own: the first of each part, if all of a part share a mask."""
    each = len(mask) // head_shards
    parts = mask.reshape(head_shards, each, *mask.shape[1:])
    is_shared = all((part == part[0]).all() for part in parts)
    return mask[::each] if is_shared else mask, 1 if is_shared else each


def next_of(launch, is_wanted, value, is_dkv):
    """For each block of a launch the value of the next wanted one, found by walking."""
    heads, queries, keys = launch.shape[:3]
    walk = [
        (h, q, k) for h in range(heads) for q in range(queries) for k in range(keys)
    ]
    if is_dkv:
        walk.sort(key=lambda index: (index[2], index[0], index[1]))
    found = np.zeros((heads, queries, keys), int)
    for at, index in enumerate(walk):
        later = [p for p in walk[at:] + walk if is_wanted(launch[p])]
        found[index] = value(later[0], launch) if later else 0
    return found


def by_launches(blocks, parts, each, found_in):
    """What `found_in` gives for each launch, in one array."""
    heads, queries = parts["head_shards"], parts["q_seq_shards"]
    return np.concatenate(
        [
            np.concatenate(
                [
                    found_in(part)
                    for part in np.split(blocks[i * each : (i + 1) * each], queries, 1)
                ],
                1,
            )
            for i in range(heads)
        ]
    )


def is_partial(block):
    return block.any() and not block.all()


@pytest.mark.parametrize("is_dkv", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_blocks_and_what_is_fetched_next(seed, is_dkv):
    mask, block, parts = case(seed)
    rows, each = rows_of(mask, parts["head_shards"])
    blocks = blocks_of(rows, block)
    process = info.process_mask_dkv if is_dkv else info.process_mask
    heads = sm.MultiHeadMask([sm.NumpyMask(m) for m in mask])
    found, formula = process(heads, block, shrink_grid=False, **parts)
    assert formula is None and found.q_sequence is None
    kinds = blocks.any((-2, -1)).astype(int) + blocks.all((-2, -1))
    np.testing.assert_array_equal(found.block_mask, kinds)
    axis = 1 if is_dkv else 2
    step = lambda part: next_of(part, np.any, lambda p, _: p[axis], is_dkv)  # noqa: E731
    np.testing.assert_array_equal(
        found.data_next, by_launches(blocks, parts, each, step)
    )
    if not (kinds == 1).any():
        assert found.mask_next is None and found.partial_mask_blocks is None
        return
    turned = found.partial_mask_blocks.swapaxes(1, 2)
    known = [b.tolist() for b in (turned if is_dkv else found.partial_mask_blocks)]
    assert len({str(b) for b in known}) == len(known)
    number = lambda p, part: known.index(part[p].tolist())  # noqa: E731
    step = lambda part: next_of(part, is_partial, number, is_dkv)  # noqa: E731
    np.testing.assert_array_equal(
        found.mask_next, by_launches(blocks, parts, each, step)
    )


@pytest.mark.parametrize("is_dkv", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_blocks_that_nobody_sees_are_left_out_of_a_mask_that_all_share(seed, is_dkv):
    mask, block, parts = case(seed)
    heads = sm.MultiHeadMask([sm.NumpyMask(mask[0])] * len(mask))
    process = info.process_mask_dkv if is_dkv else info.process_mask
    small, _ = process(heads, block, **parts)
    whole, _ = process(heads, block, shrink_grid=False, **parts)
    axis = 1 if is_dkv else 2
    for one, all_of_it in (
        (one, all_of_it)
        for head in range(parts["head_shards"])
        for one, all_of_it in zip(
            np.split(small.block_mask[head : head + 1], parts["q_seq_shards"], 1),
            np.split(whole.block_mask[head : head + 1], parts["q_seq_shards"], 1),
            strict=True,
        )
    ):
        lines = np.moveaxis(one, axis, -1), np.moveaxis(all_of_it, axis, -1)
        for left, every in zip(
            *(x.reshape(-1, x.shape[-1]) for x in lines), strict=True
        ):
            assert left[left > 0].tolist() == every[every > 0].tolist()
    is_seen = whole.block_mask > 0
    assert small.block_mask.shape[axis] <= is_seen.shape[axis]
    assert (small.block_mask > 0).sum() == is_seen.sum()
    np.testing.assert_array_equal(
        np.sort(small.data_next[small.block_mask > 0]),
        np.sort(whole.data_next[is_seen]),
    )


# Of two causal heads in blocks of 2x2 over 8x8, what upstream's kernels are given.
CAUSAL = {
    (False, 1): [[0, 0, 0, 0], [0, 1, 0, 0], [0, 1, 2, 0], [0, 1, 2, 3]],
    (False, 2): [[0, 0, 0, 0], [0, 1, 1, 1], [0, 1, 2, 0], [0, 1, 2, 3]],
    (True, 1): [[0, 0, 0, 0], [1, 1, 0, 0], [2, 2, 2, 0], [3, 3, 3, 3]],
    (True, 2): [[0, 0, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1]],
}


@pytest.mark.parametrize(("is_dkv", "shards"), CAUSAL)
@pytest.mark.parametrize(
    "make", [sm.CausalMask, lambda s: sm.NumpyMask(np.tri(*s) > 0)]
)
def test_causal_heads(is_dkv, shards, make):
    heads = sm.MultiHeadMask([make((8, 8))] * 2)
    process = info.process_mask_dkv if is_dkv else info.process_mask
    found, formula = process(heads, (2, 2), q_seq_shards=shards)
    assert found.data_next.tolist() == [CAUSAL[is_dkv, shards]]
    assert found.data_next.dtype == found.block_mask.dtype == np.int8
    if formula is None:
        assert found.partial_mask_blocks.shape == (1, 2, 2)
    else:
        assert found.partial_mask_blocks is None and found.mask_next is None
        q, k = np.indices((8, 8))
        assert (formula(q, k) == np.tri(8)).all()
        assert found.q_sequence.tolist() == list(range(8))


@pytest.mark.parametrize("is_dkv", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_of_a_traced_mask_all_blocks_are_kept(seed, is_dkv):
    mask, block, parts = case(seed)
    process = info.process_dynamic_mask_dkv if is_dkv else info.process_dynamic_mask
    found = jax.jit(lambda m: process(m, block, **parts)[0][:4])(mask)
    data, numbers, kinds, kept = map(np.asarray, found)
    blocks = blocks_of(mask, block)
    np.testing.assert_array_equal(kept, blocks.swapaxes(-1, -2) if is_dkv else blocks)
    np.testing.assert_array_equal(
        kinds, blocks.any((3, 4)).astype(int) + blocks.all((3, 4))
    )
    heads, queries = parts["head_shards"], parts["q_seq_shards"]
    shape = (len(mask) // heads, blocks.shape[1] // queries, blocks.shape[2])
    for h, q, k in np.ndindex(kinds.shape):
        own = (h % shape[0], q % shape[1], k)
        assert data[h, q, k] == (own[1 if is_dkv else 2] if kinds[h, q, k] else 0)
        partial = kinds[h, q, k] == 1
        assert numbers[h, q, k] == (np.ravel_multi_index(own, shape) if partial else 0)


@pytest.mark.parametrize(
    ("masks", "settings", "text"),
    [
        (np.tri(8)[None], {"block_shape": (3, 2)}, "q_block_size=3 should divide"),
        (np.tri(8)[None], {"block_shape": (2, 3)}, "kv_block_size=3 should divide"),
        (np.stack([np.tri(8)] * 3), {"head_shards": 2}, "head_shards=2 should divide"),
        (np.tri(8)[None], {"q_seq_shards": 3}, "q_seq_shards=3 should divide"),
        (np.tri(8)[None], {"q_seq_shards": 8}, "q_seq_shards=8 should divide q_blocks"),
        (np.tri(8, k=-1)[None], {}, "all zeros(?s:.*)query  0"),
    ],
)
def test_masks_that_cannot_be_divided(masks, settings, text):
    heads = sm.MultiHeadMask([sm.NumpyMask(m > 0) for m in masks])
    with pytest.raises(ValueError, match=text):
        info.process_mask(heads, **({"block_shape": (2, 2)} | settings))
