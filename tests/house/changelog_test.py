"""The changelog has releases, newest first, of entries that are one line each."""

import datetime
import re

from tests.house import tree

TEXT = (tree.ROOT / "CHANGELOG.md").read_text()
SECTIONS = ["New", "Breaking", "Deprecated", "Fixed", "Faster"]
LONGEST = 190


def releases():
    """(title, lines) of each release."""
    parts = re.split(r"(?m)^## (.+)\n", TEXT)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def test_releases_stand_newest_first():
    titles = [title for title, _ in releases()]
    assert titles[0] == "Unreleased"
    dates = [datetime.date.fromisoformat(title) for title in titles[1:]]
    assert dates == sorted(set(dates), reverse=True)


def test_sections_are_known_and_in_order():
    for title, text in releases():
        found = re.findall(r"(?m)^### (.+)$", text)
        assert found == [section for section in SECTIONS if section in found], title


def test_every_entry_is_one_line():
    """What needs a second line belongs into the docs."""
    wrong = [
        line
        for _, text in releases()
        for line in text.splitlines()
        if line and not line.startswith("### ")
        if not re.fullmatch(r"- \S.*[.)]", line) or len(line) > LONGEST
    ]
    assert not wrong, "\n".join(wrong)


def test_no_entry_stands_twice():
    entries = re.findall(r"(?m)^- .+$", TEXT)
    assert len(entries) == len(set(entries))
