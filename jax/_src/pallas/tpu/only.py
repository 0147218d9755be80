"""Functions of kernels for which only TPUs have instructions: called here, they refuse."""

import inspect
from collections.abc import Callable
from typing import Any

from jax._src.pallas.unsupported import refusing


class LoweringException(Exception):
    """A kernel could not be compiled for TPUs."""


def _only_there(
    name: str, template: Callable[..., Any], doc: str, ways: str = ""
) -> Callable[..., Any]:
    """A function with the parameters of `template` that refuses every call."""
    signature = inspect.signature(template)
    return refusing(name, signature, doc, module="pltpu", where="TPUs", ways=ways)


def _stateful(name, what):
    return _only_there(
        f"stateful_{name}",
        lambda *args, **kwargs: None,
        f"{what} drawn from a TPU's own generator.",
    )


matmul_acc_lhs = _only_there(
    "matmul_acc_lhs",
    lambda acc_addr, lhs, mxu_index, load_staged_rhs=None: None,
    "Multiplies by what a matrix unit holds, and adds to its results.",
)
matmul_pop = _only_there(
    "matmul_pop",
    lambda acc_addr, shape, dtype, mxu_index: None,
    "Takes results out of a matrix unit.",
)
matmul_push_rhs = _only_there(
    "matmul_push_rhs",
    lambda rhs, staging_register, mxu_index, *, transpose=False: None,
    "Puts a factor into a matrix unit.",
)
pack_elementwise = _only_there(
    "pack_elementwise",
    lambda xs, *, packed_dtype: None,
    "Packs elements of several arrays into words.",
)
prng_random_bits = _only_there(
    "prng_random_bits", lambda shape: None, "Random bits of a TPU's own generator."
)
prng_seed = _only_there(
    "prng_seed", lambda *seeds: None, "Sets the state of a TPU's own generator."
)
stateful_bernoulli = _stateful("bernoulli", "Booleans")
stateful_bits = _stateful("bits", "Bits")
stateful_normal = _stateful("normal", "Normal numbers")
stateful_uniform = _stateful("uniform", "Uniform numbers")
stochastic_round = _only_there(
    "stochastic_round",
    lambda x, random_bits, *, target_dtype: None,
    "Rounds up or down at random.",
)
to_pallas_key = _only_there(
    "to_pallas_key", lambda key: None, "A random key for a TPU's own generator."
)
trace_value = _only_there(
    "trace_value", lambda label, value: None, "Writes a scalar to a TPU's profile."
)
unpack_elementwise = _only_there(
    "unpack_elementwise",
    lambda x, *, index, packed_dtype, unpacked_dtype: None,
    "Unpacks elements out of words.",
)


def touch(ref: Any) -> None:
    """Keeps what a reference refers to until here: interpreted, it stays anyhow.

    Raises:
        Nothing.
    """
