"""vsax 1.4.1: hypervectors that are bound and bundled."""

import vsax

import jax

m = vsax.create_map_model(dim=64, key=jax.random.key(0))
mem = vsax.VSAMemory(m)
mem.add("a")
mem.add("b")
x = m.opset.bind(mem["a"].vec, mem["b"].vec)
print(x.shape, round(float(vsax.cosine_similarity(mem["a"].vec, mem["a"].vec)), 3))

# Upstream prints:
#   (64,) 1.0
