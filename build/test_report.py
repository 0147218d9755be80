"""Counts the tests that a Bazel run executed, by the folder they stand in."""

import collections
import dataclasses
import pathlib
import re
import xml.etree.ElementTree as ElementTree


@dataclasses.dataclass
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def add(self, other: "Counts") -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


# lit's and our own C++ tests' closing lines.
LIT_LINE = re.compile(
    r"^\s+(Passed|Failed|Unresolved|Unsupported|Skipped)\s*:\s*(\d+)", re.M
)
PLAIN_LINE = re.compile(r"^(\d+) passed, (\d+) failed$", re.M)


def from_junit(root: ElementTree.Element) -> Counts:
    suites = [root] if root.tag == "testsuite" else root.findall("testsuite")
    total = {
        key: sum(int(suite.get(key) or 0) for suite in suites)
        for key in ("tests", "failures", "errors", "skipped")
    }
    failed = total["failures"] + total["errors"]
    return Counts(total["tests"] - failed - total["skipped"], failed, total["skipped"])


def count_one(folder: pathlib.Path, has_passed: bool) -> Counts:
    """One target's tests; a target that names none counts as one test."""
    counts = Counts()
    for log in sorted(folder.rglob("test.log")):
        text = log.read_text(errors="replace")
        if matches := LIT_LINE.findall(text):
            for kind, number in matches:
                field = {
                    "Passed": "passed",
                    "Failed": "failed",
                    "Unresolved": "failed",
                }.get(kind, "skipped")
                setattr(counts, field, getattr(counts, field) + int(number))
        elif matches := PLAIN_LINE.findall(text):
            counts.add(Counts(*map(int, matches[-1])))
        elif report := pytest_report(log.with_name("test.xml")):
            counts.add(report)
    if not has_passed and not counts.failed:
        counts.failed = 1  # a crash or a time-out: no runner lived to count it
    if has_passed and not (counts.passed or counts.skipped):
        counts.passed = 1
    return counts


def pytest_report(path: pathlib.Path) -> Counts | None:
    """The counts in a report that pytest wrote; Bazel's own report for other tests says nothing."""
    if not path.exists():
        return None
    root = ElementTree.parse(path).getroot()
    written_by_pytest = root.find("testsuite[@name='pytest']") is not None
    return from_junit(root) if written_by_pytest else None


def targets(events: list[dict]) -> list[tuple[str, str, bool]]:
    """Package, name and whether it passed, of each test target in Bazel's build events."""
    found = []
    for event in events:
        if "testSummary" in event:
            label = event["id"]["testSummary"]["label"].lstrip("/")
            package, _, name = label.partition(":")
            status = event["testSummary"]["overallStatus"]
            found.append((package, name, status in ("PASSED", "FLAKY")))
    return found


def read(events: list[dict], logs: pathlib.Path) -> dict[str, Counts]:
    """Folder -> counts, from Bazel's build events and its folder of logs."""
    layers: dict[str, Counts] = collections.defaultdict(Counts)
    for package, name, has_passed in targets(events):
        layer = "/".join(package.split("/")[:2])
        layers[layer].add(count_one(logs / package / name, has_passed))
    return dict(sorted(layers.items()))


def notices(events: list[dict], logs: pathlib.Path) -> list[str]:
    """The notices of tests that do not fail, each once."""
    found = set()
    for package, name, _ in targets(events):
        for report in (logs / package / name).rglob("test.xml"):
            items = ElementTree.parse(report).getroot().iter("property")
            found |= {
                item.get("value", "") for item in items if item.get("name") == "notice"
            }
    return sorted(found)
