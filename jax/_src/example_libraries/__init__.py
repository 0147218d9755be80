"""Small libraries of layers and optimizers, for examples."""
