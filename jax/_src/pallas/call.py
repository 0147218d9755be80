"""`pallas_call`: from a kernel and its specifications to a function of arrays."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jax._src import tree
from jax._src.base import errors, records, traceback_filter, util
from jax._src.core import avals, jaxpr as jaxpr_lib
from jax._src.core.reference_types import AbstractRef
from jax._src.jit import inlining, jit as jit_module
from jax._src.pallas import (
    block_mappings,
    checking,
    checking_mode,
    kernels,
    memory,
    primitive,
    specs,
    uninitialized,
)
from jax._src.transforms import calls


def pallas_call(
    kernel: Callable[..., None],
    out_shape: Any,
    *,
    grid_spec: specs.GridSpec | None = None,
    grid: Any = (),
    in_specs: Any = specs.no_block_spec,
    out_specs: Any = specs.no_block_spec,
    scratch_shapes: Any = (),
    input_output_aliases: Mapping[int, int] = {},  # noqa: B006 (never changed)
    debug: bool = False,
    interpret: Any = False,
    name: str | None = None,
    compiler_params: Any = None,
    cost_estimate: Any = None,
    metadata: Mapping[str, str] | None = None,
) -> Callable[..., Any]:
    """Makes a function of arrays from a kernel that is run for each step of a grid.

    A kernel is a function of references to blocks: of the arguments, of the results, and
    of memory of its own, in this order. It reads the first, writes the second, and returns
    None. Steps are taken one after the other, along the last axis of the grid first; compiled,
    those that are independent of each other are taken together.

    Args:
        kernel: the kernel; arrays that it needs are passed as arguments.
        out_shape: a tree of objects with `shape` and `dtype`: the results.
        grid_spec: the next four arguments in one; instead of them.
        grid: the number of steps, or one per axis; integers, also as arrays.
        in_specs: a sequence of trees of `pl.BlockSpec` like the arguments: which block each
            step gets; left out: each step gets whole arrays.
        out_specs: the same for the results.
        scratch_shapes: a tree of types of memory, such as ``pltpu.VMEM(shape, dtype)``;
            a dict is passed to the kernel by name. Memory lives for the whole grid.
        input_output_aliases: for a flat argument, the flat result that starts as it.
        debug: whether the kernel's program is printed.
        interpret: True runs the kernel step by step as an ordinary program, on every
            platform; False compiles it, on CPUs; `pltpu.InterpretParams` adds checks.
        name: the kernel's name in messages and programs.
        compiler_params: settings of one platform's compiler.
        cost_estimate: what the kernel costs, as `pl.CostEstimate`.
        metadata: texts that are kept with the call.

    Returns:
        A function of trees of arrays, with results like `out_shape`. Elements that no step
        writes are unspecified; interpreted, they are NaN, or the smallest integer.

    Raises:
        ValueError: specifications that do not fit each other or the arrays; where a
            program is compiled for another platform than CPUs, a kernel without `interpret`.
        TypeError: kernel or index map take other numbers of arguments.

    Examples:
        >>> def double(x, out):
        ...     out[...] = x[...] * 2
        >>> rows = pl.BlockSpec((1, 3), lambda i: (i, 0))
        >>> call = pl.pallas_call(
        ...     double, jax.ShapeDtypeStruct((2, 3), jnp.float32), grid=2,
        ...     in_specs=[rows], out_specs=rows, interpret=True)
        >>> call(jnp.ones((2, 3)))
        Array([[2., 2., 2.],
               [2., 2., 2.]], dtype=float32)
    """
    calls.check_callable(kernel, "pl.pallas_call")
    given = _given(grid_spec, grid, in_specs, out_specs, scratch_shapes)
    call = _Call(
        kernel,
        given,
        tuple(out_shape) if isinstance(out_shape, list) else out_shape,
        tuple(dict(input_output_aliases).items()),
        name or util.function_name(kernel),
        {
            "debug": debug,
            "interpret": checking_mode.mode_of(interpret),
            "compiler_params": compiler_params,
            "cost_estimate": cost_estimate,
            "metadata": None if metadata is None else tuple(metadata.items()),
            "mesh": None,
        },
    )
    block_mappings.flat_outputs(call.out_shape)

    def wrapped(*args: Any) -> Any:
        return call.apply(args)

    wrapped.__name__ = call.name
    return traceback_filter.api_boundary(
        jit_module.jit(wrapped, inline=inlining.Inline.JAX_EARLY)
    )


def _given(grid_spec, grid, in_specs, out_specs, scratch_shapes):
    if grid_spec is None:
        return specs.GridSpec(grid, in_specs, out_specs, scratch_shapes)
    beside = {
        "grid": grid != (),
        "in_specs": in_specs is not specs.no_block_spec,
        "out_specs": out_specs is not specs.no_block_spec,
        "scratch_shapes": scratch_shapes != (),
    }
    twice = [name for name, was_given in beside.items() if was_given]
    if twice:
        raise errors.value_error(
            "pl.pallas_call: grid_spec is given, and what it says as well.",
            [("given", ", ".join(twice))],
            ways="Say it in the one or the other.",
        )
    return grid_spec


@records.identity_record
class _Call:
    """A kernel with its specifications, before it is known what arrays it gets."""

    kernel: Callable[..., None]
    spec: Any
    out_shape: Any
    aliases: tuple[tuple[int, int], ...]
    name: str
    params: dict[str, Any]

    def apply(self, args: Sequence[Any]) -> Any:
        """The results for some trees of arrays."""
        spec = self.spec
        n_prefetch = spec.num_scalar_prefetch
        leaves = tree.tree_leaves(tuple(args))
        _refuse_references(leaves, self.name)
        scalars, inputs = tuple(args[:n_prefetch]), tuple(args[n_prefetch:])
        outs, out_tree = block_mappings.flat_outputs(self.out_shape)
        scratch, scratch_tree = tree.tree_flatten(spec.scratch_shapes)
        scratch_avals = tuple(
            memory.reference_type(s, "scratch_shapes") for s in scratch
        )
        bounds = [s for s in spec.grid if not isinstance(s, int)]
        mapping = block_mappings.grid_mapping(
            spec, scalars, inputs, self.out_shape, scratch_avals
        )
        self._check_aliases(leaves, outs)
        mapping, checker = checking_mode.checked_mapping(
            mapping, self.aliases, self.params
        )
        with checking.by(checker):
            traced = self._trace(mapping, scalars, inputs, out_tree, scratch_tree)
        results = primitive.pallas_call_p.bind(
            *[block_mappings.as_bound(b) for b in bounds],
            *leaves,
            jaxpr=traced.program,
            written=traced.written,
            grid_mapping=mapping,
            input_output_aliases=self.aliases,
            out_avals=tuple(mapping.out_shapes),
            name=self.name,
            **self.params,
        )
        return tree.tree_unflatten(out_tree, results)

    def _trace(self, mapping, scalars, inputs, out_tree, scratch_tree):
        in_tree = tree.tree_structure((*scalars, *inputs))
        counts = in_tree.num_leaves, out_tree.num_leaves
        by_name = isinstance(self.spec.scratch_shapes, dict)

        checker = checking.checker_now()

        def flat(*refs):
            if checker is not None:
                *refs, checker.run = refs
            args = tree.tree_unflatten(in_tree, refs[: counts[0]])
            outs = tree.tree_unflatten(out_tree, refs[counts[0] : sum(counts)])
            own = tree.tree_unflatten(scratch_tree, refs[sum(counts) :])
            if by_name:
                return self.kernel(*args, *_several(outs), **own)
            return self.kernel(*args, *_several(outs), *_several(own))

        ref_avals = checking_mode.ref_avals(mapping)
        axes = range(len(mapping.grid) + mapping.num_dynamic_grid_bounds)
        given = (*scalars, *inputs, *_several(self.out_shape))
        names = calls.arg_names(self.kernel, given, {})
        debug = jaxpr_lib.DebugInfo(
            "pallas_call",
            util.function_source(self.kernel),
            (*(f"program id of axis {axis} of the grid" for axis in axes), *names),
            None,
        )
        with uninitialized.under(self.params["interpret"]):
            traced = kernels.trace_kernel(
                flat,
                mapping.grid,
                ref_avals,
                debug,
                f"The kernel `{self.name}`",
                mapping.grid_names or (),
            )
        if self.params["debug"]:
            print(f"The kernel `{self.name}`:\n{traced.program}\n{mapping}")
        return traced

    def _check_aliases(self, leaves, outs):
        for operand, result in self.aliases:
            facts = [("alias", f"{{{operand}: {result}}}")]
            if not 0 <= operand < len(leaves) or not 0 <= result < len(outs):
                facts += [("arguments", str(len(leaves))), ("results", str(len(outs)))]
                raise errors.value_error(
                    "pl.pallas_call: input_output_aliases names something that is "
                    "not there.",
                    facts,
                )
            source, target = avals.get_aval(leaves[operand]), outs[result]
            if (source.shape, source.dtype) != (target.shape, target.dtype):
                facts += [
                    ("argument", source.str_short()),
                    ("result", target.str_short()),
                ]
                raise errors.value_error(
                    "pl.pallas_call: an argument and the result that starts as it "
                    "differ in shape or dtype.",
                    facts,
                )


def _several(values):
    """A tuple as it is, anything else as the one entry of a tuple."""
    return values if isinstance(values, tuple) else (values,)


def _refuse_references(leaves, name):
    for leaf in leaves:
        if isinstance(avals.get_aval(leaf), AbstractRef):
            raise errors.type_error(
                f"A reference was passed to the kernel `{name}`.",
                [("reference", repr(leaf.aval))],
                "Kernels take arrays.",
                "Pass what it holds, ref[...]; pl.kernel takes references.",
            )
