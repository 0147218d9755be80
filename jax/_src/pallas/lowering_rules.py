"""Compilers of kernels that libraries register, by the class of `compiler_params`."""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src.base import errors

_rules: dict[type, tuple[str, Callable[..., Any]]] = {}
_FAMILIES = {"cuda": "gpu", "rocm": "gpu"}


def register_lowering_rule(
    params_cls: type, rule: Callable[..., Any], platform: str
) -> None:
    """Makes kernels with settings of a class compile by a rule.

    Args:
        params_cls: the class of their `compiler_params`.
        rule: ``rule(ctx, *values, **params)``, as the rule `lower` of a primitive; returns
            the values of the results.
        platform: ``"cpu"``, ``"gpu"`` or ``"tpu"``.

    Raises:
        ValueError: the class has a rule already.
    """
    if params_cls in _rules:
        raise errors.value_error(
            "The class of settings has a compiler of kernels already.",
            [("class", params_cls.__name__), ("platform", _rules[params_cls][0])],
        )
    _rules[params_cls] = (platform, rule)


def rule_for(compiler_params: Any, platforms: Sequence[str]) -> Callable | None:
    """The rule by which a kernel with these settings compiles; None: there is none.

    Raises:
        ValueError: the rule is for another platform.
    """
    found = _rules.get(type(compiler_params))
    if found is None:
        return None
    wanted, rule = found
    platform = _FAMILIES.get(platforms[0], platforms[0])
    if wanted != platform:
        raise errors.value_error(
            "A kernel has settings for another platform.",
            [
                ("settings", type(compiler_params).__name__),
                ("for", wanted),
                ("compiled for", platform),
            ],
            ways="Pass settings of this platform, or interpret=True.",
        )
    return rule
