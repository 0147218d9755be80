"""Differences that have an explanation: where both are right, or upstream is wrong.

A row says of which sort of difference it speaks, a pattern of the program's statement and facts, and why.
"""

import ast
import dataclasses
import re

from tests.programs.compare import Difference


@dataclasses.dataclass(frozen=True, slots=True)
class Freedom:
    sort: str
    statement: str
    facts: str
    reason: str


FREEDOMS = (
    Freedom(
        "class of error",
        "",
        "Functions that close over traced values cannot be exported",
        "upstream stumbles over the number of arguments",
    ),
    Freedom(
        "class of error",
        "",
        "has a derivative rule of its own and closes over|the result's shape depends on `segment_ids`|"
        "The index is mapped along the rows",
        "a class of ours that says more",
    ),
    Freedom(
        "class of error",
        "",
        "IndexError: Index arrays do not broadcast|IndexError: jnp.take: the axis is empty|"
        "ValueError for ZeroDivisionError|AxisError|Invalid integer data type 'V'|boolean and complex dtypes have no bits",
        "a class that NumPy has, or that says more",
    ),
    Freedom(
        "class of error",
        "",
        "Linearization failed to produce known values",
        "upstream says so of whatever it cannot linearize",
    ),
    Freedom(
        "ours refuses",
        "",
        "jnp.ndarray.at: the shapes do not fit|mode='wrap' is unknown",
        "upstream does not look at values and modes where nothing is updated",
    ),
    Freedom(
        "ours refuses",
        "",
        "complex numbers have no order",
        "upstream refuses them as late as it compiles",
    ),
    Freedom(
        "ours refuses",
        "",
        "a bound has more axes than the result|random.uniform: the shapes do not fit",
        "upstream gives another shape than was requested",
    ),
    Freedom(
        "ours refuses",
        "apply",
        "scatter_apply: the function returns",
        "upstream refuses it as late as it compiles",
    ),
    Freedom(
        "shape",
        "fft",
        "",
        "upstream gives transforms of nothing an element; NumPy refuses them",
    ),
    Freedom(
        "shape",
        r"jnp\.(nan)?median\(",
        r"\[\], theirs \[1\]",
        "upstream gives the median of a number an axis with keepdims=True",
    ),
    Freedom(
        "shape|out",
        r"all_to_all\(lax.all_gather",
        "",
        "upstream adds axes to what is the same on all rows",
    ),
    Freedom(
        "theirs refuses",
        "",
        "zero-size array to reduction|ZeroDivisionError|rev dimensions must|KeyError|KeyTy"
        "|got axis spec None but output was batched|take requires ndarray",
        "upstream stumbles over empty arrays, small dtypes, lists",
    ),
    Freedom(
        "theirs refuses",
        "",
        "No state discharge rule implemented|Invalid integer data type 'V'|can't apply forward-mode "
        "autodiff .* custom_vjp|Linearization failed to produce known values|Invalid shape for `addupdate`"
        "|Permutation doesn't match",
        "upstream lacks a rule that ours has",
    ),
)


def _statement(text: str, name: str) -> str:
    """The text of a statement with what it calls."""
    for statement in ast.parse(text).body:
        targets = getattr(statement, "targets", ())
        if any(ast.unparse(target) == name for target in targets):
            return ast.unparse(statement)
    return ""


def explain(text: str, found: Difference) -> Freedom | None:
    for row in FREEDOMS:
        if (
            re.search(row.sort, found.sort)
            and re.search(row.facts, found.facts)
            and re.search(row.statement, text)
        ):
            return row
    return None
