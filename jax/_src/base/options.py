"""The list of all options. Names, types and defaults are those of JAX 0.10."""

import enum

from jax._src.base import (
    accepted_options as accepted_options,
    config,
    traceback_filter,
)

# What a trace depends on.
enable_x64 = config.boolean(
    "jax_enable_x64", False, "keep 64-bit types instead of narrowing them", traced=True
)
explicit_x64_dtypes = config.member(
    "jax_explicit_x64_dtypes",
    config.ExplicitX64Mode.WARN,
    "what an explicit 64-bit dtype does while jax_enable_x64 is off",
    traced=True,
)
numpy_dtype_promotion = config.member(
    "jax_numpy_dtype_promotion",
    config.NumpyDtypePromotion.STANDARD,
    "how two different dtypes combine",
    traced=True,
)
numpy_rank_promotion = config.choice(
    "jax_numpy_rank_promotion",
    "allow",
    ["allow", "warn", "raise"],
    "whether arrays of different rank broadcast",
    traced=True,
)
default_matmul_precision = config.anything(
    "jax_default_matmul_precision",
    None,
    "precision of matrix products that name none",
    traced=True,
)
default_prng_impl = config.choice(
    "jax_default_prng_impl",
    "threefry2x32",
    [
        "threefry2x32",
        "threefry4x32",
        "rbg",
        "unsafe_rbg",
        "philox2x32",
        "philox4x32",
    ],
    "the random number generator behind new keys",
    traced=True,
)
threefry_partitionable = config.boolean(
    "jax_threefry_partitionable", True, "the newer order of threefry bits", traced=True
)
enable_custom_prng = config.boolean(
    "jax_enable_custom_prng", False, "make PRNGKey return typed keys", traced=True
)
legacy_prng_key = config.member(
    "jax_legacy_prng_key",
    config.LegacyPrngKeyState.ALLOW,
    "what a raw uint32 random key does",
    traced=True,
)
high_dynamic_range_gumbel = config.boolean(
    "jax_high_dynamic_range_gumbel", False, "more accurate gumbel tails", traced=True
)
softmax_custom_jvp = config.boolean(
    "jax_softmax_custom_jvp", False, "softmax with a derivative of its own", traced=True
)
debug_nans = config.boolean(
    "jax_debug_nans", False, "raise when a result has a NaN", traced=True
)
debug_infs = config.boolean(
    "jax_debug_infs", False, "raise when a result has an infinity", traced=True
)
debug_key_reuse = config.boolean(
    "jax_debug_key_reuse", False, "raise when a random key is used twice", traced=True
)
auto_pcast = config.boolean(
    "jax_auto_pcast", True, "let values vary along mesh axes as needed", traced=True
)
disable_jit = config.boolean(
    "jax_disable_jit", False, "run jitted functions op by op", traced=True
)
default_device = config.anything(
    "jax_default_device", None, "the device of arrays that name none", traced=True
)
tracer_error_num_traceback_frames = config.integer(
    "jax_tracer_error_num_traceback_frames",
    5,
    "how many of the user's frames are told of where a value that escaped was made",
)
experimental_unsafe_xla_runtime_errors = config.boolean(
    "jax_experimental_unsafe_xla_runtime_errors",
    False,
    "checks that are not under checkify end the run of a compiled program",
    traced=True,
)
enable_checks = config.boolean(
    "jax_enable_checks", False, "check every traced program", traced=True
)
check_static_indices = config.boolean(
    "jax_check_static_indices",
    False,
    "check constant indices against bounds",
    traced=True,
)
# `traced` keeps calls off the native path, which does not read this option.
no_execution = config.boolean(
    "jax_no_execution", False, "raise instead of executing", traced=True
)
eager_constant_folding = config.boolean(
    "eager_constant_folding", False, "evaluate constants while tracing", traced=True
)
allow_f16_reductions = config.boolean(
    "jax_allow_f16_reductions", True, "sum float16 arrays without widening", traced=True
)
# Set by functions of `jax.experimental.pallas.tpu`.
pallas_tpu_interpret_mode = config.anything(
    "jax_pallas_tpu_interpret_mode",
    None,
    "how kernels are interpreted, instead of as each of them asks",
    traced=True,
)

pallas_check = config.boolean(
    "jax_pallas_check",
    False,
    "interpret kernels, and check their accesses: memory that was never written, bounds, "
    "races, semaphores",
    traced=True,
)

# What a trace does not depend on.
check_tracer_leaks = config.boolean(
    "jax_check_tracer_leaks", False, "raise when a traced value outlives its trace"
)
traceback_filtering = config.choice(
    "jax_traceback_filtering",
    "auto",
    ["off", "tracebackhide", "remove_frames", "quiet_remove_frames", "auto"],
    "how frames of ours are hidden in tracebacks",
)
traceback_filter.follow(lambda: traceback_filtering.value)
traceback_in_locations_limit = config.integer(
    "jax_traceback_in_locations_limit", 100, "frames kept per operation"
)
include_full_tracebacks_in_locations = config.boolean(
    "jax_include_full_tracebacks_in_locations", True, "keep callers in locations"
)
log_compiles = config.boolean("jax_log_compiles", False, "log each compilation")
explain_cache_misses = config.boolean(
    "jax_explain_cache_misses", False, "log why a function was traced again"
)
recompilations_until_warning = config.integer(
    "jax_recompilations_until_warning",
    5,
    "how often a function is compiled again for one reason until a warning; 0: no warning",
)
explain_slow_calls = config.boolean(
    "jax_explain_slow_calls",
    False,
    "log why a call of a jitted function ran in Python instead of natively",
)
log_kernel_choice = config.boolean(
    "jax_log_kernel_choice",
    False,
    "log which way of computing attentions is chosen for their shapes, and why",
)
logging_level = config.choice(
    "jax_logging_level",
    "NOTSET",
    ["NOTSET", "DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"],
    "level of our loggers",
    optional=True,
)
debug_log_modules = config.text(
    "jax_debug_log_modules", "", "modules that log everything"
)
no_tracing = config.boolean("jax_no_tracing", False, "raise instead of tracing")
random_seed_offset = config.integer("jax_random_seed_offset", 0, "added to every seed")
thread_guard = config.boolean(
    "jax_thread_guard", False, "raise when two threads share devices"
)
mutable_array_checks = config.boolean(
    "jax_mutable_array_checks", True, "check uses of refs"
)
disable_vmap_shmap_error = config.boolean(
    "jax_disable_vmap_shmap_error",
    False,
    "vmap of shard_map leaves alone how arrays without rows are split",
)
disable_bwd_checks = config.boolean(
    "jax_disable_bwd_checks", False, "do not check what a custom backward rule returns"
)
captured_constants_warn_bytes = config.integer(
    "jax_captured_constants_warn_bytes",
    2_000_000_000,
    "warn above this much constant data",
)
captured_constants_report_frames = config.integer(
    "jax_captured_constants_report_frames",
    0,
    "lines of the user's that such a warning shows for each constant; -1: all",
)
log_checkpoint_residuals = config.boolean(
    "jax_log_checkpoint_residuals",
    False,
    "log what functions under checkpoint keep for the backward pass",
)
pprint_use_color = config.boolean(
    "jax_pprint_use_color", True, "colour printed programs"
)

# Backends.
platforms = config.text(
    "jax_platforms", None, "comma-separated platforms, the default one first"
)
platform_name = config.text("jax_platform_name", "", "the older name of jax_platforms")
num_cpu_devices = config.integer(
    "jax_num_cpu_devices", -1, "virtual CPU devices; -1: one"
)
cpu_threads = config.integer(
    "jax_cpu_threads",
    0,
    "threads that share out a program's work; 0: all processors",
    bounds=(0, 256),
)
enable_recoverability = config.boolean(
    "jax_enable_recoverability", False, "go on when other processes of the job end"
)
collective_timeout = config.integer(
    "jax_collective_timeout_seconds",
    1800,
    "seconds that a program waits for other processes of the job; 0: for ever",
    bounds=(0, 1 << 30),
)
encrypt_collectives = config.boolean(
    "jax_encrypt_collectives",
    True,
    "encrypt what CPU processes of a job send each other over a network",
)
enable_preemption_service = config.boolean(
    "jax_enable_preemption_service", True, "report SIGTERM to the job, to save together"
)
check_proxy_envs = config.boolean(
    "jax_check_proxy_envs", True, "warn of variables that name a proxy"
)
cpu_enable_async_dispatch = config.boolean(
    "jax_cpu_enable_async_dispatch", True, "run CPU programs in the background"
)
pjrt_client_create_options = config.anything(
    "jax_pjrt_client_create_options", None, "options for new clients"
)
cuda_visible_devices = config.text(
    "jax_cuda_visible_devices", "all", "CUDA devices to use"
)
rocm_visible_devices = config.text(
    "jax_rocm_visible_devices", "all", "ROCm devices to use"
)
oneapi_visible_devices = config.text(
    "jax_oneapi_visible_devices", "all", "oneAPI devices to use"
)
mock_gpu_topology = config.text(
    "jax_mock_gpu_topology", "", "pretended GPUs: slices x hosts x devices"
)
mock_num_gpu_processes = config.integer(
    "mock_num_gpu_processes", 0, "pretended processes; 0: as the topology has hosts"
)
_guard_names = (
    "jax_transfer_guard",
    "jax_transfer_guard_host_to_device",
    "jax_transfer_guard_device_to_device",
    "jax_transfer_guard_device_to_host",
)
_guards = ["allow", "log", "disallow", "log_explicit", "disallow_explicit"]
transfer_guard = config.choice(
    "jax_transfer_guard", None, _guards, "transfers in any direction"
)


@traceback_filter.hides_frames
def guard_transfers(new_val: str) -> config.Setting:
    """A context manager: what happens to transfers in any direction.

    Args:
        new_val: ``"allow"``, ``"log"``, ``"disallow"``, ``"log_explicit"`` or
            ``"disallow_explicit"``.

    Raises:
        ValueError: `new_val` is something else.
    """
    checked = transfer_guard.check(new_val)
    return config.Setting(dict.fromkeys(_guard_names, checked))


transfer_guard_host_to_device = config.choice(
    "jax_transfer_guard_host_to_device", None, _guards, "transfers to devices"
)
transfer_guard_device_to_device = config.choice(
    "jax_transfer_guard_device_to_device", None, _guards, "transfers between devices"
)
transfer_guard_device_to_host = config.choice(
    "jax_transfer_guard_device_to_host", None, _guards, "transfers to the host"
)


def _guard_every_direction(level: str | None) -> None:
    for name in _guard_names[1:]:
        config.config.update(name, level)


transfer_guard.on_update.append(_guard_every_direction)
remove_size_one_mesh_axis_from_type = config.boolean(
    "jax_remove_size_one_mesh_axis_from_type",
    False,
    "types of arrays leave out mesh axes of one device",
    traced=True,
)
array_garbage_collection_guard = config.choice(
    "jax_array_garbage_collection_guard",
    None,
    ["allow", "log", "fatal"],
    "arrays freed by the garbage collector",
)

# Compilation.
compilation_cache_dir = config.text(
    "jax_compilation_cache_dir", None, "folder of compiled programs"
)
enable_compilation_cache = config.boolean(
    "jax_enable_compilation_cache", True, "use the folder of compiled programs"
)
compilation_cache_max_size = config.integer(
    "jax_compilation_cache_max_size", -1, "bytes kept there; -1: no limit"
)
persistent_cache_min_compile_time_secs = config.number(
    "jax_persistent_cache_min_compile_time_secs", 1.0, "keep what took longer"
)
persistent_cache_min_entry_size_bytes = config.integer(
    "jax_persistent_cache_min_entry_size_bytes", 0, "keep what is larger"
)
raise_persistent_cache_errors = config.boolean(
    "jax_raise_persistent_cache_errors", False, "raise when the cache cannot be used"
)
share_binary_between_hosts = config.boolean(
    "jax_share_binary_between_hosts", False, "one process of a job compiles for all"
)
share_binary_between_hosts_timeout_ms = config.integer(
    "jax_share_binary_between_hosts_timeout_ms",
    1_200_000,
    "how long the others wait before they compile for themselves",
)
disable_most_optimizations = config.boolean(
    "jax_disable_most_optimizations", False, "compile quickly, run slowly"
)


class CompilerEffortLevel(enum.IntEnum):
    """How hard the compiler works, as a number; `jax_optimization_level` takes the names."""

    UNKNOWN = 0
    O0 = 9
    O1 = 19
    O2 = 29
    O3 = 39


optimization_level = config.choice(
    "jax_optimization_level",
    "UNKNOWN",
    ["UNKNOWN", "O0", "O1", "O2", "O3"],
    "how hard the compiler works; it is told, and may know one way only",
)
compile_tier = config.choice(
    "jax_compile_tier",
    "auto",
    ["auto", "fast", "best"],
    "how CPU programs of jitted calls are compiled: with all effort (best), quickly (fast), or "
    "quickly and with all effort while they run (auto); results are the same, but for the "
    "signs of NaNs",
    traced=True,
)
reproducible = config.boolean(
    "jax_reproducible",
    False,
    "sums, products, convolutions and scatters of floats have the same bits on any number of CPU threads and "
    "devices, whatever the processor's instructions; slower",
    traced=True,
)
memory_budget = config.bytes_of_memory(
    "jax_memory_budget",
    0,
    'the most memory that one call of a jitted function may hold on each device, such as "4GiB"; '
    "programs that need more are rewritten until they fit, or refused; 0: no limit",
    traced=True,
)
compilation_cache_check_contents = config.boolean(
    "jax_compilation_cache_check_contents",
    False,
    "compile what the folder has too, once per process, and compare",
)
compilation_cache_include_metadata_in_key = config.boolean(
    "jax_compilation_cache_include_metadata_in_key",
    False,
    "programs that differ in source locations alone have separate entries",
)
hlo_source_file_canonicalization_regex = config.text(
    "jax_hlo_source_file_canonicalization_regex",
    None,
    "what is cut out of the names of source files in programs",
    traced=True,
)
raise_on_ppermute_sort_diff = config.boolean(
    "jax_raise_on_ppermute_sort_diff",
    True,
    "refuse axes of ppermute in another order than the mesh's (from 0.12 on)",
    traced=True,
)
# By the names of the arguments of jax.distributed.initialize.
mtls = {
    name: config.text(f"jax_{name}", None, what)
    for name, what in [
        ("mtls_cert_file", "the certificate of a process of a job"),
        ("mtls_key_file", "its key"),
        ("mtls_ca_file", "who signs the others' certificates"),
        ("mtls_peer_uri_prefix", "what the others' certificates name"),
    ]
}
distributed_verify_secure_credentials = config.boolean(
    "jax_distributed_verify_secure_credentials",
    False,
    "refuse to join a job without encryption",
)
include_debug_info_in_dumps = config.boolean(
    "jax_include_debug_info_in_dumps", True, "dumped modules say where they come from"
)
dump_ir_to = config.text("jax_dump_ir_to", "", "folder for modules before compilation")
dump_ir_modes = config.text("jax_dump_ir_modes", "stablehlo", "what is written there")
use_shardy_partitioner = config.boolean(
    "jax_use_shardy_partitioner", True, "partition with Shardy"
)
disallow_mesh_context_manager = config.boolean(
    "jax_disallow_mesh_context_manager", False, "`with mesh:` raises"
)
export_calling_convention_version = config.integer(
    "jax_export_calling_convention_version", 10, "how exported programs are called"
)
export_ignore_forward_compatibility = config.boolean(
    "jax_export_ignore_forward_compatibility",
    False,
    "export what only the newest readers know; every export here can be read by older",
)
