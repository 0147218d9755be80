"""A plugin of pytest that writes how each test ended, one line of JSON each, into the file of `--record`."""

import json
import pathlib

from absl import flags


def pytest_addoption(parser):
    parser.addoption("--record", help="the file to add lines to")
    parser.addoption("--every", type=int, default=1, help="every K-th test alone")


def pytest_configure(config):
    # Suites read flags, which absltest would have parsed.
    flags.FLAGS(["suite"], known_only=True)
    config.pluginmanager.register(Recorder(config.getoption("--record")))


def pytest_collection_modifyitems(config, items):
    items[:] = items[:: config.getoption("--every")]


class Recorder:
    def __init__(self, file):
        self.file = pathlib.Path(file)

    def add(self, test, outcome, reason=""):
        with self.file.open("a") as lines:
            print(json.dumps([test, outcome, reason]), file=lines)

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or not report.passed:
            crash = getattr(report.longrepr, "reprcrash", None)
            reason = str(crash.message if crash else report.longrepr or "")
            self.add(report.nodeid, report.outcome, reason[:400])

    def pytest_collectreport(self, report):
        if report.failed:
            self.add(report.nodeid, "failed", str(report.longrepr)[-400:])
