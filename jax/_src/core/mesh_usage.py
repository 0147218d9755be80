"""Whether this process has used a mesh: until then no type needs to be asked for one."""

# True from the first mesh on, and for good. Tracing reads it for every operation.
is_used = False


def mark_used() -> None:
    """Tells that there is a mesh, or a type that says where its values lie."""
    global is_used
    is_used = True
