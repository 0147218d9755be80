"""What stands for "read it from the types of the arguments"."""


class InferFromArgs:
    """Stands for specs that the types of arguments tell; there is one, `Infer`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "Infer"

    def __reduce__(self) -> str:
        return "Infer"


Infer = InferFromArgs()
