"""What is written for Triton in kernels."""
