"""From texts such as ``"batch, 2*n + 1"`` to sums of symbols."""

import io
import tokenize
from collections.abc import Sequence
from typing import Any

from jax._src.core.symbols import expressions, terms

_SKIPPED = (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
_OPERATIONS = ("floordiv", "mod", "max", "min")


def expression(text: str, scope: Any, what: str) -> terms.Sum:
    """The sum that a text means.

    Raises:
        ValueError: it is not one; `what` it is goes into the message.
    """
    parser = _Parser(text, scope, what)
    found = parser.sum()
    parser.expect_end()
    return found


def shape(text: str, like: Sequence[Any] | None, scope: Any) -> tuple[Any, ...]:
    """The sizes that a text means; `like` supplies the sizes that it leaves open.

    Raises:
        ValueError: it is no shape, or leaves sizes open that `like` does not supply.
    """
    parser = _Parser(text, scope, f"symbolic shape {text!r}")
    return parser.shape(None if like is None else tuple(like))


class _Parser:
    """Reads tokens from left to right, with one function for each rule of the grammar."""

    def __init__(self, text: str, scope: Any, what: str):
        self.text, self.scope, self.what = text, scope, what
        self.number_of_sizes = 0
        try:
            tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
        except (tokenize.TokenError, SyntaxError) as error:
            raise ValueError(
                f"syntax error in {what}: {error.args[0]}. Its brackets must close."
            ) from None
        self.tokens = [t for t in tokens if t.type not in _SKIPPED]
        self.at = 0

    @property
    def token(self) -> tokenize.TokenInfo:
        return self.tokens[self.at]

    def fail(self, why: str) -> ValueError:
        row, column = self.token.start
        lines = self.text.splitlines(keepends=True)
        offset = sum(map(len, lines[: row - 1])) + column
        where = f" in dimension {self.number_of_sizes}" if self.number_of_sizes else ""
        return ValueError(
            f"syntax error in {self.what}{where}: {why}. Parsed "
            f"{self.text[:offset]!r}, remaining {self.text[offset:]!r}."
        )

    def take(self, *texts: str) -> str | None:
        """The token, if it is one of these, which is then passed."""
        token = self.token
        if token.type == tokenize.OP and token.string in texts:
            self.at += 1
            return token.string
        return None

    def expect(self, text: str) -> None:
        if self.take(text) is None:
            raise self.fail(f"expected {text!r}")

    def expect_end(self) -> None:
        if self.token.type != tokenize.ENDMARKER:
            raise self.fail("expected the end")

    def shape(self, like):
        depth = 0
        while self.take("("):
            depth += 1
        sizes: list[Any] = []
        closing = ")" if depth else None
        while not self._is_end(closing):
            self.number_of_sizes = len(sizes) + 1
            if self.take("..."):
                sizes += self._rest(like, len(sizes))
                break
            sizes.append(self._item(like, len(sizes)))
            if not self.take(","):
                break
        for _ in range(depth):
            self.expect(")")
        self.expect_end()
        return tuple(sizes)

    def _is_end(self, closing):
        token = self.token
        return token.type == tokenize.ENDMARKER or token.string == closing

    def _rest(self, like, count):
        if like is None:
            raise self.fail("the placeholder '...' needs `like`, which was not given")
        return [self._filled(size) for size in like[count:]]

    def _item(self, like, index):
        token = self.token
        if token.type == tokenize.NAME and token.string == "_":
            self.at += 1
            if like is None or index >= len(like):
                raise self.fail("the placeholder '_' has no size in `like`")
            return self._filled(like[index])
        size = expressions.dimension(self.sum(), self.scope)
        if type(size) is int and like is not None:
            if index >= len(like) or like[index] != size:
                raise self.fail(f"the size {size} differs from that of `like`, {like}")
        return size

    def _filled(self, size):
        if size is None:
            raise self.fail("`like` has None where its size is needed")
        return size

    def sum(self) -> terms.Sum:
        sign = self.take("+", "-")
        total = self._term(-1 if sign == "-" else 1)
        while sign := self.take("+", "-"):
            total = total.plus(self._term(-1 if sign == "-" else 1))
        return expressions.rewritten(total, self.scope)

    def _term(self, sign):
        total = terms.number(sign)
        while True:
            factor = self._factor()
            if self.take("^"):
                exponent = self._number("an exponent")
                for _ in range(exponent):
                    total = total.multiplied(factor)
            else:
                total = total.multiplied(factor)
            if not self.take("*"):
                return expressions.rewritten(total, self.scope)

    def _factor(self):
        token = self.token
        if token.type == tokenize.NAME:
            self.at += 1
            if token.string in _OPERATIONS:
                return self._operation(token.string)
            found = terms.of_factor(terms.symbol(token.string))
            return expressions.rewritten(found, self.scope)
        sign = -1 if self.take("-") else 1
        return terms.number(sign * self._number("a symbol or number"))

    def _number(self, what):
        token = self.token
        if token.type == tokenize.NUMBER:
            try:
                value = int(token.string)
            except ValueError:
                raise self.fail(f"expected {what}") from None
            self.at += 1
            return value
        raise self.fail(f"expected {what}")

    def _operation(self, name: str) -> terms.Sum:
        self.expect("(")
        a = self.sum()
        self.expect(",")
        b = self.sum()
        self.expect(")")
        if name in ("max", "min"):
            size = expressions.extreme(name, a, b, self.scope)
        else:
            size = expressions.apply_operation(name, a, b, self.scope)
        return terms.number(size) if type(size) is int else size.sum
