"""What lowering rules are given, for libraries."""

from jax._src.interpreters.mlir import LoweringRuleContext as LoweringRuleContext
