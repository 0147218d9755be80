"""Custom calls of compiled programs reach native handlers."""

import subprocess
import sys

import numpy as np
import pytest
from scipy.linalg import cython_blas, cython_lapack

from jax._src import tree
from jax._src.base import errors
from jax._src.core import shardings
from jax._src.lax.linalg import lapack
from jax._src.lib import fastpath
from jax._src.runtime import ffi
from jax._src.runtime.compilation import compile
from jax._src.runtime.devices import backends
from jax._src.runtime.transfers import device_put_get
from tests.testing import patience

# Lower Cholesky factor of a matrix that is stored by columns.
CHOLESKY = """
module @cholesky {
  func.func public @main(%a: tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>) {
    %l:2 = "stablehlo.custom_call"(%a) {
        call_target_name = "lapack_spotrf_ffi", api_version = 4 : i32,
        backend_config = {uplo = 76 : ui8},
        operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
        result_layouts = [dense<[0, 1]> : tensor<2xindex>,
                          dense<> : tensor<0xindex>]
      } : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>)
    return %l#0, %l#1 : tensor<3x3xf32>, tensor<i32>
  }
}
"""


def run(program, value):
    device = backends.devices()[0]
    sharding = shardings.of_device(device)
    data = fastpath.FastpathData(
        executable=compile.compile_module(program, devices=[device]),
        out_tree=tree.tree_structure((0, 0)),
        out_types=[((3, 3), np.float32, False), ((), np.int32, False)],
        out_shardings=[sharding] * 2,
        out_committed=False,
    )
    return data.run([device_put_get.device_put(value)])


def test_programs_call_lapack():
    ffi.install_lapack(cython_lapack.__pyx_capi__, cython_blas.__pyx_capi__)
    ffi.install_lapack(cython_lapack.__pyx_capi__, cython_blas.__pyx_capi__)
    root = np.tril(np.arange(1, 10, dtype=np.float32).reshape(3, 3))
    factor, info = run(CHOLESKY, root @ root.T)
    assert int(info) == 0
    np.testing.assert_allclose(np.tril(np.asarray(factor)), root, rtol=1e-5)


def run_script(script):
    """What a process of its own prints."""
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        timeout=patience.LIMIT_S,
    )
    return done.stdout.strip()


FACTOR = """
import sys
import numpy as np
import jax, jax.numpy as jnp
from jax._src.lax.linalg import lapack
{before}
root = np.tril(np.arange(1, 626, dtype=np.float32).reshape(25, 25) % 7 + 1)
factor = jax.jit(jnp.linalg.cholesky)(root @ root.T)
print("scipy.linalg" in sys.modules, bool(abs(factor - root).max() < 0.1))
"""


def test_lapack_is_called_without_importing_scipy():
    expected = "False True" if lapack._library() else "True True"
    assert run_script(FACTOR.format(before="")) == expected


@pytest.mark.parametrize(
    "other", ["None", "'no such library'", "sys.modules['_ctypes'].__file__"]
)
def test_lapack_is_scipys_where_its_library_is_not_beside_it(other):
    before = f"import _ctypes; lapack._library = lambda: {other}"
    assert run_script(FACTOR.format(before=before)) == "True True"


def test_unknown_targets_are_named():
    with pytest.raises(
        errors.JaxRuntimeError, match="No FFI handler registered for no_such_target"
    ):
        run(CHOLESKY.replace("lapack_spotrf_ffi", "no_such_target"), np.eye(3))


def test_unknown_interfaces_are_refused():
    with pytest.raises(NotImplementedError, match="api_version"):
        ffi.register_ffi_target("old", object(), api_version=2)
    with pytest.raises(TypeError, match="no name and handler"):
        ffi.register_ffi_target("old", object(), api_version=0)


def test_only_capsules_are_handlers():
    with pytest.raises(TypeError):
        backends.get_backend().register_ffi_handler("x", {"execute": object()}, "Host")
