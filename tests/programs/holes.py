"""Templates: expressions with holes for values, axes, shapes, indices, dtypes.

`jnp.sum({n1}, axis={axis}[?, where={m}?])`: a number array of rank 1 or more, one of its axes, and perhaps a
mask that goes with it. A hole's kind may be followed by the least rank, or by `:` and the rank. All but the
first array refer to the first. What is between `[?` and `?]` is there half of the time; `{a|b}` is one of
them.
"""

import re
from collections.abc import Callable

import numpy as np

import jax.numpy as jnp
from tests.programs.scope import Scope, Unsuited, Value, is_key

_HOLE = re.compile(r"\{(\w+?)(\d*)(?::([-\w]+))?\}|\{([^{}]*\|[^{}]*)\}")
_OPTION = re.compile(r"\[\?((?:(?!\[\?).)*?)\?\]")


def _sub(kind):
    return lambda dtype: jnp.issubdtype(dtype, kind)


KINDS: dict[str, Callable] = {
    "x": lambda dtype: True,
    "n": lambda dtype: dtype != np.bool_,
    "f": _sub(jnp.floating),
    "F": lambda dtype: dtype in (np.float32, np.float64),
    "h": lambda dtype: jnp.issubdtype(dtype, jnp.inexact),
    "H": lambda dtype: dtype in (np.float32, np.float64, np.complex64, np.complex128),
    "r": lambda dtype: not jnp.issubdtype(dtype, jnp.complexfloating),
    "i": lambda dtype: jnp.issubdtype(dtype, jnp.integer),
    "j": lambda dtype: dtype == np.bool_ or jnp.issubdtype(dtype, jnp.integer),
    "b": lambda dtype: dtype == np.bool_,
    "c": _sub(jnp.complexfloating),
}


class Filler:
    """Fills the holes of one template."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.first: Value | None = None
        self.named: list[Value] = []

    def fill(self, template: str) -> str:
        while _OPTION.search(template):
            template = _OPTION.sub(
                lambda match: match[1] if self.scope.maybe(0.5) else "", template
            )
        return _HOLE.sub(self._hole, template)

    def _hole(self, match: re.Match) -> str:
        kind, rank, word, options = match.groups()
        if options is not None:
            return self.scope.choose.choice(options.split("|"))
        if kind in KINDS:
            return self._array(kind, int(rank or 0), word)
        hole = getattr(self, f"_{kind}", None)
        return hole(word) if hole else match[0][1:-1]  # a choice of one

    # -- arrays -----------------------------------------------------------------------------

    def _array(self, kind: str, least: int, word: str | None) -> str:
        scope, fits = self.scope, KINDS[kind]
        exact = int(word) if word and word.isdigit() else None

        def suits(value: Value) -> bool:
            if is_key(value.aval) or not fits(value.dtype):
                return False
            return value.ndim == exact if exact is not None else value.ndim >= least

        def make() -> str:
            adapted = self._adapted(fits, least, exact)
            if adapted and scope.maybe(0.6):
                return adapted
            ndim = exact
            if ndim is None:
                ndim = max(least, len(scope.shape()))
            sort = "wild" if scope.maybe(0.03) else "small"
            return scope.constant(scope.shape(ndim), scope.dtype(fits), sort)

        value = scope.pick(suits, make)
        self.first = self.first or value
        self.named.append(value)
        return value.text

    def _adapted(self, fits, least: int, exact: int | None) -> str | None:
        """A value that is there, made to fit, so that programs hang together."""
        scope = self.scope
        arrays = [value for value in scope.pool[-6:] if not is_key(value.aval)]
        if not arrays:
            return None
        value = scope.choose.choice(arrays)
        text = value.text
        wanted = least if exact is None else exact
        if value.ndim < wanted:
            text = f"({text})[{', '.join(['None'] * (wanted - value.ndim))}]"
        elif exact is not None and value.ndim > exact:
            text = f"jnp.sum({text}, axis={tuple(range(value.ndim - exact))})"
        if fits(value.dtype):
            return text
        if value.isa(jnp.complexfloating):
            text = f"jnp.real({text})"
        return f'({text}).astype("{scope.dtype(fits)}")'

    def _k(self, _) -> str:
        """A random key."""
        number = self.scope.seed()
        make = self.scope.one("key", "key", "PRNGKey")
        text = f"jax.random.{make}({number})"
        value = self.scope.pick(
            lambda value: is_key(value.aval) and value.shape == (), lambda: text
        )
        self.first = self.first or Value(text, value.aval)
        return value.text

    def _again(self, _) -> str:
        return self._anchor.text

    @property
    def _anchor(self) -> Value:
        if self.first is None:
            raise Unsuited
        return self.first

    def _y(self, kind) -> str:
        """Whatever broadcasts with the first, of any dtype, a number of Python perhaps."""
        scope, first = self.scope, self._anchor
        if scope.maybe(0.2):
            return self._s(None)
        fits = KINDS[kind or "x"]

        def suits(value: Value) -> bool:
            return (
                not is_key(value.aval)
                and fits(value.dtype)
                and _broadcast(value.shape, first.shape)
            )

        def make() -> str:
            return scope.constant(self._thinner(first.shape), scope.dtype(fits))

        return scope.pick(suits, make).text

    def _thinner(self, shape) -> tuple[int, ...]:
        """A shape that broadcasts to this one."""
        thin = [1 if self.scope.maybe(0.2) else size for size in shape]
        while thin and self.scope.maybe(0.15):
            thin = thin[1:]
        return tuple(thin)

    def _m(self, _) -> str:
        """A mask that broadcasts to the first."""
        scope, first = self.scope, self._anchor
        text = scope.constant(self._thinner(first.shape), "bool")
        return scope.pick(
            lambda value: (
                value.dtype == np.bool_ and _broadcast_to(value.shape, first.shape)
            ),
            lambda: text,
        ).text

    def _same(self, _) -> str:
        """An operand of the shape and dtype of the first."""
        first = self._anchor
        again = self.scope.one("({} + {})", "({} * {})", "jnp.maximum({}, {})")
        if self.scope.maybe(0.2):
            return again.format(first.text, first.text)
        return self.scope.pick(
            lambda value: (
                value.shape == first.shape
                and value.dtype == first.dtype
                and not value.aval.weak_type
            ),
            lambda: self.scope.constant(first.shape, str(first.dtype)),
        ).text

    def _scalar(self, _) -> str:
        """An operand of the dtype of the first, without axes."""
        first = self._anchor
        return self.scope.constant((), str(first.dtype))

    def _like(self, dtype: str) -> str:
        """A fresh array of the first's shape."""
        return self.scope.constant(self._anchor.shape, dtype)

    def _square(self, _) -> str:
        """A well conditioned square matrix, or several; symmetric and positive."""
        scope = self.scope
        n = scope.one(1, 2, 3, 3)
        shape = (*scope.one((), (), (), (2,), (1,), (0,)), n, n)
        dtype = scope.dtype(KINDS["H"])
        text = scope.constant(shape, dtype, "square")
        if scope.maybe(0.4):
            matrices = [
                value
                for value in scope.pool
                if KINDS["F"](value.dtype)
                and value.ndim >= 2
                and value.shape[-1] == value.shape[-2] > 0
            ]
            if matrices:
                value = scope.choose.choice(matrices)
                text = f"(jnp.tanh({value.text}) / 4 + 2 * jnp.eye({value.shape[-1]}))"
        self.first = Value(text, scope.type_of(text))
        return text

    def _spd(self, _) -> str:
        """A symmetric positive matrix of three rows, of double precision."""
        return self.scope.constant((3, 3), "float64", "square")

    def _indices(self, _) -> str:
        """A few whole numbers, most of which are indices of the first's first axis."""
        scope = self.scope
        size = self._anchor.shape[0] if self._anchor.ndim else 1
        count = scope.one(0, 1, 2, 3)
        low, high = (-size - 1, size + 2) if scope.maybe(0.3) else (0, max(size, 1))
        numbers = [scope.choose.randrange(low, high) for _ in range(count)]
        dtype = scope.one("int32", "int32", "uint8", "int8")
        if dtype == "uint8":
            numbers = [abs(n) for n in numbers]
        return f'jnp.array({numbers}, "{dtype}")'

    # -- numbers and words ------------------------------------------------------------------

    def _s(self, _) -> str:
        scope = self.scope
        return scope.one(
            "2", "-3", "0", "0.5", "-1.5", "True", "2", "1.5", "(1+2j)",
            "np.float32(0.5)", "np.int8(3)", "np.array([2])", "jnp.int32(2)", "jnp.asarray(0.5)",
        )  # fmt: skip

    def _number(self, _) -> str:
        return self.scope.one("0", "1", "2", "-1", "0.5", "-1.5", "2.25")

    def _int(self, word: str) -> str:
        low, high = word.split("_")
        return str(self.scope.choose.randint(int(low), int(high)))

    def _bool(self, _) -> str:
        return self.scope.one("True", "False")

    def _dtype(self, kind: str | None) -> str:
        name = self.scope.dtype(KINDS[kind or "x"])
        form = self.scope.one("word", "word", "jnp", "dtype", "python")
        if form == "jnp" and name != "bool":
            return f"jnp.{name}"
        if form == "dtype":
            return f'jnp.dtype("{name}")'
        python = {"f": "float", "i": "int", "x": "bool", "n": "int", "h": "complex"}
        if form == "python" and (kind or "x") in python and self.scope.maybe(0.5):
            return python[kind or "x"]
        return f'"{name}"'

    # -- axes and shapes --------------------------------------------------------------------

    def _axis(self, _) -> str:
        ndim = self._anchor.ndim
        if not ndim:
            raise Unsuited
        return str(self.scope.choose.randrange(-ndim, ndim))

    def _axes(self, _) -> str:
        ndim = self._anchor.ndim
        if not ndim or self.scope.maybe(0.25):
            return self.scope.one("None", "None", "()")
        if self.scope.maybe(0.4):
            return self._axis(None)
        count = self.scope.choose.randint(1, ndim)
        chosen = self.scope.choose.sample(range(ndim), count)
        return str(tuple(n - ndim * self.scope.maybe(0.3) for n in chosen))

    def _axispair(self, _) -> str:
        ndim = self._anchor.ndim
        if ndim < 2:
            raise Unsuited
        a, b = self.scope.choose.sample(range(ndim), 2)
        return f"{a}, {b - ndim * self.scope.maybe(0.3)}"

    def _perm(self, _) -> str:
        order = list(range(self._anchor.ndim))
        self.scope.choose.shuffle(order)
        return str(tuple(order))

    def _reshape(self, _) -> str:
        size = self._anchor.size
        options = [(size,), (-1,), (1, size), (size, 1)]
        for n in (2, 3, 4, 5):
            if size and size % n == 0:
                options += [(n, size // n), (-1, n), (n, 1, size // n)]
        if size == 1:
            options += [(), (1, 1, 1)]
        return str(self.scope.choose.choice(options))

    def _bshape(self, _) -> str:
        shape = [self.scope.one(1, 2, 3) if n == 1 else n for n in self._anchor.shape]
        if self.scope.maybe(0.3):
            shape = [self.scope.one(1, 2), *shape]
        return str(tuple(shape))

    def _shape(self, _) -> str:
        return str(self.scope.shape())

    def _pads(self, _) -> str:
        ndim = self._anchor.ndim
        if self.scope.maybe(0.3):
            return self.scope.one("1", "(1, 2)", "((0, 1),)")
        return str(
            [(self.scope.one(0, 1, 2), self.scope.one(0, 1)) for _ in range(ndim)]
        )

    def _ones(self, word: str) -> str:
        """A tuple of small numbers, one for each axis."""
        low, high = word.split("_")
        return str(
            tuple(
                self.scope.choose.randint(int(low), int(high))
                for _ in range(self._anchor.ndim)
            )
        )

    # -- indices ----------------------------------------------------------------------------

    def _idx(self, _) -> str:
        """An index of the first, of any form."""
        scope, shape = self.scope, self._anchor.shape
        if scope.maybe(0.08):
            return self._mask_index(shape)
        parts, dots = [], False
        for number, size in enumerate(shape):
            if scope.maybe(0.1) and not dots:
                parts.append("...")
                dots = True
                if scope.maybe(0.5):
                    break
                continue
            if scope.maybe(0.12):
                parts.append("None")
            if number and scope.maybe(0.2):
                break
            parts.append(self._index_of_axis(size))
        if not parts:
            return scope.one("...", "()", "None", "..., None", "None, ...")
        return ", ".join(parts)

    def _mask_index(self, shape) -> str:
        """A mask of concrete numbers."""
        mask = [self.scope.maybe(0.5) for _ in range(shape[0] if shape else 1)]
        if not shape:
            return self.scope.one("True", "False", "np.True_")
        return f"np.array({mask}, bool)"

    def _index_of_axis(self, size: int) -> str:
        scope = self.scope
        form = scope.one(
            "int", "slice", "slice", "step", "list", "array", "traced", "all"
        )
        within = max(size, 1)
        if form == "int":
            return str(scope.choose.randrange(-within, within))
        if form == "all":
            return ":"
        if form in ("slice", "step"):
            a, b = (scope.one("", "0", "1", "-1", "2", "-2", "7") for _ in range(2))
            step = scope.one("2", "-1", "-2", "3", "1") if form == "step" else ""
            return f"{a}:{b}" + (f":{step}" if step else "")
        if form == "list":
            numbers = [scope.choose.randrange(-within, within) for _ in range(2)]
            return f"np.array({numbers})"
        if form == "traced":
            suits = lambda v: (  # noqa: E731
                v.isa(jnp.integer) and v.ndim <= 1 and not v.dtype.name.endswith("4")
            )
            return scope.pick(
                suits, lambda: f"jnp.int32({scope.one(-1, 0, 1, 4)})"
            ).text
        shape = scope.one((2,), (1,), (2, 1), (0,), (3,))
        numbers = np.asarray(
            [
                scope.choose.randrange(-within, within + 1)
                for _ in range(int(np.prod(shape)))
            ]
        ).reshape(shape)
        return f'jnp.array({numbers.tolist()}, "int32").reshape{shape}'


def _broadcast(a, b) -> bool:
    try:
        found = np.broadcast_shapes(a, b)
    except ValueError:
        return False
    return int(np.prod(found)) <= 600


def _broadcast_to(a, b) -> bool:
    try:
        return np.broadcast_shapes(a, b) == tuple(b)
    except ValueError:
        return False
