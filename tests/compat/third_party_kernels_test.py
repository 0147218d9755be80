"""What the kernels that upstream ships find at its private paths."""

import uuid

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax._src import source_info_util
from jax._src.base import source
from jax._src.random import prng, threefry2x32


def test_files_in_a_hidden_folder_may_be_shown():
    folder = f"/{uuid.uuid4()}"
    source_info_util.register_exclusion(folder)
    assert source.is_internal(f"{folder}/a.py") and source.is_internal(
        f"{folder}/b/c.py"
    )
    source_info_util.register_inclusion(f"{folder}/b")
    assert source.is_internal(f"{folder}/a.py")
    assert not source.is_internal(f"{folder}/b/c.py")


def test_generators_are_made_and_registered_by_position():
    name = f"generator_{uuid.uuid4().hex}"
    made = prng.PRNGImpl(
        (2,),
        threefry2x32.threefry_seed,
        threefry2x32.threefry_split,
        lambda key, width, shape: jnp.full(shape, width, jnp.uint32) + key[0] + key[1],
        threefry2x32.threefry_fold_in,
        name=name,
        tag="own",
    )
    prng.register_prng(made)
    key = jax.random.key(7, impl=name)
    np.testing.assert_array_equal(jax.random.bits(key, (3,)), [39, 39, 39])
    with pytest.raises(ValueError, match="already registered"):
        prng.register_prng(made)
