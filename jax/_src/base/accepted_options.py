"""Options of JAX 0.10 that change nothing here: they are accepted and kept, so that programs that set them run.

Each says what it is for and why it has no effect. One that gets an effect moves to `options`.
"""

from jax._src.base import config, releases

# Why an option has no effect.
_PROCESSES = "processes of a job meet and talk in one way here"
_ORDERED = "devices are in the order of their processes already"
_GPU = "it is for GPUs, and is not handed to their plugins"
_KERNELS = "it is for kernels of TPUs and GPUs"
_ONE_WAY = "there is one implementation here"
_UNSEEN = "profiles on CPUs do not show it, nor do those of JAX 0.10 there"

_LEVELS = ["UNKNOWN", "O0", "O1", "O2", "O3"]


def _accept(declare, name, default, help, reason, **rest):
    if name in releases.GONE_OPTIONS and releases.IS_NEW:
        return None
    return declare(name, default, help=f"{help}; no effect: {reason}", **rest)


def _accept_booleans(reason: str, *rows: tuple[str, bool, str]) -> None:
    for name, default, help in rows:
        _accept(config.boolean, name, default, help, reason)


_accept_booleans(
    _PROCESSES,
    ("jax_distributed_debug", False, "log how processes find each other"),
    ("jax_force_dcn_cross_host_transfers", False, "move arrays through sockets"),
)
_accept_booleans(
    _ORDERED,
    ("jax_sort_devices_by_process_index", True, "the order of jax.devices()"),
)
_accept_booleans(
    _GPU,
    ("jax_bcoo_cusparse_lowering", False, "sparse products by cuSPARSE"),
    ("jax_compilation_cache_expect_pgle", False, "prefer programs made by profile"),
    ("jax_enable_pgle", False, "compile again with what was measured"),
    ("jax_pallas_use_mosaic_gpu", True, "the compiler of kernels"),
    (
        "jax_ragged_dot_use_gpu_pallas_triton_lowering",
        False,
        "ragged_dot as a kernel",
    ),
    ("jax_threefry_gpu_kernel_lowering", False, "random bits by a kernel"),
)
_accept_booleans(
    _KERNELS,
    ("jax_mosaic_allow_hlo", False, "HLO inside kernels"),
    ("jax_pallas_enable_debug_checks", False, "run the checks inside kernels"),
    ("jax_pallas_poison_buffers", False, "fill the scratch memory of kernels with NaN"),
    ("jax_pallas_verbose_errors", False, "whole texts in errors of kernels"),
    (
        "jax_ragged_dot_use_ragged_dot_instruction",
        True,
        "one operation for ragged_dot",
    ),
    ("jax_use_emit_pipeline_primitive", False, "one operation for pipelines"),
    ("jax_mosaic_unzip_debug_locations", True, "source locations in kernels"),
)
_accept_booleans(
    _ONE_WAY,
    ("jax_accurate_erf_inv", False, "erf_inv with small errors, which it has anyway"),
    ("jax_custom_jvp3", False, "another implementation of custom_jvp"),
    ("jax_export_deserialize_expired_versions", False, "read what has expired"),
    ("jax_remat_barrier_no_cotangents", False, "where barriers of checkpoint stand"),
    ("jax_use_cpp_shard_args", False, "how arguments get to devices"),
    ("jax_use_rgv3", True, "mesh axes for lists of devices in collectives"),
    ("jax_custom_vjp3", False, "another implementation of custom_vjp"),
    ("jax_remat3", False, "another implementation of checkpoint"),
    ("jax_scan3", False, "another implementation of scan"),
    ("jax_use_direct_linearize", True, "linearize without jvp and partial evaluation"),
    ("jax_use_simplified_jaxpr_constants", False, "constants stay in jaxprs"),
    ("jax_refs_to_pins", False, "references as pinned buffers"),
    ("jax_compiler_enable_remat_pass", True, "let the compiler compute values again"),
    (
        "jax_remove_custom_partitioning_ptr_from_cache_key",
        False,
        "leave addresses out of the keys of compiled programs",
    ),
    (
        "jax_debug_leaked_clients_on_clear_backends",
        False,
        "check that clients end with clear_backends",
    ),
    ("check_vma", False, "a switch inside of shard_map"),
    ("jax2tf_default_native_serialization", True, "for jax2tf, which is not here"),
)

for _kind in ("nan", "divide", "oob"):
    _accept(
        config.choice,
        f"jax_error_checking_behavior_{_kind}",
        "ignore",
        "whether jax.numpy records such errors",
        "they are read by what is internal to JAX 0.10",
        choices=["ignore", "raise"],
    )
_accept(
    config.member,
    "jax_send_traceback_to_runtime",
    config.RuntimeTracebackMode.OFF,
    "which lines of the user dispatched a program",
    _UNSEEN,
)
_accept(
    config.text,
    "jax_source_url_schema",
    None,
    "links in programs as web pages",
    _ONE_WAY,
)

for _name, _default, _help, _reason in [
    ("jax_embedded_constants_max_bytes", 32, "larger ones are arguments", _ONE_WAY),
    ("jax_cpu_get_local_topology_timeout_minutes", 2, "patience", _PROCESSES),
    ("jax_cpu_get_global_topology_timeout_minutes", 5, "patience", _PROCESSES),
    ("jax_pgle_profiling_runs", 3, "runs before compiling again", _GPU),
    ("jax_pgle_aggregation_percentile", 90, "which of the times counts", _GPU),
    ("jax_serialization_version", 0, "an older name", "exports have one format"),
    ("jax_xla_profile_version", 0, "which profile the compiler reads", _ONE_WAY),
    ("jax_compiler_detailed_logging_min_ops", 10, "large for the log", _ONE_WAY),
]:
    _accept(config.integer, _name, _default, _help, _reason)

for _name, _default, _help, _reason in [
    ("jax_cross_host_transfer_socket_address", "", "where to listen", _PROCESSES),
    ("jax_cross_host_transport_addresses", "", "where to listen", _PROCESSES),
    ("jax_xla_backend", "", "an older name of jax_platforms", _ONE_WAY),
    ("jax_backend_target", "", "where programs run", "they run in this process"),
    (
        "jax_persistent_cache_enable_xla_caches",
        "xla_gpu_per_fusion_autotune_cache_dir",
        "caches inside of the compiler",
        _GPU,
    ),
]:
    _accept(config.text, _name, _default, _help, _reason)

for _name, _help in [
    ("jax_cross_host_transfer_timeout_seconds", "patience"),
    ("jax_cross_host_transfer_transfer_size", "bytes in one piece"),
]:
    _accept(config.optional_integer, _name, None, _help, _PROCESSES)

for _name, _help in [
    ("jax_exec_time_optimization_effort", "effort for speed, -1 to 1"),
    ("jax_memory_fitting_effort", "effort for little memory, -1 to 1"),
]:
    _accept(config.number, _name, 0.0, _help, _ONE_WAY)

_accept(
    config.choice,
    "jax_memory_fitting_level",
    "O2",
    "effort for little memory",
    _ONE_WAY,
    choices=_LEVELS,
)
_accept(
    config.choice,
    "jax_use_hlo_logistic_lowering",
    None,
    "logistic as negate, exponential, add and divide",
    _ONE_WAY,
    choices=[True, False],
)
_accept(
    config.choice,
    "jax_pallas_auto_assign_collective_ids",
    "no",
    "numbers of kernels that meet others",
    _KERNELS,
    choices=["no", "yes", "override"],
)
_accept(
    config.integer,
    "jax_pallas_auto_assign_collective_ids_limit",
    25,
    "the highest of those numbers",
    _KERNELS,
)
_accept(
    config.choice,
    "jax_use_magma",
    "auto",
    "eigenvalues by MAGMA",
    _GPU,
    choices=["off", "on", "auto"],
)
_accept(
    config.choice,
    "jax_cpu_collectives_implementation",
    "gloo",
    "how processes talk",
    _PROCESSES,
    choices=["gloo", "mpi", "megascale"],
)

# Programs set it by `with jax.jax2tf_associative_scan_reductions(True):` too.
jax2tf_associative_scan_reductions = _accept(
    config.boolean,
    "jax2tf_associative_scan_reductions",
    False,
    "sums along axes as jax2tf writes them",
    "jax2tf is not here, and others do not ask",
)
