"""Kernels that take the operations around them: fusions of their operands and results."""
