"""Names and prose use the field's terms (docs/glossary.md), and a docstring stands alone.

`words_left.tsv` holds how often each refused word is still written in each folder. A count may only shrink:
`python3 -m tests.house.words_test` writes the counts of today.
"""

import ast
import collections
import functools
import re
import sys

from tests.house import tree

LEFT = tree.ROOT / "tests/house/words_left.tsv"
SUFFIXES = (".py", ".md", ".cpp", ".h", ".td", ".bzl", ".bazel", ".toml", ".mlir")
# History keeps its words, and the list of refused words has to name them.
EXEMPT = {"CHANGELOG.md", "tests/house/words_test.py", "docs/glossary.md"}

# Each refused word, as a pattern, and what to say instead of it.
WORDS = {
    "place": (
        "places?",
        "source location, device assignment, sharding, index, slice, endpoint",
    ),
    "lie": ("lies?", "is, is stored, is laid out, is sharded over"),
    "asked": ("asked", "requested, given, resolved"),
    "wish": ("wish(?:es|ed)?", "constraint, request, preference"),
    "questions": ("questions", "queries, callbacks"),
    "elsewhere": ("elsewhere", "in another module, on another device"),
    "everywhere": ("everywhere", "broadcast, on every device, in every module"),
    "kept values": ("kept[ _]values?", "residuals"),
    "guest": ("guests?", "third-party library, compat"),
    "door": ("doors?", "re-export"),
    "finisher": ("finishers?", "epilogue"),
    "chart": ("charts?", "device grid, table"),
    "tell": ("tells?", "notify, report, say"),
    "others": ("of the others", "of the other operands (name the noun)"),
    "let go": ("(?:let|lets|letting) go", "release, drop, free"),
    "stand still": ("stands? still", "is constant, is suspended, has converged"),
    "to be had": ("to be had", "there is, can be read"),
    "somebody else": ("somebody else", "a library, another thread, another caller"),
    "refuse what": ("refuses? what", "raises TypeError for (name the noun)"),
    "row of a batch": (
        "rows? of (?:a|the|its|each) batch|batch(?:es)? of rows",
        "batch elements",
    ),
}
# Names of NumPy and of Python, terms of the field, and everyday English:
# - `jnp.place`; "in place" and `runsInPlace`, of memory that is reused; "units in the last place";
# - "takes its place", of a replacement.
ALLOWED = re.compile(
    r"\b(?:jnp|np|numpy)\.place\b|\"place\"|\bplace put put_along_axis\b|\bplace as place\b|\bdef place\("
    r"|(?<![A-Za-z])[Ii]n(?:to)?[ _-]?[Pp]lace(?![a-z])|InPlace(?![a-z])|IN_PLACE"
    r"|\b(?:last|decimal) places?\b"
    r"|(?i:tak(?:es?|ing|en)|took)[ _]?(?i:the(?:ir| ?helpers)?|its)?[ _]?[Pp]lace(?![a-z])"
    r"|\bnot to lie\b"
    # A method of evolution strategies.
    r"|\bes\.tell\("
)
LEANING = re.compile(r"(?:The same\b|Those\b|Itself\b|As\b|Of\b)")
LEANING_WORD, ALIAS_WORD = "leaning docstring", "short module alias"
ALIASES = {"np", "jnp", "lax", "pe", "ad", "ft"}


def _pattern(words: str) -> re.Pattern:
    """Matches words in prose, in snake_case, CamelCase and UPPER_CASE names, not inside of longer words."""
    return re.compile(
        rf"(?:(?<![A-Za-z])(?:{words})|{words[0].upper()}{words[1:]})(?![a-z])"
        rf"|(?<![A-Z])(?:{words.upper()})(?![A-Z])"
        if re.fullmatch(r"\w+\??", words)
        else rf"(?<![A-Za-z])(?i:{words})(?![a-z])"
    )


PATTERNS = {word: _pattern(words) for word, (words, _) in WORDS.items()}


def _folder(path) -> str:
    return "/".join(path.relative_to(tree.ROOT).parts[:-1][:3]) or "."


def _in_text(path) -> list[tuple[str, int, str]]:
    """The refused words in a file and its name: (word, line, text of the line)."""
    text = f"{path.stem}\n{path.read_text(errors='replace')}"
    lowered = text.lower()
    found = []
    for word, pattern in PATTERNS.items():
        # A plain search first: most files have few of the words.
        if (stem := word.split()[0]) not in lowered:
            continue
        lines = zip(text.splitlines(), lowered.splitlines(), strict=True)
        for number, (line, small) in enumerate(lines):
            if stem in small:
                hits = len(pattern.findall(ALLOWED.sub("", line)))
                found += [(word, number, line.strip())] * hits
    return found


def _in_syntax(path) -> list[tuple[str, int, str]]:
    """The docstrings in a module that lean on another text, and its short aliases of our modules."""
    found = []
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for node in ast.walk(tree.parsed(path)):
        if isinstance(node, documented):
            text = ast.get_docstring(node, clean=False) or ""
            if LEANING.match(text):
                line = node.body[0].lineno
                found.append((LEANING_WORD, line, text.splitlines()[0]))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
            "jax._src"
        ):
            found += [
                (ALIAS_WORD, node.lineno, f"{alias.name} as {alias.asname}")
                for alias in node.names
                if len(alias.asname or "...") <= 2
                and alias.asname not in ALIASES | {alias.name}
                and f"{node.module}.{alias.name}" in tree.python_modules()
            ]
    return found


@functools.cache
def uses() -> dict[tuple[str, str], list[str]]:
    """The uses of each refused word below each folder, as `path:line: text`."""
    found = collections.defaultdict(list)
    for path in tree.files(*SUFFIXES):
        if (name := tree.name(path)) in EXEMPT:
            continue
        hits = _in_text(path) + (_in_syntax(path) if path.suffix == ".py" else [])
        for word, line, text in hits:
            found[_folder(path), word].append(f"{name}:{line}: {text}")
    return found


def _left() -> dict[tuple[str, str], int]:
    rows = [line.split("\t") for line in LEFT.read_text().splitlines()]
    assert len({tuple(row[:2]) for row in rows}) == len(rows), "a count is there twice"
    return {(folder, word): int(count) for folder, word, count in rows}


def test_refused_words_only_become_fewer():
    left = _left()
    wrong = []
    for (folder, word), lines in sorted(uses().items()):
        if len(lines) > (allowed := left.get((folder, word), 0)):
            advice = f" (say: {WORDS[word][1]})" if word in WORDS else ""
            wrong.append(
                f"{folder}: {word!r}{advice} is written {len(lines)} times, {allowed} are left:"
            )
            wrong += [f"  {line}" for line in lines]
    assert not wrong, "\n".join(wrong)


def test_words_are_found_in_names_and_prose_only_in_their_odd_meanings():
    refused = "place, places_of, _PLACES, somePlace, Place, placeOf"
    fine = (
        "replace placeholder placed placement np.place jnp.place takes place in place, "
        "in-place to 3 decimal places"
    )
    assert len(PATTERNS["place"].findall(ALLOWED.sub("", refused))) == 6
    assert not PATTERNS["place"].findall(ALLOWED.sub("", fine))
    assert len(PATTERNS["lie"].findall("lies, liesAsWanted; families, underlies")) == 2
    assert PATTERNS["kept values"].search("the kept_values of a loop")
    assert PATTERNS["wish"].search("class Wish:") and PATTERNS["tell"].search("tells")


def _write() -> None:
    lines = [f"{a}\t{b}\t{len(found)}\n" for (a, b), found in sorted(uses().items())]
    LEFT.write_text("".join(lines))


if __name__ == "__main__":
    if sys.argv[1:]:
        print(
            *(
                line
                for (_, word), v in sorted(uses().items())
                if word in sys.argv[1:]
                for line in v
            ),
            sep="\n",
        )
    else:
        _write()
