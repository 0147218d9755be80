"""einx 0.4.3: Einstein notation."""

import einx

import jax.numpy as jnp

x = jnp.arange(24.0).reshape(2, 3, 4)
print(
    einx.rearrange("a b c -> c (a b)", x)[0]
    if hasattr(einx, "rearrange")
    else einx.id("a b c -> c (a b)", x)[0],
    einx.sum("a [b] c", x),
    einx.dot("a b c, a d c -> a b d", x, x)[0],
)

# Upstream prints:
#   [ 0.  4.  8. 12. 16. 20.] [[12. 15. 18. 21.]
#    [48. 51. 54. 57.]] [[ 14.  38.  62.]
#    [ 38. 126. 214.]
#    [ 62. 214. 366.]]
