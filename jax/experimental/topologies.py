"""Devices of machines, present or not."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.lib.client import Device as Device
from jax._src.runtime.devices.topologies import (
    TopologyDescription as TopologyDescription,
    get_attached_topology as get_attached_topology,
    get_topology_desc as get_topology_desc,
    make_mesh as make_mesh,
)

_doc_examples.attach(__name__)
