"""einops 0.8.2: rearranges, reduces and packs."""

from einops import einsum, pack, rearrange, reduce, repeat, unpack

import jax
import jax.numpy as jnp

x = jnp.arange(24.0).reshape(2, 3, 4)
print(
    rearrange(x, "b h w -> h (b w)")[1],
    reduce(x, "b (h h2) w -> b h", "max", h2=3),
    repeat(x[0, 0], "w -> w c", c=2).shape,
)
print(
    einsum(x, x, "b h w, b k w -> b h k")[0],
    jax.jit(lambda a: rearrange(a, "a b c -> c b a"))(x).shape,
)
packed, shapes = pack([x, x[:, 0]], "b * w")
print(packed.shape, shapes, [u.shape for u in unpack(packed, shapes, "b * w")])
print(
    jax.grad(lambda a: reduce(a**2, "b h w -> ", "mean"))(x)[1, 2],
    reduce(x, "b h w -> w", "prod"),
)

# Upstream prints:
#   [ 4.  5.  6.  7. 16. 17. 18. 19.] [[11.]
#    [23.]] (4, 2)
#   [[ 14.  38.  62.]
#    [ 38. 126. 214.]
#    [ 62. 214. 366.]] (4, 3, 2)
#   (2, 4, 4) [(3,), ()] [(2, 3, 4), (2, 4)]
#   [1.6666667 1.75      1.8333334 1.9166667] [0.000000e+00 2.088450e+05 6.652800e+05 1.514205e+06]
