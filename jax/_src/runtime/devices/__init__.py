"""Devices: plugins, their clients, and what this machine has; meshes and topologies of devices."""
