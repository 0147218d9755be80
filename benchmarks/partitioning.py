"""How long does a program for several devices take to compile? On any Python's `jax`.

    python benchmarks/partitioning.py [--layers 12 24 48 96] [--mesh 2,2,2] [--abstract] [--repeat N]

The program is a training step of a transformer whose layers are written out: the batch is sharded along the
axes `data` and `shard`, heads, hidden units and words along `model`, and every parameter and its momentum also
along `shard` (fully sharded). Nothing runs, and no array is made. For each number of layers it prints the
seconds of tracing with lowering, and of compiling: elapsed and of the processor. With --abstract the mesh has
no devices; else the CPU is split into as many.
"""

from __future__ import annotations

import argparse
import math
import time

WIDTH, HEADS, HIDDEN, WORDS, BATCH, LENGTH = 2048, 32, 8192, 32768, 512, 256


def layer_shapes():
    """The parameters of a layer: shape and sharding over the mesh."""
    return {
        "queries": ((WIDTH, 3, HEADS, WIDTH // HEADS), ("shard", None, "model")),
        "out": ((HEADS, WIDTH // HEADS, WIDTH), ("model", None, "shard")),
        "up": ((WIDTH, HIDDEN), ("shard", "model")),
        "down": ((HIDDEN, WIDTH), ("model", "shard")),
        "scale": ((2, WIDTH), (None, "shard")),
    }


def norm(x, scale):
    """Each token's numbers, centred and of variance one."""
    import jax.numpy as jnp
    from jax import lax

    mean = jnp.mean(x, -1, keepdims=True)
    variance = jnp.mean((x - mean) ** 2, -1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * scale


def layer(x, p):
    """Attention and a network of one hidden layer."""
    import jax
    import jax.numpy as jnp

    q, k, v = jnp.einsum("btd,dchk->cbthk", norm(x, p["scale"][0]), p["queries"])
    scores = jnp.einsum("bthk,bshk->bhts", q, k) * (q.shape[-1] ** -0.5)
    seen = jnp.tril(jnp.ones((LENGTH, LENGTH), bool))
    weights = jax.nn.softmax(jnp.where(seen, scores, -1e9))
    mixed = jnp.einsum("bhts,bshk->bthk", weights, v)
    x = x + jnp.einsum("bthk,hkd->btd", mixed, p["out"])
    return x + jax.nn.gelu(norm(x, p["scale"][1]) @ p["up"]) @ p["down"]


def step(params, momenta, tokens):
    """One step of gradient descent with momentum."""
    import jax
    import jax.numpy as jnp

    def loss(params):
        x = params["embed"][tokens[:, :-1]]
        for p in params["layers"]:
            x = layer(x, p)
        logits = jax.nn.log_softmax(x @ params["embed"].T)
        return -jnp.take_along_axis(logits, tokens[:, 1:, None], -1).mean()

    value, grads = jax.value_and_grad(loss)(params)
    momenta = jax.tree.map(lambda m, g: 0.9 * m + g, momenta, grads)
    return value, jax.tree.map(lambda p, m: p - 0.1 * m, params, momenta), momenta


def lowered(layers, mesh):
    """The step for `layers` layers, lowered for `mesh`."""
    import jax
    import jax.numpy as jnp
    from jax.sharding import NamedSharding, PartitionSpec

    def array(shape, spec, dtype=jnp.float32):
        sharding = NamedSharding(mesh, PartitionSpec(*spec))
        return jax.ShapeDtypeStruct(shape, dtype, sharding=sharding)

    params = {
        "embed": array((WORDS, WIDTH), ("model", "shard")),
        "layers": [
            {name: array(*how) for name, how in layer_shapes().items()}
            for _ in range(layers)
        ],
    }
    tokens = array((BATCH, LENGTH + 1), (("data", "shard"),), jnp.int32)
    shardings = jax.tree.map(lambda x: x.sharding, params)
    whole = NamedSharding(mesh, PartitionSpec())
    fun = jax.jit(
        step, out_shardings=(whole, shardings, shardings), donate_argnums=(0, 1)
    )
    return fun.lower(params, params, tokens)


def timed(fun, *args):
    """The result, and seconds: elapsed and of the processor."""
    elapsed, own = time.perf_counter(), time.process_time()
    result = fun(*args)
    return result, time.perf_counter() - elapsed, time.process_time() - own


def main():
    """Prints a row per number of layers."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--layers", type=int, nargs="+", default=[12, 24, 48, 96])
    parser.add_argument("--mesh", default="2,2,2", help="sizes of data, shard, model")
    parser.add_argument("--abstract", action="store_true")
    parser.add_argument("--repeat", type=int, default=1)
    options = parser.parse_args()
    import jax
    from jax.sharding import AbstractMesh, AxisType

    sizes = tuple(int(size) for size in options.mesh.split(","))
    kinds = {"axis_types": (AxisType.Auto,) * 3}
    names = ("data", "shard", "model")
    jax.config.update("jax_enable_compilation_cache", False)
    if options.abstract:
        mesh = AbstractMesh(sizes, names, **kinds)
    else:
        jax.config.update("jax_num_cpu_devices", math.prod(sizes))
        mesh = jax.make_mesh(sizes, names, **kinds)
    print(f"jax {jax.__version__}, mesh {options.mesh}")
    print("layers   lower s      cpu   compile s      cpu   cpu ms/layer")
    for layers in options.layers:
        for _ in range(options.repeat):
            jax.clear_caches()
            low, low_s, low_cpu = timed(lowered, layers, mesh)
            _, s, cpu = timed(low.compile)
            print(
                f"{layers:6} {low_s:9.2f} {low_cpu:8.2f} {s:11.2f} {cpu:8.2f}"
                f" {1e3 * cpu / layers:14.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
