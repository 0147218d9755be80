"""How errors of `jax.lax` are worded: what, the facts, the rule, the way out."""

from collections.abc import Callable, Iterable

from jax._src.base import errors


def explain(
    what: str,
    facts: Iterable[tuple[str, object]] | Callable[[], Iterable[tuple[str, object]]],
    rule: str,
    *ways_out: str,
) -> str:
    """The four parts of an error message as one text.

    Args:
        what: the operation, in the user's words.
        facts: pairs of a name and what is known of it, one line each; or a function
            that returns them, for checks that nearly always pass.
        rule: the rule that was broken.
        ways_out: what to do, one line per intention.
    """
    known = facts() if callable(facts) else facts
    rows = [(name, str(fact)) for name, fact in known]
    return errors.explain(what, rows, rule, "\n".join(ways_out))


type_error = errors.maker(TypeError, explain)
value_error = errors.maker(ValueError, explain)
not_implemented = errors.maker(NotImplementedError, explain)


def positions(operands: Iterable[object]) -> list[tuple[str, object]]:
    """Facts about operands that have no names of their own."""
    return [(f"operand {i}", operand) for i, operand in enumerate(operands)]
