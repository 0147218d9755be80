"""README, docs and examples are written in plain words: short sentences, no filler, no word twice.

`prose.toml` is the vocabulary; `words_test.py` refuses the private words that the glossary replaces.
"""

import ast
import re
import tomllib

from tests.house import tree

RULES = tomllib.loads((tree.ROOT / "tests/house/prose.toml").read_text())
INSTEAD = {re.compile(rf"(?i)\b(?:{k})\b"): v for k, v in RULES["instead"].items()}
TWICE = re.compile(
    r"\b(the|a|an|of|to|in|is|are|and|or|for|with|by|on|it|that) \1\b", re.I
)


def documents():
    """(name, prose) of each text that users read."""
    for path in tree.files(".md"):
        name = tree.name(path)
        if name.startswith(
            ("docs/", "examples/", "README", "CONTRIBUTING", "SECURITY")
        ):
            yield name, prose(path.read_text())
    for path in tree.files(".py", below="examples"):
        text = ast.get_docstring(tree.parsed(path))
        if text:
            yield tree.name(path), prose(text)


def prose(text: str) -> str:
    """Text without code, tables, headings, comments and the targets of links."""
    text = re.sub(r"(?ms)^ *(```|:::).*?^ *\1", "\n", text)
    text = re.sub(r"(?s)<!--.*?-->", "", text)
    text = re.sub(r"(?m)^ *(\||#|%|:|\+\+\+|---).*$", "\n", text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return re.sub(r"`[^`\n]*`", "`code`", text)


def sentences(text: str):
    """The sentences of paragraphs and list items."""
    for block in re.split(r"\n\s*\n|\n\s*(?=(?:[-*]|\d+\.) )", text):
        line = re.sub(r"^\s*(?:[-*]|\d+\.) ", "", block)
        yield from re.split(r"(?<=[.!?:;])\s+", " ".join(line.split()))


def test_filler_and_jargon_are_refused():
    found = [
        f"{name}: {match[0]!r}, write: {better}"
        for name, text in documents()
        for pattern, better in INSTEAD.items()
        for match in pattern.finditer(text)
    ]
    assert not found, "\n".join(found)


def test_sentences_are_short():
    longest = RULES["longest_sentence"]
    found = [
        f"{name}: {len(sentence.split())} words: {sentence[:90]}…"
        for name, text in documents()
        for sentence in sentences(text)
        if len(sentence.split()) > longest
    ]
    assert not found, "\n".join(found)


def test_no_word_stands_twice():
    found = [
        f"{name}: {match[0]!r}"
        for name, text in documents()
        for match in TWICE.finditer(" ".join(text.split()))
        if match[0].lower() != "that that"
    ]
    assert not found, "\n".join(found)


def test_what_is_planted_is_found():
    text = prose("We utilize `utilize` in order to win.\n\n```sh\nutilize\n```\n")
    hits = [m[0] for pattern in INSTEAD for m in pattern.finditer(text)]
    assert sorted(hits) == ["in order to", "utilize"]
    assert TWICE.search("of the the day")
    assert list(sentences("One. Two:\n\n- three\n- four")) == [
        "One.",
        "Two:",
        "three",
        "four",
    ]
