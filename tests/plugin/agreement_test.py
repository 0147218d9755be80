"""Our compiler and the real XLA give the same results for the same programs."""

import importlib.util
import os
import pathlib

import ml_dtypes
import numpy as np
import pypjrt
import pytest
from pypjrt import _loader, errors

from tests.plugin.conftest import BACKEND

PROGRAMS = sorted(pathlib.Path(os.environ["AGREEMENT_PROGRAMS"]).glob("*.mlir"))

# By PJRT's number of the element type: how NumPy calls it, and how far two good
# implementations of a function may differ, relative and absolute.
DTYPES = {
    1: (np.bool_, 0, 0),
    2: (np.int8, 0, 0),
    3: (np.int16, 0, 0),
    4: (np.int32, 0, 0),
    5: (np.int64, 0, 0),
    6: (np.uint8, 0, 0),
    7: (np.uint16, 0, 0),
    8: (np.uint32, 0, 0),
    9: (np.uint64, 0, 0),
    10: (np.float16, 1e-3, 1e-3),
    11: (np.float32, 1e-5, 1e-5),
    12: (np.float64, 1e-9, 1e-9),
    13: (ml_dtypes.bfloat16, 1e-2, 1e-2),
    14: (np.complex64, 1e-5, 1e-5),
    15: (np.complex128, 1e-9, 1e-9),
}

# What the code generator still lacks: drop a line when it learns it.
LACKING = {
    "native": {},
    "reference": {},
}


def parameters():
    """Each program, those that cannot run yet marked so."""
    for path in PROGRAMS:
        reason = LACKING[BACKEND].get(path.stem)
        marks = (
            [pytest.mark.xfail(reason=reason, raises=errors.PjrtError, strict=True)]
            if reason
            else []
        )
        yield pytest.param(path, id=path.stem, marks=marks)


@pytest.fixture(scope="session")
def xla():
    """The real XLA CPU plugin, from its wheel."""
    package = importlib.util.find_spec("xla_plugins")
    folder = pathlib.Path(next(iter(package.submodule_search_locations)))
    return _loader.Plugin(str(folder / "xla_cpu_pjrt" / "xla_cpu_pjrt.so"))


def results(client, program):
    """Runs a program without arguments; its results as arrays of NumPy."""
    arrays = []
    for buffer in client.compile(program)():
        dtype, rtol, atol = DTYPES[int(buffer.element_type)]
        array = np.frombuffer(buffer.to_host(), dtype).reshape(tuple(buffer.dimensions))
        arrays.append((array, rtol, atol))
    return arrays


@pytest.mark.parametrize("path", list(parameters()))
def test_results_agree_with_xla(path, plugin, xla):
    program = path.read_text()
    with pypjrt.Client.create(plugin, options={"backend": BACKEND}) as client:
        ours = results(client, program)
    with pypjrt.Client.create(xla) as client:
        theirs = results(client, program)
    assert len(ours) == len(theirs) > 0
    for number, ((a, rtol, atol), (b, _, _)) in enumerate(
        zip(ours, theirs, strict=True)
    ):
        if a.dtype == ml_dtypes.bfloat16:
            a, b = a.astype(np.float32), b.astype(np.float32)
        np.testing.assert_allclose(
            a, b, rtol=rtol, atol=atol, err_msg=f"result {number} of {path.stem}"
        )
