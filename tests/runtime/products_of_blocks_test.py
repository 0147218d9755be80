"""Products of arrays that were cut into blocks, beside NumPy's."""

import math

import numpy as np
import pytest

import jax
import jax.numpy as jnp

CASES = 12  # in each test


def _operand(random, groups):
    """Dimensions in some order, each split into its parts; the parts in some order."""
    groups = [groups[i] for i in random.permutation(len(groups))]
    parts = [part for group in groups for part in group]
    order = range(len(parts)) if random.rand() < 0.3 else random.permutation(len(parts))
    shape = [math.prod(size for _, size in group) for group in groups]
    array = random.randint(-3, 4, shape).astype(np.float32)
    text = "".join(parts[i][0] for i in order)
    return array, [size for _, size in parts], list(order), text


def _case(random):
    """Two arrays, and a function of them and of the module to compute with."""
    letters = iter("abcdefghijklmnopqrstuvwxyz")

    def dimensions(count):
        sizes = [
            random.choice([2, 3, 4, 1], random.randint(1, 4)) for _ in range(count)
        ]
        return [[(next(letters), int(size)) for size in part] for part in sizes]

    shared, rows, columns = (dimensions(random.randint(2)) for _ in range(3))
    summed = dimensions(random.randint(1, 3))
    x, x_parts, x_order, x_text = _operand(random, shared + rows + summed)
    y, y_parts, y_order, y_text = _operand(random, shared + columns + summed)
    kept = [name for group in shared + rows + columns for name, _ in group]
    if random.rand() < 0.5:
        kept = list(random.permutation(kept))
    equation = f"{x_text},{y_text}->{''.join(kept)}"
    use = random.randint(3)

    def product(x, y, module):
        x = module.transpose(x.reshape(x_parts), x_order)
        y = module.transpose(y.reshape(y_parts), y_order)
        product = module.einsum(equation, x, y)
        uses = (lambda: product, lambda: product.reshape(-1) + 1, lambda: product.T * 2)
        return uses[use]()

    return x, y, product, equation


@pytest.mark.parametrize("seed", range(16))
def test_products_of_blocks_are_those_of_numpy(seed):
    random = np.random.RandomState(seed)
    for _ in range(CASES):
        x, y, product, equation = _case(random)
        # Small integers: sums are exact in any order.
        expected = product(x, y, np)
        found = jax.jit(lambda x, y, f=product: f(x, y, jnp))(x, y)
        np.testing.assert_array_equal(found, expected, err_msg=equation)


def test_a_product_in_blocks_whose_sums_run_over_all_blocks_is_one_product():
    def blocks(x, y):
        x = x.reshape(4, 16, 4, 16).transpose(0, 2, 1, 3)
        y = y.reshape(4, 16, 4, 16).transpose(2, 0, 1, 3)
        return jnp.einsum("ikab,jkbc->iajc", x, y).reshape(64, 64)

    x = jnp.ones((64, 64))
    text = jax.jit(blocks).lower(x, x).compile().as_text()
    products = [line for line in text.splitlines() if " dot(" in line]
    assert len(products) == 1, text
    assert "f32[64,64]" in products[0], products
