"""Runs pytest on the files named as arguments, inside Bazel's sandbox: warnings are errors, and no test is no pass."""

import os
import sys

import pytest

if __name__ == "__main__":
    report = os.environ.get("XML_OUTPUT_FILE")
    options = ["-q", "-p", "no:cacheprovider", "-W", "error"]
    if report:
        # The older form has room for the notices of tests (tests/conftest.py, `notice`).
        options += [f"--junitxml={report}", "-o", "junit_family=xunit1"]
    sys.exit(pytest.main([*options, *sys.argv[1:]]))
