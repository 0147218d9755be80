"""pypjrt's conformance run finds no fault with the plugin."""

import subprocess
import sys

from pypjrt import conform

from tests.plugin.conftest import BACKEND
from tests.testing import patience

# What a CPU in one process does not offer, or what came after version 0.81.
ABSENT = {
    "abi_version.executable_proto",
    "abi_version.extension_present",
    "abi_version.is_compatible_with_executable",
    "device.clear_memory_stats",
    "device.coords",
    "plugin.xla_version_present",
    "stream.external_ready_events",
    "topology.create_by_name",
    "topology.fingerprint",
    "triton.compile",
}


def test_conformance_run_passes_all_that_a_cpu_offers(plugin):
    report = conform.run(plugin, {"backend": BACKEND})
    missing = {check.id for check in report.checks if check.result.value != "pass"}
    details = "\n".join(f"{check.id}: {check.detail}" for check in report.checks)
    assert report.counts()["fail"] == 0, details
    absent = (
        ABSENT if BACKEND == "native" else ABSENT | {"topology.client_free_compile"}
    )
    assert missing <= absent, missing - absent
    assert report.counts()["pass"] >= 45


def test_command_line_run_ends_with_success(plugin_path):
    run = subprocess.run(
        [sys.executable, "-m", "pypjrt.conform", plugin_path],
        capture_output=True,
        text=True,
        timeout=patience.LIMIT_S,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert " 0 FAIL" in run.stdout
