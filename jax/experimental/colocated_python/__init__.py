"""Python functions that run where the devices of their arguments are."""

from jax._src.colocated.functions import (
    colocated_cpu_devices as colocated_cpu_devices,
    colocated_python as colocated_python,
)
from jax._src.colocated.objects import colocated_python_class as colocated_python_class
