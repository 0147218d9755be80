"""Lists of the devices that functions run beside."""

from jax._src.colocated.functions import DeviceList as DeviceList
