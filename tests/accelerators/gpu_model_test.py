"""The model that predicts times on GPUs: what it makes of counts."""

import importlib.util
import pathlib
import sys

import pytest


@pytest.fixture(scope="module")
def model():
    path = pathlib.Path(__file__).absolute().parents[2] / "benchmarks/gpu_model.py"
    spec = importlib.util.spec_from_file_location("gpu_model", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["gpu_model"] = module
    spec.loader.exec_module(module)
    return module


def kernel(**counts):
    nothing = dict.fromkeys(
        (
            "operations",
            "wide_operations",
            "index_operations",
            "accessed_bytes",
            "memory_bytes",
            "longest_thread",
            "products",
        ),
        0,
    )
    return nothing | {"blocks": 100_000, "threads": 256, "product_type": ""} | counts


def program(*steps, kernels=()):
    return {"steps": list(steps), "kernels": list(kernels), "products": {}, "name": "p"}


@pytest.mark.parametrize(
    ("counts", "limit", "seconds"),
    [
        ({}, "launches", 2.5e-6),
        ({"memory_bytes": 3.35e12}, "memory", 1),
        ({"accessed_bytes": 132 * 128 * 1.755e9}, "cache", 1),
        ({"operations": 132 * 128 * 1.755e9}, "operations", 1),
        ({"index_operations": 132 * 128 * 1.755e9}, "operations", 1),
        ({"operations": 1e12, "wide_operations": 1e12}, "operations", 2e12 / 29.65e12),
        ({"longest_thread": 1.755e9}, "one thread", 6),
        ({"products": 989e12, "product_type": "bf16"}, "products", 1),
        ({"products": 495e12, "product_type": "tf32"}, "products", 1),
        # Six products of tf32.
        ({"products": 495e12, "product_type": "f32"}, "products", 6),
        # A float of a byte that the machine has no unit for is multiplied as f16.
        ({"products": 989e12, "product_type": "f8e4m3fnuz"}, "products", 1),
        ({"operations": 1e12, "blocks": 66}, "operations", 2e12 / 29.65e12),
    ],
)
def test_a_kernel_takes_as_long_as_the_slowest_of_what_it_does(
    model, counts, limit, seconds
):
    step = {"kernel": 0, "times": 1}
    found, limits = model.predict(
        model.MACHINES[0], program(step, kernels=[kernel(**counts)])
    )
    assert list(limits) == [limit]
    assert found == pytest.approx(seconds, rel=1e-3)


def test_steps_count_as_often_as_they_run(model):
    steps = [
        {"kernel": 0, "times": 10},
        {"copied_bytes": 4, "times": 3},
        {"read": 11, "times": 1, "knows_rounds": True},
        {"host": "stablehlo.sort", "bytes": 55e9, "times": 2},
    ]
    machine = model.MACHINES[0]
    whole = program(*steps, kernels=[kernel()])
    _, limits = model.predict(machine, whole)
    assert limits["launches"] == pytest.approx(13 * machine.launch)
    assert limits["reads"] == pytest.approx(11 * machine.read)
    assert limits["the host"] == pytest.approx(2 + 4 * machine.read)
    assert model.row(whole | {"boundary_bytes": 0}).startswith("| p | 13 | 2 | 0 |")


def test_no_program_is_faster_than_its_bound(model):
    flops = program() | {"boundary_bytes": 3.35e12, "products": {"bf16": 2 * 989e12}}
    assert model.bound(model.MACHINES[0], flops) == pytest.approx(2)
    assert model.bound(model.MACHINES[0], flops | {"products": {}}) == pytest.approx(1)


def test_a_loop_of_unknown_rounds_is_marked(model):
    row = model.row(
        program({"read": 2, "times": 1, "knows_rounds": False}) | {"boundary_bytes": 0}
    )
    assert "(one round)" in row
