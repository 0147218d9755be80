"""One process compiles for all, where that is requested and the job is behind certificates."""

import subprocess
import sys

from tests.testing import processes

PROGRAM = """
import warnings
import numpy as np
import jax
from jax._src.runtime.compilation import compile as compiling

notes, compiled = [], []
warnings.showwarning = lambda message, *_: notes.append(" ".join(str(message).split()))
make = compiling._compile

def counted(compiler, module, settings, *more):
    compiled.append(settings.partition_count)
    return make(compiler, module, settings, *more)

compiling._compile = counted
jax.distributed.initialize()
mesh = jax.make_mesh((2,), ("x",))
rows = jax.NamedSharding(mesh, jax.P("x"))
x = jax.make_array_from_callback((4,), rows, lambda i: np.arange(4.0, dtype=np.float32)[i])
print(jax.jit(lambda x: (x * x).sum())(x), compiled.count(2), *notes)
"""


def run(tmp_path, *options):
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "jax.distributed", "--processes", "2", *options]
    command += ["--heartbeat", "120"]
    told = subprocess.run(
        [*command, "--devices", "1", str(tmp_path / "program.py")],
        env=processes.environment(JAX_SHARE_BINARY_BETWEEN_HOSTS="1"),
        capture_output=True,
        text=True,
        timeout=processes.LIMIT_S,
    )
    assert told.returncode == 0, told.stderr
    return sorted(line for line in told.stdout.splitlines() if line[0] == "[")


def test_the_first_process_compiles_and_all_run_it(tmp_path):
    assert run(tmp_path) == ["[0] 14.0 1", "[1] 14.0 0"]


def test_code_is_not_sent_in_plain_text(tmp_path):
    for process, line in enumerate(run(tmp_path, "--insecure")):
        assert line.startswith(f"[{process}] 14.0 1 ")
        assert "every process compiles for itself" in line
