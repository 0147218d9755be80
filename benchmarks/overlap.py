"""How much of a step on several devices could be hidden by starting collectives early and awaiting them late.

Each program runs twice: as it is, and without its exchanges, in which devices compute as much and wait for nobody. What
exchanges cost is the difference in time. Part of it is work, to move and to add, for which there are no other cores on a
CPU: the difference in processor time, over the cores. The rest is waiting, and no more than that can be hidden.

    python benchmarks/overlap.py [--devices 8] [--seconds 2] [--only NAME ...] [--first]

Beside other work it says little: `--first` runs the threads before those of all others, which wants root.
"""

import argparse
import os
import pathlib
import time

import numpy as np

REGISTRY = {}


def program(make):
    """A body for each device, the shapes of its arguments, and how these are cut."""
    REGISTRY[make.__name__] = make
    return make


@program
def sums_of_gradients(total, gathered):
    """Each device has a part of the batch; all gradients are summed."""
    import jax
    import jax.numpy as jnp

    def loss(weights, x):
        for w in weights:
            x = jnp.tanh(x @ w)
        return jnp.mean(x**2)

    def step(x, *weights):
        grads = jax.grad(loss)(weights, x)
        return [w - 0.1 * total(g) for w, g in zip(weights, grads, strict=True)]

    shapes = [(256, 1024), (1024, 1024), (1024, 256)]
    return step, [((64, 256), True), *[(shape, False) for shape in shapes]]


@program
def sums_that_are_awaited(total, gathered):
    """Each device has columns of weights; the next layer wants the sum."""
    import jax.numpy as jnp

    def net(x, up, down):
        for _ in range(4):
            x = x + total(jnp.tanh(x @ up) @ down)
        return x

    return net, [((256, 512), False), ((512, 256), True), ((256, 512), True)]


@program
def gathered_layers(total, gathered):
    """Each device has rows of weights; whole layers are gathered one by one."""
    import jax.numpy as jnp

    def net(x, *weights):
        for w in weights:
            x = jnp.tanh(x @ gathered(w))
        return x

    return net, [((32, 512), True), *[((512, 512), None)] * 8]


def compiled(make, devices, *, exchanges):
    """A call of the program, and its arguments, on a mesh of devices."""
    import jax
    from jax import lax
    from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

    mesh = Mesh(np.array(jax.devices()[:devices]), ("i",))

    def total(x):
        return lax.psum(x, "i") if exchanges else x

    def gathered(x):
        return lax.all_gather(x, "i", tiled=True) if exchanges else x

    body, shapes = make(total, gathered)
    arguments, specs = [], []
    for shape, is_part in shapes:
        # None: cut where it is gathered again, else whole.
        cut = exchanges if is_part is None else is_part
        specs.append(P("i") if cut else P())
        size = shape[0] * devices if is_part else shape[0]
        value = np.full((size, *shape[1:]), 0.01, np.float32)
        arguments.append(jax.device_put(value, NamedSharding(mesh, specs[-1])))
    f = jax.shard_map(
        body, mesh=mesh, in_specs=tuple(specs), out_specs=P("i"), check_vma=False
    )
    return jax.jit(f), arguments


def schedule(policy, priority):
    """Sets how all threads of this process are scheduled."""
    for task in os.listdir("/proc/self/task"):
        os.sched_setscheduler(int(task), policy, os.sched_param(priority))


def measure(call, arguments, seconds, is_first):
    """Seconds of a call, and of the processors in it: the least of ten rounds."""
    import jax

    for _ in range(5):
        jax.block_until_ready(call(*arguments))
    if is_first:
        schedule(os.SCHED_RR, 1)
    rounds = []
    for _ in range(10):
        start, cpu, count = time.perf_counter(), time.process_time(), 0
        while time.perf_counter() - start < seconds / 10:
            jax.block_until_ready(call(*arguments))
            count += 1
        ends = time.perf_counter() - start, time.process_time() - cpu
        rounds.append([end / count for end in ends])
    if is_first:
        schedule(os.SCHED_OTHER, 0)
    return min(rounds)


def main():
    parser = argparse.ArgumentParser(description=pathlib.Path(__file__).stem)
    parser.add_argument("--devices", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--first", action="store_true")
    options = parser.parse_args()
    flag = f"--xla_force_host_platform_device_count={options.devices}"
    os.environ["XLA_FLAGS"] = flag
    cores = len(os.sched_getaffinity(0))
    print(f"{options.devices} devices on {cores} cores")
    for name, make in REGISTRY.items():
        if options.only and name not in options.only:
            continue
        times = [
            measure(
                *compiled(make, options.devices, exchanges=exchanges),
                options.seconds,
                options.first,
            )
            for exchanges in (True, False)
        ]
        (whole, cpu), (bare, bare_cpu) = times
        hidden = whole - bare - (cpu - bare_cpu) / cores
        print(
            f"{name:22} {whole * 1e3:7.2f} ms, without exchanges {bare * 1e3:7.2f} ms;"
            f" waiting {hidden * 1e3:6.2f} ms, {hidden / whole:4.0%}"
        )


if __name__ == "__main__":
    main()
