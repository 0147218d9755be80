"""What waits for devices and releases: workflows call scripts, releases are whole, ci/gpu goes on."""

import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import zipfile

import pytest
import yaml

from tests.testing import patience

ROOT = pathlib.Path(__file__).absolute().parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_call_scripts_of_ci_alone(path):
    for job in yaml.safe_load(path.read_text())["jobs"].values():
        assert job["timeout-minutes"] <= 120
        for step in job["steps"]:
            if "run" not in step:
                assert step["uses"].startswith("actions/")
                continue
            script, *_ = step["run"].split()
            assert re.fullmatch(r"\.?ci/\w+", script) and (ROOT / script).is_file()


def test_there_are_workflows_for_each_kind_of_machine():
    assert {path.stem for path in WORKFLOWS} == {"cpu", "gpu", "release", "tpu"}


def test_the_devcontainer_names_what_is_there():
    told = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text())
    dockerfile = ROOT / ".devcontainer" / told["build"]["dockerfile"]
    assert dockerfile.resolve().is_file()
    # It ends by telling what the machine lacks.
    assert told["postCreateCommand"].endswith("python3 build/build.py doctor")


def wheel(folder, name, version, requires=()):
    info = f"{name}-{version}.dist-info"
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    lines += ["License: Apache-2.0", *(f"Requires-Dist: {r}" for r in requires)]
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{info}/METADATA", "\n".join(lines) + "\n")
    return path


def release(folder):
    command = [sys.executable, ROOT / "build/release.py", "--folder", folder]
    return subprocess.run(command, capture_output=True, text=True)


def test_a_release_has_hashes_parts_and_changes(tmp_path):
    wheel(tmp_path, "jax", "1.2")
    wheel(tmp_path, "jaxlib", "0.9")
    for name in ("jax_cuda_plugin", "jax_rocm_plugin"):
        wheel(tmp_path, name, "1.2", ["jax==1.2"])
    answer = release(tmp_path)
    assert answer.returncode == 0 and "nothing was uploaded" in answer.stdout
    check = ["sha256sum", "--check", "--quiet", "SHA256SUMS"]
    assert subprocess.run(check, cwd=tmp_path).returncode == 0
    parts = json.loads((tmp_path / "parts.cdx.json").read_text())["components"]
    assert {"jax", "jaxlib", "numpy"} <= {part["name"] for part in parts}
    assert (tmp_path / "CHANGES.md").read_text().startswith("# 1.2\n")


def test_wheels_that_do_not_belong_together_are_refused(tmp_path):
    wheel(tmp_path, "jax", "1.2")
    wheel(tmp_path, "jaxlib", "0.9")
    wheel(tmp_path, "jax_cuda_plugin", "1.1", ["jax==1.1"])
    assert "one wheel of jax_rocm_plugin" in release(tmp_path).stderr
    wheel(tmp_path, "jax_rocm_plugin", "1.2", ["jax==1.2"])
    assert "does not ask for jax==1.2" in release(tmp_path).stderr


def test_steps_on_a_device_are_kept_and_reported(tmp_path, monkeypatch, capsys):
    on_device = load(ROOT / "tests/accelerators/on_device.py")
    report = tmp_path / "report.md"
    calls = tmp_path / "calls"
    count = f"open({str(calls)!r}, 'a').write('x')"
    run = [sys.executable, "-c"]
    golden = "print('golden: 3 passed, 0 failed')"
    tests = "print('== 12 passed, 3 skipped, 300 deselected in 4.20s ==')"
    done = [
        on_device.Step("first", [*run, count], patience.LIMIT_S),
        on_device.Step("golden some", [*run, golden], patience.LIMIT_S),
        on_device.Step("laws", [*run, tests], patience.LIMIT_S),
        on_device.Step(
            "its tests",
            [*run, "from tests.accelerators import every"],
            patience.LIMIT_S,
        ),
        on_device.Step("slow", [*run, "import time; time.sleep(600)"], 0.5),
        on_device.Step("programs", [*run, count], patience.LIMIT_S, "no_such_project"),
    ]
    monkeypatch.setattr(on_device, "steps", lambda options: done)
    monkeypatch.setattr(sys, "argv", ["on_device", "--report", str(report)])
    for _ in range(2):
        assert on_device.main() == 1
    assert calls.read_text() == "x"
    text = report.read_text()
    assert "| golden some | well |" in text and "3 passed, 0 failed" in text
    assert "| 12 passed, 3 skipped, 300 deselected |" in text
    assert "| programs | not run: no_such_project is not installed |" in text
    assert "longer than 0 s" in text


def step_options(on_device, monkeypatch, *arguments):
    """What the command line makes of arguments; no step runs."""
    found = []
    monkeypatch.setattr(
        on_device, "run_all", lambda options, *_: (found.append(options), ({}, {}))[1]
    )
    monkeypatch.setattr(on_device, "write", lambda *_: None)
    monkeypatch.setattr(sys, "argv", ["on_device", *arguments])
    on_device.main()
    return found[0]


def test_steps_are_those_of_both_compilers_and_of_the_checker(monkeypatch):
    on_device = load(ROOT / "tests/accelerators/on_device.py")
    options = step_options(on_device, monkeypatch, "--no-speed")
    steps = {step.name: step for step in on_device.steps(options)}
    for compiler in ("xla", "own"):
        own = [step for step in steps.values() if step.compiler == compiler]
        assert {
            f"device, {compiler}",
            f"golden nn, {compiler}",
            f"laws, {compiler}",
        } <= {step.name for step in own}
        assert all(f"JAX_GPU_COMPILER={compiler}" in step.command for step in own)
    checked = steps["races, nn"].command
    assert "JAX_PJRT_CLIENT_CREATE_OPTIONS=backend:reference" in checked
    assert "JAX_GPU_COMPILER=own" in checked
    for arguments in (["--platform", "tpu"], ["--compilers", "own"]):
        options = step_options(on_device, monkeypatch, *arguments, "--no-speed")
        names = {step.name for step in on_device.steps(options)}
        assert {"device", "golden nn", "laws"} <= names
        assert not any("," in name for name in names)


def test_a_compiler_without_its_device_leaves_the_other_one_its_steps(
    tmp_path, monkeypatch
):
    on_device = load(ROOT / "tests/accelerators/on_device.py")
    run = [sys.executable, "-c"]
    none = [*run, "raise SystemExit(3)"]
    steps = [
        on_device.Step("device, xla", none, patience.LIMIT_S, compiler="xla"),
        on_device.Step("laws, xla", none, patience.LIMIT_S, compiler="xla"),
        on_device.Step("device, own", [*run, ""], patience.LIMIT_S, compiler="own"),
        on_device.Step("laws, own", [*run, ""], patience.LIMIT_S, compiler="own"),
    ]
    monkeypatch.setattr(on_device, "steps", lambda options: steps)
    monkeypatch.setattr(
        sys, "argv", ["on_device", "--report", str(tmp_path / "report.md")]
    )
    assert on_device.main() == 1
    text = (tmp_path / "report.md").read_text()
    assert "| laws, xla | not run: its compiler has no device |" in text
    assert "| laws, own | well |" in text
