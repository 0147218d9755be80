"""What is wanted of the cotangent of an argument: see the method `with_refs` of `jax.vjp`."""

from jax._src.transforms.vjp_residuals import (
    DidntWant as DidntWant,
    DontWant as DontWant,
    GradRef as GradRef,
    GradValue as GradValue,
)
