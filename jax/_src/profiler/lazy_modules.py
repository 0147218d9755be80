"""Modules of this package that few programs want, loaded at the first use."""

from jax._src.base import lazy

NAMES = (
    "floors",
    "perfetto",
    "programs",
    "report_facts",
    "report_memory",
    "report_page",
    "report_shardings",
    "service",
    "trace_events",
)
load = lazy.submodules("jax._src.profiler", NAMES)
