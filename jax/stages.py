"""The stages of a jitted call: traced, lowered, compiled."""

from jax._src.jit.plans import (
    Machine as Machine,
    Plan as Plan,
)
from jax._src.jit.stages import (
    ArgInfo as ArgInfo,
    Compiled as Compiled,
    CompilerOptions as CompilerOptions,
    Lowered as Lowered,
    Traced as Traced,
    Wrapped as Wrapped,
)
