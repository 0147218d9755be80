"""What is written for TPUs in kernels."""
