"""From a lowered program to one that can be called: devices, compilation, caches."""
