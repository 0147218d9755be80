"""Sharding rules that users write: which dimensions of arrays are cut alike.

A rule names *factors*. Each dimension of an operand or result is a factor, or several of
them, major first. What carries the same factor is cut alike. Rules are written as text,
``"... i j, j k -> ... i k"``, or built of `ArrayMapping` and `CompoundFactor`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from jax._src.base import traceback_filter

BATCHING = "…"

_SETS = ("reduction_factors", "need_replication_factors", "permutation_factors")


def _check_factor(name: Any) -> None:
    if not isinstance(name, str):
        raise ValueError(f"Factor names have to be a str, but got {type(name)}")
    if not name or not (name[0].isalpha() and name[0].isascii()):
        raise ValueError(f"Factor names have to start with a letter, but got {name!r}")
    wrong = re.sub(r"[A-Za-z0-9_]", "", name)
    if wrong:
        raise ValueError(f"Unknown character {wrong[0]!r} in the factor {name!r}")


def _is_batching(dim: Any) -> bool:
    return isinstance(dim, str) and dim.startswith(BATCHING)


class CompoundFactor(tuple):
    """A dimension made of several factors, the major one first."""

    def __new__(cls, *factors: str) -> "CompoundFactor":
        if len(factors) < 2:
            raise ValueError("A compound factor should contain at least two factors")
        for factor in factors:
            if _is_batching(factor):
                raise ValueError("Ellipsis can't be used in a compound factor")
            _check_factor(factor)
        return super().__new__(cls, factors)


class ArrayMapping(tuple):
    """The factors of one array: a name or a `CompoundFactor` for each dimension.

    The first may be `BATCHING`, for all leading dimensions, or that with a number behind
    it where there are several groups of them.
    """

    def __new__(cls, *dims: Any) -> "ArrayMapping":
        for position, dim in enumerate(dims):
            if isinstance(dim, CompoundFactor):
                continue
            if _is_batching(dim):
                if position:
                    raise ValueError("Ellipsis can only be used at the beginning of a "
                                     "dimension")  # fmt: skip
                if not re.fullmatch(r"\d*", dim.removeprefix(BATCHING)):
                    raise ValueError("Ellipsis can only be followed by a number")
                continue
            _check_factor(dim)
        return super().__new__(cls, dims)


class SdyShardingRule:
    """How the arrays of an operation may be cut.

    Args:
        operand_mappings: the factors of each operand.
        result_mappings: those of each result.
        reduction_factors: factors over which results are sums.
        need_replication_factors: factors along which nothing may be cut.
        permutation_factors: factors along which devices need edges of their neighbours.
        **factor_sizes: the sizes of factors that occur in compound factors alone.

    Raises:
        ValueError: a mapping is none, a factor has no size or is given one though it has
            a dimension of its own, or is in two of the sets.
    """

    __slots__ = (
        "factor_sizes",
        "need_replication_factors",
        "operand_mappings",
        "permutation_factors",
        "reduction_factors",
        "result_mappings",
    )

    def __init__(
        self,
        operand_mappings: tuple[ArrayMapping, ...],
        result_mappings: tuple[ArrayMapping, ...],
        *,
        reduction_factors: tuple[str, ...] = (),
        need_replication_factors: tuple[str, ...] = (),
        permutation_factors: tuple[str, ...] = (),
        **factor_sizes: int,
    ):
        self.operand_mappings = _mappings("operand_mappings", operand_mappings)
        self.result_mappings = _mappings("result_mappings", result_mappings)
        self.reduction_factors = reduction_factors
        self.need_replication_factors = need_replication_factors
        self.permutation_factors = permutation_factors
        self.factor_sizes = dict(factor_sizes)
        self._check_sizes()
        self._check_sets()

    def _check_sizes(self):
        whole, inner = set(), set()
        for mapping in (*self.operand_mappings, *self.result_mappings):
            for dim in mapping:
                if isinstance(dim, CompoundFactor):
                    inner.update(dim)
                elif not _is_batching(dim):
                    whole.add(dim)
        for factor in self.factor_sizes:
            if factor in whole:
                raise ValueError(
                    f"Factor {factor} represents a whole dimension; do not specify its "
                    "size"
                )
            if factor not in inner:
                raise ValueError(f"Factor {factor} is not used in the rule")
        for factor in sorted(inner - whole - set(self.factor_sizes)):
            raise ValueError(
                f"Factor {factor} is only used in compound factors; must specify its size"
            )

    def _check_sets(self):
        for mapping in (*self.operand_mappings, *self.result_mappings):
            factors = list(_factors_of([mapping]))
            if len(set(factors)) < len(factors):
                raise ValueError(f"A factor occurs twice in one array: {mapping}")
        known = set(_factors_of((*self.operand_mappings, *self.result_mappings)))
        in_results = set(_factors_of(self.result_mappings))
        seen: set[str] = set()
        for name in _SETS:
            factors = getattr(self, name)
            if not isinstance(factors, tuple):
                raise ValueError(f"{name} must be a tuple of factors")
            for factor in factors:
                if factor not in known:
                    raise ValueError(
                        f"Factor {factor} in {name} is not used in the rule"
                    )
                if name == "reduction_factors" and factor in in_results:
                    raise ValueError(
                        f"Factor {factor} in reduction_factors occurs in a result, which "
                        "is a sum over it"
                    )
                if factor in seen:
                    raise ValueError(
                        f"Factor {factor} can only be in one of the reduction, need "
                        "replication, or permutation factor sets."
                    )
                seen.add(factor)

    def _fields(self) -> tuple:
        sets = tuple(getattr(self, name) for name in _SETS)
        sizes = tuple(sorted(self.factor_sizes.items()))
        return self.operand_mappings, self.result_mappings, sizes, sets

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SdyShardingRule) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())

    def __repr__(self) -> str:
        sets = [f"{n}={getattr(self, n)}" for n in _SETS if getattr(self, n)]
        parts = [
            f"{self.operand_mappings}, {self.result_mappings}, {self.factor_sizes}"
        ]
        return f"SdyShardingRule({' '.join(parts + sets)})"


def _mappings(what: str, mappings: Any) -> tuple[ArrayMapping, ...]:
    """Mappings as users give them: sequences of factors will do.

    Raises:
        TypeError: they are no sequence of such.
        ValueError: a factor is none.
    """
    if isinstance(mappings, tuple | list) and all(
        isinstance(m, tuple | list | str) for m in mappings
    ):
        return tuple(
            m if isinstance(m, ArrayMapping) else ArrayMapping(*m) for m in mappings
        )
    raise TypeError(
        f"{what} must be a tuple of ArrayMapping, one for each array, not {mappings!r}"
    )


def _factors_of(mappings: Iterable[ArrayMapping]) -> Iterator[str]:
    for mapping in mappings:
        for dim in mapping:
            if isinstance(dim, CompoundFactor):
                yield from dim
            elif not _is_batching(dim):
                yield dim


def parse(
    rule: str,
    *,
    reduction_factors: tuple[str, ...] = (),
    need_replication_factors: tuple[str, ...] = (),
    permutation_factors: tuple[str, ...] = (),
    **factor_sizes: int,
) -> SdyShardingRule:
    """Reads a rule such as ``"i j, j k -> i k"``.

    Raises:
        TypeError: `rule` is no text.
        ValueError: it is not a rule.
    """
    if not isinstance(rule, str):
        raise TypeError(f"rule must be a str, but got {type(rule)}")
    sides = rule.split("->")
    if len(sides) != 2:
        raise ValueError(f"There is no -> in rule: {rule!r}")
    operands, results = (_parse_side(side) for side in sides)
    return SdyShardingRule(
        operands,
        results,
        reduction_factors=reduction_factors,
        need_replication_factors=need_replication_factors,
        permutation_factors=permutation_factors,
        **factor_sizes,
    )


def _parse_side(text):
    if not text.strip():
        return (ArrayMapping(),)
    return tuple(_parse_mapping(part) for part in text.split(","))


_TOKEN = re.compile(r"\s*(?:(\.\.\.\d*)|([()])|([A-Za-z0-9_]+)|(\S))")


def _parse_mapping(text):
    dims: list[Any] = []
    compound: list[str] | None = None
    for batch, bracket, name, wrong in _TOKEN.findall(text.rstrip()):
        if wrong:
            raise ValueError(f"Unknown character {wrong!r} in {text.strip()!r}")
        if bracket == "(":
            if compound is not None:
                raise ValueError("Compound factors should be one level")
            compound = []
        elif bracket == ")":
            if compound is None:
                raise ValueError(f"Brackets are not balanced in {text.strip()!r}")
            if len(compound) < 2:
                raise ValueError("Brackets should contain at least two factors")
            dims.append(CompoundFactor(*compound))
            compound = None
        else:
            if batch and (dims or compound is not None):
                raise ValueError(
                    "Ellipsis can only be used at the beginning of a dimension"
                )
            factor = BATCHING + batch[3:] if batch else name
            (dims if compound is None else compound).append(factor)
    if compound is not None:
        raise ValueError(f"Brackets are not balanced in {text.strip()!r}")
    return ArrayMapping(*dims)


def attribute_text(
    rule: SdyShardingRule,
    operand_shapes: Sequence[Sequence[int]],
    result_shapes: Sequence[Sequence[int]],
) -> str:
    """The rule for arrays of these shapes, as the dialect writes it.

    Raises:
        ValueError: the rule does not fit the shapes.
    """
    batches: dict[str, tuple[int, ...]] = {}
    operands = _spread("operand", rule.operand_mappings, operand_shapes, batches)
    results = _spread("result", rule.result_mappings, result_shapes, batches)
    sizes = _sizes(rule.factor_sizes, operands, operand_shapes, results, result_shapes)
    names = {factor: _letter(i) for i, factor in enumerate(sizes)}
    sides = [
        ",".join(f"[{', '.join(_dim(dim, names) for dim in dims)}]" for dims in side)
        for side in (operands, results)
    ]
    listed = ", ".join(f"{names[f]}={size}" for f, size in sizes.items())
    kinds = ""
    for name in _SETS:
        chosen = sorted(names[f] for f in getattr(rule, name))
        if chosen:
            kinds += f" {name.removesuffix('_factors')}={{{', '.join(chosen)}}}"
    head = f"({sides[0]})->({sides[1]}) {{{listed}}}"
    return f"#sdy.op_sharding_rule<{head}{kinds}, custom>"


def _letter(number):
    letters = "ijklmnopqrstuvwxyz"
    return letters[number] if number < len(letters) else f"z_{number - 17}"


def _dim(dim, names):
    return "".join(names[f] for f in dim) if isinstance(dim, tuple) else names[dim]


def _spread(what, mappings, shapes, batches):
    """The dimensions of each array, with a factor for each leading one of a group."""
    if len(mappings) != len(shapes):
        raise ValueError(
            f"Sharding rule has {len(mappings)} {what}s, but the operation has "
            f"{len(shapes)} {what}s"
        )
    spread = []
    for number, (mapping, shape) in enumerate(zip(mappings, shapes, strict=True)):
        which = f"{number}th {what}"
        dims: list[Any] = list(mapping)
        if dims and _is_batching(dims[0]):
            group = dims[0].removeprefix(BATCHING) or "0"
            count = len(shape) - len(dims) + 1
            if count < 0:
                raise _rank(which, len(dims) - 1, len(shape))
            leading = tuple(shape[:count])
            if batches.setdefault(group, leading) != leading:
                raise ValueError(
                    f"Batching group {group} has the sizes {batches[group]} and, in the "
                    f"{which}, {leading}"
                )
            dims[:1] = [f"{BATCHING}{group} {i}" for i in range(count)]
        if len(dims) != len(shape):
            raise _rank(which, len(dims), len(shape))
        spread.append(dims)
    return spread


def _rank(which, rank, actual):
    return ValueError(
        f"Sharding rule {which} has rank {rank}, but the operation {which} has rank "
        f"{actual}"
    )


def _sizes(given, operands, operand_shapes, results, result_shapes):
    """The size of each factor, in the order in which they first appear."""
    sizes: dict[str, int] = {}
    shardings = []
    for what, side, shapes in (
        ("operand", operands, operand_shapes),
        ("result", results, result_shapes),
    ):
        for number, (dims, shape) in enumerate(zip(side, shapes, strict=True)):
            shardings += [
                (f"{number}th {what}", d, n) for d, n in zip(dims, shape, strict=True)
            ]
    for _, dim, size in shardings:
        for factor in dim if isinstance(dim, tuple) else (dim,):
            known = sizes.setdefault(factor, given.get(factor, 0))
            if not isinstance(dim, tuple):
                sizes[factor] = min(known, size) if known else size
    for which, dim, size in shardings:
        if not isinstance(dim, tuple):
            continue
        product = 1
        for factor in dim:
            product *= sizes[factor]
        if product != size:
            raise ValueError(
                f"{which} actual size {size} doesn't match the size {product} derived "
                f"from the compound factors {tuple(dim)}"
            )
    return sizes


traceback_filter.hide_frames(globals())
