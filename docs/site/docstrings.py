"""Turns docstrings of this project into reStructuredText.

A docstring is prose, then sections: ``Args:``, ``Returns:``, ``Raises:``, ``Examples:`` and a few others. Names stand
between single backticks. Everything else is plain text, so what reStructuredText would read as markup is escaped.
"""

import inspect
import re
from collections.abc import Iterator

SECTIONS = {
    "Args": "param",
    "Arguments": "param",
    "Attributes": "ivar",
    "Returns": "returns",
    "Yields": "returns",
    "Raises": "raises",
    "Examples": "examples",
    "Example": "examples",
}
HEAD = re.compile(rf"({'|'.join(SECTIONS)}):\s*(.*)")
SPAN = re.compile(r"(``.+?``|:\w+:`[^`]+`|`[^`\n]+`)")
ENTRY = re.compile(
    r"(\*{0,2}[\w.]+(?:, \*{0,2}[\w.]+)*)(?: \([^)]*\))?: (.*)", re.DOTALL
)


def escape(text: str) -> str:
    """Plain text as reStructuredText: names in backticks become references, the rest is literal."""
    parts = []
    for part in SPAN.split(text):
        if part.startswith(("``", ":")):
            parts.append(part)
        elif part.startswith("`") and part.endswith("`") and len(part) > 2:
            name = part[1:-1]
            is_name = re.fullmatch(r"[A-Za-z_][\w.]*", name)
            parts.append(f":py:obj:`{name}`" if is_name else f"``{name}``")
        else:
            parts.append(re.sub(r"([*|`\\]|(?<=\w)_(?!\w))", r"\\\1", part))
    return "".join(_guarded(parts))


def _guarded(parts: list[str]) -> Iterator[str]:
    """Separates a span from the letters that touch it."""
    for number, part in enumerate(parts):
        is_span = part.startswith(("``", ":"))
        before = parts[number - 1] if number else ""
        if is_span and before and not re.search(r"[\s(\[{'\"/<-]$", before):
            yield "\\ "
        yield part
        after = parts[number + 1] if number + 1 < len(parts) else ""
        if is_span and after and not re.match(r"[\s)\]}'\".,:;!?/>\\-]", after):
            yield "\\ "


def paragraphs(lines: list[str]) -> list[list[str]]:
    found: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return [block for block in found if block]


def indent_of(line: str) -> int:
    return len(line) - len(line.lstrip())


def code(lines: list[str], language: str) -> list[str]:
    least = min(indent_of(line) for line in lines if line.strip())
    return [f".. code-block:: {language}", "", *("   " + x[least:] for x in lines), ""]


def prose(lines: list[str]) -> list[str]:
    """Paragraphs, lists, indented code and interpreter sessions."""
    result: list[str] = []
    for block in paragraphs(lines):
        first = block[0].strip()
        if first.startswith(">>>"):
            result += code(block, "pycon")
        elif indent_of(block[0]) >= 2 and not first.startswith(("- ", "* ")):
            result += code(block, "none")
        elif re.match(r"[-*] ", first):
            for line in block:
                text = line.strip()
                item = re.match(r"[-*] (.*)", text)
                result.append(f"- {escape(item[1])}" if item else f"  {escape(text)}")
            result.append("")
        else:
            text = " ".join(line.strip() for line in block)
            result += [escape(text.removesuffix("::") + ":" * text.endswith("::")), ""]
    return result


def entries(lines: list[str]) -> list[str]:
    """The entries of a section: a line at the least indent begins one, deeper lines go on with it."""
    filled = [line for line in lines if line.strip()]
    if not filled:
        return []
    least = min(indent_of(line) for line in filled)
    found: list[str] = []
    for line in filled:
        if indent_of(line) == least:
            found.append(line.strip())
        else:
            found[-1] += " " + line.strip()
    return found


def fields(kind: str, lines: list[str]) -> list[str]:
    if kind == "returns":
        text = " ".join(line.strip() for line in lines if line.strip())
        return [f":returns: {escape(text)}"] if text else []
    found = []
    for entry in entries(lines):
        match = ENTRY.fullmatch(entry)
        if match is None:
            found.append(f":{kind} : {escape(entry)}" if kind != "raises" else "")
            found[-1] = found[-1] or f":raises Exception: {escape(entry)}"
            continue
        for name in match[1].split(", "):
            name = name.replace("*", "\\*")
            found.append(f":{kind} {name}: {escape(match[2])}")
    return found


def to_rst(text: str) -> list[str]:
    """The lines of reStructuredText of a docstring."""
    body: list[str] = []
    listed: list[str] = []
    shown: list[str] = []
    kind, part = "", []

    def close() -> None:
        if not kind:
            body.extend(prose(part))
        elif kind == "examples":
            shown.extend(
                prose([line[4:] if line[:4] == "    " else line for line in part])
            )
        else:
            listed.extend(fields(kind, part))

    for line in inspect.cleandoc(text).splitlines():
        head = HEAD.fullmatch(line)
        if head is None and kind and line and not line[0].isspace():
            close()
            kind, part = "", []
        if head is not None:
            close()
            kind, part = SECTIONS[head[1]], [f"    {head[2]}"] if head[2] else []
        else:
            part.append(line)
    close()
    result = [*body, "", *listed, ""]
    return [*result, *([".. rubric:: Example", "", *shown] if shown else [])]
