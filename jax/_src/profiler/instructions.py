"""Profiles for compilers that read them."""

from typing import NoReturn

from jax._src.base import errors


def get_profiled_instructions_proto(tensorboard_dir: str) -> NoReturn:
    """The costs of instructions in a profile, for a compiler that schedules by them.

    Args:
        tensorboard_dir: the folder of the profile.

    Raises:
        NotImplementedError: always, as the compiler of the CPU takes no such costs.
    """
    raise errors.not_implemented(
        "get_profiled_instructions_proto: profiles are not read back.",
        [("tensorboard_dir", tensorboard_dir)],
        "Compilers of GPUs schedule by measured costs; that of the CPU does not.",
        "jax.stages.Compiled.plan() reports what a call costs.",
    )
