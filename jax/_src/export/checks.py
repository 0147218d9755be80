"""What makes a program fit to be exported, and which checks users may turn off."""

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

from jax._src.base import errors

_CUSTOM_CALL = "custom_call:"
_PLATFORM = "platform"


@dataclasses.dataclass(frozen=True, repr=False)
class DisabledSafetyCheck:
    """A safety check that is left out when a program is exported or called.

    Make one with `platform` or `custom_call`.
    """

    _impl: str

    @classmethod
    def platform(cls) -> "DisabledSafetyCheck":
        """Lets the program be called on platforms for which it was not exported."""
        return cls(_PLATFORM)

    @classmethod
    def custom_call(cls, target_name: str) -> "DisabledSafetyCheck":
        """Lets the program have custom calls of this target.

        Args:
            target_name: the target, for whose stability the caller vouches.
        """
        return cls(_CUSTOM_CALL + target_name)

    def is_custom_call(self) -> str | None:
        """The target, if this concerns custom calls; else None."""
        if self._impl.startswith(_CUSTOM_CALL):
            return self._impl.removeprefix(_CUSTOM_CALL)
        return None

    def __repr__(self) -> str:
        return self._impl

    __str__ = __repr__


def is_platform_free(checks: Iterable[DisabledSafetyCheck]) -> bool:
    """Whether the check of platforms is turned off."""
    return DisabledSafetyCheck.platform() in checks


def _lapack() -> set[str]:
    real = "trsm getrf gesdd syevd geev geqrf orgqr gees gehrd sytrd potrf geqp3 gtsv"
    others = "trsm getrf gesdd heevd geev geqrf ungqr gees gehrd hetrd potrf geqp3 gtsv"
    both = [("sd", real), ("cz", others)]
    routines = {
        f"lapack_{letter}{name}_ffi"
        for letters, names in both
        for letter in letters
        for name in names.split()
    }
    return routines | {f"blas_{letter}trsm_ffi" for letter in "sdcz"}


# Targets whose meaning stays: those that upstream's guarantees of compatibility name.
STABLE_TARGETS = frozenset(
    _lapack()
    | set(
        "Sharding SPMDFullToShardShape SPMDShardToFullShape annotate_device_placement "
        "cu_threefry2x32_ffi hip_threefry2x32_ffi Eigh Qr "
        "ProductOfElementaryHouseholderReflectors LuDecomposition ApproxTopK "
        "stablehlo.dynamic_approx_top_k stablehlo.dynamic_reduce_window "
        "stablehlo.dynamic_rng_bit_generator stablehlo.dynamic_top_k shape_assertion "
        "tf.call_tf_function tpu_custom_call AllocateBuffer mosaic_gpu_v2".split()
    )
)


def targets_of(module: Any) -> list[str]:
    """The targets of the custom calls in a module, each once."""
    calls = (
        operation.attributes["call_target_name"].value
        for operation in _operations(module.operation)
        if operation.name == "stablehlo.custom_call"
    )
    return list(dict.fromkeys(calls))


def is_manual(module: Any) -> bool:
    """Whether a part of a module says what each device does."""
    names = (operation.name for operation in _operations(module.operation))
    return "sdy.manual_computation" in names


def _operations(operation: Any) -> Iterable[Any]:
    waiting = [operation]
    while waiting:
        found = waiting.pop()
        yield found
        for region in found.regions:
            for block in region.blocks:
                waiting += [op.operation for op in block.operations]


def check_custom_calls(
    name: str, targets: Sequence[str], disabled: Sequence[DisabledSafetyCheck]
) -> None:
    """Refuses programs with custom calls that may not mean the same tomorrow.

    Raises:
        ValueError: there are some, and the check is not disabled for them.
    """
    allowed = STABLE_TARGETS | {check.is_custom_call() for check in disabled}
    unstable = [target for target in targets if target not in allowed]
    if unstable:
        raise errors.value_error(
            "Cannot serialize code with custom calls whose targets have no "
            "compatibility guarantees.",
            [("function", name)] + [("target", target) for target in unstable],
            "What an exported program calls must mean the same when it is read.",
            "If it does, pass disabled_checks="
            f"[jax.export.DisabledSafetyCheck.custom_call({unstable[0]!r})].",
        )


def calls_lapack(targets: Iterable[str]) -> bool:
    """Whether some of the targets are LAPACK's routines, which the CPU has."""
    return any(target.startswith(("lapack_", "blas_")) for target in targets)


def check_platform(name: str, targets: Sequence[str], platform: str) -> None:
    """Refuses programs for accelerators with calls that only the CPU has.

    Raises:
        NotImplementedError: there are some.
    """
    if platform in ("cuda", "rocm", "tpu") and calls_lapack(targets):
        raise errors.not_implemented(
            f"Linear algebra of {name!r} is not implemented on {platform}.",
            [("target", target) for target in targets if calls_lapack([target])],
            "LAPACK's routines are the CPU's.",
            f"Leave {platform!r} out of platforms.",
        )
