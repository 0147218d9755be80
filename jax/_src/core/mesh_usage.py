"""Whether this process has used a mesh: until then no type has one."""

# True from the first mesh on, and for good. Tracing reads it for every operation.
is_used = False


def mark_used() -> None:
    """Records that there is a mesh, or a type with a sharding or a memory space."""
    global is_used
    is_used = True
