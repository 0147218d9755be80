"""Small libraries of layers and optimizers, for examples; for work, see Flax and Optax."""
