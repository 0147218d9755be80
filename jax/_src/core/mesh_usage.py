"""Whether this process has used a mesh: until then no type needs to be asked for one."""

# True from the first mesh on, and for good. Tracing reads it for every operation.
begun = False


def begin() -> None:
    """Tells that there is a mesh, or a type that says where its values lie."""
    global begun
    begun = True
