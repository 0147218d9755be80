"""`jnp.pad` around axes of symbolic sizes, by widths that are symbolic or not."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import export

WIDTHS = {
    "symbolic": lambda b: ((b, 0), (b, 1)),
    "some symbolic": lambda b: ((3, 2 * b), (1, 9)),
    "constant": lambda b: ((1, 1), (2, 3)),
}
MODES = [
    ("edge", {}),
    ("wrap", {}),
    ("reflect", {}),
    ("symmetric", {}),
    ("reflect", {"reflect_type": "odd"}),
    ("symmetric", {"reflect_type": "odd"}),
]


@pytest.mark.parametrize("widths", WIDTHS)
@pytest.mark.parametrize(("mode", "options"), MODES)
def test_copies_around_symbolic_sizes_are_those_of_numpy(mode, options, widths):
    of_size = WIDTHS[widths]

    def padded(x):
        return jnp.pad(x, of_size(x.shape[0]), mode=mode, **options)

    spec = jax.ShapeDtypeStruct(export.symbolic_shape("b, 4"), np.float32)
    program = export.export(jax.jit(padded))(spec)
    for n in (1, 2, 5):
        x = np.arange(4 * n, dtype=np.float32).reshape(n, 4) ** 1.5
        expected = np.pad(x, of_size(n), mode=mode, **options)
        np.testing.assert_allclose(program.call(x), expected, rtol=1e-5)


def test_mirrored_ends_that_fit_are_slices():
    spec = jax.ShapeDtypeStruct(
        export.symbolic_shape("b", constraints=["b >= 3"]), np.float32
    )
    text = str(jax.make_jaxpr(lambda x: jnp.pad(x, 2, mode="reflect"))(spec))
    assert "gather" not in text and "rev" in text
