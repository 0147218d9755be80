"""What functions do along the named axis of a vmap."""

TEMPLATES = """
lax.{psum|pmean|pmax|pmin}({n}, "AXIS")
lax.psum(1, "AXIS")
lax.psum({x}, ("AXIS",))
lax.all_gather({x}, "AXIS"[?, axis={int:0_0}?][?, tiled=False?])
lax.all_gather({x1}, "AXIS", tiled=True)
lax.ppermute({x}, "AXIS", [(0, SIZE - 1)])
lax.pshuffle({x}, "AXIS", list(range(SIZE))[::-1])
lax.axis_index("AXIS")
lax.axis_size("AXIS")
lax.psum_scatter(lax.all_gather({n}, "AXIS"), "AXIS")
lax.all_to_all(lax.all_gather({x}, "AXIS"), "AXIS", 0, 0)
{x} + lax.axis_index("AXIS")
lax.pbroadcast({x}, "AXIS", 0)
jax.named_scope("part")(lambda u: lax.psum(u, "AXIS"))({f})
"""
ROWS = TEMPLATES.strip().splitlines()
