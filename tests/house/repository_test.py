"""What no other tool looks at: tests that never run, documents that name what is not there, moved yardsticks."""

import hashlib
import re

from tests.house import tree

SPAN = re.compile(r"`([^`\n]+)`|\]\(([^)#\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
ENDINGS = (".py", ".cpp", ".h", ".md", ".json", ".toml", ".td", ".mlir", ".bazel")
# Folders of one machine, and addresses other than those that documents cite: on another
# machine they mislead.
OUTSIDE_NAMES = re.compile(
    r"(?<![\w./-])/(?:home|root|work|opt|mnt|srv|Users)/[\w.]"
    r"|https?://(?!doi\.org/|docs\.pytest\.org/|\{)"
)
# Names of outside systems, in files of any ending.
AUTOMATION = ("ci", ".devcontainer", ".github/workflows")
TEXTS = (".py", ".md", ".cpp", ".h", ".td", ".toml", ".bzl", ".bazel")


def everything():
    """The paths of all files and folders, as they may be named: by their last parts, with or without an ending."""
    names = set()
    for path in tree.ROOT.rglob("*"):
        parts = path.relative_to(tree.ROOT).parts
        if parts[0] == ".git" or parts[0].startswith("bazel-"):
            continue
        for start in range(len(parts)):
            tail = "/".join(parts[start:])
            names |= {tail, tail.removesuffix(path.suffix)}
    return names


def paths_in(text):
    """What a document says in code spans and links that looks like a path of ours."""
    for code, link in SPAN.findall(FENCE.sub("", text)):
        for word in re.split(r"[\s,]+", code or link):
            word = word.split(":")[0].rstrip("/")
            if re.search(r"[<>*{}$=()|…\[\]]", word) or re.match(
                r"[/@-]|jax\w*\.", word
            ):
                continue
            if "/" in word or word.endswith(ENDINGS):
                yield word


def test_documents_name_what_is_there():
    there = everything()
    documents = [path for path in tree.files(".md") if path.name != "CHANGELOG.md"]
    wrong = [
        f"{tree.name(path)}: {word}"
        for path in documents
        for word in paths_in(path.read_text())
        if word not in there and not (path.parent / word).exists()
    ]
    assert len(documents) > 30 and not wrong, "\n".join(wrong)


def test_every_test_is_in_a_build_file():
    tests = tree.files(".py", below="tests") + tree.files(".cpp")
    tests = [path for path in tests if path.stem.endswith(("_test", "Test"))]
    wrong = []
    for path in tests:
        build = (path.parent / "BUILD.bazel").read_text()
        # native_test finds ThreadPoolTest.cpp for thread_pool_test.
        target = re.sub(r"(?<!^)(?=[A-Z])", "_", path.stem).lower()
        if f'"{path.stem}' not in build and f'"{target}"' not in build:
            wrong.append(tree.name(path))
    assert len(tests) > 100 and not wrong, "never run: " + ", ".join(wrong)


def test_every_folder_of_tests_has_a_row():
    rows = (tree.ROOT / "tests/README.md").read_text()
    folders = {
        path.relative_to(tree.ROOT).parts[1]
        for path in tree.files(".py", below="tests")
    }
    folders = {name for name in folders if not name.endswith(".py")}
    missing = sorted(
        name for name in folders if not re.search(rf"`(tests/)?{name}`", rows)
    )
    assert not missing, "not in tests/README.md: " + ", ".join(missing)


def test_nothing_names_one_machine():
    wrong = [
        f"{tree.name(path)}:{number}"
        for path in tree.files(*TEXTS)
        + [
            path
            for folder in AUTOMATION
            for path in sorted((tree.ROOT / folder).iterdir())
        ]
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1)
        if OUTSIDE_NAMES.search(line)
    ]
    assert not wrong, "\n".join(wrong)


def test_yardsticks_are_as_they_came():
    moved = [
        name
        for name, digest in tree.YARDSTICKS.items()
        if hashlib.sha256((tree.ROOT / name).read_bytes()).hexdigest() != digest
    ]
    assert not moved, "what judges every implementation was changed: " + ", ".join(
        moved
    )
