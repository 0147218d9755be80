"""Operations that others wrote as kernels, in array operations: attention, norms, grouped products."""
