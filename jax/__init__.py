"""Composable transformations of numerical programs."""

from jax._src.base import collecting as _collecting  # first: it speeds up the rest
from jax._src.base import doc_examples as _doc_examples
from jax._src.base.config import config as config
from jax._src.base.accepted_options import (
    jax2tf_associative_scan_reductions as jax2tf_associative_scan_reductions,
)
from jax._src.base.options import CompilerEffortLevel as CompilerEffortLevel
from jax._src.base.options import allow_f16_reductions as allow_f16_reductions
from jax._src.base.options import auto_pcast as auto_pcast
from jax._src.base.options import check_tracer_leaks as check_tracer_leaks
from jax._src.base.options import debug_infs as debug_infs
from jax._src.base.options import debug_key_reuse as debug_key_reuse
from jax._src.base.options import debug_nans as debug_nans
from jax._src.base.options import default_device as default_device
from jax._src.base.options import (
    default_matmul_precision as default_matmul_precision,
)
from jax._src.base.options import default_prng_impl as default_prng_impl
from jax._src.base.options import enable_checks as enable_checks
from jax._src.base.options import enable_custom_prng as enable_custom_prng
from jax._src.base.options import enable_x64 as enable_x64
from jax._src.base.options import explain_cache_misses as explain_cache_misses
from jax._src.base.options import explain_slow_calls as explain_slow_calls
from jax._src.base.options import legacy_prng_key as legacy_prng_key
from jax._src.base.options import log_compiles as log_compiles
from jax._src.base.options import memory_budget as memory_budget
from jax._src.base.options import no_execution as no_execution
from jax._src.base.options import no_tracing as no_tracing
from jax._src.base.options import numpy_dtype_promotion as numpy_dtype_promotion
from jax._src.base.options import numpy_rank_promotion as numpy_rank_promotion
from jax._src.base.options import (
    remove_size_one_mesh_axis_from_type as remove_size_one_mesh_axis_from_type,
)
from jax._src.base.options import reproducible as reproducible
from jax._src.base.options import softmax_custom_jvp as softmax_custom_jvp
from jax._src.base.options import thread_guard as thread_guard
from jax._src.base.options import threefry_partitionable as threefry_partitionable
from jax._src.base.options import guard_transfers as transfer_guard
from jax._src.base.options import (
    transfer_guard_device_to_device as transfer_guard_device_to_device,
)
from jax._src.base.options import (
    transfer_guard_device_to_host as transfer_guard_device_to_host,
)
from jax._src.base.options import (
    transfer_guard_host_to_device as transfer_guard_host_to_device,
)
from jax._src.base.scalars import float0 as float0
from jax._src.base.version import __version__ as __version__
from jax._src.base.version import __version_info__ as __version_info__
from jax._src.callbacks.calls import pure_callback as pure_callback
from jax._src.core.avals import typeof as typeof
from jax._src.core.references import Ref as Ref
from jax._src.lax.jacobians import hessian as hessian
from jax._src.lax.jacobians import jacfwd as jacfwd
from jax._src.lax.jacobians import jacrev as jacobian
from jax._src.lax.jacobians import jacrev as jacrev
from jax._src.lib.client import Device as Device
from jax._src.numpy.dynamic_slices import ds as ds
from jax._src.runtime.arrays.array import Array as Array
from jax._src.runtime.arrays.array import Shard as Shard
from jax._src.runtime.arrays.array import (
    make_array_from_callback as make_array_from_callback,
)
from jax._src.runtime.arrays.array import (
    make_array_from_single_device_arrays as make_array_from_single_device_arrays,
)
from jax._src.runtime.devices.backends import host_count as host_count
from jax._src.runtime.devices.backends import host_id as host_id
from jax._src.runtime.devices.backends import host_ids as host_ids
from jax._src.runtime.devices.backends import default_backend as default_backend
from jax._src.runtime.devices.backends import device_count as device_count
from jax._src.runtime.devices.backends import devices as devices
from jax._src.runtime.devices.backends import live_arrays as live_arrays
from jax._src.runtime.devices.backends import local_device_count as local_device_count
from jax._src.runtime.devices.backends import local_devices as local_devices
from jax._src.runtime.devices.backends import process_count as process_count
from jax._src.runtime.devices.backends import process_index as process_index
from jax._src.runtime.devices.backends import process_indices as process_indices
from jax._src.runtime.compilation.compilations import (
    compilation_report as compilation_report,
)
from jax._src.runtime.compilation.compilations import (
    expect_no_compile as expect_no_compile,
)
from jax._src.runtime.devices.environment import (
    print_environment_info as print_environment_info,
)
from jax._src.runtime.arrays.garbage import (
    array_garbage_collection_guard as array_garbage_collection_guard,
)
from jax._src.runtime.user_context import make_user_context as make_user_context
from jax._src.core.partition_spec import PartitionSpec as P
from jax._src.runtime.processes.process_local_data import (
    make_array_from_process_local_data as make_array_from_process_local_data,
)
from jax._src.runtime.devices.make_mesh import make_mesh as make_mesh
from jax._src.core.mesh_context import get_abstract_mesh as get_abstract_mesh
from jax._src.core.mesh_context import get_mesh as get_mesh
from jax._src.core.mesh_context import set_mesh as set_mesh
from jax._src.core.mesh_context import use_abstract_mesh as use_abstract_mesh
from jax._src.runtime.transfers.device_put_get import (
    block_until_ready as block_until_ready,
)
from jax._src.runtime.transfers.device_put_get import (
    copy_to_host_async as copy_to_host_async,
)
from jax._src.runtime.transfers.device_put_get import device_get as device_get
from jax._src.runtime.transfers.device_put_get import device_put as device_put
from jax._src.core.shardings import NamedSharding as NamedSharding
from jax._src.runtime.tokens import effects_barrier as effects_barrier
from jax._src.state.refs import empty_ref as empty_ref
from jax._src.state.refs import free_ref as free_ref
from jax._src.state.refs import freeze as freeze
from jax._src.state.refs import new_ref as new_ref
from jax._src.shard_map.api import shard_map as shard_map
from jax._src.shard_map.api import smap as smap
from jax._src.shard_map.pmap import pmap as pmap
from jax._src.transforms.checkpoint import checkpoint as checkpoint
from jax._src.transforms.checkpoint import checkpoint as remat
from jax._src.transforms.closures import closure_convert as closure_convert
from jax._src.transforms.closures import custom_gradient as custom_gradient
from jax._src.lax.mesh_modes import reshard as reshard
from jax._src.transforms.disable_jit import checking_leaks as checking_leaks
from jax._src.base.caches import clear_caches as clear_caches
from jax._src.transforms.disable_jit import disable_jit as disable_jit
from jax._src.transforms.disable_jit import (
    ensure_compile_time_eval as ensure_compile_time_eval,
)
from jax._src.transforms.named_scope import named_call as named_call
from jax._src.transforms.named_scope import named_scope as named_scope
from jax._src.transforms.custom_jvp import custom_jvp as custom_jvp
from jax._src.transforms.custom_vjp import custom_vjp as custom_vjp
from jax._src.transforms.differentiate import grad as grad
from jax._src.transforms.differentiate import jvp as jvp
from jax._src.transforms.linear_transpose import linear_transpose as linear_transpose
from jax._src.transforms.differentiate import linearize as linearize
from jax._src.transforms.differentiate import value_and_grad as value_and_grad
from jax._src.transforms.differentiate import vjp as vjp
from jax._src.jit.inlining import Inline as Inline
from jax._src.transforms.shape_dtype_struct import ShapeDtypeStruct as ShapeDtypeStruct
from jax._src.transforms.inspect_programs import eval_shape as eval_shape
from jax._src.transforms.inspect_programs import make_jaxpr as make_jaxpr
from jax._src.jit.jit import jit as jit
from jax._src.transforms.fwd_and_bwd import fwd_and_bwd as fwd_and_bwd
from jax._src.transforms.vectorize import vmap as vmap

# The modules that users reach as attributes.
from jax import checkpoint_policies as checkpoint_policies
from jax import ad as ad
from jax import api_util as api_util
from jax import core as core
from jax import custom_batching as custom_batching
from jax import custom_derivatives as custom_derivatives
from jax import debug as debug
from jax import dtypes as dtypes
from jax import errors as errors
from jax import experimental as experimental
from jax import dlpack as dlpack
from jax import image as image
from jax import ffi as ffi
from jax import interpreters as interpreters
from jax import lax as lax
from jax import monitoring as monitoring
from jax import nn as nn
from jax import numpy as numpy
from jax import ops as ops
from jax import random as random
from jax import ref as ref
from jax import scipy as scipy
from jax import sharding as sharding
from jax import stages as stages
from jax import tree as tree
from jax import tree_util as tree_util
from jax import typing as typing
from jax import version as version

# Loaded when first used.
from jax._src.base import lazy as _lazy

_PARTS = ("distributed", "export", "lib", "memory", "profiler")
__getattr__ = _lazy.submodules(__name__, _PARTS)
__dir__ = _lazy.listing(__name__, _PARTS)

_doc_examples.attach(__name__)
_collecting.resume()
