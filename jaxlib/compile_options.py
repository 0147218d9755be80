"""Compile options under the names that other libraries know."""

from jaxlib._native import client


class CompileOptions(client.CompileOptions):
    """How many replicas and partitions a program has, on which devices, with which overrides."""

    @property
    def num_replicas(self) -> int:
        """How many copies of the program run."""
        return self.replica_count

    @num_replicas.setter
    def num_replicas(self, count: int) -> None:
        self.replica_count = count

    @property
    def num_partitions(self) -> int:
        """Into how many parts each copy is divided."""
        return self.partition_count

    @num_partitions.setter
    def num_partitions(self, count: int) -> None:
        self.partition_count = count

    def SerializeAsString(self) -> bytes:  # noqa: N802 (the name that libraries know)
        """The options as the message that PJRT plugins read."""
        return self.serialize()
