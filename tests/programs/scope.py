"""Where a program is written: values with their types, functions inside functions, statements.

Types come from `jax.eval_shape` of each statement as it is written, so the grammar need not know the
rules of promotion and of shapes. What is refused then does not go into the function where it was to
stand; it becomes a statement of its own at the end, so that refusals are compared, too.
"""

import contextlib
import dataclasses
import functools
import random
import re
import warnings
from collections.abc import Callable, Iterator

import numpy as np

import jax
from tests.programs import prelude

FLOATS = ("float32", "float16", "bfloat16")
SMALL_FLOATS = ("float8_e4m3fn", "float8_e5m2")
INTEGERS = ("int32", "int8", "int16", "uint8", "uint16", "uint32")
WEIGHTS = {
    "float32": 20,
    "bfloat16": 4,
    "float16": 3,
    "float64": 2,
    "int32": 7,
    "int8": 2,
    "int16": 1,
    "uint8": 2,
    "uint16": 1,
    "uint32": 2,
    "int64": 1,
    "uint64": 1,
    "bool": 4,
    "complex64": 4,
    "complex128": 1,
    "float8_e4m3fn": 1,
    "float8_e5m2": 1,
    "int4": 1,
    "uint4": 1,
}
SIZES = (0, 1, 1, 2, 2, 3, 3, 3, 4, 5)
LARGEST = 600  # elements of a value


class Unsuited(Exception):
    """A row of the vocabulary finds nothing that it could take."""


Aval = jax.ShapeDtypeStruct


def is_key(aval) -> bool:
    return jax.dtypes.issubdtype(aval.dtype, jax.dtypes.prng_key)


@dataclasses.dataclass(frozen=True, slots=True)
class Value:
    """An expression for an array, and its type."""

    text: str
    aval: Aval

    @property
    def shape(self) -> tuple[int, ...]:
        return self.aval.shape

    @property
    def ndim(self) -> int:
        return len(self.aval.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.aval.shape))

    @property
    def dtype(self):
        return self.aval.dtype

    def isa(self, kind) -> bool:
        return jax.numpy.issubdtype(self.dtype, kind)


@dataclasses.dataclass(slots=True)
class Book:
    """What the scopes of one program share."""

    choose: random.Random
    x64: bool = False
    names: int = 0
    refused: list[tuple[str, dict]] = dataclasses.field(default_factory=list)
    statements: int = 0

    def fresh(self, letter: str) -> str:
        self.names += 1
        return f"{letter}{self.names}"


def leaves(text: str, tree) -> list[Value]:
    """The arrays of a value with a structure, each by its expression."""
    flat, _ = jax.tree_util.tree_flatten_with_path(tree)
    return [
        Value(text + jax.tree_util.keystr(path), aval)
        for path, aval in flat
        if isinstance(aval, Aval)
        and aval.dtype != jax.dtypes.float0
        and int(np.prod(aval.shape)) <= LARGEST
    ]


@functools.lru_cache(maxsize=2000)
def _compiled(text: str, mode: str):
    return compile(text, "<program>", mode)


class Scope:
    """The body of a function, or of the program: what is known and what was written."""

    def __init__(self, book: Book, parent: "Scope | None" = None) -> None:
        self.book = book
        self.choose = book.choose
        self.parent = parent
        self.depth: int = parent.depth + 1 if parent else 0
        self.lines: list[str] = []
        self.pool: list[Value] = list(parent.pool) if parent else []
        self.own = len(self.pool)
        self.variables: dict[str, object] = dict(parent.variables) if parent else {}
        self.definitions: list[str] = list(parent.definitions) if parent else []
        self.axes: list[tuple[str, int]] = list(parent.axes) if parent else []

    # -- choosing ---------------------------------------------------------------------------

    def maybe(self, chance: float) -> bool:
        return self.choose.random() < chance

    def one(self, *options):
        return self.choose.choice(options)

    def seed(self) -> int:
        return self.choose.randrange(1000)

    def shape(self, ndim: int | None = None) -> tuple[int, ...]:
        if ndim is None:
            ndim = self.one(0, 1, 1, 1, 2, 2, 2, 3, 3, 4)
        sizes = [self.choose.choice(SIZES) for _ in range(ndim)]
        return tuple(sizes)

    def dtype(self, suits: Callable[[object], bool] = lambda dtype: True) -> str:
        table = {
            name: weight
            for name, weight in WEIGHTS.items()
            if (self.book.x64 or not name.endswith("64") or name == "complex64")
            and suits(np.dtype(jax.numpy.dtype(name)))
        }
        if not table:
            raise Unsuited
        return self.choose.choices(list(table), list(table.values()))[0]

    def constant(self, shape, dtype: str, sort: str = "small") -> str:
        return f'array({tuple(shape)}, "{dtype}", {self.seed()}' + (
            ")" if sort == "small" else f', "{sort}")'
        )

    def pick(
        self, suits: Callable[[Value], bool], make: Callable[[], str] | None = None
    ) -> Value:
        """A value that suits, the newer the likelier; made if there is none, or by chance."""
        found = [value for value in self.pool if suits(value)]
        if not found or (make and self.maybe(0.12)):
            if make is None:
                raise Unsuited
            text = make()
            return Value(text, self.type_of(text))
        newer = found[-4:]
        return self.choose.choice(newer if self.maybe(0.6) else found)

    # -- writing ----------------------------------------------------------------------------

    def _evaluate(self, text: str):
        def probe(variables):
            names = prelude.namespace() | variables
            for definition in self.definitions:
                exec(_compiled(definition, "exec"), names)
            return eval(_compiled(text, "eval"), names)

        used = set(re.findall(r"\b[a-z]\d+\b", text + "\n".join(self.definitions)))
        variables = {k: v for k, v in self.variables.items() if k in used}
        if not self.axes:
            return jax.eval_shape(probe, variables)
        wrapped = lambda _, variables: probe(variables)  # noqa: E731
        for name, size in reversed(self.axes):
            wrapped = jax.vmap(
                wrapped, in_axes=(None, None), axis_name=name, axis_size=size
            )
        found = jax.eval_shape(wrapped, Aval((), np.float32), variables)
        return jax.tree.map(
            lambda a: Aval(a.shape[len(self.axes) :], a.dtype, weak_type=_is_weak(a)),
            found,
        )

    def type_of(self, text: str):
        """The type of an expression's value.

        Raises:
            Unsuited: it is refused; what was refused is noted.
        """
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return self._evaluate(text)
        except Unsuited:
            raise
        except Exception as error:
            if isinstance(error, SyntaxError):
                raise  # a template is wrong
            if not self.axes:
                self._note_refusal(text)
            raise Unsuited from error

    def _note_refusal(self, text: str) -> None:
        used = dict.fromkeys(re.findall(r"\b[a-z]\d+\b", text))
        if all(name in self.variables for name in used):
            taken = {name: self.variables[name] for name in used}
            self.book.refused.append((text, taken))

    def define(self, letter: str, text: str) -> str:
        """Writes `name = text` of something that is no array; the name."""
        name = self.book.fresh(letter)
        line = f"{name} = {text}"
        self.lines.append(line)
        self.definitions.append(line)
        return name

    def bind(self, text: str, letter: str = "t", tree=None) -> list[Value]:
        """Writes `name = text`; the arrays in its value."""
        if tree is None:
            tree = self.type_of(text)
        name = self.book.fresh(letter)
        self.book.statements += 1
        self.lines.append(f"{name} = {text}")
        self.variables[name] = tree
        values = leaves(name, tree)
        self.pool.extend(values)
        return values

    @contextlib.contextmanager
    def attempt(self) -> Iterator[None]:
        """Takes back what was written if nothing comes of it."""
        kept = len(self.lines), len(self.definitions)
        try:
            yield
        except Unsuited:
            del self.lines[kept[0] :]
            del self.definitions[kept[1] :]
            raise

    # -- functions --------------------------------------------------------------------------

    def function(self, params, write, axes=()) -> str:
        """Writes a function of parameters with these types; `write(scope)` gives what is returned."""
        inner = Scope(self.book, self)
        inner.axes += axes
        if self.maybe(0.5):
            inner.pool = []  # no closure
        names = []
        for tree in params:
            name = self.book.fresh("p")
            names.append(name)
            inner.variables[name] = tree
            inner.pool.extend(leaves(name, tree))
        result = write(inner)
        name = self.book.fresh("f")
        lines = [*inner.lines, f"return {result}"]
        body = "\n".join("    " + line.replace("\n", "\n    ") for line in lines)
        text = f"def {name}({', '.join(names)}):\n{body}"
        self.lines.append(text)
        self.definitions.append(text)
        return name


def _is_weak(aval) -> bool:
    return bool(getattr(aval, "weak_type", False))
