"""Operations across the devices of a mesh axis, or the rows of an axis of `vmap`."""
