"""The objects that live on this host."""

from jax._src.colocated.objects import (
    instances as SINGLETON_OBJECT_STORE,  # noqa: F401
)
