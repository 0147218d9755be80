"""A C++ program runs an exported model through the PJRT C API, by plugins of two makers, without Python."""

import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
import xla_plugins.xla_cpu_pjrt

FOLDER = pathlib.Path("examples/cpp").resolve()
PEER = pathlib.Path(xla_plugins.xla_cpu_pjrt.__file__).resolve().parent
PLUGINS = {
    "ours": os.path.abspath(os.environ["CPU_PLUGIN"]),
    "upstream's": str(PEER / "xla_cpu_pjrt.so"),
}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder of the program and of the model's files."""
    folder = tmp_path_factory.mktemp("model")
    compiler = [os.environ.get("CXX", "c++"), "-std=c++17", f"-I{PEER / 'include'}"]
    source = [FOLDER / "run_model.cpp", "-ldl", "-o", folder / "run_model"]
    subprocess.run([*compiler, *source], check=True)
    python("--steps", "100", "--output", folder)
    return folder


def python(*arguments):
    """Runs the Python program beside the one in C++."""
    path = os.pathsep.join(sys.path)
    return subprocess.run(
        [sys.executable, FOLDER / "export_model.py", *arguments],
        env=os.environ | {"PYTHONPATH": path},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )


def run(folder, *arguments):
    """What the program prints in an environment without Python's variables."""
    command = [folder / "run_model", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env={}, timeout=300)


@pytest.mark.parametrize("plugin", PLUGINS.values(), ids=PLUGINS)
def test_the_program_computes_what_python_computes(built, plugin):
    answer = run(built, plugin, built / "model.stablehlo", built / "digits.f32")
    assert answer.returncode == 0, answer.stderr
    found = re.findall(r"image \d: (\d), probability ([\d.]+)", answer.stdout)
    expected = np.fromfile(built / "expected.f32", np.float32).reshape(8, 10)
    assert [int(digit) for digit, _ in found] == expected.argmax(1).tolist()
    probabilities = np.float32([probability for _, probability in found])
    np.testing.assert_allclose(probabilities, expected.max(1), atol=2e-6)


def test_the_results_are_written_and_drawn(built):
    model, digits, results = (
        built / name for name in ("model.stablehlo", "digits.f32", "results.f32")
    )
    answer = run(built, PLUGINS["ours"], model, digits, results)
    assert answer.returncode == 0, answer.stderr
    found, expected = (
        np.fromfile(path, np.float32) for path in (results, built / "expected.f32")
    )
    np.testing.assert_allclose(found, expected, atol=1e-6)
    drawing = python("--output", built, "--draw", results)
    assert "from Python's" in drawing.stdout
    assert (built / "cpp_model.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_a_file_that_cannot_be_written_is_an_error(built):
    missing = built / "no folder" / "results.f32"
    arguments = built / "model.stablehlo", built / "digits.f32", missing
    answer = run(built, PLUGINS["ours"], *arguments)
    assert answer.returncode == 1
    assert answer.stderr == f"run_model: cannot write {missing}\n"


@pytest.mark.parametrize("plugin", PLUGINS.values(), ids=PLUGINS)
def test_a_damaged_model_is_an_error_with_a_reason(built, plugin):
    damaged = built / "damaged.stablehlo"
    damaged.write_bytes((built / "model.stablehlo").read_bytes()[:200])
    answer = run(built, plugin, damaged, built / "digits.f32")
    assert answer.returncode == 1
    assert answer.stderr.startswith("run_model: compile the model: ")


def test_what_is_no_plugin_is_an_error(built):
    answer = run(built, "nothing.so", built / "model.stablehlo", built / "digits.f32")
    assert answer.returncode == 1 and "nothing.so" in answer.stderr
