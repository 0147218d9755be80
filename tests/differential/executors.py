"""What runs programs: our compiler, our interpreter, the real XLA, and our GPU compiler.

The plugin of the last is named by OPENCL_PLUGIN; its executors are `emulator` and `opencl`.
`fast` and `best` are our compiler, told which tier to compile in.
"""

import contextlib
import os

import numpy as np
import pypjrt
from pypjrt import _loader

from tests.differential.elements import BY_CODE, BY_NAME
from tests.differential.program import Program
from tests.testing import real_plugin

# NaN handled as the specification says; compiled as fast as can be, a quarter of the usual time; and
# constants not folded, at which the real XLA dies (a division by zero, complex to real).
XLA_FLAGS = (
    "--xla_cpu_enable_fast_min_max=false --xla_backend_optimization_level=0 "
    "--xla_llvm_disable_expensive_passes=true --xla_cpu_use_fusion_emitters=false "
    "--xla_cpu_parallel_codegen_split_count=1 --xla_disable_hlo_passes=constant_folding"
)
NAMES = ("native", "reference", "xla")
OPENCL_BACKENDS = {"emulator": "reference", "opencl": "native"}
TIERS = ("fast", "best")
CODES = {element.dtype: element.code for element in BY_NAME.values()}


class InTier(pypjrt.CompileOptions):
    """The usual options, and a tier of compilation."""

    def __init__(self, tier: str) -> None:
        super().__init__()
        self._tier = tier

    def encode(self, abi) -> bytes:
        def field(tag: bytes, content: bytes) -> bytes:
            return tag + bytes([len(content)]) + content

        value = field(b"\x12", field(b"\x0a", self._tier.encode()))
        entry = field(b"\x0a", b"xla_cpu_compile_tier") + value
        return super().encode(abi) + field(b"\x3a", entry)


class Executor:
    """A client of a PJRT plugin under a name."""

    def __init__(self, name: str, client) -> None:
        self.name = name
        self._client = client
        self._options = InTier(name) if name in TIERS else None

    def run(self, text: str, arguments: list[np.ndarray]) -> list[np.ndarray]:
        """Compiles and runs a program; `pypjrt.errors.PjrtError` says why not."""
        with contextlib.ExitStack() as stack:
            program = stack.enter_context(
                self._client.compile(text, options=self._options)
            )
            device = stack.enter_context(self._client.device(0))
            buffers = [
                stack.enter_context(buffer_from(self._client, array, device))
                for array in arguments
            ]
            results = [stack.enter_context(buffer) for buffer in program(*buffers)]
            return [array_of(buffer) for buffer in results]

    def run_program(self, program: Program) -> list[np.ndarray]:
        return self.run(program.text, program.arguments)


def buffer_from(client, array: np.ndarray, device):
    """The array on a device."""
    data = bytearray(array.tobytes() or b"\0")
    return client.buffer_from_host(data, CODES[array.dtype], array.shape, device)


def array_of(buffer) -> np.ndarray:
    """What a buffer holds."""
    element = BY_CODE[int(buffer.element_type)]
    shape = tuple(buffer.dimensions)
    if 0 in shape:
        return np.empty(shape, element.dtype)
    return np.frombuffer(buffer.to_host(), element.dtype).reshape(shape).copy()


@contextlib.contextmanager
def opened(plugin_path: str, names=NAMES):
    """Executors by name, closed afterwards. The real XLA reads its flags from the environment."""
    with contextlib.ExitStack() as stack:
        executors = {}
        ours = _loader.Plugin(plugin_path)
        for name in names:
            if name == "xla":
                os.environ["XLA_FLAGS"] = XLA_FLAGS
                client = pypjrt.Client.create(_loader.Plugin(real_plugin.path()))
            elif name in OPENCL_BACKENDS:
                plugin = _loader.Plugin(os.environ["OPENCL_PLUGIN"])
                options = {"backend": OPENCL_BACKENDS[name]}
                client = pypjrt.Client.create(plugin, options=options)
            else:
                backend = "native" if name in TIERS else name
                client = pypjrt.Client.create(ours, options={"backend": backend})
            executors[name] = Executor(name, stack.enter_context(client))
        yield executors
