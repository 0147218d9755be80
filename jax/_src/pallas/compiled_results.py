"""What compiled kernels on cores return, where it is known for which platform."""

from jax._src.core.primitive import Sample, Trait, declare
from jax._src.lax.ops import splitting
from jax._src.lax.ops.reshaping import counting
from jax._src.pallas.primitive import check_is_compiled


@declare("compiled_result", traits=Trait.LINEAR)
class compiled_result_p:
    """The operand itself, in programs for platforms that kernels are compiled for.

    A function on the cores of a mesh is no operation that could refuse a platform when it is
    lowered; this one stands behind it.
    """

    def types(x):
        return x

    sharding = splitting.like_first
    sums = splitting.keeps_sums

    def lower(ctx, x):
        check_is_compiled(ctx.platforms)
        return x

    def transpose(ct, x):
        return [compiled_result_p.bind(ct)]

    def batch(axis, args, dims):
        return compiled_result_p.bind(*args), dims[0]

    def reference(x):
        return x.copy()

    samples = [Sample((counting(2, 3),), {})]
