"""Functions of kernels for which only GPUs have instructions: called here, they refuse."""

import inspect
from collections.abc import Callable
from typing import Any

from jax._src.base import util
from jax._src.pallas.mosaic_gpu import transforms
from jax._src.pallas.semaphores import DeviceIdType
from jax._src.pallas.unsupported import refusing, refusing_all

_CONSTANTS = {
    "MESH": DeviceIdType.MESH,
    "ZEROS": transforms.OOBFillMode.ZEROS,
    "BLOCK": transforms.ThreadSubset.BLOCK,
    "WARPGROUP": transforms.ThreadSubset.WARPGROUP,
    "LANE": transforms.LoweringSemantics.Lane,
    "TMA": transforms.AsyncCopyImplementation.TMA,
}

# What kernels of Pallas call.
_KERNELS = """
as_torch_kernel(fn): Makes a kernel a function of another library's tensors.
async_copy_scales_to_tmem(smem_ref, tmem_ref, collective_axis=None): Starts a copy of scales to tensor memory.
async_copy_smem_to_tmem(smem_ref, tmem_ref, collective_axis=None): Starts a copy to tensor memory.
async_copy_sparse_metadata_to_tmem(smem_ref, tmem_ref, collective_axis=None): Starts a copy of positions to tensor memory.
async_load_tmem(src, *, layout=None): Starts to load from tensor memory.
async_prefetch(ref, *, collective_axes=None, leader_tracked=None): Starts to fetch global memory into the cache.
async_store_smem(src, ref, barrier, *, cluster_idx, cluster_dim, optimized=True, atomic=None): Starts to store to another block's memory.
async_store_tmem(ref, value): Starts to store to tensor memory.
atomic_add(ref, val): Adds to elements that other threads change too.
atomic_and(ref, val): Combines bits of elements that other threads change too by AND.
atomic_max(ref, val): Puts the larger one in elements that other threads change too.
atomic_min(ref, val): Puts the smaller one in elements that other threads change too.
atomic_or(ref, val): Combines bits of elements that other threads change too by OR.
atomic_xor(ref, val): Combines bits of elements that other threads change too by XOR.
barrier_arrive(barrier): Arrives at a barrier.
barrier_test(barrier): Whether a barrier is complete.
barrier_wait(barrier): Waits until a barrier is complete.
cluster_ref(ref, block_id): A reference to the memory of another block of the cluster.
commit_smem(): Makes stores to shared memory visible to copies.
commit_smem_to_gmem_group(): Ends a group of copies to global memory.
commit_tmem(): Waits until stores to tensor memory are done.
copy_gmem_to_smem(src, dst, barrier, *, collective_axes=None, leader_tracked=None, oob_mode=ZEROS): Starts a copy from global to shared memory.
copy_smem_to_gmem(src, dst, predicate=None, *, commit_group=True, reduction_op=None): Starts a copy from shared to global memory.
dynamic_scheduling_loop(grid_names, thread_axis=None, cluster_axes=(), init_carry=None): Runs a function for the steps that other clusters have not begun.
emit_pipeline(body, *, grid, in_specs=(), out_specs=(), max_concurrent_steps=1, init_carry=None): Runs a kernel for each step of an inner grid.
emit_pipeline_warp_specialized(body, *, grid, memory_registers, in_specs=(), out_specs=(), max_concurrent_steps=2, wg_axis, num_compute_wgs, pipeline_state=None, manual_consumed_barriers=False, compute_context=None, memory_thread_idx=None): Runs a kernel for each step of an inner grid, with threads that only copy.
format_tcgen05_sparse_metadata(meta, operand_dtype): Arranges positions of a sparse operand for tensor cores.
griddepcontrol_launch_dependents(): Lets the kernels that depend on this one start.
griddepcontrol_wait(): Waits for the kernels that this one depends on.
multicast_ref(ref, collective_axes): A reference to the same memory of several devices.
multimem_load_reduce(ref, *, collective_axes, reduction_op): Loads from several devices and reduces.
multimem_store(source, ref, collective_axes): Stores to several devices.
print_layout(fmt, x): Prints the layout of an array when the kernel is compiled.
query_cluster_cancel(result_ref, grid_names): What an attempt to take over the work of another cluster gave.
remote_ref(ref, device_id, device_id_type=MESH): A reference to the memory of another device.
semaphore_signal(semaphore, inc=1, *, device_id=None, memory_scope="sys"): Adds to the count of a semaphore.
semaphore_signal_multicast(semaphore, value=1, *, collective_axes): Adds to the counts of a semaphore of several devices.
semaphore_signal_parallel(*signals): Sends several signals at once.
semaphore_wait(semaphore, value=1, *, decrement=True, memory_scope="sys"): Waits until a semaphore has a count.
set_max_registers(n, *, action): Sets how many registers a thread has.
tcgen05_commit_arrive(barrier, collective_axis=None): Arrives at a barrier when the tensor cores are done.
tcgen05_mma(acc, a, b, barrier=None, *, a_scale=None, b_scale=None, a_sparse_metadata=None, accumulate=True, collective_axis=None): Starts a matrix product of tensor cores.
transform_ref(ref, transform): A reference to the same memory in another arrangement.
transpose_ref(ref, permutation): A reference to the same memory with permuted dimensions.
try_cluster_cancel(result_ref, barrier): Tries to take over the work of another cluster.
wait_load_tmem(): Waits until loads from tensor memory are done.
wait_smem_to_gmem(n, wait_read_only=False): Waits until at most `n` groups of copies are under way.
warp_map(f, /): Runs a function on each of the four warps.
wgmma(acc, a, b): Starts a matrix product of a group of warps.
wgmma_accumulator_load(acc, *, wait_n=0): Loads an accumulator.
wgmma_wait(n): Waits until at most `n` matrix products are under way.
"""

# What programs for GPUs are made with.
_PROGRAMS = """
as_gpu_kernel(body, grid, block, in_shape, out_shape, smem_scratch_shape, prof_spec=None, cluster=(1, 1, 1), module_name="unknown", kernel_name=None, ir_version=None, thread_semantics=LANE, inout_shape=()): Makes a function of arrays from one that makes a program.
as_torch_gpu_kernel(body, grid, block, in_shape, out_shape, smem_scratch_shape, prof_spec=None, cluster=(1, 1, 1), module_name="unknown", kernel_name=None, thread_semantics=LANE, inout_shape=()): Makes a function of another library's tensors from one that makes a program.
artificial_shared_memory_limit(limit): A context in which kernels have less shared memory.
bitcast(x, new_type): The same bits as another type.
bitwidth(ty): The bits of a type.
bitwidth_impl(ty): The bits of a type.
block_idx(): The number of the block.
bytewidth(ty): The bytes of a type.
c(val, ty): A constant.
clock(): The cycles of the processor.
cluster_collective_mask(cluster_shape, collective, leader_tracked=False): The blocks along dimensions of a cluster, as bits.
cluster_idx(dim=None, dim_idx=None): The number of the block in its cluster.
commit_shared(): Makes stores to shared memory visible to copies.
copy_tiled(src, dst, swizzle=16): Copies an array in tiles.
debug_print(fmt, *args, uniform=True, scope=None): Prints values of a program.
dtype_to_ir_type(dtype): The type of a program for a dtype.
dyn_dot(x, y): The sum of products of values of a program.
elements_to_bytes(offset, element_bitwidth): Elements as bytes.
fence_release_sys(): Makes stores visible to the system.
fori(bound, carrys): A loop of a program.
get_arch(): The instruction set of the program that is made.
get_cluster_ptr(ptr, cluster_block, generic=True): A pointer to the memory of another block.
get_cluster_ref(ref, dim, idx, generic=True): A reference to the memory of another block.
get_collective_metadata_size(num_params, num_peers): The size of the addresses of other devices' memory.
get_memref_llvm_address_space(memref_ty): The address space of a type.
getelementptr(ptr, indices, dtype): A pointer to an element.
globaltimer(kind=None): The time of the GPU.
gpu_address_space_to_nvptx(address_space): The number of an address space.
infer_layout(module, *, fuel=100000, arch=(9, 0)): Finds layouts for the values of a module.
is_cluster_smem_ref(ref): Whether a reference is to the shared memory of a cluster.
is_known_divisible(value, divisor, max_depth=10): Whether a value is known to be a multiple.
is_memref_transposed(ref): Whether the last dimensions of a reference are exchanged.
is_signed(dtype): Whether integers of a dtype have a sign.
is_single_process_multi_device_topology(): Whether one process has several GPUs.
is_smem_ref(ref): Whether a reference is to shared memory.
is_tmem_ref(ref): Whether a reference is to tensor memory.
lower_mgpu_dialect(module, launch_context, auto_barriers=True): Replaces the operations of the dialect in a module.
memref_fold(ref, dim, fold_rank): A reference with dimensions joined.
memref_ptr(memref_arg): The pointer of a reference.
memref_reshape(ref, shape): A reference in another shape.
memref_slice(ref, index): A reference to a part.
memref_transpose(ref, permutation): A reference with permuted dimensions.
memref_unfold(ref, dim, factors): A reference with a dimension split.
memref_unsqueeze(ref, dim): A reference with a further dimension.
mma(acc, a, b): A matrix product of warps.
multimem_load_reduce(ty, ptr, reduction, is_signed=None): Loads from several devices and reduces.
multimem_store(ptr, value): Stores to several devices.
nanosleep(nanos): Lets a thread sleep.
nvvm_mbarrier_arrive_expect_tx(barrier, expect_tx, predicate=None, scope=None): Arrives at a barrier that expects bytes.
nvvm_shfl_sync(ty, *args): Exchanges values between lanes.
optimization_barrier(*arrays): Keeps the compiler from moving operations past a point.
pack_array(values): Values of a program as an array.
parse_indices(index, shape, *, check_oob=True): Indices as offsets, sizes, and which dimensions go.
prmt(high, low, permutation): Permutes bytes.
ptr_as_memref(ptr, memref_ty): A reference to what a pointer points to.
query_cluster_cancel(result_ref): What an attempt to take over the work of another cluster gave.
redux(x, mask, kind): Reduces over the lanes of a warp.
shfl_bfly(x, distance): Exchanges values between lanes.
single_thread(scope=BLOCK): A context of what one thread alone does.
single_thread_predicate(scope=BLOCK): Whether this is the one thread.
smem(): The attribute of shared memory.
smem_cluster(): The attribute of the shared memory of a cluster.
smid(): The number of the processor.
thread_idx(): The number of the thread.
tmem(): The attribute of tensor memory.
to_layout_attr(layout): The attribute of a layout.
try_cluster_cancel(result_ref, barrier, predicate=None): Tries to take over the work of another cluster.
uses_collective_metadata(module): Whether a module uses the memory of other devices.
vector_concat(vectors): One vector of several.
vector_slice(v, s): A part of a vector.
warp_barrier(): Waits for the lanes of a warp.
warp_idx(sync=True): The number of the warp.
warp_tree_reduce(value, op, group_size): Reduces over lanes of a warp.
warpgroup_barrier(): Waits for the threads of a group of warps.
warpgroup_idx(sync=True): The number of the group of warps.
wgmma(acc, a, b, *, swizzle=128): A matrix product of a group of warps.
wgmma_fence(array): Makes registers ready for matrix products.
when(cond): A part of a program that runs under a condition.
"""

_TENSOR_MEMORY = """
async_copy_scales_smem_to_tmem(smem_ref, tmem_ref, collective=False): Starts a copy of scales to tensor memory.
async_copy_smem_to_tmem(smem_ref, tmem_ref, swizzle, collective=False): Starts a copy to tensor memory.
async_copy_sparse_metadata_smem_to_tmem(smem_ref, tmem_ref, collective=False): Starts a copy of positions to tensor memory.
commit_arrive(barrier, collective=False, ctx=None): Arrives at a barrier when the tensor cores are done.
commit_tmem(): Waits until stores to tensor memory are done.
create_instr_descriptor(m, n, acc_dtype, input_dtype, transpose_a=False, transpose_b=False, sparsity_selector=None): The word that describes a matrix product.
create_scaled_f4_instr_descriptor(*args, **kwargs): The word that describes a matrix product of scaled 4-bit numbers.
create_scaled_f8f6f4_instr_descriptor(*args, **kwargs): The word that describes a matrix product of scaled narrow numbers.
mma(d, a, b, *, a_swizzle=128, b_swizzle=128, a_scale=None, b_scale=None, a_sparse_metadata=None, accumulate=True, collective=False): A matrix product of tensor cores.
tmem_alloc(tmem_addr, ncols, collective=False, exact=True): Allocates columns of tensor memory.
tmem_dealloc(tmem_addr, ncols, collective=False, exact=True): Frees columns of tensor memory.
tmem_relinquish_alloc_permit(collective): Gives up the right to allocate tensor memory.
wait_load_tmem(): Waits until loads from tensor memory are done.
"""

# Methods of objects of programs, by class; a name with @ needs no object.
_METHODS = {
    "BarrierRef": """
test_parity(self, parity, orders_tensor_core=False): Whether a phase is complete.
test(self, orders_tensor_core=False): Whether the phase is complete.
wait_parity(self, parity, orders_tensor_core=False): Waits until a phase is complete.
wait(self, orders_tensor_core=False): Waits until the phase is complete.
update_parities(self, parities): The phases after this one.
arrive(self, arrival_count=1, can_complete=True, orders_tensor_core=False, predicate=None, scope=WARPGROUP): Arrives.
arrive_expect_tx(self, bytes, predicate=None): Arrives and expects bytes.
complete_tx(self, bytes, predicate=None): Completes bytes.
get_ptr(self): The pointer to the barrier.
remap_to_cluster(self, dim, idx): The barrier of another block.
__getitem__(self, offset): One barrier.
""",
    "CollectiveBarrierRef": """
arrive(self, orders_tensor_core=False): Arrives.
wait(self, *args, **kwargs): Waits until the phase is complete.
wait_parity(self, *args, **kwargs): Waits until a phase is complete.
__getitem__(self, offset): One barrier.
""",
    "DialectBarrierRef": """
test_parity(self, parity, orders_tensor_core=False): Whether a phase is complete.
test(self, orders_tensor_core=False): Whether the phase is complete.
wait_parity(self, parity, orders_tensor_core=False): Waits until a phase is complete.
wait(self, orders_tensor_core=False): Waits until the phase is complete.
update_parities(self, parities): The phases after this one.
arrive(self, orders_tensor_core=False): Arrives.
arrive_expect_tx(self, bytes): Arrives and expects bytes.
get_ptr(self): The pointer to the barrier.
as_barrier_memref(self): The barriers as a reference.
""",
    "SemaphoreRef": """
signal(self, value, predicate=None, relaxed=False, memory_scope="sys"): Adds to the count.
wait(self, value=1, *, decrement=True, scope=WARPGROUP, memory_scope="sys"): Waits for a count.
""",
    "MultimemRef": """
store(self, value, indices): Stores to several devices.
""",
    "OnDeviceProfiler": """
record(self, name): A context that is recorded.
finalize(self, grid, block): Writes what is recorded.
""",
    "WGMMAAccumulator": """
@zero(m, n, dtype=None, *, is_signed=None): An accumulator of zeros.
@from_registers(registers, *, sync=True): An accumulator of the values of an array.
""",
    "LaunchContext": """
named_region(self, *args, **kwargs): A context that profiles show.
async_copy(self, *, src_ref, dst_ref, gmem_slice=(), gmem_transform=(), gmem_peer_id=None, barrier=None, swizzle=None, arrive=None, collective=None, leader_tracked=None, predicate=None, reduction_op=None, implementation=TMA, oob_mode=ZEROS): Starts a copy.
async_prefetch(self, *, gmem_ref, gmem_slice=(), gmem_transform=(), gmem_peer_id=None, swizzle=None, collective=None, leader_tracked=None, predicate=None): Starts to fetch global memory into the cache.
await_async_copy(self, allow_groups, await_read_only=False, scope=WARPGROUP): Waits until at most so many groups of copies are under way.
await_cp_async_copy(self, allow_groups): Waits until at most so many groups of copies are under way.
to_remote(self, ref, peer, _kernel_arg_idx=None, on_host=False): A reference to the memory of another device.
to_remote_multicast(self, ref, on_host=False): A reference to the same memory of several devices.
device_id(self, on_host=False): The number of the device.
""",
    "FragmentedArray": """
@load_strided(ref, is_signed=None, *, vec_size=None): Loads vectors in turns.
@splat(value, shape, layout=None, *, is_signed=None): An array of one value.
@broadcasted_iota(dtype, shape, dimension, layout=None, *, is_signed=None): The indices along a dimension.
@build(shape, layout, fn, *, is_signed=None): An array of a function of indices.
@load_reduce_untiled(ref, layout, reduction, swizzle=16, is_signed=None): Loads from several devices and reduces.
@load_untiled(ref, *, layout, swizzle=16, is_signed=None, optimized=True): Loads an array that is in no tiles.
@load_tiled(ref, swizzle, *, is_signed=None, layout=None, optimized=True, tiling_rank=None): Loads an array in tiles.
@transfer_strided(ref, vec_size): The steps of a copy in turns.
@transfer_tiled(ref, swizzle, layout, shape, optimized=True, ref_tiling_rank=None): The steps of a copy in tiles.
to_layout(self, new_layout): The array in another layout.
trunc_div(self, other): The quotient, rounded to zero.
max(self, other): The larger elements.
min(self, other): The smaller elements.
copysign(self, other): The elements with the signs of others.
exp(self, *, approx=False): The exponential function.
exp2(self, *, approx=False): Two to a power.
log(self, *, approx=False): The natural logarithm.
log2(self, *, approx=False): The logarithm to base two.
sin(self, *, approx=False): The sine.
cos(self, *, approx=False): The cosine.
tanh(self, *, approx=False): The hyperbolic tangent.
rsqrt(self, *, approx=False): The inverse of the square root.
abs(self): The absolute value.
round(self): The nearest integer, ties away from zero.
round_even(self): The nearest integer, ties to even.
erf(self): The error function.
atan2(self, other): The angle of two coordinates.
bitcast(self, elt, *, output_is_signed=None): The same bits as another type.
copy(self): The same values in other registers.
astype(self, new_dtype, *, is_signed=None, rounding=None): The values as another type.
reduce(self, op, axis, scratch=None): Reduces along axes.
broadcast(self, shape): The values of a larger shape.
reshape(self, shape): The values in another shape.
broadcast_minor(self, n): The values with a further last dimension.
broadcast_in_dim(self, shape, source_dimensions, layout): The values of a larger shape.
select(self, on_true, on_false): Elements of one array or another.
foreach(self, fn, *, create_array=False, is_signed=None): Applies a function to each element.
debug_print(self, fmt): Prints the elements.
store_untiled(self, ref, *, swizzle=16, optimized=True, atomic=None): Stores to an array that is in no tiles.
store_tiled_async(self, ref, barrier, cluster_dim, cluster_idx, *, swizzle, optimized=True, tiling_rank=None, atomic=None): Starts to store to an array in tiles.
store_tiled(self, ref, swizzle, *, optimized=True, tiling_rank=None, atomic=None): Stores to an array in tiles.
__add__(self, other): The sum.
__radd__(self, other): The sum.
__sub__(self, other): The difference.
__rsub__(self, other): The difference.
__mul__(self, other): The product.
__rmul__(self, other): The product.
__truediv__(self, other): The quotient.
__rtruediv__(self, other): The quotient.
__floordiv__(self, other): The quotient, rounded down.
__rfloordiv__(self, other): The quotient, rounded down.
__mod__(self, other): The remainder.
__rmod__(self, other): The remainder.
__neg__(self): The negative.
__invert__(self): The inverted bits.
__and__(self, other): The bits of both.
__rand__(self, other): The bits of both.
__or__(self, other): The bits of either.
__ror__(self, other): The bits of either.
__xor__(self, other): The bits of one.
__rxor__(self, other): The bits of one.
__getitem__(self, idx): A part.
""",
}


def _table(text, module):
    return refusing_all(text, _CONSTANTS, module=module, where="GPUs")


def _methods(cls, text):
    made = _table(text.replace("@", ""), cls)
    free = {line[1:].partition("(")[0] for line in text.split("\n") if line[:1] == "@"}
    return {k: staticmethod(f) if k in free else f for k, f in made.items()}


def inline_mgpu(
    *, arg_types: Any = (), return_type: Any = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Makes a function of a program's values part of a kernel; a decorator.

    Modules decorate functions when they are imported: what is made refuses, once it is called.

    Args:
        arg_types: the types of the arguments.
        return_type: the type of the result.

    Returns:
        A decorator.

    Raises:
        NotImplementedError: what is decorated is called: it works on GPUs only.
    """

    def decorate(f: Callable[..., Any]) -> Callable[..., Any]:
        name = util.function_name(f)
        doc = f"The function `{name}` as a part of a kernel."
        taken = inspect.signature(lambda *args, **kwargs: None)
        what = f"inline_mgpu, for {name},"
        return refusing(what, taken, doc, module="plgpu", where="GPUs")

    return decorate


KERNELS: dict[str, Callable[..., Any]] = {
    **_table(_KERNELS, "plgpu"),
    "inline_mgpu": inline_mgpu,
}
PROGRAMS: dict[str, Callable[..., Any]] = _table(_PROGRAMS, "mosaic.gpu")
TENSOR_MEMORY: dict[str, Callable[..., Any]] = _table(_TENSOR_MEMORY, "tcgen05")
METHODS: dict[str, dict[str, Any]] = {k: _methods(k, t) for k, t in _METHODS.items()}
