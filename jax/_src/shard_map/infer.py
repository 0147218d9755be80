"""What stands for "read it from the types of the arguments"."""


class InferFromArgs:
    """Stands for the specs in the types of arguments; there is one instance, `Infer`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "Infer"

    def __reduce__(self) -> str:
        return "Infer"


Infer = InferFromArgs()
