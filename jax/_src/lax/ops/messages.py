"""How errors of `jax.lax` are worded: what, the facts, the rule, the way out."""

from collections.abc import Iterable

from jax._src.base import errors


def explain(
    what: str, facts: Iterable[tuple[str, object]], rule: str, *ways_out: str
) -> str:
    """The four parts of an error message as one text.

    Args:
        what: the operation, in the user's words.
        facts: pairs of a name and what is known of it, one line each.
        rule: the rule that was broken.
        ways_out: what to do, one line per intention.
    """
    rows = [(name, str(fact)) for name, fact in facts]
    return errors.explain(what, rows, rule, "\n".join(ways_out))


def positions(operands: Iterable[object]) -> list[tuple[str, object]]:
    """Facts about operands that have no names of their own."""
    return [(f"operand {i}", operand) for i, operand in enumerate(operands)]
