"""Functions that only some hardware has, and what they say when they are called without it."""

import ast
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from jax._src.base import errors, source


def not_here(what: str, where: str, ways: str = "") -> NotImplementedError:
    """The error for a function that kernels can call on some hardware only."""
    return errors.not_implemented(
        f"UNIMPLEMENTED: {what} works on {where} only.",
        [("called at", str(source.capture(2)))],
        rule="Kernels are interpreted here, with operations that every platform has.",
        ways=ways,
    )


def refusing(
    name: str,
    signature: inspect.Signature,
    doc: str,
    *,
    module: str,
    where: str,
    ways: str = "",
) -> Callable[..., Any]:
    """A function with some parameters that refuses every call with right arguments.

    Args:
        name: its name.
        signature: its parameters.
        doc: one sentence: what it does where it works.
        module: the name of its module in messages.
        where: the hardware that has it.
        ways: what to do instead.
    """

    def refuse(*args: Any, **kwargs: Any) -> Any:
        signature.bind(*args, **kwargs)
        raise not_here(f"{module}.{name}", where, ways)

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__signature__ = signature  # type: ignore[attr-defined]
    refuse.__doc__ = f"""{doc}

    Raises:
        NotImplementedError: always, where the call has the right arguments: this function
            works on {where} only.
    """
    return refuse


def refusing_all(
    table: str, constants: Mapping[str, Any], *, module: str, where: str
) -> dict[str, Callable[..., Any]]:
    """Functions that refuse every call, from a table of their heads.

    Args:
        table: lines ``name(parameters): what the function does``.
        constants: what the names among defaults stand for.
        module: the name of their module in messages.
        where: the hardware that has them.
    """
    functions = {}
    for line in table.strip().splitlines():
        head, _, doc = line.strip().partition("): ")
        name, signature = _head(f"{head})", constants)
        functions[name] = refusing(name, signature, doc, module=module, where=where)
    return functions


def _head(text, constants):
    """The name and the signature that ``name(parameters)`` stands for."""
    node: Any = ast.parse(f"def {text}: pass").body[0]
    given = node.args
    positional = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(positional) - len(given.defaults)) + given.defaults

    def value(default):
        if default is None:
            return inspect.Parameter.empty
        if isinstance(default, ast.Name):
            return constants[default.id]
        return ast.literal_eval(default)

    def made(argument, kind, default=None):
        return inspect.Parameter(argument.arg, kind, default=value(default))

    first = len(given.posonlyargs)
    kinds = inspect.Parameter
    parameters = [
        made(a, kinds.POSITIONAL_ONLY if i < first else kinds.POSITIONAL_OR_KEYWORD, d)
        for i, (a, d) in enumerate(zip(positional, defaults, strict=True))
    ]
    if given.vararg:
        parameters.append(made(given.vararg, kinds.VAR_POSITIONAL))
    parameters += [
        made(a, kinds.KEYWORD_ONLY, d)
        for a, d in zip(given.kwonlyargs, given.kw_defaults, strict=True)
    ]
    if given.kwarg:
        parameters.append(made(given.kwarg, kinds.VAR_KEYWORD))
    return node.name, inspect.Signature(parameters)
