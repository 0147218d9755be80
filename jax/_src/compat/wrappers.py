"""Classes of functions with rules of their own."""

_classes: set[type] = set()


def register_custom_decorator_type(cls: type) -> type:
    """A class decorator: objects of the class wrap functions that have rules of their own.

    Wrappers such as `jax.jit` show the attributes of any function that they wrap, so
    nothing has to be done for the class.
    """
    _classes.add(cls)
    return cls
