"""`jax.nn`: activations, normalisations, attention, initialisers."""
