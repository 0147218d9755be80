"""Operations across the devices of a mesh axis, or the batch elements of an axis of `vmap`."""
