"""Classes whose objects live on hosts."""

from jax._src.colocated.objects import (
    instances as SINGLETON_INSTANCE_REGISTRY,  # noqa: F401
    wrap_class as wrap_class,
)
