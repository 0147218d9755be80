"""The decorator under which functions of `jax.numpy` become one native call each.

Called eagerly they are looked up and run by the native cache; inside another trace
their operations appear one by one, as if there were no decorator.
"""

from __future__ import annotations

import functools as ft

from jax._src.transforms import jit as jit_module

jit = ft.partial(jit_module.jit, inline=True)
