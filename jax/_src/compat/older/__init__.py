"""What libraries of releases before 0.10 use: only where `JAX_COMPAT` reaches back."""
