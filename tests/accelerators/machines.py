"""Machines that programs are compiled for, with no device there."""

# What XLA asks of a GPU: facts of the hardware, in the form of its protocol buffers.
_GPU = """
platform_name: "CUDA" device_description_str: "{name}"
dnn_version_info {{ major: 9 minor: 10 patch: 0 }}
gpu_device_info {{
  cuda_compute_capability {{ major: {major} {feature} }}
  threads_per_block_limit: 1024 threads_per_warp: 32 threads_per_core_limit: 2048
  core_count: {cores} fpus_per_core: {units}
  shared_memory_per_block: 49152 shared_memory_per_core: {shared}
  shared_memory_per_block_optin: {optin}
  block_dim_limit_x: 2147483647 block_dim_limit_y: 65535 block_dim_limit_z: 65535
  thread_dim_limit_x: 1024 thread_dim_limit_y: 1024 thread_dim_limit_z: 64
  memory_bandwidth: {bandwidth} l2_cache_size: {cache} clock_rate_ghz: {clock}
  device_memory_size: {memory}
  registers_per_core_limit: 65536 registers_per_block_limit: 65536
  name: "{name}" driver_version: "13.0.0" runtime_version: "12.8.0"
  compile_time_toolkit_version: "12.8.0" dnn_version: "9.10.0" }}
"""

_H100 = _GPU.format(
    name="NVIDIA H100 80GB HBM3",
    major=9,
    feature="feature_extension: ACCELERATED_FEATURES",
    cores=132,
    units=128,
    shared=233472,
    optin=232448,
    bandwidth=3352320000000,
    cache=52428800,
    clock=1.98,
    memory=84942979072,
)
_A100 = _GPU.format(
    name="NVIDIA A100-SXM4-80GB",
    major=8,
    feature="",
    cores=108,
    units=64,
    shared=167936,
    optin=166912,
    bandwidth=2039000000000,
    cache=41943040,
    clock=1.41,
    memory=85097971712,
)

# By name: platform, the plugin's name of the machine, and what else it wants to know.
MACHINES = {
    "h100": ("cuda", "", {"target_config": _H100, "topology": "1x1x1"}),
    "a100": ("cuda", "", {"target_config": _A100, "topology": "1x1x1"}),
    "v5e": ("tpu", "v5e:2x2", {}),
}
