"""Differences that the semantics allow, or that are theirs: each with its reason.

A *freedom* marks values when a program is made: an operation that takes one lets the real XLA differ in
its results and in what is computed from them, never our compiler from our interpreter. A *refusal*
explains that an executor does not run a program. Whatever no row explains is a bug of ours until it is
shown not to be. `differential_test.py` has a program for each freedom that is a mistake of the real XLA,
with the results that NumPy gives. docs/compiler/testing.md has the rows, as `table` makes them.
"""

import dataclasses
import re

from tests.differential.program import Program

FREEDOMS = {
    "start of a reduction": "The specification leaves open how often a start that is no neutral element "
    "enters; the real XLA ignores it where the reduced dimensions have one element.",
    "power of integers": "The real XLA reads an unsigned exponent in the upper half as negative, and "
    "squares too few times for others.",
    "cube root": "Of numbers far from 1 the real XLA's is wrong by up to a hundred units in the last place.",
    "logarithm of one and more": "Of doubles between -1/2 and 0 the real XLA's is wrong by up to a hundred units in "
    "the last place.",
    "logistic of half precision": "The real XLA computes the exponential in half precision too, which overflows "
    "below -11.09: it gives 0 where there are subnormal results.",
    "sum of truth values": "Of a known truth value with itself the real XLA makes the double, which is 0.",
    "scatter without indices": "Where the index vector is empty the real XLA lets the last update overwrite all.",
    "start of a narrow type": "The real XLA clamps a start in its own type, which may not hold the bound, and "
    "writes at other indices, outside of the array too.",
    "scatter with narrow indices": "The real XLA compares an index with its bound in the index's own type, which "
    "may not hold the bound, and leaves out updates that are inside.",
    "extremum of known numbers": "Of operands that are known when it compiles the real XLA drops some NaNs that it "
    "has just computed.",
    "extremum of a clamp": "The real XLA leaves out a clamp's bound, or the clamp, in a maximum or minimum of both, as if "
    "bounds were never in the wrong order.",
    "padding that cancels": "Where the padding of a convolution leaves the size of the result as it were without, "
    "the real XLA takes it for none in some shapes.",
    "reversal of a whole window": "Where the window of a convolution covers all of a dimension the real XLA forgets "
    "in some shapes that it is reversed.",
    "slice of a slice": "The real XLA adds the starts of a dynamic slice and of the one it is taken from, and clamps "
    "the sum instead of each.",
    "large unsigned start": "The real XLA reads an unsigned start in the upper half as negative.",
    "large unsigned index": "Of a gather of one window alone the real XLA reads an unsigned index in the upper half as "
    "negative.",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Mismatch:
    """Two executors that disagree on a program, or one that refuses it."""

    program: Program
    pair: tuple[str, ...]
    what: str

    def __str__(self) -> str:
        return f"seed {self.program.seed}: {' and '.join(self.pair)}: {self.what[:600]}"


@dataclasses.dataclass(frozen=True, slots=True)
class Refusal:
    """A class of refused programs."""

    name: str
    executor: str
    message: str
    operation: str
    reason: str

    def explains(self, mismatch: Mismatch) -> bool:
        return (
            mismatch.pair == (self.executor,)
            and re.search(self.message, mismatch.what) is not None
            and self.operation in mismatch.program.operations
        )


REFUSALS = (
    Refusal(
        "their scatter simplifier fails",
        "xla",
        r"Failed after scatter_simplifier|ShapeUtil::Compatible\(old_instruction",
        "scatter",
        "An internal check of the real XLA, on scatters whose index vector is empty.",
    ),
    Refusal(
        "their simplifier joins bitcasts",
        "xla",
        r"Expected instruction to have shape equal to .* = \S+ bitcast-convert",
        "bitcast_convert",
        "The real XLA makes one bitcast of two and gets its shape wrong; it checks, and gives up.",
    ),
    Refusal(
        "their loops take no shardings",
        "xla",
        r"leaf_count == tuple_elements_\.size\(\)|Sharding is tuple-shaped but validation shape is not",
        "while",
        "The real XLA counts the shardings of a loop with what its body reads from outside, and gives up.",
    ),
)


def table() -> str:
    """The rows as docs/compiler/testing.md has them."""
    rows = [(name, reason, "freedom") for name, reason in FREEDOMS.items()]
    rows += [(refusal.name, refusal.reason, "refusal") for refusal in REFUSALS]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def explain(mismatch: Mismatch) -> Refusal | None:
    """The row that explains a refusal."""
    return next((row for row in REFUSALS if row.explains(mismatch)), None)
