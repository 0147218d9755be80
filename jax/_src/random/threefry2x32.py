"""The generator threefry on words of keys: re-exports for third-party libraries, which import this path."""

from jax._src.random.extension import (
    threefry2x32_p as threefry2x32_p,
    threefry_2x32 as threefry_2x32,
    threefry_fold_in as threefry_fold_in,
    threefry_prng_impl as threefry_prng_impl,
    threefry_random_bits as threefry_random_bits,
    threefry_seed as threefry_seed,
    threefry_split as threefry_split,
)
