"""References: arrays that change in place."""

from jax._src.core.references import AbstractRef as AbstractRef, Ref as Ref
from jax._src.state.refs import (
    addupdate as addupdate,
    empty_ref as empty_ref,
    free_ref as free_ref,
    freeze as freeze,
    get as get,
    new_ref as new_ref,
    set as set,
    swap as swap,
)
