"""What every test shares: hypothesis runs with fixed seeds, so that a failure here is a failure on every machine.

FRONT_END_PLUGIN chooses another CPU plugin than ours for tests that start no process of
their own: ``real`` for the real XLA, or a library's path. See `ci/frontend`.
"""

import os
import pathlib
import tempfile

import hypothesis
import pytest

from tests.testing import differences, real_plugin

# One function is called from many tests, on what each needs.
os.environ.setdefault("JAX_RECOMPILATIONS_UNTIL_WARNING", "0")

hypothesis.settings.register_profile(
    "fixed", derandomize=True, deadline=None, database=None, print_blob=True
)
hypothesis.settings.load_profile("fixed")

PLUGIN = os.environ.get("FRONT_END_PLUGIN")
if PLUGIN:
    real_plugin.select(
        pathlib.Path(tempfile.mkdtemp()), library=None if PLUGIN == "real" else PLUGIN
    )


@pytest.fixture
def notice(record_property):
    """Reports something that is no failure; `build.py test` prints it at the end."""
    return lambda text: record_property("notice", text)


def pytest_collection_modifyitems(items):
    """On the real XLA, listed tests may fail: one that passes is counted as such."""
    known = differences.listed() if PLUGIN == "real" else {}
    for item in items:
        reason = differences.reason_for(item.path, item.name, known)
        if reason:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=False))
