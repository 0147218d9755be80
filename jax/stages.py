"""The stages of a jitted call: traced, lowered, compiled."""

from jax._src.jit.compile import Compiled as Compiled
from jax._src.jit.lower import Lowered as Lowered
from jax._src.jit.memory_plans import (
    Buffer as Buffer,
    MemoryPlan as MemoryPlan,
)
from jax._src.jit.plans import (
    Machine as Machine,
    Plan as Plan,
)
from jax._src.jit.stages import (
    ArgInfo as ArgInfo,
    CompilerOptions as CompilerOptions,
    Wrapped as Wrapped,
)
from jax._src.jit.trace import Traced as Traced
