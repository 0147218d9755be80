"""Pictures of kernels: which blocks are drawn, in which order, and with which steps."""

from xml.etree import ElementTree

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

NAMESPACE = "http:" + "//www.w3.org/2000/svg"
SVG = f"{{{NAMESPACE}}}"


def struct(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def nothing(*refs):
    pass


def made(out=struct(8, 8), **more):
    return pl.pallas_call(nothing, out, **more)


def blocks(picture):
    """The blocks as pairs of what the title says and the size in pixels."""
    found = ElementTree.fromstring(picture.svg).iter(f"{SVG}rect")
    return [
        (r.find(f"{SVG}title").text, float(r.get("width")), float(r.get("height")))
        for r in found
        if r.get("class") == "block"
    ]


def words(picture):
    texts = ElementTree.fromstring(picture.svg).iter(f"{SVG}text")
    return [text.text for text in texts]


def test_each_block_names_its_steps():
    columns = pl.BlockSpec((8, 4), lambda i, j: (0, j))
    tiles = pl.BlockSpec((4, 4), lambda i, j: (i, j))
    call = made(grid=(2, 2), in_specs=[columns], out_specs=tiles)
    picture = pl.draw(call, struct(8, 8))
    assert [title for title, *_ in blocks(picture)] == [
        "at (0, 0): steps (0, 0), (1, 0)",
        "at (0, 4): steps (0, 1), (1, 1)",
        "at (0, 0): step (0, 0)",
        "at (0, 4): step (0, 1)",
        "at (4, 0): step (1, 0)",
        "at (4, 4): step (1, 1)",
    ]
    sizes = [size for _, *size in blocks(picture)]
    assert sizes == [[120, 240]] * 2 + [[120, 120]] * 4
    assert "nothing: grid (2, 2), 4 steps" in words(picture)
    assert "args[0]: float32[8,8]" in words(
        picture
    ) and "outputs: float32[8,8]" in words(picture)
    assert picture._repr_svg_() == picture.svg


def test_blocks_end_where_the_array_ends():
    rows = pl.BlockSpec((4,), lambda i: (i,))
    picture = pl.draw(
        made(struct(6), grid=2, in_specs=[rows], out_specs=rows), struct(6)
    )
    assert [width for _, width, _ in blocks(picture)] == [160, 80] * 2


def test_elements_squeezed_dimensions_and_whole_arrays():
    halo = pl.BlockSpec((pl.Element(3, (1, 1)), None), lambda i: (2 * i, i))
    call = made(
        struct(2), grid=2, in_specs=[halo], out_specs=pl.BlockSpec((2,), lambda i: (0,))
    )
    picture = pl.draw(call, struct(4, 2))
    first, second, whole = blocks(picture)
    assert first[0] == "at (-1, 0): step (0,)" and first[2] == 120
    assert second[0] == "at (1, 1): step (1,)" and second[2] == 180
    assert whole[0] == "at (0,): steps (0,), (1,)"
    assert len(blocks(pl.draw(made(struct()), struct(2, 3)))) == 2


def test_matrices_of_arrays_with_more_axes():
    tiles = pl.BlockSpec((1, 4, 4), lambda i: (i, 0, 0))
    call = made(struct(6, 4, 4), grid=6, in_specs=[tiles], out_specs=tiles)
    picture = pl.draw(call, struct(6, 4, 4))
    assert len(blocks(picture)) == 2 * 4
    assert (
        words(picture).count("[3]") == 2
        and words(picture).count("and 2 matrices more") == 2
    )


def test_scalars_that_index_maps_read_have_values():
    picked = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=2,
        in_specs=[pl.BlockSpec((2,), lambda i, order: (order[i],))],
        out_specs=pl.BlockSpec((2,), lambda i, order: (i,)),
    )
    call = pl.pallas_call(nothing, struct(4), grid_spec=picked)
    order = np.array([1, 0], np.int32)
    titles = [title for title, *_ in blocks(pl.draw(call, order, struct(4)))]
    assert titles[:2] == ["at (2,): step (0,)", "at (0,): step (1,)"]
    with pytest.raises(ValueError, match="whose value is not known"):
        pl.draw(call, jax.ShapeDtypeStruct((2,), np.int32), struct(4))


def test_every_kernel_of_a_function_is_drawn(tmp_path):
    def f(x):
        return jax.vmap(made(struct(8)))(x) + jax.jit(made(struct(8)))(x[0])

    picture = pl.draw(f, struct(3, 8))
    headings = [text for text in words(picture) if "grid" in text]
    assert headings == ["nothing: grid (3,), 3 steps", "nothing: grid (), 1 step"]
    picture.save(tmp_path / "blocks.svg")
    assert (tmp_path / "blocks.svg").read_text() == picture.svg
    assert picture.svg.count("http") == picture.svg.count(NAMESPACE) == 1


def test_what_cannot_be_drawn_is_explained():
    with pytest.raises(ValueError, match="calls no kernel"):
        pl.draw(jnp.sin, struct(2))
    with pytest.raises(ValueError, match="size that is not known"):
        pl.draw(lambda n, x: made(grid=(n,))(x), jnp.int32(2), struct(8, 8))
