"""What differs between releases stands in one table, and code reads it by name."""

import re
import runpy

import pytest

from tests.house import tree

TABLE = runpy.run_path(str(tree.ROOT / "jax/_src/base/releases.py"))
RULES = TABLE["RULES"]
TEXTS = {
    path: path.read_text()
    for path in sorted((tree.ROOT / "jax").rglob("*.py"))
    if path.name not in ("releases.py", "version.py")
}
READ = {
    name
    for text in TEXTS.values()
    for name in re.findall(r'releases\.rule\(\s*"(\w+)"\s*\)', text)
}


def test_each_rule_is_read_and_each_that_is_read_is_in_the_table():
    assert set(RULES) == READ


@pytest.mark.parametrize("name", sorted(RULES))
def test_a_rule_says_what_changed_and_differs(name):
    row = RULES[name]
    assert len(row.change) > 20
    assert row.old != row.new


def test_no_code_compares_versions():
    comparison = re.compile(
        r"__version(_info)?__\s*(<|>|==|!=)|(<|>|==|!=)\s*__version"
    )
    assert not [str(path) for path, text in TEXTS.items() if comparison.search(text)]


def test_only_names_and_options_follow_the_release_without_a_rule():
    found = {path.name for path, text in TEXTS.items() if "releases.IS_NEW" in text}
    assert found <= {"finder.py", "accepted_options.py"}


def test_names_that_are_gone_are_listed_once():
    for names in TABLE["GONE"].values():
        assert len(names.split()) == len(set(names.split()))
